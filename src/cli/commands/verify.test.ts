import { expect, it } from "vitest";
import { membersOfNext } from "./verify.ts";

it("verifies more members at once as long as that is quick, and fewer when it takes long", () => {
  expect(membersOfNext(10_000, 0.1)).toBe(30_000);
  expect(membersOfNext(10_000, 4)).toBe(10_000);
  expect(membersOfNext(100_000, 10)).toBe(25_000);
});

it("verifies no more than one request may ask for, and never so few that it does not come to an end", () => {
  expect(membersOfNext(150_000, 0.1)).toBe(200_000);
  expect(membersOfNext(1001, 20)).toBe(1000);
  expect(membersOfNext(3, 4)).toBe(1000);
});
