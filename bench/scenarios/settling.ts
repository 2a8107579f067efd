/** Adjustments while the background job lets the points of many members expire. */
import { setTimeout as sleep } from "node:timers/promises";
import { recountLedger } from "../../test/support/bulk.ts";
import { type Figure, median } from "../../test/support/runs/report.ts";
import { serviceSecret } from "../../test/support/runs/service.ts";
import { storeEndpoint } from "../../test/support/webhook-endpoints.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type Filled,
  figure,
  fill,
  measure,
  type Server,
  startServer,
} from "../bench.ts";
import type { LoadResult } from "../generator.ts";
import { startWebhookReceiver } from "./webhooks.ts";

/** The share of members whose points expire. */
const share = 0.4;
/** The job starts once a minute. */
const latestStartMilliseconds = 70_000;

export const settling = (bench: Bench) => expire(bench, 0.8);

/** The events of the expiry are sent to an endpoint that takes a second for each. */
export async function expiringWebhooks(bench: Bench): Promise<Figure[]> {
  const { port } = await startWebhookReceiver(bench);
  return expire(bench, 0.9, `http://127.0.0.1:${port}/slow`);
}

/**
 * Measures adjustments while points expire, against those without.
 * @param url of an endpoint of the business. It has events in both cases, so that the ratio is that of the expiry.
 */
async function expire(bench: Bench, atLeast: number, url?: string): Promise<Figure[]> {
  const members = bench.options.full ? 1_000_000 : 100_000;
  const server = await startServer(bench);
  const { sql } = server;
  const business = await fill(server, { members, entries: 0 });
  bench.say("points that expire …");
  const due = await giveLots(server, business);
  if (url !== undefined) {
    const { businessId } = business;
    await storeEndpoint(sql, serviceSecret, { businessId, url }, { types: ["reward_points.expired"] });
  }
  const adjust = (seconds = bench.options.seconds) =>
    measure(bench, server.service.port, adjusting(business), { seconds });
  await adjust(compiledAfterSeconds);
  const without = [await adjust(), await adjust(), await adjust()];
  const left = async () => {
    const [row] = await sql<{ left: number }[]>`
      SELECT count(*) AS left FROM member_due WHERE business_id = ${business.businessId} AND amount > 0`;
    return row?.left ?? 0;
  };
  await sql`UPDATE points_lot SET expires_on = current_date`;
  await sql`UPDATE member_due SET day = current_date`;
  for (const deadline = performance.now() + latestStartMilliseconds; (await left()) === due; ) {
    if (performance.now() > deadline) throw new Error("the job did not start");
    await sleep(200);
  }
  const [startedAt, leftAtStart] = [performance.now(), await left()];
  const beside: LoadResult[] = [];
  for (let remaining = leftAtStart; remaining > 0; ) {
    const result = await adjust();
    remaining = await left();
    if (remaining > 0) beside.push(result);
    bench.say(`${Math.round(result.perSecond)} adjustments per second, ${remaining} members left`);
  }
  const settled = leftAtStart / ((performance.now() - startedAt) / 1000);
  await checkLedgers(server, [business]);
  const what = `adjustments while the points of ${due} of ${members} members expire`;
  const median3 = Array<LoadResult>(beside.length).fill(middleOf(without));
  return [
    figure(what, beside, { against: ["without", median3], target: { atLeast } }),
    { what: "members settled meanwhile", value: settled, unit: "/s" },
  ];
}

function middleOf(results: readonly LoadResult[]): LoadResult {
  const middle = median(results.map(({ perSecond }) => perSecond));
  return results.find(({ perSecond }) => perSecond === middle) as LoadResult;
}

/** Gives members ten points each from a sale of last year, with their entries. @returns to how many */
async function giveLots({ sql }: Server, { businessId, caller }: Filled): Promise<number> {
  const { firstContactId, members } = caller;
  const due = Math.floor(members * share);
  await sql.begin(async (tx) => {
    await tx`
      INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
        points, clawed, used, expired)
      SELECT ${businessId}, ${firstContactId}::bigint + n - 1, n, 'SA-' || n, current_date - 300, current_date - 300,
        current_date + 30, true, 10, 0, 0, 0
      FROM generate_series(1, ${due}::integer) AS n`;
    await tx`
      INSERT INTO member_due (business_id, contact_id, day, event, amount)
      SELECT ${businessId}, ${firstContactId}::bigint + n - 1, current_date + 30, 'points_expire', 10
      FROM generate_series(1, ${due}::integer) AS n`;
    await tx`
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        reference_id, created_at)
      SELECT ${businessId}, n, ${firstContactId}::bigint + n - 1, 'points', 'reward_points_earned', 10, 10,
        'SA-' || n, now() - interval '300 days' FROM generate_series(1, ${due}::integer) AS n`;
    await tx`
      UPDATE account SET balance = 10 WHERE business_id = ${businessId} AND account = 'points'
        AND contact_id BETWEEN ${firstContactId} AND ${firstContactId + due - 1}`;
    await recountLedger(tx, businessId);
  });
  await sql`VACUUM ANALYZE`;
  return due;
}
