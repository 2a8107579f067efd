import { expect, it } from "vitest";
import { FairQueue, OverloadedError } from "./fair-queue.ts";

/** Work that runs until it is told to end, and records that it has begun. */
function work(begun: string[], name: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    do: async () => {
      begun.push(name);
      await ended;
      return name;
    },
    end: async () => {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it.each([1, 2, 5])("does %i at once, and all in the end", async (atOnce) => {
  const queue = new FairQueue({ atOnce });
  let running = 0;
  let most = 0;
  const all = Array.from({ length: 20 }, (_, index) =>
    queue.run(index % 3, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return index;
    }),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(most).toBe(atOnce);
});

it("serves owners in rotation, each in order", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const begun: string[] = [];
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const works = new Map(names.map((name) => [name, work(begun, name)]));
  const all = names.map((name) => queue.run(name[0], works.get(name)!.do));
  const expected = ["a1", "a2", "b1", "c1", "a3", "b2", "a4"];
  for (const name of expected) await works.get(name)!.end();
  expect(begun).toEqual(expected);
  expect(await Promise.all(all)).toEqual(names);
});

it("rejects work of an owner that has too much waiting, and no other work", async () => {
  const queue = new FairQueue({ atOnce: 1, mostWaiting: 2, retryAfterSeconds: 5 });
  const begun: string[] = [];
  const first = work(begun, "first");
  const running = queue.run("a", first.do);
  const waiting = [1, 2].map((number) => queue.run("a", async () => number));
  const rejected = await queue.run("a", async () => 3).catch((error: unknown) => error);
  expect(rejected).toBeInstanceOf(OverloadedError);
  expect(rejected).toMatchObject({ retryAfterSeconds: 5 });
  const other = queue.run("b", async () => "b");
  await first.end();
  expect(await Promise.all([running, ...waiting, other])).toEqual(["first", 1, 2, "b"]);
  expect(await queue.run("a", async () => "again")).toBe("again");
});

it("starts the next work when one fails", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const failing = queue.run("a", () => Promise.reject(new Error("failed")));
  const next = queue.run("a", async () => "next");
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("next");
  expect(await queue.run("a", async () => "later")).toBe("later");
});

it("takes one piece of an owner without waiting work, however much waits in all", async () => {
  const queue = new FairQueue({ atOnce: 1, mostWaiting: 3, mostInAll: 4 });
  const begun: string[] = [];
  const first = work(begun, "first");
  const running = queue.run("a", first.do);
  const run = (owner: string) => queue.run(owner, async () => owner).catch(() => "rejected");
  const all = ["a", "a", "a", "b", "b", "c", "c", "a"].map(run);
  await first.end();
  await running;
  expect(await Promise.all(all)).toEqual(["a", "a", "a", "b", "rejected", "c", "rejected", "rejected"]);
  expect(await Promise.all([run("b"), run("b"), run("b")])).toEqual(["b", "b", "b"]);
});

/** Work of several owners that runs until it is ended. @returns the names of the pieces that have begun */
function beginAll(queue: FairQueue, names: readonly string[]) {
  const begun: string[] = [];
  const works = new Map(names.map((name) => [name, work(begun, name)]));
  const all = names.map((name) => queue.run(name[0], works.get(name)!.do));
  return { begun, end: (name: string) => works.get(name)!.end(), all };
}

const pieces = (owner: string, count: number) => Array.from({ length: count }, (_, n) => `${owner}${n + 1}`);

it.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [8, 4],
  [9, 4],
])("gives one owner of %i places at most %i, if places are kept free", async (atOnce, most) => {
  const queue = new FairQueue({ atOnce, keepsPlacesFree: 1 });
  const { begun, end, all } = beginAll(queue, pieces("a", 20));
  for (const name of pieces("a", 20)) {
    expect(begun.length - (await settled(all))).toBeLessThanOrEqual(most);
    await end(name);
  }
  expect(begun).toEqual(pieces("a", 20));
});

/** How many of the promises have settled. */
async function settled(all: readonly Promise<unknown>[]): Promise<number> {
  const pending = Symbol("pending");
  const states = await Promise.all(all.map((one) => Promise.race([one, Promise.resolve(pending)])));
  return states.filter((state) => state !== pending).length;
}

it("has a place for each owner that comes, though owners before it have much work, and fills it up when it ends", async () => {
  const queue = new FairQueue({ atOnce: 8, keepsPlacesFree: 1 });
  const names = [...pieces("a", 9), ...pieces("b", 9), ...pieces("c", 9), ...pieces("d", 9)];
  const { begun, end, all } = beginAll(queue, names);
  expect(begun).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "c1", "d1"]);
  expect(queue.waiting()).toBe(names.length - 8);
  // A place that becomes free goes to the owner who has none.
  await end("d1");
  expect(begun.at(-1)).toBe("d2");
  // All owners come to an end.
  for (let next = 0; next < names.length; next++) await end([...begun][next] as string);
  expect(new Set(await Promise.all(all))).toEqual(new Set(names));
  expect(queue.waiting()).toBe(0);
});

it("rejects work at its turn that has waited too long, and runs the next", async () => {
  let now = 0;
  const queue = new FairQueue({ atOnce: 1, longestWaitMilliseconds: 5000, clock: () => now });
  const begun: string[] = [];
  const first = work(begun, "first");
  const running = queue.run("a", first.do);
  const late = queue.run("a", async () => "late").catch((error: unknown) => error);
  now = 4000;
  const next = queue.run("b", async () => "next");
  now = 6000;
  await first.end();
  expect([await running, await late, await next]).toEqual(["first", expect.any(OverloadedError), "next"]);
});

it("keeps a place taken after work for as long as it rests, and answers before", async () => {
  let now = 0;
  const rests: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const rest = (milliseconds: number) =>
    new Promise<void>((end) => {
      rests.push({ milliseconds, end });
    });
  const queue = new FairQueue({ atOnce: 1, clock: () => now, rest });
  const worked = queue.run("a", async () => {
    now += 30;
    return "done";
  });
  expect(await worked).toBe("done");
  const begun: string[] = [];
  const next = work(begun, "next");
  const done = queue.run("b", next.do);
  await new Promise((resolve) => setImmediate(resolve));
  expect([begun, rests.map(({ milliseconds }) => milliseconds)]).toEqual([[], [30]]);
  rests[0]?.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["next"]);
  await next.end();
  expect(await done).toBe("next");
});
