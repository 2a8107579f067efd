/** Reads a response of HTTP/1.1 from the pieces in which it arrives. It does no input or output. */

/** What arrives is not a response of HTTP/1.1. */
class ResponseError extends Error {}

const mostHeadBytes = 16 * 1024;
const mostLineBytes = 1024;
const mostBodyBytes = 64 * 1024;
const bodyBytesKept = 1024;

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?(?:\r\n|$)/;
const headers = {
  contentLength: /^content-length:[ \t]*(.*?)[ \t]*$/im,
  transferEncoding: /^transfer-encoding:[ \t]*(.*?)[ \t]*$/im,
  connection: /^connection:[ \t]*(.*?)[ \t]*$/im,
  retryAfter: /^retry-after:[ \t]*(.*?)[ \t]*$/im,
};

/** What comes next. In a chunked body: the line with the size of a chunk, the chunk, its line end, and the lines after the last. */
type Part = "head" | "body" | "size" | "chunk" | "chunk end" | "trailers" | "nothing";

export class ResponseReader {
  /** Of the response; undefined before its head has arrived. Interim responses (1xx) don't count. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** Whether the connection can be used again after the response. */
  keepsConnection = false;
  /** Whether the body is longer than what is read of it. */
  isCut = false;
  readonly #hasBody: boolean;
  #next: Part = "head";
  /** What has arrived and is not read yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** How many bytes of the body or the chunk are still to come. */
  #left = 0;
  #bodyBytes = 0;
  readonly #kept: Buffer[] = [];

  /** @param hasBody false for the response to CONNECT */
  constructor({ hasBody = true } = {}) {
    this.#hasBody = hasBody;
  }

  /** Whether something has arrived. */
  get hasBegun(): boolean {
    return this.status !== undefined || this.#rest.length > 0;
  }

  /** The beginning of the body. PostgreSQL stores no NUL. */
  get body(): string {
    const kept = Buffer.concat(this.#kept).subarray(0, bodyBytesKept);
    return kept.toString("utf8").replaceAll("\0", "\uFFFD");
  }

  /** @returns whether the response is complete, or enough of it was read. @throws ResponseError */
  add(piece: Buffer): boolean {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (this.#next !== "nothing" && this.#readPart());
    if (this.#next !== "nothing") return false;
    // What follows a response belongs to none.
    if (this.#rest.length > 0) this.keepsConnection = false;
    return true;
  }

  /** @returns whether the part was read to its end */
  #readPart(): boolean {
    if (this.#next === "head") return this.#readHead();
    if (this.#next === "body" || this.#next === "chunk") return this.#readBody();
    const line = this.#takeTo("\r\n", mostLineBytes);
    if (line === undefined) return false;
    if (this.#next === "size") this.#readSize(line);
    else if (line === "") this.#next = this.#next === "trailers" ? "nothing" : "size";
    else if (this.#next === "chunk end")
      throw new ResponseError("a chunk of the response is longer than its size");
    return true;
  }

  /** Takes the text up to a mark. @returns undefined when the mark has not arrived */
  #takeTo(mark: string, mostBytes: number): string | undefined {
    const end = this.#rest.indexOf(mark);
    if (end > mostBytes || (end < 0 && this.#rest.length > mostBytes)) {
      throw new ResponseError("the headers of the response are too large");
    }
    if (end < 0) return undefined;
    const text = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + mark.length);
    return text;
  }

  #readHead(): boolean {
    const begin = this.#rest.toString("latin1", 0, 7);
    if (!"HTTP/1.".startsWith(begin)) throw new ResponseError("the response is not HTTP/1.1");
    const head = this.#takeTo("\r\n\r\n", mostHeadBytes);
    if (head === undefined) return false;
    const [, minor, code] = statusLine.exec(head) ?? [];
    if (code === undefined || code < "100") throw new ResponseError("the response is not HTTP/1.1");
    // Interim responses come before the response.
    if (code >= "200") this.#begin(Number(code), minor === "1", head);
    else if (code === "101") throw new ResponseError("the connection was closed before the response");
    return true;
  }

  #begin(status: number, isNew: boolean, head: string): void {
    const header = (name: keyof typeof headers) => headers[name].exec(head)?.[1];
    this.status = status;
    this.retryAfter = header("retryAfter");
    const encoding = header("transferEncoding");
    const length = header("contentLength");
    this.keepsConnection = isNew && !/\bclose\b/i.test(header("connection") ?? "");
    if (!this.#hasBody || status === 204 || status === 304) this.#next = "nothing";
    else if (encoding !== undefined && /^chunked$/i.test(encoding)) this.#next = "size";
    else if (encoding === undefined && length !== undefined && /^\d{1,15}$/.test(length)) {
      this.#left = Number(length);
      this.#next = this.#left === 0 ? "nothing" : "body";
    } else {
      // The end of the connection is the end of the body.
      this.keepsConnection = false;
      this.#left = Number.POSITIVE_INFINITY;
      this.#next = "body";
    }
  }

  #readSize(line: string): void {
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) throw new ResponseError("a chunk of the response has no size");
    this.#left = Number.parseInt(size, 16);
    this.#next = this.#left === 0 ? "trailers" : "chunk";
  }

  #readBody(): boolean {
    const part = this.#rest.subarray(0, this.#left);
    if (this.#bodyBytes < bodyBytesKept) this.#kept.push(part.subarray(0, bodyBytesKept));
    this.#bodyBytes += part.length;
    this.#left -= part.length;
    this.#rest = this.#rest.subarray(part.length);
    if (this.#bodyBytes > mostBodyBytes) {
      this.keepsConnection = false;
      this.isCut = true;
      this.#next = "nothing";
      return true;
    }
    if (this.#left > 0) return false;
    this.#next = this.#next === "body" ? "nothing" : "chunk end";
    return true;
  }
}
