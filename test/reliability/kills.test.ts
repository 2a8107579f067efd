/** The service and its database are killed under load; nothing acknowledged is lost, nothing is done twice. */
import { expect, it } from "vitest";
import { kills } from "../../chaos/scenarios/kills.ts";
import { figuresOf, useChaos } from "../support/chaos.ts";
import { useInstallation } from "../support/installation.ts";

const chaos = useChaos(useInstallation());

it("loses nothing that was acknowledged, and does nothing twice, whatever is killed", async () => {
  const result = await kills(chaos.begin(), {
    kills: 4,
    acknowledgements: 300,
    businesses: 2,
    writers: 8,
    calmMilliseconds: 500,
  });
  expect(result.violations).toEqual([]);
  const counted = figuresOf(result);
  expect(counted).toMatchObject({
    "acknowledged writes lost": 0,
    "writes done twice": 0,
    "done otherwise than acknowledged": 0,
  });
  expect(counted.kills).toBeGreaterThanOrEqual(4);
  expect(counted["entries compared"]).toBeGreaterThan(100);
}, 120_000);
