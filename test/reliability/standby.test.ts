/** A primary and its standby: failover, a former primary that some connections still reach, and a lost standby. */
import { expect, it } from "vitest";
import { failover } from "../../chaos/scenarios/failover.ts";
import { formerPrimary } from "../../chaos/scenarios/former-primary.ts";
import { lostStandby } from "../../chaos/scenarios/lost-standby.ts";
import { keptPromises, keptPromisesInTheEnd, useChaos } from "./promises.ts";

// Whatever does not come to pass within a minute says so itself.

const chaos = useChaos();

it("loses nothing that was acknowledged, and finds the new primary by itself", async (context) => {
  const size = { failovers: 1, businesses: 2, writers: 8, ways: ["killed"] as const };
  const figures = keptPromisesInTheEnd(await failover(chaos.begin(), size), context);
  expect(figures.failovers).toBe(1);
});

it("calls no new member unknown while connections reach a former primary", async (context) => {
  const size = { members: 5, left: "read connections" } as const;
  const figures = keptPromises(await formerPrimary(chaos.begin(), size), context);
  expect(figures["uses of new members that succeeded"]).toBe(10);
});

it("does not acknowledge a commit that stopped waiting for its standby", async (context) => {
  const figures = keptPromises(await lostStandby(chaos.begin(), { times: 2, writes: 6 }), context);
  expect(figures["commits that stopped waiting for it"]).toBeGreaterThan(0);
});
