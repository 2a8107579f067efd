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
