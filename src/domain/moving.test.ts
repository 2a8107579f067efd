import { expect, it } from "vitest";
import { canCancelMove, nextMoveStep, rejectWhileMoving } from "./moving.ts";

it("asks callers to wait for different times", () => {
  const seconds = (state: "leaving" | "left", writes: boolean) =>
    [0, 0.5, 0.99].map((chance) => rejectWhileMoving(state, writes, chance)?.retryAfterSeconds);
  expect(seconds("leaving", true)).toEqual([2, 5, 8]);
  expect(seconds("left", false)).toEqual([2, 5, 8]);
});

it("accepts everything while rows are copied", () => {
  expect(rejectWhileMoving("copying", true)).toBeUndefined();
  expect(rejectWhileMoving("leaving", false)).toBeUndefined();
  expect(rejectWhileMoving("leaving", true)?.code).toBe("service_unavailable");
});

it("begins again after a copy that was lost, and can be cancelled then", () => {
  const lost = (state: "copying" | "leaving" | null) => ({
    from: { database: "old", business: { state, database: state && "new" } },
    to: { database: "new", business: undefined },
  });
  const steps = ([null, "copying", "leaving"] as const).map((state) => nextMoveStep(lost(state)));
  expect(steps).toEqual(["begin", "copy", "begin"]);
  const cancels = ([null, "copying", "leaving"] as const).map((state) => canCancelMove(lost(state)));
  expect(cancels).toEqual([false, true, true]);
});

it("copies again when the old place has accepted writes after a copy, and can be cancelled then", () => {
  const standings = (state: "copying" | "leaving" | "left") => ({
    from: { database: "old", business: { state, database: "new" } },
    to: { database: "new", business: { state: "arriving" as const, database: "old" } },
  });
  const states = ["copying", "leaving", "left"] as const;
  expect(states.map((state) => nextMoveStep(standings(state)))).toEqual(["discard", "leave", "arrive"]);
  expect(states.map((state) => canCancelMove(standings(state)))).toEqual([true, true, true]);
});
