/**
 * The baseline "bare": a server of Node.js alone. It checks the token, parses the same requests, and sends as many bytes as an
 * adjustment does, but stores nothing. It starts, tells its port, and ends with its parent.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { responseHeaders } from "../src/http/connections.ts";

/** The headers that a response has besides. */
const more = {
  "x-request-id": "5a0c9b52-57ee-4a38-8a2b-6c8f1b3a7a01",
  "ratelimit-policy": '"default";q=2000000;w=2',
  ratelimit: '"default";r=1999999;t=0',
};

const key = Buffer.from(process.env.TOKEN_KEY as string, "hex");

function isValid(authorization = ""): boolean {
  const [head, payload = "", signature = ""] = authorization.replace(/^Bearer /, "").split(".");
  const expected = createHmac("sha256", key).update(`${head}.${payload}`).digest();
  const sent = Buffer.from(signature, "base64url");
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return false;
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")).exp > Date.now() / 1000;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { contact_id, amount, adjustment_type } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const data = { contact_id, amount, adjustment_type, balance_after: amount };
    const body = JSON.stringify({ success: true, message: "Wallet balance adjusted.", data, meta: {} });
    response.writeHead(isValid(request.headers.authorization) ? 200 : 401, {
      ...responseHeaders,
      ...more,
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
