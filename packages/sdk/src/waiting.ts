/** Waiting between the tries of a request, and for what others wait for too. */

const firstBackoffMilliseconds = 250;
const longestBackoffMilliseconds = 10_000;

/**
 * How long to wait before a retry: at most twice as long each time, and anything below that with equal chance,
 * so that requests that failed together do not come back together.
 * @param retries how many there were already
 */
export function backoff(retries: number): number {
  const longest = Math.min(longestBackoffMilliseconds, firstBackoffMilliseconds * 2 ** retries);
  return Math.round(Math.random() * longest);
}

/** Waits. @throws the signal's reason if it is aborted meanwhile */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(passed, signal).finally(() => clearTimeout(timer));
}

/** What a promise brings, unless the signal is aborted before. @throws the signal's reason then */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  signal?.throwIfAborted();
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { signal: settled.signal });
  });
  return Promise.race([promise, aborted]).finally(() => settled.abort());
}
