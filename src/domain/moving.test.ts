import { expect, it } from "vitest";
import { rejectWhileMoving } from "./moving.ts";

it("asks callers to wait for different times", () => {
  const seconds = [0, 0.5, 0.99].map((chance) => rejectWhileMoving("left", false, chance)?.retryAfterSeconds);
  expect(seconds).toEqual([5, 10, 15]);
});
