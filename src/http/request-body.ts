/** Reads the bodies of requests, and bounds what a body costs besides its size. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** The pieces of any body, and those of a larger body for each KB. A piece of one byte takes as long as one of 1 KB. */
const fewestPieces = 2000;
const piecesOfKilobyte = 32;
/** The chunk sizes, extensions and trailers of any body, in bytes. */
const framingBytes = 64 * 1024;

/** The length that the headers declare; undefined for a body in chunks. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  if (headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? 0);
}

/** Stops reading until the body is wanted, because a body in chunks can cost much. */
export function holdBody({ socket }: IncomingMessage): void {
  // The parser stops reading the connection itself when something else listens. Otherwise, it would not start again.
  const listener = () => undefined;
  socket.on("data", listener).off("data", listener);
  socket.pause();
}

/**
 * Reads a request body to its end. Sends 100 Continue if the client waits for it and the body is not known to be too large.
 * @returns "too_large" as soon as its size or its framing passes the limit, "aborted" when the client went away
 */
export function readBody(
  message: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Buffer | "too_large" | "aborted"> {
  const { headers, httpVersion, socket } = message;
  const declared = declaredLength(message);
  if ((declared ?? 0) > limitBytes) return Promise.resolve("too_large");
  if (httpVersion === "1.1" && /^100-continue$/i.test(headers.expect ?? "")) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let pieces = 0;
    // Only the first call of resolve has an effect, so the listeners are not removed.
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      pieces += 1;
      const isCostly = pieces > fewestPieces + (size / 1024) * piecesOfKilobyte;
      if (size > limitBytes || isCostly) resolve("too_large");
      else chunks.push(chunk);
    });
    if (declared === undefined) countFraming(2 * limitBytes + framingBytes, () => resolve("too_large"));
    message.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // An aborted request emits only close.
    message.on("close", () => resolve("aborted"));
  });

  /** Not all framing is seen as data of the message: the size of a chunk can have any number of zeros. */
  function countFraming(most: number, onTooMany: () => void): void {
    let bytes = 0;
    const count = (data: Buffer) => {
      bytes += data.length;
      if (bytes > most) onTooMany();
    };
    socket.on("data", count);
    message.once("close", () => socket.off("data", count));
  }
}
