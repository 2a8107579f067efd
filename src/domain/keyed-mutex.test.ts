import { expect, it } from "vitest";
import { createKeyedMutex } from "./keyed-mutex.ts";

it("runs work under one key in order, also after a failure, and other work beside it", async () => {
  const mutex = createKeyedMutex();
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
    mutex.run("a", work("a1", true)),
    mutex.run("a", work("a2")),
    mutex.run("b", work("b1")),
    mutex.run("a", work("a3")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(done.filter((what) => what.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(done.indexOf("b1")).toBeLessThan(done.indexOf("a2"));
});
