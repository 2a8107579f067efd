/** Bounds how much of something runs at the same time. */
export interface AtMost {
  /** Runs some work once there is room; what waits goes in the order in which it came. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How much waits. */
  waiting(): number;
}

/** @param limit how much runs at the same time */
export function atMost(limit: number): AtMost {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    waiting: () => waiting.length,
    async run(work) {
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
    },
  };
}
