import { afterEach, expect, it } from "vitest";
import { type MetricsServer, startMetricsServer } from "./metrics-server.ts";

const address = { host: "127.0.0.1", port: 0 };
let server: MetricsServer;
let warnings: string[] = [];
const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
const start = async (text: () => Promise<string>) => {
  warnings = [];
  server = await startMetricsServer(address, text, log as never);
};
afterEach(() => server.close());

it("serves the exposition, and nothing else", async () => {
  await start(async () => "loyalty_starts_total 1\n");
  const reply = await fetch(server.url);
  expect([reply.status, await reply.text()]).toEqual([200, "loyalty_starts_total 1\n"]);
  expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect((await fetch(server.url, { method: "POST" })).status).toBe(404);
  expect((await fetch(new URL("/", server.url))).status).toBe(404);
});

it("collects once for scrapes at the same time", async () => {
  let collected = 0;
  await start(async () => {
    collected += 1;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return "";
  });
  const replies = await Promise.all(Array.from({ length: 10 }, () => fetch(server.url)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(collected).toBe(1);
});

it("answers 503 while they can't be collected", async () => {
  await start(async () => {
    throw new Error("not now");
  });
  expect((await fetch(server.url)).status).toBe(503);
  expect(warnings).toEqual(["the metrics can't be collected"]);
});
