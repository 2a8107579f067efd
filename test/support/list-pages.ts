/**
 * How many buffers each page of each list reads, with each filter, if one member, one location and one event have almost all rows. The
 * lists and their filters come from the declarations.
 */

import type { Operation } from "../../src/contract/operation.ts";
import { lockLedger } from "../../src/database/ledger/ledger.ts";
import { addToSums } from "../../src/database/ledger/sums.ts";
import { memberFilters } from "../../src/operations/members/member-filters.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { buffersRead, turnAutovacuumOff } from "./buffers.ts";
import { recountLedger, recountMembers } from "./bulk.ts";
import { makeRecords } from "./requests.ts";
import { testOperatorKey, type World } from "./world.ts";

export const lists = [...partnerOperations, ...operatorOperations].filter(
  ({ kind, path }) => kind === "list" || (kind === "read" && path.endsWith("/list")),
);

/** How many rows a list has, and how many of them are rare ones, which are the oldest. */
const rows = 20_000;
const rare = 20;
/** A list reads at most so many buffers. Those of its rows alone are about `rows / 20` or more. */
const most = 400;
/**
 * Lists whose rows are counted for each page, in turn with those of others (`inTurn`), if the request has one of these fields. They
 * read so many buffers per row more. Every other list must be flat.
 */
export const counted: Readonly<Record<string, readonly string[]>> = {
  "/sp/reward-points/list": ["contact_id"],
  "/op/reward-points/list": ["contact_id"],
  "/sp/vouchers/list": ["contact_id"],
  "/op/vouchers/held": ["contact_id"],
  "/sp/sales/list": ["reference_id"],
  "/op/sales/list": ["reference_id"],
  "/op/audit/list": ["page"],
  "/op/requests/list": ["page"],
  "/sp/requests/list": ["page"],
  "/op/requests/counts": ["page"],
};
const buffersPerRow = 0.1;
/** Those of them whose rows are counted in an index alone. */
const inIndex = [
  "/sp/reward-points/list",
  "/op/reward-points/list",
  "/sp/vouchers/list",
  "/op/vouchers/held",
];
const buffersPerRowInIndex = 0.01;
/** These are not about rows of a business that grow without limit, or a search, which has tests of its own. */
const otherFields = new Set([
  "business_id",
  "limit",
  "before",
  "after",
  "search",
  "similar",
  "operator_id",
  "by",
  // They look at each member, in turn with searches (test/plans/queries.test.ts).
  ...Object.keys(memberFilters.fields),
]);

const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

export interface Filled {
  readonly world: World;
  /** By field: the values that most rows have, that few have, and that none has. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

export async function fillLists(world: World): Promise<Filled> {
  const { sql, home } = world;
  const { businessId, locationIds, everywhere } = home;
  await turnAutovacuumOff(sql);
  const records = await makeRecords(world, home);
  const contactId = await world.member();
  const other = await world.member();
  const [often, , seldom] = locationIds;
  const { integrationId } = everywhere;
  await sql.begin(async (tx) => {
    const { last_entry_no: first = 0 } = (await lockLedger(tx, businessId)) ?? {};
    const made = (count: number) => tx`
      CREATE TEMPORARY TABLE made ON COMMIT DROP AS
      SELECT n, ${first}::bigint + n AS no, n <= ${rare} AS is_rare,
        CASE WHEN n <= ${rare} THEN ${seldom}::bigint ELSE ${often}::bigint END AS location_id,
        now() - interval '100 days' * (1 - n::float8 / ${count}::float8) - interval '1 minute' AS at
      FROM generate_series(1, ${count}) AS n`;
    await made(rows);
    await tx`
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, location_id, created_at, account,
        event_type, reference_id)
      SELECT ${businessId}, no, ${contactId}, 1, n, location_id, at, 'wallet',
        (CASE WHEN is_rare THEN 'wallet_topup' WHEN n % 1000 = 0 THEN 'wallet_payment' ELSE 'wallet_adjustment' END)::event_type, 'same' FROM made`;
    await tx`
      UPDATE account SET entries = ${rows}, balance = ${rows}
      WHERE business_id = ${businessId} AND contact_id = ${contactId} AND account = 'wallet'`;
    await tx`
      UPDATE account SET balance = ${rare} WHERE business_id = ${businessId} AND contact_id = ${contactId} AND account = 'points'`;
    await recountLedger(tx, businessId);
    await tx`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount, eligible_amount,
        points_used, points_amount, wallet_used, amount_due, earning_base, points_earned, rules_version, earn_points, earn_amount,
        earn_minimum_amount, maximum_points_per_order, refunded, points_excused, uses)
      SELECT ${businessId}, no, ${contactId}, location_id, CASE WHEN is_rare THEN 'rare' ELSE 'same' END, at::date, at, 1, 1, 0, 0, 0,
        1, 1, 1, 1, 1, 1, 0, 0, 0, 0, '[]' FROM made`;
    await tx`
      INSERT INTO sale_count (business_id, sold_on, location_id, sales)
      SELECT ${businessId}, at::date, location_id, count(*) FROM made GROUP BY 2, 3
      ${addToSums("sale_count")}`;
    await tx`
      INSERT INTO sales_day (business_id, contact_id, day, location_id, net, sales)
      SELECT ${businessId}, ${contactId}, at::date, location_id, count(*), count(*) FROM made GROUP BY 3, 4`;
    await tx`
      INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, location_id, earned_on, matures_on, matured, points,
        clawed, used, expired)
      SELECT ${businessId}, ${contactId}, no, 'same', location_id, at::date, at::date, true, 1, 0,
        CASE WHEN is_rare THEN 0 ELSE 1 END, 0 FROM made`;
    await tx`
      INSERT INTO held_voucher (business_id, held_voucher_id, contact_id, voucher_id, coupon_code, coupon_key, coupon_value, reference_id,
        issued_on, valid_from, status, created_at)
      SELECT ${businessId}, 1000 + n, ${contactId}, ${home.vouchers.everywhere}, 'SUMMER', 'summer', 1, 'same', at::date, at::date,
        CASE WHEN is_rare THEN 'held' ELSE 'redeemed' END, at FROM made`;
    await tx`
      INSERT INTO audit_entry (business_id, recorded_at, actor_kind, actor_id, actor_name, address, request_id, event, contact_id)
      SELECT ${businessId}, at, CASE WHEN is_rare THEN 'key' ELSE 'account' END, CASE WHEN is_rare THEN 2 ELSE 1 END,
        CASE WHEN is_rare THEN 'rare' ELSE 'same' END, '::1', 'r' || n, CASE WHEN is_rare THEN 'tier.created' ELSE 'member.updated' END,
        CASE WHEN is_rare THEN ${other}::bigint ELSE ${contactId}::bigint END
      FROM made ORDER BY n`;
    await tx`
      INSERT INTO rejected_request (business_id, integration_id, requested_at, request_id, operation, status, error_code, field_errors)
      SELECT ${businessId}, ${integrationId}, at, gen_random_uuid(), CASE WHEN is_rare THEN '/sp/sales/get' ELSE '/sp/members/get' END,
        CASE WHEN is_rare THEN 400 ELSE 404 END, CASE WHEN is_rare THEN 'validation_failed' ELSE 'member_not_found' END, '[]'
      FROM made`;
    await tx`
      INSERT INTO request_count (business_id, integration_id, hour, operation, succeeded, rejected, failed, unlisted)
      SELECT ${businessId}, ${integrationId}, date_trunc('hour', at), CASE WHEN is_rare THEN '/sp/sales/get' ELSE '/sp/' || chr(97 + n % 25) || '/get' END,
        1, 0, 0, 0 FROM made ON CONFLICT DO NOTHING`;
    await tx`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
      SELECT ${businessId}, ${records.endpoint_id}, n, 1, 'delivery', at, 5, is_rare FROM made`;
    await tx`
      INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text, active)
      SELECT ${businessId}, 'A', 'B', '+34' || (900000000 + n), '', is_rare FROM made ORDER BY n`;
    await tx`
      INSERT INTO account (business_id, contact_id, account)
      SELECT business_id, contact_id, a.account FROM member, unnest(enum_range(NULL::account_name)) AS a (account)
      WHERE business_id = ${businessId} ON CONFLICT DO NOTHING`;
    await recountMembers(tx, businessId);
  });
  // The first one may not know yet that all transactions have ended.
  await sql`VACUUM`;
  await sql`VACUUM ANALYZE`;
  const far = dayOf(90);
  return {
    world,
    values: {
      contact_id: [contactId, other],
      location_id: [often, seldom, locationIds[1]],
      event_types: [["wallet_adjustment"], ["wallet_topup"], ["wallet_payment"], ["sale_refund"]],
      types: [["member.updated"], ["tier.*"]],
      start_date: [far, dayOf(1)],
      end_date: [dayOf(1), far],
      from: [far],
      through: [dayOf(2)],
      since: [far, dayOf(1)],
      until: [dayOf(1), far],
      reference_id: ["same", "rare", "none"],
      include_closed: [true, false],
      include_inactive: [true, false],
      include_archived: [true],
      count_members: [true],
      card_code: [records.card_code, "NO-SUCH-CARD"],
      kind: ["app", "gift"],
      anonymous: [true, false],
      status: ["active", "held", "redeemed", "lapsed", "delivered", "failed", 404, 400, 500],
      endpoint_id: [records.endpoint_id],
      integration_id: [integrationId],
      operation: ["/sp/members/get", "/sp/sales/get"],
      error_code: ["member_not_found", "validation_failed"],
      event: ["member.updated", "tier.created", "location.created"],
      actor_kind: ["account", "key", "root"],
      actor_id: [1, 2],
      actor_name: ["same", "rare", "none"],
    },
  };
}

type Body = Readonly<Record<string, unknown>>;

/** The required fields alone, with each value of each other field, and with all fields at once. */
function bodiesOf({ path, input }: Operation, { world, values }: Filled): Body[] {
  const fields = Object.keys(input.properties).filter((field) => !otherFields.has(field));
  const required: string[] = input.required ?? [];
  const ownBusiness = "business_id" in input.properties ? { business_id: world.home.businessId } : {};
  const valuesOf = (field: string) => {
    const known = values[field];
    if (known === undefined) throw new Error(`give values to the filter ${field} of ${path}`);
    const schema = input.properties[field] as {
      type?: string;
      enum?: unknown[];
      anyOf?: { enum?: unknown[] }[];
    };
    const allowed = schema.enum ?? schema.anyOf?.[0]?.enum;
    return known.filter((value) =>
      field !== "status" ? true : allowed === undefined ? typeof value === "number" : allowed.includes(value),
    );
  };
  const firsts = (names: readonly string[]) =>
    Object.fromEntries(names.map((field) => [field, valuesOf(field)[0]] as const));
  const base = { ...ownBusiness, ...firsts(required.filter((field) => fields.includes(field))) };
  const each = fields.flatMap((field) => valuesOf(field).map((value) => ({ ...base, [field]: value })));
  const pairs = fields.includes("contact_id")
    ? each.map((body) => ({ ...body, ...firsts(["contact_id"]) }))
    : [];
  return [base, ...each, ...pairs, { ...base, ...firsts(fields) }];
}

/** What reads more buffers than it may. */
export async function excessesOf(operation: Operation, filled: Filled): Promise<string[]> {
  const { world } = filled;
  const { sql, lookUps, longRunning } = world.database;
  const { path, kind } = operation;
  const token = path.startsWith("/op/") ? testOperatorKey : await world.token();
  const found: string[] = [];
  for (const body of bodiesOf(operation, filled)) {
    const ask = async (page: Body) => {
      const reply = await world.call(path, { ...body, ...page }, { token });
      if (reply.status !== 200)
        throw new Error(`${path} ${JSON.stringify({ ...body, ...page })}: ${reply.text}`);
      return reply.body.meta;
    };
    const first = await ask({});
    const last = first.pagination?.last_page;
    const pages = kind === "list" ? [{}, { page: Math.ceil(last / 2) }, { page: last }] : [{}];
    for (const page of [...pages, ...(first.next ? [{ after: first.next }] : [])]) {
      const isCounted = counted[path]?.some((field) => field === "page" || field in body);
      const perRow = inIndex.includes(path) ? buffersPerRowInIndex : buffersPerRow;
      const limit = most + (isCounted ? perRow * rows : 0);
      // Jobs in the background may read meanwhile, and the first request makes the plans.
      let buffers = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3 && buffers > limit; attempt++) {
        const read = await buffersRead({ sql, lookUps, longRunning, setup: sql }, () => ask(page));
        buffers = Math.min(buffers, read);
      }
      const told = JSON.stringify({ ...body, ...page, after: "after" in page });
      if (buffers > limit) found.push(`${path} ${told}: ${buffers}, at most ${limit}`);
    }
  }
  return found;
}
