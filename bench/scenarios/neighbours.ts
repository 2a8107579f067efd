/**
 * What one business costs the others: replays of a used key, a ledger that somebody holds, and replays where a million
 * keys are kept.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import {
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type FilledBusiness,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { Caller } from "../load/traffic.ts";
import type { LoadResult } from "../load.ts";
import { type Figure, median } from "../report.ts";
import { basePath, type ServiceProcess } from "../service.ts";

const database = "neighbours";
const connections = 64;
const businesses = 16;
const membersOfEach = 1000;
const keptKeys = 1_000_000;
const path = basePath + adjustWallet.path;
/** 100 a second. */
const replayEveryMilliseconds = 10;

export const neighbours: Scenario = async (bench) => {
  const service = await startOnNewDatabase(bench, database);
  try {
    const filled: FilledBusiness[] = [];
    for (let number = 0; number <= businesses; number++) {
      filled.push(await fillBusiness(bench, database, { members: membersOfEach, entries: 0 }));
    }
    const callers = await Promise.all(filled.map((business) => callerOf(service, business, business)));
    const [troubled, ...others] = callers as [Caller, ...Caller[]];
    const traffic = { kind: "adjustments", path, callers: others } as const;
    const ask = () => measure(bench, { port: service.port, connections, traffic });
    await measure(bench, { port: service.port, connections, traffic, seconds: compiledAfterSeconds });
    const rounds: Record<"calm" | "beside" | "calmAgain" | "held", LoadResult>[] = [];
    for (let round = 0; round < bench.options.rounds; round++) {
      const calm = await ask();
      const beside = await besideReplays(service, troubled, ask);
      const calmAgain = await ask();
      const held = await besideHeldLedger(bench, service, filled[0] as FilledBusiness, troubled, ask);
      rounds.push({ calm, beside, calmAgain, held });
    }
    const replays = await replaysOfManyKeys(bench, service, filled[0] as FilledBusiness, troubled);
    await checkLedgers(bench, database, filled);
    const rate = (what: string, pairs: (readonly [LoadResult, LoadResult])[], atLeast: number): Figure => ({
      what,
      value: median(pairs.map(([result]) => result.perSecond)),
      unit: "/s",
      against: "without",
      ratio: median(pairs.map(([result, base]) => result.perSecond / base.perSecond)),
      target: { atLeast },
      details: { rounds: pairs },
    });
    const held = rounds.map((round) => [round.held, round.calmAgain] as const);
    return [
      rate(
        "others beside 100 replays a second",
        rounds.map(({ beside, calm }) => [beside, calm] as const),
        0.9,
      ),
      rate("others beside a held ledger", held, 0.95),
      {
        what: "others beside a held ledger, p99",
        value: median(held.map(([result]) => result.latency.p99)),
        unit: "ms",
        against: "without",
        ratio: median(held.map(([result, base]) => result.latency.p99 / base.latency.p99)),
        target: { atMost: 2 },
      },
      replays,
    ];
  } finally {
    await service.stop();
  }
};

const adjustment = ({ firstContactId, locationIds }: Caller, key: string) => ({
  idempotency_key: key,
  contact_id: firstContactId,
  location_id: locationIds[0],
  amount: 1,
  adjustment_type: "credit",
});

async function besideReplays(
  service: ServiceProcess,
  caller: Caller,
  work: () => Promise<LoadResult>,
): Promise<LoadResult> {
  const body = adjustment(caller, `replayed-${Math.random()}`);
  const replay = () => service.post(adjustWallet.path, body, caller.authorization);
  await replay();
  const timer = setInterval(() => void replay(), replayEveryMilliseconds);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function besideHeldLedger(
  { server }: Bench,
  service: ServiceProcess,
  { businessId }: FilledBusiness,
  caller: Caller,
  work: () => Promise<LoadResult>,
): Promise<LoadResult> {
  const sql = server.open(database, 1);
  const waiting: Promise<unknown>[] = [];
  try {
    return await sql.begin(async (tx) => {
      await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
      const timer = setInterval(() => {
        const body = adjustment(caller, `held-${Math.random()}`);
        // Refused with 503 while the ledger is held for so long.
        waiting.push(service.post(adjustWallet.path, body, caller.authorization).catch(() => undefined));
      }, replayEveryMilliseconds);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    });
  } finally {
    await Promise.all(waiting);
    await sql.end();
  }
}

/** First writes, then the same requests again, in a business that keeps a million keys. */
async function replaysOfManyKeys(
  bench: Bench,
  service: ServiceProcess,
  { businessId, integrationId }: FilledBusiness,
  caller: Caller,
): Promise<Figure> {
  const sql = bench.server.open(database, 1);
  await sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
    SELECT ${businessId}::bigint, ${integrationId}::bigint, 'kept-' || number, sha256(number::text::bytea), 200,
      '{"success":true,"message":"Wallet adjusted.","data":{},"meta":{}}'
    FROM generate_series(1, ${keptKeys}::int) AS number`;
  await sql.end();
  const rounds: { first: number; replays: number }[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    const bodies = Array.from({ length: 20_000 }, (_, number) => adjustment(caller, `${round}-${number}`));
    const traffic = { kind: "fixed", path, authorization: caller.authorization, bodies } as const;
    const fresh = { kind: "adjustments", path, callers: [caller] } as const;
    const first = await measure(bench, { port: service.port, connections, traffic: fresh });
    for (let at = 0; at < bodies.length; at += 500) {
      const some = bodies.slice(at, at + 500);
      await Promise.all(some.map((body) => service.post(adjustWallet.path, body, caller.authorization)));
    }
    await sleep(100);
    const replays = await measure(bench, { port: service.port, connections, traffic });
    rounds.push({ first: first.perSecond, replays: replays.perSecond });
  }
  return {
    what: `replays with ${keptKeys.toLocaleString("en")} kept keys`,
    value: median(rounds.map(({ replays }) => replays)),
    unit: "/s",
    against: "first writes",
    ratio: median(rounds.map(({ first, replays }) => replays / first)),
    target: { atLeast: 0.8 },
    details: { rounds },
  };
}
