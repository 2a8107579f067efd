import { expect, it } from "vitest";
import type { Connection } from "../connection.ts";
import { SearchSamples } from "./search-samples.ts";

/** A database in which each sample that is taken has another text. */
function world() {
  let now = 1000;
  let taken = 0;
  const sql = (async () => [
    { searchable_text: `taken ${++taken}`, most_of_all: true },
  ]) as unknown as Connection;
  const samples = new SearchSamples(() => now);
  return {
    textOf: async (businessId: number) => (await samples.of(sql, businessId)).texts[0],
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

it("takes a business's sample once a minute", async () => {
  const { textOf, pass } = world();
  expect([await textOf(1), await textOf(2), await textOf(1)]).toEqual(["taken 1", "taken 2", "taken 1"]);
  pass(59_999);
  expect(await textOf(1)).toBe("taken 1");
  pass(1);
  expect([await textOf(1), await textOf(1), await textOf(2)]).toEqual(["taken 3", "taken 3", "taken 4"]);
});

it("remembers the hundred businesses whose samples were taken last", async () => {
  const { textOf, pass } = world();
  for (let businessId = 1; businessId <= 101; businessId++) await textOf(businessId);
  expect([await textOf(2), await textOf(1)]).toEqual(["taken 2", "taken 102"]);
  expect([await textOf(3), await textOf(2)]).toEqual(["taken 3", "taken 103"]);
  pass(60_000);
  expect(await textOf(3)).toBe("taken 104");
});

it("remembers nothing of a sample that could not be taken", async () => {
  let broken = true;
  const sql = (async () => {
    if (broken) throw new Error("no connection");
    return [];
  }) as unknown as Connection;
  const samples = new SearchSamples(() => 0);
  await expect(samples.of(sql, 1)).rejects.toThrow("no connection");
  broken = false;
  expect(await samples.of(sql, 1)).toEqual({ texts: [], mostOfAll: false });
});
