/** Adjustments beside the background job that lets the points of many members expire. */
import { setTimeout as sleep } from "node:timers/promises";
import { recountLedger } from "../../test/support/bulk.ts";
import {
  adjusting,
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
import { median } from "../report.ts";

const database = "settling";
/** Of the members, those whose points expire. */
const share = 0.4;
/** The job looks once a minute. */
const latestStartMilliseconds = 70_000;

export const settling: Scenario = async (bench) => {
  const members = bench.options.full ? 1_000_000 : 100_000;
  const service = await startOnNewDatabase(bench, database);
  const sql = bench.server.open(database, 1);
  try {
    const business = await fillBusiness(bench, database, { members, entries: 0 });
    bench.say("points that expire …");
    const due = await giveLots(bench, business);
    const caller = await callerOf(service, business, business);
    const adjust = (seconds = bench.options.seconds) =>
      measure(bench, service, adjusting(caller), { seconds });
    await adjust(compiledAfterSeconds);
    const alone = [await adjust(), await adjust(), await adjust()].map(({ perSecond }) => perSecond);
    bench.say(`alone ${Math.round(median(alone))} adjustments a second`);

    const left = async () => {
      const [row] = await sql<{ left: number }[]>`
        SELECT count(*) AS left FROM points_lot WHERE business_id = ${business.businessId} AND due_on IS NOT NULL`;
      return row?.left ?? 0;
    };
    await sql`UPDATE points_lot SET expires_on = current_date, due_on = current_date`;
    for (const deadline = performance.now() + latestStartMilliseconds; (await left()) === due; ) {
      if (performance.now() > deadline) throw new Error("the job did not start");
      await sleep(200);
    }
    const [startedAt, leftAtStart] = [performance.now(), await left()];
    const beside: number[] = [];
    let remaining = leftAtStart;
    while (remaining > 0) {
      const { perSecond } = await adjust();
      remaining = await left();
      if (remaining > 0) beside.push(perSecond);
      bench.say(`beside the job ${Math.round(perSecond)} adjustments a second, ${remaining} members left`);
    }
    const settled = leftAtStart / ((performance.now() - startedAt) / 1000);
    await checkLedgers(bench, database, [business]);
    const of = `${due.toLocaleString("en")} of ${members.toLocaleString("en")} members`;
    return [
      {
        what: `adjustments while the points of ${of} expire`,
        value: median(beside),
        unit: "/s",
        against: "alone",
        ratio: median(beside) / median(alone),
        target: { atLeast: 0.8 },
        details: { alone, beside },
      },
      { what: "members settled beside adjustments", value: settled, unit: "/s" },
    ];
  } finally {
    await sql.end();
    await service.stop();
  }
};

/** Gives members ten points each from a sale of last year, with what the ledger says of it. @returns to how many */
function giveLots({ server }: Bench, business: FilledBusiness): Promise<number> {
  const { businessId, firstContactId, members } = business;
  const due = Math.floor(members * share);
  return server.use(database, async (sql) => {
    await sql.begin(async (tx) => {
      const lots = tx`
        INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
          points, clawed, used, expired, due_on)
        SELECT ${businessId}, ${firstContactId}::bigint + n - 1, n, 'SA-' || n, current_date - 300, current_date - 300,
          current_date + 30, true, 10, 0, 0, 0, current_date + 30
        FROM generate_series(1, ${due}::integer) AS n`;
      const entries = tx`
        INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
          reference_id, created_at)
        SELECT ${businessId}, n, ${firstContactId}::bigint + n - 1, 'points', 'reward_points_earned', 10, 10,
          'SA-' || n, now() - interval '300 days' FROM generate_series(1, ${due}::integer) AS n`;
      const balances = tx`
        UPDATE account SET balance = 10 WHERE business_id = ${businessId} AND account = 'points'
          AND contact_id BETWEEN ${firstContactId} AND ${firstContactId + due - 1}`;
      const head = tx`
        UPDATE ledger SET last_entry_no = ${due}, last_recorded_at = now() - interval '300 days'
        WHERE business_id = ${businessId}`;
      await Promise.all([lots, entries, balances, head]);
      await recountLedger(tx, businessId);
    });
    await sql`VACUUM ANALYZE`;
    return due;
  });
}
