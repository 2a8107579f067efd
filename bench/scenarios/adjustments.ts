/**
 * Adjustments per second, one per request: by the service, by hand in SQL alone (A), and by the framework alone
 * (B). What is compared is measured in turn, several times; a ratio is the median of the rounds' ratios.
 */
import { bodyOf } from "../../src/contract/operation.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { prepareByHand } from "../baselines/by-hand.ts";
import type { ByHandResult } from "../baselines/by-hand-client.ts";
import {
  adjusting,
  checkLedgers,
  compiledAfterSeconds,
  fillBusiness,
  fillBusinesses,
  measure,
  type Scenario,
  startBareServer,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import { CpuMeter } from "../processes.ts";
import { profileAdjustments } from "../profile.ts";
import { type Figure, median } from "../report.ts";
import { basePath } from "../service.ts";

const database = "adjustments";
const members = 100_000;
const businesses = 100;
const path = basePath + adjustWallet.path;

interface Round {
  readonly byHand: ByHandResult;
  readonly byHandAlone: ByHandResult;
  readonly bare64: LoadResult;
  readonly bare256: LoadResult;
  readonly service64: LoadResult;
  readonly service256: LoadResult;
  readonly hot: LoadResult;
  readonly inTurn: LoadResult;
  readonly alone: LoadResult;
}

export const adjustments: Scenario = async (bench) => {
  const { server, options, say } = bench;
  const service = await startOnNewDatabase(bench, database);
  const business = await fillBusiness(bench, database, { members, entries: 0 });
  const others = await fillBusinesses(bench, database, { businesses, members: members / businesses });
  const bare = await startBareServer([{ path, schema: bodyOf(adjustWallet), answer: bareAnswer }]);
  try {
    const spread = await callerOf(service, business, business);
    const hot = { ...spread, members: 1 };
    const inTurn = await Promise.all(others.map((other) => callerOf(service, other, other)));
    const byHand = await prepareByHand(server, members);
    const clients = await byHand.bestClients(options.seconds);
    say(`by hand: ${byHand.tool} does most with ${clients} clients`);
    const ask = (asked: { readonly port: number }, connections: number, callers = [spread]) =>
      measure(bench, asked, adjusting(...callers), { connections });
    const rounds: Round[] = [];
    const cpu = new CpuMeter(server, service);
    say("warming up …");
    // Both are given the same time.
    for (const callers of [[spread], inTurn]) {
      for (const asked of [bare, service]) {
        await measure(bench, asked, adjusting(...callers), { seconds: compiledAfterSeconds });
      }
    }
    for (let number = 1; number <= options.rounds; number++) {
      const round = {
        byHand: await byHand.run(clients, options.seconds),
        service64: await cpu.during(() => ask(service, 64)),
        bare64: await ask(bare, 64),
        service256: await ask(service, 256),
        bare256: await ask(bare, 256),
        hot: await ask(service, 64, [hot]),
        inTurn: await ask(service, 64, inTurn),
        byHandAlone: await byHand.run(1, options.seconds),
        alone: await ask(service, 1),
      };
      say(`round ${number}: ${sayRound(round)}`);
      rounds.push(round);
    }
    const profiled = options.profile ? await profileAdjustments(bench, database, adjusting(spread)) : [];
    await checkLedgers(bench, database, [business, ...others]);
    return [
      ...figuresOf(rounds, `A by hand, ${byHand.tool}, ${clients} clients`),
      ...cpu.figures(),
      ...profiled,
    ];
  } finally {
    bare.stop();
    await service.stop();
  }
};

/** As long as the service's. */
const bareAnswer = {
  success: true,
  message: adjustWallet.message,
  data: { contact_id: 150_000, amount: 50_000, adjustment_type: "credit", balance_after: 500_000 },
  meta: {},
};

function figuresOf(rounds: readonly Round[], nameOfA: string): Figure[] {
  const rate = (
    of: (round: Round) => LoadResult,
    what: string,
    against: [string, (round: Round) => number][],
  ) => {
    const value = median(rounds.map((round) => of(round).perSecond));
    return against.map(
      ([name, base]): Figure => ({
        what,
        value,
        unit: "/s",
        against: name,
        ratio: median(rounds.map((round) => of(round).perSecond / base(round))),
        details: { rounds: rounds.map(of) },
      }),
    );
  };
  const byHand: [string, (round: Round) => number] = ["A by hand", (round) => round.byHand.perSecond];
  /** The target is of the first figure; the others are there to compare. */
  const withTarget = ([figure, ...others]: Figure[], atLeast: number) => [
    { ...(figure as Figure), target: { atLeast } },
    ...others,
  ];
  return [
    {
      what: nameOfA,
      value: median(rounds.map((round) => round.byHand.perSecond)),
      unit: "/s",
      details: { rounds: rounds.map((round) => round.byHand) },
    },
    ...([64, 256] as const).map((connections) => ({
      what: `B framework alone, ${connections} connections`,
      value: median(rounds.map((round) => round[`bare${connections}`].perSecond)),
      unit: "/s",
    })),
    ...withTarget(
      rate((round) => round.service64, "64 connections", [byHand, ["B", (round) => round.bare64.perSecond]]),
      1.4,
    ),
    ...withTarget(
      rate((round) => round.service256, "256 connections", [
        byHand,
        ["B", (round) => round.bare256.perSecond],
      ]),
      1.7,
    ),
    {
      what: "64 connections, p99",
      value: median(rounds.map((round) => round.service64.latency.p99)),
      unit: "ms",
      target: { atMost: 25 },
    },
    ...withTarget(
      rate((round) => round.hot, "one hot account", [["spread", (round) => round.service64.perSecond]]),
      0.9,
    ),
    ...withTarget(
      rate((round) => round.inTurn, `${businesses} businesses in turn, 64 connections`, [byHand]),
      1.2,
    ),
    {
      what: "one connection, mean",
      value: median(rounds.map((round) => round.alone.latency.mean)),
      unit: "ms",
      against: "A, one client",
      ratio: median(rounds.map((round) => round.alone.latency.mean / round.byHandAlone.meanMilliseconds)),
      target: { atMost: 2.5 },
      details: {
        byHand: rounds.map((round) => round.byHandAlone),
        service: rounds.map((round) => round.alone),
      },
    },
  ];
}

function sayRound(round: Round): string {
  const per = (result: { perSecond: number }) => Math.round(result.perSecond);
  return (
    `A ${per(round.byHand)}, B ${per(round.bare64)} and ${per(round.bare256)}, service ${per(round.service64)} and ` +
    `${per(round.service256)}, hot ${per(round.hot)}, in turn ${per(round.inTurn)} a second`
  );
}
