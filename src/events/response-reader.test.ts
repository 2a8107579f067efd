import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResponseReader } from "./response-reader.ts";

/** Reads a text that arrives in pieces. @param cuts where the text is divided */
function read(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text, "latin1");
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((one, other) => one - other);
  const reader = new ResponseReader();
  let isComplete = false;
  let [from, read] = [0, 0];
  for (const to of [...places, bytes.length]) {
    if (isComplete) break;
    isComplete = reader.add(bytes.subarray(from, to));
    [from, read] = [to, to];
  }
  const { status, retryAfter, keepsConnection, body } = reader;
  // What follows a response may have arrived with it, or not.
  const hasAll = read === bytes.length;
  return { isComplete, status, retryAfter, body, ...(hasAll && { keepsConnection }) };
}

const ok = "HTTP/1.1 200 OK\r\n";

describe("a response", () => {
  it.each([
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "", keepsConnection: true }],
    ["without a reason", "HTTP/1.1 204\r\n\r\n", { status: 204, keepsConnection: true }],
    ["with a length", `${ok}Content-Length: 2\r\n\r\nok`, { status: 200, body: "ok", keepsConnection: true }],
    ["of length 0", `${ok}content-length:0\r\n\r\n`, { body: "", keepsConnection: true }],
    [
      "in chunks",
      `${ok}Transfer-Encoding: chunked\r\n\r\n1;a=b\r\no\r\n1 \r\nk\r\n0\r\nA: b\r\n\r\n`,
      { body: "ok", keepsConnection: true },
    ],
    [
      "after interim responses",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${ok}content-length: 0\r\n\r\n`,
      { status: 200, keepsConnection: true },
    ],
    [
      "that asks to wait",
      "HTTP/1.1 429 Later\r\nRetry-After: 120\r\ncontent-length: 0\r\n\r\n",
      { retryAfter: "120" },
    ],
    ["that closes", `${ok}Connection: Close\r\ncontent-length: 0\r\n\r\n`, { keepsConnection: false }],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", { keepsConnection: false }],
    ["that more follows", "HTTP/1.1 204 No Content\r\n\r\nmore", { status: 204, keepsConnection: false }],
  ])("%s is read", (_name, text, expected) => {
    expect(read(text)).toMatchObject({ isComplete: true, ...expected });
  });

  it.each([
    ["that does not end", `${ok}content-length: 3\r\n\r\nok`, { status: 200, body: "ok" }],
    [
      "whose end is that of the connection",
      `${ok}\r\nok`,
      { status: 200, body: "ok", keepsConnection: false },
    ],
    ["in a coding that is not known", `${ok}transfer-encoding: gzip\r\n\r\nok`, { keepsConnection: false }],
    ["that has only begun", "HTTP/1.1 200 OK\r\ncontent-", { status: undefined }],
  ])("%s is not complete", (_name, text, expected) => {
    expect(read(text)).toMatchObject({ isComplete: false, ...expected });
  });

  it.each([
    ["that is not HTTP", "SSH-2.0-OpenSSH", "not HTTP/1.1"],
    ["of HTTP/2", "HTTP/2 200\r\n\r\n", "not HTTP/1.1"],
    ["without a status", "HTTP/1.1 OK\r\n\r\n", "not HTTP/1.1"],
    ["with a status that does not exist", "HTTP/1.1 099 What\r\n\r\n", "not HTTP/1.1"],
    ["that changes to another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "closed"],
    ["with a chunk without a size", `${ok}transfer-encoding: chunked\r\n\r\nx\r\n`, "no size"],
    ["with a chunk that is too long", `${ok}transfer-encoding: chunked\r\n\r\n1\r\nok\r\n`, "longer"],
    ["with headers that are too large", `${ok}a: ${"b".repeat(20_000)}`, "too large"],
    [
      "with a chunk extension that is too large",
      `${ok}transfer-encoding: chunked\r\n\r\n1;${"b".repeat(2000)}`,
      "too large",
    ],
  ])("%s is rejected", (_name, text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  it("is read up to 64 KB of its body, and 1 KB is kept", () => {
    const body = "a".repeat(65 * 1024);
    expect(read(`${ok}content-length: ${body.length}\r\n\r\n${body}`)).toMatchObject({
      isComplete: true,
      status: 200,
      body: "a".repeat(1024),
      keepsConnection: false,
    });
  });

  it("has the same meaning in any pieces and any framing", () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "\r", "\n", ":", "0"), maxLength: 40 }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 30 }), fc.nat(3), (chunks, cuts, interim) => {
        const body = chunks.join("");
        const before = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(interim);
        const framed = chunks
          .filter((chunk) => chunk !== "")
          .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
        const whole = { isComplete: true, status: 200, retryAfter: undefined, body, keepsConnection: true };
        const withLength = `${before}${ok}content-length: ${body.length}\r\n\r\n${body}`;
        const inChunks = `${before}${ok}transfer-encoding: chunked\r\n\r\n${framed.join("")}0\r\n\r\n`;
        expect(read(withLength, cuts)).toEqual(whole);
        expect(read(inChunks, cuts)).toEqual(whole);
      }),
    );
  });
});
