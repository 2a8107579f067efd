import { expect, it } from "vitest";
import { oneByOne } from "./one-by-one.ts";

it("runs work of one name in its order, also after a failure, and other work beside it", async () => {
  const turns = oneByOne();
  const done: string[] = [];
  const work =
    (what: string, fails = false) =>
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(what);
      if (fails) throw new Error(what);
      return what;
    };
  const results = await Promise.allSettled([
    turns.run("a", work("a1", true)),
    turns.run("a", work("a2")),
    turns.run("b", work("b1")),
    turns.run("a", work("a3")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(done.filter((what) => what.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(done.indexOf("b1")).toBeLessThan(done.indexOf("a2"));
});
