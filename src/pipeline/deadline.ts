/** The time is up. The work continues, but its result is discarded. */
class OverdueError extends Error {
  /** faultOf classifies it like a connection timeout: whether the work took effect is unknown. */
  readonly code = "ETIMEDOUT";
}

/**
 * Waits for work, up to a time limit.
 * @throws OverdueError after the time limit, or the error of the work
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
