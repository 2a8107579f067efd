/** Runs some work once there is room. */
export type AtMost = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * @param limit how much runs at the same time
 * @returns what runs work so; what waits goes in the order in which it came
 */
export function atMost(limit: number): AtMost {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // What ends hands its place on, so that nothing that comes now overtakes what waits.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
