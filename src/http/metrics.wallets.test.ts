import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

it("says when the first certificate ends, and how wallets do", async () => {
  const { walletsLooked, registry } = createMetrics({
    ...{ version: "0", schemaVersion: 1, queueDepth: () => 0, connections: 1, pools: {} },
  });
  const values = async () =>
    ["certificate_end_timestamp_seconds", "problems", "untold_age_seconds"].map(async (name) => {
      const found = await registry.getSingleMetric(`loyalty_wallet_${name}`)?.get();
      return found?.values[0]?.value;
    });
  const looked = async (...wallets: Parameters<typeof walletsLooked>[0]) => {
    walletsLooked(wallets);
    return Promise.all(await values());
  };
  const good = { ends_at: null, problem: null, untold_seconds: 0 };
  expect(await looked(good)).toEqual([0, 0, 0]);
  const [ended, next, later] = [-10, 300, 500].map((seconds) => Math.round(Date.now() / 1000) + seconds);
  const failing = { ends_at: later as number, problem: "No.", untold_seconds: 40 };
  const others = [next, ended].map((ends_at) => ({ ...failing, ends_at: ends_at as number, problem: null }));
  expect(await looked(good, failing, ...others)).toEqual([next, 1, 40]);
  expect(await looked()).toEqual([0, 0, 0]);
});
