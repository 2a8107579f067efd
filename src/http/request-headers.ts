/** What the server reads of the headers of a request before an operation gets it. */
import type { IncomingMessage } from "node:http";
import { reject } from "../contract/errors.ts";

const mostHeaders = 2000;

/** A request must not have these headers twice, because a proxy may use the other one. */
const singleHeaders: ReadonlySet<string> = new Set(["host", "authorization", "content-type"]);

/** Checks the headers: `Host` is required (RFC 9112 section 3.2), and `chunked` is the only transfer coding (section 6.1). */
export function headerProblem({ httpVersion, headers, rawHeaders }: IncomingMessage) {
  const wrong = (reason: "no_host" | "too_many_headers" | "transfer_encoding") =>
    reject("malformed_request", { reason });
  if (httpVersion === "1.1" && headers.host === undefined) return wrong("no_host");
  if (rawHeaders.length > 2 * mostHeaders) return wrong("too_many_headers");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (httpVersion !== "1.1" || coding.toLowerCase() !== "chunked"))
    return wrong("transfer_encoding");
  const found: string[] = [];
  // Names and values take turns.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (found.includes(name)) return reject("malformed_request", { reason: "repeated_header", header: name });
    found.push(name);
  }
  return undefined;
}

/** Reads the trace of a request (W3C Trace Context). @returns undefined without a valid `traceparent` */
export function traceIdOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, traceId, parentId] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(traceparent) ?? [];
  const isValid = /[^0]/.test(traceId ?? "") && /[^0]/.test(parentId ?? "");
  return isValid ? traceId : undefined;
}
