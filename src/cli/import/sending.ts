/** Sends chunks, a few at a time, and takes their results in the order in which they were sent. */

export interface Sending<Chunk> {
  /** Sends a chunk; waits while enough of them are on their way. */
  send(chunk: Chunk): Promise<void>;
  /** Waits for all that are on their way. @throws what the first of them failed with, once none is left */
  finish(): Promise<void>;
}

/**
 * @param call sends one chunk
 * @param settle hears of each result, one at a time
 */
export function createSending<Chunk, Result>(
  atOnce: number,
  call: (chunk: Chunk) => Promise<Result>,
  settle: (chunk: Chunk, result: Result) => Promise<void>,
): Sending<Chunk> {
  const onTheirWay: { chunk: Chunk; result: Promise<Result> }[] = [];
  const settleFirst = async () => {
    const first = onTheirWay.shift();
    if (first !== undefined) await settle(first.chunk, await first.result);
  };
  return {
    async send(chunk) {
      while (onTheirWay.length >= atOnce) await settleFirst();
      const result = call(chunk);
      // It fails where its turn comes.
      result.catch(() => undefined);
      onTheirWay.push({ chunk, result });
    },
    async finish() {
      const failures: unknown[] = [];
      while (onTheirWay.length > 0) await settleFirst().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
