/**
 * Reads the parts of members that decisions need: accounts, the totals of their points, the lots that are due or will be spent,
 * debts, and the records that the input names. The time does not depend on the number of lots of a member.
 *
 * Each ORDER BY matches the index that the statement must use. Without it, a plan that was made while a table was almost empty
 * may use any index of the business, and read all its sales or all lots of a member.
 */
import { type Balances, type Member, type NamedKind, namedKinds } from "../../domain/decision.ts";
import { type DuePoints, isDue } from "../../domain/engine/lots.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import type { StoredTier } from "../../domain/engine/tier.ts";
import { isLapsing } from "../../domain/engine/voucher.ts";
import type { Debt, HeldVoucher, Lot, Records } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { Fragment, fragment, inSequence, list, raw, tableOf } from "../sql.ts";
import { isRead, recordColumns, storageOf } from "./kinds.ts";
import { completeRules } from "./rules.ts";
import {
  joinTier,
  sharedSettings,
  storedTier,
  type TierRow,
  tierColumns,
  tierColumnsWithPast,
} from "./tiers.ts";

export interface WantedMember {
  readonly businessId: number;
  readonly contactId: number;
  /** How many points will be spent at most. */
  readonly spends?: number | undefined;
  /** Vouchers by their numbers, and up to so many that can be used: of each of the codes, or of any code without them. */
  readonly vouchers?:
    | { readonly ids: readonly number[]; readonly codes: readonly string[]; readonly usable: number }
    | undefined;
  /** Whether its tier is read. With a named sale, its sales are read by day. A member that is found alone has its tier. */
  readonly tier?: boolean | undefined;
  /** The numbers of records, by kind. */
  readonly named?: { readonly [Name in NamedKind]?: readonly number[] } | undefined;
  /** The day of a sale that can use points that have lapsed since, and vouchers if any code will do. */
  readonly lapsedSince?: string | undefined;
  /** The most due lots to read. If there are more, `moreDue` is true. */
  readonly dueLots?: number | undefined;
  /** The day whose rules are wanted; the latest when absent. */
  readonly rulesOn?: string | undefined;
}

/** The most due lots that are read and settled at once. */
export const mostDueLots = 1000;

/** A member that was found alone, with the rules of the wanted day and of today. */
export interface FoundMember extends StoredMember {
  readonly tier: NonNullable<StoredMember["tier"]>;
  readonly rules: Rules;
  readonly rulesToday: Rules;
}

/** The named records that exist, by kind. */
export type NamedRecords = { readonly [Name in NamedKind]?: readonly Records[Name][] | null };

/** A member as it is stored. Its points are not settled. */
export interface StoredMember extends Member {
  /** False if no record was named. */
  readonly erased: boolean;
  readonly named: NamedRecords;
  /** Undefined when it was not wanted. */
  readonly tier: StoredTier | undefined;
  /** Whether more lots are due than were read. */
  readonly moreDue: boolean;
  /** What is due by day, of all lots. */
  readonly due: readonly DuePoints[];
  /** The day in the business's time zone. */
  readonly today: string;
}

export interface WantedRules {
  readonly businessId: number;
  /** The day whose rules are wanted; the latest when absent. */
  readonly rulesOn?: string | undefined;
}

interface ReadRow extends Partial<TierRow> {
  readonly position: number;
  readonly is_due: boolean;
  readonly active: boolean;
  readonly balances: Balances;
  readonly due: readonly DuePoints[] | null;
  readonly lots: readonly Lot[] | null;
  readonly debts: readonly Debt[] | null;
  readonly vouchers: readonly HeldVoucher[] | null;
  readonly today: string;
  readonly erased?: boolean | null;
  readonly named?: NamedRecords;
  readonly rules?: Rules | null;
  /** Undefined if the wanted day is today. */
  readonly rules_today?: Rules | null;
}

const rulesOf = (day: string) => fragment`
  LEFT JOIN LATERAL (
    SELECT r.rules FROM reward_rules r WHERE r.business_id = wanted.business_id AND r.valid_from <= ${raw(day)}
    ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
  )`;
const rulesOfDay = fragment`${rulesOf("coalesce(wanted.rules_on, 'infinity')")} AS reward ON true`;
const rulesOfToday = fragment`${rulesOf("'infinity'")} AS reward_today ON true`;

/** Finds members. @returns them in the order wanted, with undefined for one that does not exist */
export async function findMembers(
  sql: Connection,
  wanted: readonly WantedMember[],
): Promise<(StoredMember | undefined)[]> {
  const rows = await readMembers(sql, wanted, false);
  const found = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((one, index) => {
    const row = found.get(index + 1);
    return row && storedMember(row, one);
  });
}

/** Finds members and their rules, in one snapshot. @returns them in the order wanted, with undefined for one that does not exist */
export async function findMembersAndRules(
  sql: Connection,
  wanted: readonly WantedMember[],
): Promise<(FoundMember | undefined)[]> {
  const rows = await readMembers(
    sql,
    wanted.map((one) => ({ ...one, tier: true })),
    true,
  );
  const found = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((one, index) => {
    const row = found.get(index + 1);
    if (row === undefined) return undefined;
    const rules = completeRules(row.rules ?? null);
    const rulesToday = row.rules_today === undefined ? rules : completeRules(row.rules_today);
    const member = storedMember(row, one);
    return { rules, rulesToday, ...member, tier: member.tier as NonNullable<typeof member.tier> };
  });
}

/** Finds one member and the rules, in one snapshot. @returns undefined when there is no such member */
export async function findMemberAndRules(
  sql: Connection,
  wanted: WantedMember,
): Promise<FoundMember | undefined> {
  return (await findMembersAndRules(sql, [wanted]))[0];
}

const lotColumns = recordColumns("lot", "l");
const ofMember = fragment`l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id`;
/** The last day of a lot, as it is written in an index. */
const lastDay = raw("coalesce(l.expires_on, 'infinity'::date)");

const dueFirst = (condition: string) => fragment`
  (SELECT * FROM points_lot l WHERE sums.is_due AND ${ofMember} AND ${raw(condition)} AND l.is_open AND l.next_on <= settings.today
  ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, ${lastDay}, l.lot_id LIMIT wanted.due_lots + 1)`;

/** Lots that are due, in the order in which they are settled. */
const dueLots = fragment`
  (SELECT ${lotColumns} FROM (${dueFirst("l.matured")} UNION ALL ${dueFirst("NOT l.matured")}) AS l
  ORDER BY l.next_on, NOT l.matured, ${lastDay}, l.lot_id LIMIT wanted.due_lots + 1)`;

/** Lots in the order of spending, until they have the points that will be spent. */
function lotsToSpend(spends: Fragment): Fragment {
  const next = (condition: Fragment) => fragment`
    SELECT ${lotColumns}, l.next_on, l.points - l.clawed - l.used - l.expired AS left_over
    FROM points_lot l WHERE ${ofMember} AND l.matured AND l.is_open AND ${condition}
    ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, ${lastDay}, l.lot_id LIMIT 1`;
  return fragment`
    (WITH RECURSIVE l AS (
      SELECT first.*, first.left_over AS through
      FROM (${next(raw("l.next_on > settings.today"))}) AS first WHERE ${spends} > 0
      UNION ALL
      SELECT following.*, before.through + following.left_over FROM l AS before CROSS JOIN LATERAL (
        ${next(fragment`(l.next_on, ${lastDay}, l.lot_id) > (before.next_on, before.next_on, before.lot_id)`)}
      ) AS following WHERE before.through < ${spends}
    ) SELECT ${lotColumns} FROM l)`;
}

/** Lots with points that have lapsed since a day. */
const lapsedLots = fragment`
  (SELECT ${lotColumns} FROM points_lot l WHERE ${ofMember} AND l.lapsed > 0 AND l.expires_on > wanted.lapsed_since
  ORDER BY l.business_id, l.contact_id, l.expires_on, l.lot_id LIMIT ${raw(`${mostDueLots}`)})`;

/** The lots that named records used, and those that named sales earned. */
function lotsOfRecords(kind: NamedKind): Fragment {
  const records = raw(`${kind}.records`);
  const earned = fragment`
    SELECT (record->>'sale_id')::bigint AS lot_id FROM json_array_elements(${records}) AS record UNION ALL`;
  return fragment`
    (SELECT ${lotColumns} FROM (
      ${kind === "sale" ? earned : fragment``} SELECT (used->>'lot_id')::bigint AS lot_id
      FROM json_array_elements(${records}) AS record, json_array_elements(record->'uses') AS used
    ) AS named CROSS JOIN LATERAL (
      SELECT * FROM points_lot l WHERE ${ofMember} AND l.lot_id = named.lot_id OFFSET 0
    ) AS l)`;
}

/** The named records of a kind. Each is found as the first record from its number on. */
function namedRecords(kind: NamedKind): Fragment {
  const [table, id] = [raw(storageOf(kind).table), raw(`${kind}_id`)];
  return fragment`
    CROSS JOIN LATERAL (
      SELECT json_agg(r) AS records FROM unnest(${raw(`wanted.${kind}`)}::bigint[]) AS named (id)
      CROSS JOIN LATERAL (
        SELECT ${recordColumns(kind, "t")} FROM ${table} t
        WHERE t.business_id = wanted.business_id AND t.${id} >= named.id ORDER BY t.business_id, t.${id} LIMIT 1
      ) AS r WHERE r.${id} = named.id AND r.contact_id = wanted.contact_id
    ) AS ${raw(kind)}`;
}

const voucherColumns = recordColumns("held_voucher", "v");
const vouchersOfMember = fragment`v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id`;
const lastVoucherDay = raw("coalesce(v.lapses_on, 'infinity'::date)");

/** Vouchers that are due. */
const dueVouchers = fragment`
  (SELECT ${voucherColumns} FROM held_voucher v
  WHERE sums.is_due AND ${vouchersOfMember} AND v.status = 'held' AND ${lastVoucherDay} <= settings.today
  ORDER BY v.business_id, v.contact_id, ${lastVoucherDay}, v.held_voucher_id LIMIT wanted.due_lots + 1)`;

/** Vouchers that can be used, those that lapse first before the others. */
const unusedVouchers = (condition: Fragment) => fragment`
  SELECT ${voucherColumns} FROM held_voucher v
  WHERE ${vouchersOfMember} AND v.status = 'held' AND ${lastVoucherDay} > settings.today AND ${condition}
  ORDER BY v.business_id, v.contact_id, ${lastVoucherDay}, v.held_voucher_id LIMIT wanted.usable_vouchers`;

const vouchersByCode = fragment`
  (SELECT v.* FROM unnest(wanted.voucher_codes::text[]) AS code
    CROSS JOIN LATERAL (${unusedVouchers(raw("v.coupon_code = code"))}) AS v)`;

const vouchersOfAnyCode = fragment`(${unusedVouchers(raw("wanted.voucher_codes = '{}'"))})`;

/** Vouchers that have lapsed since a day. */
const lapsedVouchers = fragment`
  (SELECT ${voucherColumns} FROM held_voucher v WHERE ${vouchersOfMember} AND v.status = 'lapsed' AND v.lapses_on > wanted.lapsed_since
  ORDER BY v.business_id, v.contact_id, v.lapses_on, v.held_voucher_id LIMIT wanted.usable_vouchers)`;

/** Vouchers by their numbers, each found as the first from its number on. */
const vouchersById = (ids: Fragment) => fragment`
  (SELECT v.* FROM (${ids}) AS named (id) CROSS JOIN LATERAL (
    SELECT ${voucherColumns} FROM held_voucher v
    WHERE v.business_id = wanted.business_id AND v.held_voucher_id >= named.id
    ORDER BY v.business_id, v.held_voucher_id LIMIT 1
  ) AS v WHERE v.held_voucher_id = named.id AND v.contact_id = wanted.contact_id)`;

/** The vouchers that named sales used, and those that named redemptions bought. */
const vouchersOfRecords: { readonly [Name in NamedKind]?: Fragment } = {
  sale: vouchersById(fragment`
    SELECT id::bigint FROM json_array_elements(sale.records) AS record,
      json_array_elements_text(record->'held_voucher_ids') AS id`),
  redemption: vouchersById(fragment`
    SELECT (record->>'held_voucher_id')::bigint FROM json_array_elements(redemption.records) AS record`),
};

const isErased = fragment`(
  SELECT erased_at IS NOT NULL FROM member m
  WHERE m.business_id = wanted.business_id AND m.contact_id = wanted.contact_id
) AS erased`;

const claws = fragment`
  coalesce((SELECT sum((record->>'points_earned')::bigint) FROM json_array_elements(sale.records) AS record), 0)`;

/** A column with a list of what several parts of the statement find; none without parts. */
function listed(column: "lots" | "vouchers", parts: readonly Fragment[]): Fragment {
  if (parts.length === 0) return fragment``;
  return fragment`, (SELECT json_agg(each) FROM (${list(parts, " UNION ALL ")}) AS each) AS ${raw(column)}`;
}

/**
 * Most members have nothing due, so the first statement reads only whether something is. Those that have are read again, with it.
 * The statement of a quote takes 0.7 of the time without those parts.
 */
async function readMembers(sql: Connection, wanted: readonly WantedMember[], withRules: boolean) {
  const rows = await selectMembers(sql, wanted, { withRules, withDue: false });
  const due = rows.filter(({ is_due }) => is_due).map(({ position }) => position);
  if (due.length === 0) return rows;
  const dueMembers = due.map((position) => wanted[position - 1] as WantedMember);
  const again = await selectMembers(sql, dueMembers, { withRules, withDue: true });
  const placed = again.map((row) => ({ ...row, position: due[row.position - 1] as number }));
  return [...rows.filter(({ is_due }) => !is_due), ...placed];
}

/** The statement has only those parts that at least one of the members needs. */
function selectMembers(
  sql: Connection,
  wanted: readonly WantedMember[],
  { withRules, withDue }: { readonly withRules: boolean; readonly withDue: boolean },
) {
  const kinds = namedKinds.filter((kind) => wanted.some(({ named }) => (named?.[kind]?.length ?? 0) > 0));
  const rows = wanted.map((one) => ({
    business_id: one.businessId,
    contact_id: one.contactId,
    spends: one.spends ?? 0,
    due_lots: one.dueLots ?? mostDueLots,
    rules_on: one.rulesOn ?? null,
    lapsed_since: one.lapsedSince ?? null,
    voucher_ids: one.vouchers?.ids ?? [],
    voucher_codes: one.vouchers?.codes ?? [],
    usable_vouchers: one.vouchers?.usable ?? 0,
    ...Object.fromEntries(kinds.map((kind) => [kind, one.named?.[kind] ?? []])),
  }));
  const hasSales = kinds.includes("sale");
  const hasTiers = wanted.some(({ tier }) => tier);
  const isOfToday = rows.every(({ rules_on }) => rules_on === null);
  const isSpending = hasSales || rows.some(({ spends }) => spends > 0);
  const isLate = rows.some(({ lapsed_since }) => lapsed_since !== null);
  const when = (is: boolean, part: Fragment) => (is ? part : fragment``);
  const names = (is: (vouchers: NonNullable<WantedMember["vouchers"]>) => boolean) =>
    wanted.some(({ vouchers }) => vouchers !== undefined && is(vouchers));
  const named = list(kinds.map((kind) => raw(`'${kind}', ${kind}.records`)));
  const lots = [
    withDue && dueLots,
    isSpending && lotsToSpend(hasSales ? fragment`(wanted.spends + ${claws})` : fragment`wanted.spends`),
    isLate && lapsedLots,
    ...kinds.filter((kind) => storageOf(kind).columns.includes("uses")).map(lotsOfRecords),
  ];
  const vouchers = [
    withDue && dueVouchers,
    names(({ codes }) => codes.length > 0) && vouchersByCode,
    names(({ codes, usable }) => codes.length === 0 && usable > 0) && vouchersOfAnyCode,
    isLate && names(({ codes, usable }) => codes.length === 0 && usable > 0) && lapsedVouchers,
    names(({ ids }) => ids.length > 0) && vouchersById(raw("SELECT unnest(wanted.voucher_ids::bigint[])")),
    ...kinds.map((kind) => vouchersOfRecords[kind]),
  ];
  const businessIds = [...new Set(wanted.map(({ businessId }) => businessId))];
  return sql<ReadRow[]>`
    WITH ${sharedSettings(businessIds, hasTiers)}
    SELECT wanted.nth AS position, member.active, member.balances, settings.today, sums.due,
      ${raw(hasTiers ? "sums.is_due OR coalesce(ends.day <= settings.today, false)" : "sums.is_due")} AS is_due,
      (SELECT json_agg(d) FROM (
        SELECT ${recordColumns("debt", "d")} FROM points_debt d
        WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND ${isRead("debt", "d")}
      ) AS d) AS debts
      ${listed("lots", lots.filter(isPart))}
      ${listed("vouchers", vouchers.filter(isPart))}
      ${when(kinds.length > 0, fragment`, ${isErased}, json_build_object(${named}) AS named`)}
      ${when(withRules, raw(isOfToday ? ", reward.rules" : ", reward.rules, reward_today.rules AS rules_today"))}
      ${when(hasTiers, fragment`, ${withDue || hasSales ? tierColumnsWithPast : tierColumns}`)}
    FROM ${tableOf("wanted", rows, [wantedColumns, ...kinds.map((kind) => `${kind} bigint[]`)].join(", "))}
    CROSS JOIN LATERAL (
      SELECT bool_and(active) AS active, json_object_agg(account, balance) AS balances
      FROM account a WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id
      HAVING count(*) > 0
    ) AS member
    JOIN settings ON settings.business_id = wanted.business_id
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('event', event, 'day', nullif(day, 'infinity'), 'points', amount)) AS due,
        coalesce(bool_or(day <= settings.today), false) AS is_due
      FROM member_due d
      WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND d.amount <> 0
    ) AS sums
    ${inSequence(kinds.map(namedRecords))}
    ${when(hasTiers, joinTier(hasSales ? "by day since the tiers" : "sum", withDue))}
    ${when(withRules, rulesOfDay)} ${when(withRules && !isOfToday, rulesOfToday)}`;
}

const isPart = (part: Fragment | false | undefined): part is Fragment => part instanceof Fragment;

const wantedColumns = `business_id bigint, contact_id bigint, spends bigint, due_lots integer, rules_on date,
  lapsed_since date, voucher_ids bigint[], voucher_codes text[], usable_vouchers integer`;

/** Finds the rules of each wanted day. @returns them in the order wanted */
export async function findRules(sql: Connection, wanted: readonly WantedRules[]): Promise<Rules[]> {
  const days = wanted.map((one) => ({ business_id: one.businessId, rules_on: one.rulesOn ?? null }));
  const rows = await sql<{ rules: Rules | null }[]>`
    SELECT reward.rules FROM ${tableOf("wanted", days, "business_id bigint, rules_on date")} ${rulesOfDay}
    ORDER BY wanted.nth`;
  return rows.map(({ rules }) => completeRules(rules));
}

function storedMember(row: ReadRow, { dueLots: limit = mostDueLots }: WantedMember): StoredMember {
  const { active, balances, today } = row;
  // A lot can be both due and named.
  const lots = [...new Map(row.lots?.map((lot) => [lot.lot_id, lot])).values()];
  const vouchers = [...new Map(row.vouchers?.map((one) => [one.held_voucher_id, one])).values()];
  const due = row.due ?? [];
  const sumOf = (event: DuePoints["event"]) =>
    due.reduce((sum, one) => (one.event === event ? sum + one.points : sum), 0);
  return {
    active,
    erased: row.erased ?? false,
    balances,
    points: {
      balance: balances.points,
      lotted: sumOf("points_expire"),
      pending: sumOf("points_mature"),
      lots,
      debts: row.debts ?? [],
    },
    vouchers,
    named: row.named ?? {},
    tier: row.standing === undefined ? undefined : storedTier(row as TierRow),
    moreDue:
      lots.filter((lot) => isDue(lot, today)).length > limit ||
      vouchers.filter((voucher) => isLapsing(voucher, today)).length > limit,
    due,
    today,
  };
}
