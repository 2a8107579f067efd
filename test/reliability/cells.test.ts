/** A partner's day while its business moves between two cells behind HAProxy. */
import { expect, it } from "vitest";
import { cells } from "../../chaos/scenarios/cells.ts";
import { keptPromisesInTheEnd, useChaos } from "./promises.ts";

const chaos = useChaos();

it("loses and doubles no write, and gives no wrong response, also when the command that moves is killed", async (context) => {
  const figures = keptPromisesInTheEnd(
    await cells(chaos.begin(), {
      moves: 1,
      victims: ["command"],
      killWithinMilliseconds: 12_000,
      writers: 6,
      // A move has long waits, in which writers without a break would take the whole processor.
      pauseMilliseconds: 100,
    }),
    context,
  );
  expect(figures.moves).toBe(1);
  expect(figures["moves during which it was killed: command"]).toBe(1);
  expect(figures["writes acknowledged"]).toBeGreaterThan(20);
});
