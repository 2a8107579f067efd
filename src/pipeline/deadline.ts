/** The time is up. The work continues, but its result is discarded. */
class OverdueError extends Error {
  /** Sorted like a connection that timed out: what became of the work is unknown. */
  readonly code = "ETIMEDOUT";
}

/**
 * Waits for something, but not without end.
 * @throws when it takes longer, with a code that faultOf knows as unavailable; or as the work does
 */
export function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new OverdueError(`not done within ${milliseconds} ms`)),
      milliseconds,
    );
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
