/** The headers that the owner of an endpoint adds to its webhooks, such as Authorization. */

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** The most bytes of a header, with the colon and the blank. */
export const mostHeaderBytes = 1024;

/** Headers that describe the connection or the body, or that the service itself sends. */
const reserved = new Set(
  `accept-encoding connection content-encoding content-length content-type date expect host http2-settings keep-alive
  proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent`.split(
    /\s+/,
  ),
);

/** Checks a header. @returns what is wrong with it, as the end of a sentence; undefined when it is allowed */
export function problemOfHeader({
  name,
  value,
}: Header): { part: "name" | "value"; problem: string } | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    return { part: "name", problem: "must be the name of a header, such as Authorization" };
  const lower = name.toLowerCase();
  if (reserved.has(lower) || lower.startsWith("webhook-"))
    return { part: "name", problem: `must not be ${name}, because the service sends this header itself` };
  if (name.length + value.length + 2 > mostHeaderBytes)
    return { part: "value", problem: `must be shorter: a header has at most ${mostHeaderBytes} bytes` };
  return undefined;
}
