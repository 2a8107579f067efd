/** Runs work under the same key one piece after the other. Work under different keys does not wait. */
export interface KeyedMutex {
  /** Runs work once all earlier work under its key is over. @returns what the work returns */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export function createKeyedMutex(): KeyedMutex {
  /** The latest work under each key. */
  const latest = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const earlier = latest.get(key) ?? Promise.resolve();
      const mine = earlier.then(work, work);
      latest.set(key, mine);
      const end = () => {
        if (latest.get(key) === mine) latest.delete(key);
      };
      mine.then(end, end);
      return mine;
    },
  };
}
