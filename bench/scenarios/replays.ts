/** Replays against first writes, in a business that keeps a million idempotency keys. */
import {
  adjusting,
  checkLedgers,
  compiledAfterSeconds,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
  usualConnections,
} from "../bench.ts";
import { callerOf, lastEntryNo } from "../business.ts";
import { generateKeys } from "../history.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Sequence } from "../load/traffic.ts";
import { median } from "../report.ts";

const database = "replays";
const members = 10_000;
const keptKeys = 1_000_000;
const keptDays = 10;

export const replays: Scenario = async (bench) => {
  const service = await startOnNewDatabase(bench, database);
  const sql = bench.server.open(database, 1);
  try {
    const business = await fillBusiness(bench, database, { members, entries: 0 });
    const caller = await callerOf(service, business, business);
    const send = (sequence: Sequence, seconds = bench.options.seconds) =>
      measure(bench, service, { ...adjusting(caller), sequence }, { seconds });
    /** @throws when the replays wrote more than what was under way at the end of the first writes */
    const replay = async (seed: number, length: number, seconds?: number) => {
      const before = await lastEntryNo(sql, business.businessId);
      const result = await send({ seed, length }, seconds);
      const written = (await lastEntryNo(sql, business.businessId)) - before;
      if (written > usualConnections) throw new Error(`replays wrote ${written} entries`);
      return result;
    };
    // The statements are first planned for a table that is small, as those of a service in use were.
    const warmUp = await send({ seed: 0 }, compiledAfterSeconds);
    await replay(0, warmUp.answers, compiledAfterSeconds);
    bench.say(`${keptKeys.toLocaleString("en")} kept keys …`);
    await generateKeys(sql, business, { keys: keptKeys, days: keptDays });
    // After a fill, first writes also write whole pages to the log; replays don't.
    await send({ seed: -1 }, compiledAfterSeconds);
    const rounds: { first: LoadResult; replayed: LoadResult }[] = [];
    for (let seed = 1; seed <= bench.options.rounds; seed++) {
      const first = await send({ seed });
      const replayed = await replay(seed, first.answers);
      rounds.push({ first, replayed });
      bench.say(
        `first writes ${Math.round(first.perSecond)}, replays ${Math.round(replayed.perSecond)} a second`,
      );
    }
    await checkLedgers(bench, database, [business]);
    const where = `with ${keptKeys.toLocaleString("en")} kept keys, ${usualConnections} connections`;
    return [
      {
        what: `first writes ${where}`,
        value: median(rounds.map(({ first }) => first.perSecond)),
        unit: "/s",
      },
      {
        what: `replays ${where}`,
        value: median(rounds.map(({ replayed }) => replayed.perSecond)),
        unit: "/s",
        against: "first writes",
        ratio: median(rounds.map(({ first, replayed }) => replayed.perSecond / first.perSecond)),
        target: { atLeast: 0.8 },
        details: { rounds },
      },
    ];
  } finally {
    await sql.end();
    await service.stop();
  }
};
