/** The rate of other businesses while one replays a key, or a transaction holds its ledger. */

import { nameInSql } from "../../src/database/sql.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  countEntries,
  figure,
  fill,
  fillMany,
  inTurn,
  measure,
  startServer,
} from "../bench.ts";
import type { LoadResult } from "../generator.ts";
import type { Workload } from "../workload.ts";

const businesses = 32;
const members = 1000;
const replaysPerSecond = 100;
const heldRequestsPerSecond = 50;

export async function isolation(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const { sql } = server;
  const { port } = server.service;
  const partner = await fill(server, { members, entries: 0 });
  const others = await fillMany(server, businesses, members);
  const loadOthers = (seconds = bench.options.seconds) =>
    measure(bench, port, adjusting(...others), { seconds });
  await loadOthers(compiledAfterSeconds);
  const partnerLoads: Record<string, LoadResult[]> = {};

  /** The load of the others during a load of the partner, which lasts a little longer. */
  const loadBeside = async (
    name: string,
    workload: Workload,
    requestsPerSecond: number,
  ): Promise<LoadResult> => {
    const more = { seconds: bench.options.seconds + 1, requestsPerSecond, mayBeRejected: true };
    const [ofPartner, result] = await Promise.all([measure(bench, port, workload, more), loadOthers()]);
    partnerLoads[name] = [...(partnerLoads[name] ?? []), ofPartner];
    return result;
  };

  /** @throws if a replay writes an entry */
  const besideReplays = async (): Promise<LoadResult> => {
    const { path, callers } = adjusting(partner);
    const body = {
      idempotency_key: "receipt-used-once",
      contact_id: partner.caller.firstContactId,
      location_id: partner.locationIds[0],
      amount: 100,
      adjustment_type: "credit",
    };
    const authorization = callers[0]?.authorization ?? "";
    const workload = { kind: "fixed", path, authorization, bodies: [body] } as const;
    const result = await loadBeside("replays", workload, replaysPerSecond);
    const entries = await countEntries(sql, partner.businessId);
    if (entries !== 1) throw new Error(`replays of one key wrote ${entries} entries`);
    return result;
  };

  /**
   * A transaction holds a row of the partner, which posts meanwhile. PostgreSQL keeps old row versions while any transaction
   * is open, and a transaction that holds no ledger shows the cost of that.
   */
  const besideTransaction = (table: "business" | "ledger") => () =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = 0`;
      await tx`SELECT 1 FROM ${nameInSql(table)} WHERE business_id = ${partner.businessId} FOR NO KEY UPDATE`;
      const before = await countEntries(sql, partner.businessId);
      const result = await loadBeside(table, adjusting(partner), heldRequestsPerSecond);
      const recorded = (await countEntries(sql, partner.businessId)) - before;
      if (table === "ledger" && recorded > 0) throw new Error(`${recorded} postings in a held ledger`);
      return result;
    });

  const replayed = await inTurn(bench, { without: () => loadOthers(), beside: besideReplays });
  const open = await inTurn(bench, { without: () => loadOthers(), beside: besideTransaction("business") });
  const held = await inTurn(bench, { without: () => loadOthers(), beside: besideTransaction("ledger") });
  await checkLedgers(server, [partner, ...others]);
  const rate = (what: string, { without, beside }: typeof held, atLeast?: number) =>
    figure(`other businesses ${what}`, beside, {
      against: ["without", without],
      ...(atLeast !== undefined && { target: { atLeast } }),
    });
  const p99 = { of: "p99", against: ["without", held.without], target: { atMost: 2 } } as const;
  return [
    rate(`beside ${replaysPerSecond} replays per second`, replayed, 0.9),
    figure("replays meanwhile", partnerLoads.replays ?? []),
    rate("beside an open transaction that holds no ledger", open),
    rate("beside a held ledger", held, 0.95),
    figure("other businesses beside a held ledger, 99th percentile", held.beside, p99),
  ];
}
