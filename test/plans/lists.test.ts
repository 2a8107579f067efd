/** Each page of each list reads few buffers, with each filter. test/reliability/oldest-postgresql.test.ts does the same. */
import { describe, expect, it } from "vitest";
import { counted, excessesOf, type Filled, fillLists, lists } from "../support/list-pages.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let filled: Promise<Filled> | undefined;

it("is about every list", () => {
  expect(lists.length).toBeGreaterThan(25);
  expect(Object.keys(counted).filter((path) => !lists.some((list) => list.path === path))).toEqual([]);
});

describe("few buffers are read", () => {
  it.each(lists)("$path", { timeout: 120_000 }, async (operation) => {
    filled ??= fillLists(world);
    expect(await excessesOf(operation, await filled)).toEqual([]);
  });
});
