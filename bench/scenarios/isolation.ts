/** What other businesses do per second beside one that disturbs: it replays one key, or its ledger is held. */
import { identifier } from "../../src/database/sql.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type FilledBusiness,
  fillBusiness,
  fillBusinesses,
  inTurn,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf, lastEntryNo } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Caller, Traffic } from "../load/traffic.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, basePath } from "../service.ts";

const database = "isolation";
const path = basePath + adjustWallet.path;
const businesses = 32;
const membersOfEach = 1000;
const replaysPerSecond = 100;
const heldRequestsPerSecond = 50;

/** The load of the others, and the business that disturbs them. */
interface Setting {
  readonly bench: Bench;
  readonly service: BenchService;
  readonly others: readonly Caller[];
  readonly partner: FilledBusiness;
  readonly partnerCaller: Caller;
}

interface Disturbed {
  readonly others: LoadResult;
  readonly partner: LoadResult;
}

interface Round extends Disturbed {
  readonly without: LoadResult;
}

export const isolation: Scenario = async (bench) => {
  const service = await startOnNewDatabase(bench, database);
  try {
    const partner = await fillBusiness(bench, database, { members: membersOfEach, entries: 0 });
    const filled = await fillBusinesses(bench, database, { businesses, members: membersOfEach });
    const others = await Promise.all(filled.map((each) => callerOf(service, each, each)));
    const setting = {
      bench,
      service,
      others,
      partner,
      partnerCaller: await callerOf(service, partner, partner),
    };
    await loadOthers(setting, compiledAfterSeconds);
    const replayed = await compare(setting, "replays of one key", await replaysOfOneKey(setting));
    const open = await compare(setting, "an open transaction", () => besideTransaction(setting, "business"));
    const held = await compare(setting, "a held ledger", () => besideTransaction(setting, "ledger"));
    await checkLedgers(bench, database, [partner, ...filled]);
    return [
      rateFigure(`beside ${replaysPerSecond} replays per second`, replayed, 0.9),
      p99Figure(`beside ${replaysPerSecond} replays per second`, replayed),
      partnerFigure("replays meanwhile", replayed),
      rateFigure("beside an open transaction that holds no ledger", open),
      rateFigure("beside a held ledger", held, 0.95),
      { ...p99Figure("beside a held ledger", held), target: { atMost: 2 } },
      partnerFigure("responses for the held ledger meanwhile", held),
    ];
  } finally {
    await service.stop();
  }
};

function loadOthers(
  { bench, service, others }: Setting,
  seconds = bench.options.seconds,
): Promise<LoadResult> {
  return measure(bench, service, adjusting(...others), { seconds });
}

/** The load of the others with another load beside it, which lasts a little longer. */
async function loadBeside(
  setting: Setting,
  traffic: Traffic,
  partnerLoad: { requestsPerSecond: number; mayBeRefused?: boolean },
): Promise<Disturbed> {
  const { bench, service } = setting;
  const seconds = bench.options.seconds + 1;
  const [partner, others] = await Promise.all([
    measure(bench, service, traffic, { seconds, ...partnerLoad }),
    loadOthers(setting),
  ]);
  return { partner, others };
}

/** Uses a key once. @returns a load of the others beside replays of it */
async function replaysOfOneKey(setting: Setting): Promise<() => Promise<Disturbed>> {
  const { bench, service, partner, partnerCaller } = setting;
  const { authorization } = partnerCaller;
  const body = {
    idempotency_key: "receipt-used-once",
    contact_id: partner.firstContactId,
    location_id: partner.locationIds[0],
    amount: 100,
    adjustment_type: "credit",
    reason: "Goodwill after a late delivery",
  };
  await service.post(adjustWallet.path, body, authorization);
  return async () => {
    const traffic: Traffic = { kind: "fixed", path, authorization, bodies: [body] };
    const result = await loadBeside(setting, traffic, { requestsPerSecond: replaysPerSecond });
    const entries = await bench.server.use(database, (sql) => lastEntryNo(sql, partner.businessId));
    if (entries !== 1) throw new Error(`replays of one key wrote ${entries} entries`);
    return result;
  };
}

/**
 * The load of the others while a transaction holds a row of the partner, and requests arrive for it. While any
 * transaction is open that has written or locked rows, PostgreSQL keeps the old versions of all rows: a transaction that
 * holds no ledger shows what that costs.
 */
async function besideTransaction(setting: Setting, table: "business" | "ledger"): Promise<Disturbed> {
  const { bench, partner, partnerCaller } = setting;
  return bench.server.use(database, (sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = 0`;
      await tx`SELECT 1 FROM ${identifier(table)} WHERE business_id = ${partner.businessId} FOR NO KEY UPDATE`;
      const load = { requestsPerSecond: heldRequestsPerSecond, mayBeRefused: true };
      const result = await loadBeside(setting, adjusting(partnerCaller), load);
      const { answers, refusals } = result.partner;
      const recorded = answers - Object.values(refusals).reduce((sum, count) => sum + count, 0);
      if (table === "ledger" && recorded > 0) {
        throw new Error(`${recorded} postings were recorded in a ledger that was held`);
      }
      return result;
    }),
  );
}

/** Measures the others without a disturbance and with it in turn. */
async function compare(
  setting: Setting,
  name: string,
  disturb: () => Promise<Disturbed>,
): Promise<readonly Round[]> {
  const { bench } = setting;
  const rounds: Round[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    const [without, disturbed] = await inTurn(round, () => loadOthers(setting), disturb);
    rounds.push({ without, ...disturbed });
    const [before, beside] = [without, disturbed.others].map(
      ({ perSecond, latency }) => `${Math.round(perSecond)} a second, p99 ${Math.round(latency.p99)} ms`,
    );
    bench.say(`others alone: ${before}; beside ${name}: ${beside}`);
  }
  return rounds;
}

function rateFigure(where: string, rounds: readonly Round[], atLeast?: number): Figure {
  return {
    what: `other businesses ${where}`,
    value: median(rounds.map(({ others }) => others.perSecond)),
    unit: "/s",
    against: "without",
    ratio: median(rounds.map(({ others, without }) => others.perSecond / without.perSecond)),
    ...(atLeast !== undefined && { target: { atLeast } }),
    details: { rounds },
  };
}

function p99Figure(where: string, rounds: readonly Round[]): Figure {
  return {
    what: `other businesses ${where}, p99`,
    value: median(rounds.map(({ others }) => others.latency.p99)),
    unit: "ms",
    against: "without",
    ratio: median(rounds.map(({ others, without }) => others.latency.p99 / without.latency.p99)),
  };
}

function partnerFigure(what: string, rounds: readonly Round[]): Figure {
  return { what, value: median(rounds.map(({ partner }) => partner.perSecond)), unit: "/s" };
}
