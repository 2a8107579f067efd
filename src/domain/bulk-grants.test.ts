/** What can be given to many members at once. */
import { expect, it } from "vitest";
import { problemOfNumber } from "./bulk-grants.ts";

it("reaches at least one member, and at most a million", () => {
  expect(problemOfNumber(0)).toContain("no active member was found");
  expect(problemOfNumber(1)).toBeUndefined();
  expect(problemOfNumber(1_000_000)).toBeUndefined();
  expect(problemOfNumber(1_000_001)).toContain("more than 1,000,000 members");
});
