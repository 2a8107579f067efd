/** Replays compared with first writes, in a business with a million idempotency keys. */
import type { Figure } from "../../test/support/runs/report.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  countEntries,
  figure,
  fill,
  measure,
  startServer,
} from "../bench.ts";
import type { LoadResult } from "../generator.ts";
import { fillKeys } from "../history.ts";

const keys = 1_000_000;

export async function replays(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const business = await fill(server, { members: 10_000, entries: 0 });
  const send = (sequence: { seed: number; length?: number }, seconds = bench.options.seconds) =>
    measure(bench, server.service.port, { ...adjusting(business), sequence }, { seconds });
  /** @throws if the replays wrote entries */
  const replay = async (seed: number, length: number, seconds?: number) => {
    const before = await countEntries(server.sql, business.businessId);
    const result = await send({ seed, length }, seconds);
    const written = (await countEntries(server.sql, business.businessId)) - before;
    if (written > 0) throw new Error(`replays wrote ${written} entries`);
    return result;
  };
  // The plans are first made for a small table, as in a service that is in use.
  const { responses } = await send({ seed: 0 }, compiledAfterSeconds);
  await replay(0, responses, compiledAfterSeconds);
  bench.say(`${keys.toLocaleString("en")} stored keys …`);
  await fillKeys(server.sql, business, { keys, daysAgo: 10 });
  // After the fill, first writes also log whole pages for a while.
  await send({ seed: -1 }, compiledAfterSeconds);
  const first: LoadResult[] = [];
  const replayed: LoadResult[] = [];
  for (let seed = 1; seed <= bench.options.rounds; seed++) {
    const writes = await send({ seed });
    first.push(writes);
    replayed.push(await replay(seed, writes.responses));
  }
  await checkLedgers(server, [business]);
  const where = `with ${keys.toLocaleString("en")} stored keys`;
  return [
    figure(`first writes ${where}`, first),
    figure(`replays ${where}`, replayed, {
      against: ["first writes", first],
      target: { atLeast: 0.8 },
    }),
  ];
}
