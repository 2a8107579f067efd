/** The network to the database fails in every way; no answer is wrong, and all is well soon after. */
import { expect, it } from "vitest";
import { fullDisk } from "../../chaos/scenarios/disk.ts";
import { faults } from "../../chaos/scenarios/faults.ts";
import { figuresOf, useChaos } from "../support/chaos.ts";
import { useInstallation } from "../support/installation.ts";

const chaos = useChaos(useInstallation());

it("acknowledges nothing wrong and heals, wherever its connections are cut and however long", async () => {
  const size = { cuts: 40, spells: 4, businesses: 2, writers: 8, spellMilliseconds: 700 };
  const result = await faults(chaos.begin(), size);
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toMatchObject({
    "acknowledged writes lost": 0,
    "writes done twice": 0,
    "done otherwise than acknowledged": 0,
    "requests not answered in 20 s": 0,
  });
  expect(figuresOf(result)["of these around a commit"]).toBeGreaterThan(5);
}, 120_000);

it("acknowledges nothing that a full disk can't hold, and goes on when there is room", async (context) => {
  const result = await fullDisk(chaos.begin(), { times: 1, businesses: 2, writers: 8 });
  if (result.skipped !== undefined) return context.skip(result.skipped);
  expect(result.violations).toEqual([]);
  expect(figuresOf(result)).toMatchObject({
    "times the disk was full": 1,
    "acknowledged writes lost": 0,
    "writes done twice": 0,
    "done otherwise than acknowledged": 0,
  });
}, 120_000);
