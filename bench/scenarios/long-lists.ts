/** One business with very long lists: the pages of a member with all entries, and what its lists cost the businesses beside it. */
import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath, operatorKey } from "../../test/support/runs/service.ts";
import {
  adjusting,
  type Bench,
  compiledAfterSeconds,
  cpuDuring,
  type Filled,
  figure,
  fill,
  fillMany,
  inTurn,
  measure,
  type Server,
  startServer,
} from "../bench.ts";

const entries = 1_000_000;
const attempts = 100_000;
const samples = 200;
const secondsOfPage = 10;
/** As many callers read the lists of the business as fast as they can. */
const readers = 8;

export async function longLists(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const business = await fill(server, { members: 1, entries });
  await fillRecords(server, business);
  const pages = await pagesOfMember(bench, server, business);
  return [...pages, ...(await besideLists(bench, server, business))];
}

interface Asked {
  readonly path: string;
  readonly page?: number;
}

/** Gives the member as many sales, lots and vouchers over three years. Few lots are open, and few vouchers are held. */
async function fillRecords({ sql, operator }: Server, { businessId, caller, locationIds }: Filled) {
  const voucher = {
    business_id: businessId,
    campaign_name: "Summer",
    coupon_code: "SUMMER",
    coupon_value: 1,
  };
  const { voucher_id } = await operator.write<{ voucher_id: number }>("/op/vouchers/create", voucher);
  await sql.begin(async (tx) => {
    await tx`
      CREATE TEMPORARY TABLE made ON COMMIT DROP AS
      SELECT ${businessId}::bigint AS business_id, ${caller.firstContactId}::bigint AS contact_id, n AS no, n % 1000 = 0 AS is_rare,
        (${locationIds}::bigint[])[1 + floor(${locationIds.length}::integer * ((n * 0.618034) % 1) ^ 2)::integer] AS location_id,
        date_trunc('day', now()) - interval '3 years' * (1 - n / ${entries}::float8) AS at
      FROM generate_series(1, ${entries}::integer) AS n`;
    await tx`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount, eligible_amount,
        points_used, points_amount, wallet_used, amount_due, earning_base, points_earned, rules_version, earn_points, earn_amount,
        earn_minimum_amount, maximum_points_per_order, refunded, points_excused, uses)
      SELECT business_id, no, contact_id, location_id, 'R-' || no, at::date, at, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, '[]'
      FROM made`;
    await tx`
      INSERT INTO sale_count (business_id, sold_on, location_id, sales)
      SELECT business_id, at::date, location_id, count(*) FROM made GROUP BY 1, 2, 3`;
    await tx`
      INSERT INTO sales_day (business_id, contact_id, day, location_id, net, sales)
      SELECT business_id, contact_id, at::date, location_id, count(*), count(*) FROM made GROUP BY 1, 2, 3, 4`;
    await tx`
      INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, location_id, earned_on, matures_on, matured, points,
        clawed, used, expired)
      SELECT business_id, contact_id, no, 'R-' || no, location_id, at::date, at::date, true, 1, 0, (NOT is_rare)::integer, 0 FROM made`;
    await tx`
      INSERT INTO held_voucher (business_id, held_voucher_id, contact_id, voucher_id, coupon_code, coupon_key, coupon_value,
        reference_id, issued_on, valid_from, status, created_at)
      SELECT business_id, no, contact_id, ${voucher_id}, 'SUMMER', 'summer', 1, 'R-' || no, at::date, at::date,
        CASE WHEN is_rare THEN 'held' ELSE 'redeemed' END, at
      FROM made`;
  });
  await sql`VACUUM ANALYZE`;
}

async function pagesOfMember(bench: Bench, server: Server, { caller, locationIds }: Filled) {
  const connection = new HttpConnection(server.service.port, 60_000);
  bench.atEnd(() => connection.close());
  const ask = async ({ path, ...body }: Asked) => {
    const sent = JSON.stringify({ contact_id: caller.firstContactId, ...body });
    return succeeded(path, await connection.post(basePath + path, sent, caller.authorization));
  };
  /** Milliseconds of processor time of the database for a request. */
  const costOf = async (body: Asked) => {
    await ask(body);
    let asked = 0;
    const until = performance.now() + secondsOfPage * 1000;
    const { database: seconds } = await cpuDuring(server, async () => {
      for (; asked < samples && performance.now() < until; asked++) await ask(body);
    });
    return (1000 * seconds) / asked;
  };
  const dates = { start_date: "2024-01-01", end_date: "2030-01-01" };
  const [entry, sale, lot, voucher] = [
    { path: "/sp/transactions/list" },
    { path: "/sp/sales/list" },
    { path: "/sp/reward-points/list", include_closed: true },
    { path: "/sp/vouchers/list" },
  ];
  const filters = {
    "no filter": entry,
    "a common event type": { ...entry, event_types: ["sale"] },
    "a rare event type": { ...entry, event_types: ["sale_refund"] },
    "no such event type": { ...entry, event_types: ["voucher_reversed"] },
    "a location": { ...entry, location_id: locationIds[19] },
    dates: { ...entry, ...dates },
    "all of them": { ...entry, ...dates, location_id: locationIds[0], event_types: ["sale", "wallet_topup"] },
    sales: sale,
    "sales at a location": { ...sale, location_id: locationIds[19] },
    "sales by dates": { ...sale, ...dates },
    lots: lot,
    "open lots": { ...lot, include_closed: false },
    vouchers: voucher,
    "held vouchers": { ...voucher, status: "held" },
  };
  const figures: Figure[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const last_page = read(await ask(filter)).meta.pagination?.last_page ?? 1;
    const [first, last] = [await costOf(filter), await costOf({ ...filter, page: last_page })];
    const what = `a member with ${entries.toLocaleString("en")} entries, ${name}`;
    figures.push(
      { what: `${what}, first page`, value: first, unit: "ms", target: { atMost: 5 } },
      {
        ...{ what: `${what}, last page`, value: last, unit: "ms" },
        against: "first page",
        ratio: last / first,
        target: { atMost: 3 },
      },
    );
    bench.say(`${name}: ${first.toFixed(1)} and ${last.toFixed(1)} ms`);
  }
  return figures;
}

/** The rate of adjustments and reads of other businesses, while one reads its own lists. */
async function besideLists(bench: Bench, server: Server, { businessId, credentials, caller }: Filled) {
  const { port } = server.service;
  const { sql, operator } = server;
  const { endpoint_id } = await operator.write<{ endpoint_id: number }>("/op/webhook-endpoints/create", {
    ...{ business_id: businessId, url: "https://receiver.example.com/", types: ["sale.*"] as never },
  });
  const body = "x".repeat(500);
  await sql`
    INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded,
      response_status, response_body)
    SELECT ${businessId}, ${endpoint_id}, n, 1, 'delivery', now() - n * interval '1 second', 5, false, 500, ${body}
    FROM generate_series(1, ${attempts}) AS n`;
  await sql`
    INSERT INTO audit_entry (business_id, actor_kind, actor_id, actor_name, address, request_id, event)
    SELECT ${businessId}, 'integration', ${credentials.integration_id}, 'till', '::1', n::text, 'member.updated'
    FROM generate_series(1, ${attempts}) AS n`;
  const others = await fillMany(server, 8, 1000);
  const one = others[0] as Filled;
  const byOperator = { authorization: `Bearer ${operatorKey}` };
  const ofBusiness = { business_id: businessId };
  const fixed = (path: string, fields: object, { authorization } = caller as { authorization: string }) =>
    ({ kind: "fixed", path: basePath + path, authorization, bodies: [fields] }) as const;
  const lists = {
    deliveries: fixed("/op/webhook-deliveries/list", { ...ofBusiness, endpoint_id }, byOperator),
    "the audit log": fixed("/op/audit/list", { ...ofBusiness, page: 1000 }, byOperator),
    activity: fixed("/op/reports/activity", ofBusiness, byOperator),
    "entries of a member": fixed("/sp/transactions/list", {
      ...{ contact_id: caller.firstContactId, event_types: ["sale_refund"], per_page: 100 },
    }),
  };
  const loads = {
    adjustments: adjusting(...others),
    reads: fixed("/sp/members/get", { contact_id: one.caller.firstContactId }, one.caller),
  };
  const figures: Figure[] = [];
  for (const [what, load] of Object.entries(loads)) {
    await measure(bench, port, load, { seconds: compiledAfterSeconds });
    const beside = (list: (typeof lists)["activity"]) => async () => {
      const more = { seconds: bench.options.seconds + 1, connections: readers, mayBeRejected: true };
      const [, result] = await Promise.all([measure(bench, port, list, more), measure(bench, port, load)]);
      return result;
    };
    const variants = Object.entries(lists).map(([name, list]) => [name, beside(list)] as const);
    const results = await inTurn(bench, {
      without: () => measure(bench, port, load),
      ...Object.fromEntries(variants),
    });
    for (const name of Object.keys(lists))
      figures.push(
        figure(`${what} of others, beside ${name}`, (results as Record<string, never>)[name] ?? [], {
          against: ["without", results.without],
        }),
      );
  }
  return figures;
}
