import { expect, it } from "vitest";
import { TurnedAwayError, Turns } from "./turns.ts";

/** Work that goes on until it is told to end, and notes that it has begun. */
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
  const turns = new Turns({ atOnce });
  let running = 0;
  let most = 0;
  const all = Array.from({ length: 20 }, (_, index) =>
    turns.take(index % 3, async () => {
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

it("lets owners take turns, each in the order in which it came", async () => {
  const turns = new Turns({ atOnce: 1 });
  const begun: string[] = [];
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const works = new Map(names.map((name) => [name, work(begun, name)]));
  const all = names.map((name) => turns.take(name[0], works.get(name)!.do));
  const expected = ["a1", "a2", "b1", "c1", "a3", "b2", "a4"];
  for (const name of expected) await works.get(name)!.end();
  expect(begun).toEqual(expected);
  expect(await Promise.all(all)).toEqual(names);
});

it("turns away what would wait behind too much of the same owner's, and nobody else", async () => {
  const turns = new Turns({ atOnce: 1, mostWaiting: 2, retryAfterSeconds: 5 });
  const begun: string[] = [];
  const first = work(begun, "first");
  const running = turns.take("a", first.do);
  const waiting = [1, 2].map((number) => turns.take("a", async () => number));
  const refused = await turns.take("a", async () => 3).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TurnedAwayError);
  expect(refused).toMatchObject({ retryAfterSeconds: 5 });
  const other = turns.take("b", async () => "b");
  await first.end();
  expect(await Promise.all([running, ...waiting, other])).toEqual(["first", 1, 2, "b"]);
  expect(await turns.take("a", async () => "again")).toBe("again");
});

it("hands the place on when work fails", async () => {
  const turns = new Turns({ atOnce: 1 });
  const failing = turns.take("a", () => Promise.reject(new Error("failed")));
  const next = turns.take("a", async () => "next");
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("next");
  expect(await turns.take("a", async () => "later")).toBe("later");
});

it("lets an owner of whom nothing waits in, however much waits in all", async () => {
  const turns = new Turns({ atOnce: 1, mostWaiting: 3, mostInAll: 4 });
  const begun: string[] = [];
  const first = work(begun, "first");
  const running = turns.take("a", first.do);
  const take = (owner: string) => turns.take(owner, async () => owner).catch(() => "turned away");
  const all = ["a", "a", "a", "b", "b", "c", "c", "a"].map(take);
  await first.end();
  await running;
  expect(await Promise.all(all)).toEqual([
    "a",
    "a",
    "a",
    "b",
    "turned away",
    "c",
    "turned away",
    "turned away",
  ]);
  expect(await Promise.all([take("b"), take("b"), take("b")])).toEqual(["b", "b", "b"]);
});
