/** The service, its database and the network between them fail. No response is wrong, and all is well soon after. */
import { expect, it } from "vitest";
import { fullDisk } from "../../chaos/scenarios/disk.ts";
import { faults } from "../../chaos/scenarios/faults.ts";
import { kills } from "../../chaos/scenarios/kills.ts";
import { keptPromisesInTheEnd, useChaos } from "./promises.ts";

const chaos = useChaos();
const load = { businesses: 2, writers: 8 };

it("loses nothing that was acknowledged, and does nothing twice, whatever is killed", async () => {
  const size = { ...load, kills: 4, acknowledgements: 300, calmMilliseconds: 500 };
  const figures = keptPromisesInTheEnd(await kills(chaos.begin(), size));
  expect(figures.kills).toBeGreaterThanOrEqual(4);
  expect(figures["entries compared"]).toBeGreaterThan(100);
});

it("acknowledges nothing wrong and heals, wherever its connections are cut and however long", async () => {
  const size = { ...load, cuts: 40, periods: 4, periodMilliseconds: 700 };
  const figures = keptPromisesInTheEnd(await faults(chaos.begin(), size));
  expect(figures["of these around a commit"]).toBeGreaterThan(5);
});

it("acknowledges nothing that a full disk can't hold, and goes on when there is room", async (context) => {
  const figures = keptPromisesInTheEnd(await fullDisk(chaos.begin(), { ...load, times: 1 }), context);
  expect(figures["times the disk was full"]).toBe(1);
});
