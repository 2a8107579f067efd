/**
 * Faults of the first write path, as tests over HTTP: two services on one database, and what happens between them. Plans
 * that change are in test/plans, and two processes that are slower than one in `npm run bench -- --only processes`.
 */
import { beforeAll, expect, it } from "vitest";
import { type Pair, startPair } from "../../chaos/pair.ts";
import { manyWriters } from "../../chaos/scenarios/crowd.ts";
import { sharedKeys } from "../../chaos/scenarios/duplicates.ts";
import { frozen } from "../../chaos/scenarios/frozen.ts";
import { lateBytes } from "../../chaos/scenarios/late-bytes.ts";
import { replayFlood } from "../../chaos/scenarios/replay-flood.ts";
import { holdsOnce } from "../support/measurements.ts";
import { brokenFigures } from "../support/runs/report.ts";
import { keptPromises, keptPromisesInTheEnd, servedInTime, useChaos } from "./promises.ts";

// Each takes less than 20 s.

const chaos = useChaos();
let pair: Pair;
beforeAll(async () => {
  pair = await startPair(chaos.begin());
});

it("lets no rejected posting take effect later, when its last bytes arrive late", async () => {
  const size = { rounds: 6, delayMilliseconds: 1500, restartEvery: 3 };
  const figures = keptPromises(await lateBytes(chaos.begin(), pair, size));
  expect(figures["connections whose last bytes were held"]).toBeGreaterThan(0);
  expect(figures["commands rejected"]).toBeGreaterThan(0);
});

it.each([
  // Longer than the businesses that it holds may wait for it.
  ["a frozen service", "service", 9000],
  ["frozen database connections", "backends", 5000],
  ["held ledgers", "transactions", 5000],
] as const)("lets %s delay no business but those that it holds", async (_who, kind, time) => {
  const size = { kinds: [kind], freezes: 1, shortestMilliseconds: time, longestMilliseconds: time };
  const isInTime = async () => {
    const result = await frozen(chaos.begin(), pair, size);
    const figures = keptPromisesInTheEnd(result);
    expect(figures["requests of other businesses meanwhile"]).toBeGreaterThan(0);
    return brokenFigures(result).length === 0;
  };
  // A busy machine may delay everybody.
  expect(await holdsOnce(isInTime)).toBe(true);
});

it("lets the replays of one key fail no posting of another business", async () => {
  const size = { replays: 60, businesses: 4, callersEach: 2, periodMilliseconds: 700 };
  // A machine that pauses makes anybody wait for too long.
  const isServed = async () => servedInTime(await replayFlood(chaos.begin(), pair, size));
  expect(await holdsOnce(isServed)).toBe(true);
});

it("settles one key for a write and a posting beside an import, without a 5xx", async () => {
  const isServed = async () => {
    const result = await sharedKeys(chaos.begin(), pair, { rounds: 30, lines: 500, businesses: 2 });
    if (!servedInTime(result)) return false;
    expect(keptPromises(result)["imports meanwhile"]).toBeGreaterThan(0);
    return true;
  };
  expect(await holdsOnce(isServed)).toBe(true);
});

it("acknowledges no write that is never committed, with many callers at once", async () => {
  const size = { writes: 6000, callers: 250, share: 0.01 };
  const figures = keptPromises(await manyWriters(chaos.begin(), pair, size));
  expect(figures["members created"]).toBeGreaterThan(50);
});
