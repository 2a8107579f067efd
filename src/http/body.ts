import type { IncomingMessage } from "node:http";

/**
 * Reads a request body to its end.
 * @param ask called before, unless the body is known to be too large: asks a client that waits for it to send the body
 * @returns "too_large" as soon as it passes the limit, "aborted" when the client went away
 */
export function readBody(
  message: IncomingMessage,
  limitBytes: number,
  ask: () => void,
): Promise<Buffer | "too_large" | "aborted"> {
  if (Number(message.headers["content-length"] ?? 0) > limitBytes) return Promise.resolve("too_large");
  ask();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Only the first call of resolve has an effect, so the listeners can stay.
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      // The rest is read and discarded, because some clients read the response only after they have sent
      // everything.
      else resolve("too_large");
    });
    message.on("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // A request that breaks off emits close, too.
    message.on("close", () => resolve("aborted"));
  });
}
