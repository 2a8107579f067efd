import type { IncomingMessage } from "node:http";

/**
 * Reads a request body to its end.
 * @returns "too_large" as soon as it passes the limit, "aborted" when the client went away
 */
export function readBody(
  message: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | "too_large" | "aborted"> {
  if (Number(message.headers["content-length"] ?? 0) > limitBytes) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (result: Buffer | "too_large" | "aborted") => {
      message.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        finish("too_large");
        // The rest flows into nothing: a client that only reads after it has sent all still gets its answer.
        message.resume();
      } else chunks.push(chunk);
    };
    const onEnd = () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    const onClose = () => finish("aborted");
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}
