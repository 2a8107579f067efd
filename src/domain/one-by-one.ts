/** Lets work that has the same name run one after the other; work with different names does not wait. */
export interface OneByOne {
  /** @returns what the work does, once what came before it under this name is over, whatever became of that */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

export function oneByOne(): OneByOne {
  /** The work that came last, by name. */
  const last = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(name, mine);
      const end = () => {
        if (last.get(name) === mine) last.delete(name);
      };
      mine.then(end, end);
      return mine;
    },
  };
}
