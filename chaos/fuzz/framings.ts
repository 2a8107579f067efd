/**
 * Requests with a wrong or ambiguous frame. A proxy may see one request where the service sees two; a second response would
 * respond to a request that no proxy has checked.
 */

export interface Framing {
  readonly name: string;
  readonly bytes: Buffer;
  /** The largest number of responses. */
  readonly responses: number;
}

/** @param hidden a valid request, after the end or inside of each frame */
export function framings(path: string, authorization: string, body: string, hidden: string): Framing[] {
  const plain = `Host: fuzz\r\nContent-Type: application/json\r\nAuthorization: ${authorization}\r\n`;
  const line = `POST ${path} HTTP/1.1\r\n`;
  const length = Buffer.byteLength(body);
  const chunked = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const all = Buffer.byteLength(body + hidden);
  const form = (name: string, text: string, responses = 1): Framing => ({
    name,
    bytes: Buffer.from(text, "latin1"),
    responses,
  });
  const withHead = (name: string, headers: string, rest: string) =>
    form(name, `${line}${plain}${headers}\r\n${rest}`);
  const transfer = (name: string, value: string) =>
    withHead(name, `Content-Length: ${length}\r\n${value}\r\n`, chunked + hidden);
  return [
    withHead(
      "length and chunks",
      `Content-Length: ${all}\r\nTransfer-Encoding: chunked\r\n`,
      `0\r\n\r\n${hidden}`,
    ),
    withHead("chunks and length", `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, chunked + hidden),
    withHead("two lengths", `Content-Length: ${length}\r\nContent-Length: ${all}\r\n`, body + hidden),
    withHead("two equal lengths", `Content-Length: ${all}\r\nContent-Length: ${all}\r\n`, body + hidden),
    withHead("a list of lengths", `Content-Length: ${length}, ${length}\r\n`, body + hidden),
    ...["+5", "-1", "0x10", "1e2", "5 5", "", "9".repeat(30), "5;a"].map((value) =>
      withHead(`the length ${value}`, `Content-Length: ${value}\r\n`, body + hidden),
    ),
    transfer("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    transfer("chunked by another name", "Transfer-Encoding: xchunked"),
    transfer("chunked, then identity", "Transfer-Encoding: chunked, identity"),
    transfer("chunked after a tab", "Transfer-Encoding:\tchunked"),
    transfer("a space before the colon", "Transfer-Encoding : chunked"),
    transfer("a folded encoding", "Transfer-Encoding:\r\n chunked"),
    transfer("an encoding behind a bare LF", "X: y\nTransfer-Encoding: chunked"),
    transfer("an encoding behind a bare CR", "X: y\rTransfer-Encoding: chunked"),
    transfer("an encoding with a NUL", "Transfer-Encoding: chunked\0"),
    ...["-1", "0x5", "5 ", "fffffffffffffffff", "g", ""].map((size) =>
      withHead(`the chunk size ${size}`, "Transfer-Encoding: chunked\r\n", `${size}\r\n${body}\r\n0\r\n\r\n`),
    ),
    withHead(
      "chunks that end in bare LF",
      "Transfer-Encoding: chunked\r\n",
      chunked.replaceAll("\r\n", "\n"),
    ),
    withHead("a chunk longer than it says", "Transfer-Encoding: chunked\r\n", `1\r\n${body}\r\n0\r\n\r\n`),
    withHead("a folded header", `X-Folded: a\r\n b\r\nContent-Length: ${length}\r\n`, body),
    withHead("two hosts", `Host: other\r\nContent-Length: ${length}\r\n`, body),
    withHead("a NUL in a header", `X: a\0b\r\nContent-Length: ${length}\r\n`, body),
    withHead("a header without a name", `: a\r\nContent-Length: ${length}\r\n`, body),
    withHead("a header without a colon", `nonsense\r\nContent-Length: ${length}\r\n`, body),
    withHead("less body than it says", `Content-Length: ${length + 100}\r\n`, body),
    form(
      "bare LF throughout",
      `${line}${plain}Content-Length: ${length}\r\n\r\n`.replaceAll("\r\n", "\n") + body,
    ),
    form("no host", `${line}Content-Length: 2\r\n\r\n{}`),
    form("HTTP/0.9", `POST ${path}\r\n\r\n`),
    form("HTTP/1.0", `POST ${path} HTTP/1.0\r\n${plain}Content-Length: ${length}\r\n\r\n${body}`),
    form("HTTP/9.9", `POST ${path} HTTP/9.9\r\n${plain}\r\n`),
    form("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
    form("TLS", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"),
    form(
      "a method in lower case",
      `post ${path} HTTP/1.1\r\n${plain}Content-Length: ${length}\r\n\r\n${body}`,
    ),
    form(
      "an absolute target",
      `POST http://other${path} HTTP/1.1\r\n${plain}Content-Length: ${length}\r\n\r\n${body}`,
    ),
    form("a space in the target", `POST ${path} x HTTP/1.1\r\n${plain}\r\n`),
    form(
      "an upgrade",
      `${line}${plain}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${length}\r\n\r\n${body}`,
    ),
    form("CONNECT", "CONNECT fuzz:443 HTTP/1.1\r\nHost: fuzz\r\n\r\n"),
    form("nothing but line ends", "\r\n\r\n\r\n\r\n"),
    form("the smuggled one alone", hidden, 1),
  ];
}
