/**
 * Faults of the first write path, as tests over HTTP: real processes, a real PostgreSQL, and what happens between them. The
 * long forms are scenarios of `npm run chaos`. Plans that change are in test/plans, and two
 * processes that are slower than one in `npm run bench -- --only processes`.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../chaos/chaos.ts";
import { type Pair, startPair } from "../../chaos/pair.ts";
import { brokenFigures } from "../../chaos/report.ts";
import { formerPrimary } from "../../chaos/scenarios/former-primary.ts";
import { frozen } from "../../chaos/scenarios/frozen.ts";
import { lateBytes } from "../../chaos/scenarios/late-bytes.ts";
import { lostStandby } from "../../chaos/scenarios/lost-standby.ts";
import { manyWriters } from "../../chaos/scenarios/many-writers.ts";
import { replayFlood } from "../../chaos/scenarios/replay-flood.ts";
import { sharedKeys } from "../../chaos/scenarios/shared-keys.ts";
import { figuresOf, useChaos } from "../support/chaos.ts";
import { useInstallation } from "../support/installation.ts";

const chaos = useChaos(useInstallation());
/** For what does not come to pass; each takes less than 20 s. */
const timeout = 120_000;

function expectKept(result: Result): Record<string, number> {
  expect([...result.violations, ...brokenFigures(result)]).toEqual([]);
  return figuresOf(result);
}

describe("two services on one database", () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await startPair(chaos.begin());
  }, 60_000);

  it("lets no rejected posting take effect later, when its last bytes arrive late", { timeout }, async () => {
    const size = { rounds: 10, delayMilliseconds: 1500, restartEvery: 5 };
    const figures = expectKept(await lateBytes(chaos.begin(), pair, size));
    expect(figures["connections whose last bytes were held"]).toBeGreaterThan(0);
    expect(figures["commands refused"]).toBeGreaterThan(0);
  });

  it.each([
    // Longer than the businesses that it holds may wait for it.
    ["a frozen service", "service", 9000],
    ["frozen database connections", "backends", 5000],
    ["held ledgers", "transactions", 5000],
  ] as const)("lets %s delay no business but those that it holds", { timeout }, async (_who, kind, time) => {
    const size = { standstills: 1, shortestMilliseconds: time, longestMilliseconds: time };
    const figures = expectKept(await frozen(chaos.begin(), pair, { kinds: [kind], ...size }));
    expect(figures["requests of other businesses meanwhile"]).toBeGreaterThan(0);
  });

  it("lets the replays of one key fail no posting of another business", { timeout }, async () => {
    const size = { replays: 300, businesses: 4, callersEach: 2 };
    expectKept(await replayFlood(chaos.begin(), pair, size));
  });

  it("settles one key for a write and a posting beside an import, without a 5xx", { timeout }, async () => {
    const figures = expectKept(
      await sharedKeys(chaos.begin(), pair, { rounds: 30, lines: 500, businesses: 2 }),
    );
    expect(figures["imports beside them"]).toBeGreaterThan(0);
  });

  it("acknowledges no write that is never committed, with many callers at once", { timeout }, async () => {
    const size = { writes: 10_000, callers: 250, share: 0.01 };
    const figures = expectKept(await manyWriters(chaos.begin(), pair, size));
    expect(figures["of these no postings"]).toBeGreaterThan(50);
  });
});

describe("a primary and its standby", () => {
  it("calls no new member unknown while connections reach a former primary", { timeout }, async (context) => {
    const result = await formerPrimary(chaos.begin(), { members: 5, left: "read connections" });
    if (result.skipped !== undefined) return context.skip(result.skipped);
    const figures = expectKept(result);
    expect(figures["uses of new members that succeeded"]).toBe(10);
  });

  it("does not acknowledge a commit that stopped waiting for its standby", { timeout }, async (context) => {
    const result = await lostStandby(chaos.begin(), { times: 2, writes: 6 });
    if (result.skipped !== undefined) return context.skip(result.skipped);
    const figures = expectKept(result);
    expect(figures["commits that stopped waiting for it"]).toBeGreaterThan(0);
  });
});
