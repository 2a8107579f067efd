/** A standby takes over from a primary that is killed under load; nothing acknowledged is lost. */
import { expect, it } from "vitest";
import { failover } from "../../chaos/scenarios/failover.ts";
import { figuresOf, useChaos } from "../support/chaos.ts";
import { useInstallation } from "../support/installation.ts";

const chaos = useChaos(useInstallation());

// Whatever does not come to pass within a minute says so itself.
it("loses nothing that was acknowledged, and finds the new primary by itself", async (context) => {
  const result = await failover(chaos.begin(), { failovers: 1, businesses: 2, writers: 8, ways: ["killed"] });
  if (result.skipped !== undefined) return context.skip(result.skipped);
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toMatchObject({
    failovers: 1,
    "acknowledged writes lost": 0,
    "writes done twice": 0,
    "done otherwise than acknowledged": 0,
    "requests not answered in 20 s": 0,
  });
}, 120_000);
