/**
 * Reads the parts of members that decisions need: accounts, the totals of their points, the lots that are due or will be spent,
 * debts, and the records that the input names. The time does not depend on the number of lots of a member.
 */
import type { Anonymous } from "../../domain/cards.ts";
import {
  type Balances,
  type Member,
  type Moment,
  type NamedKind,
  namedKinds,
  type StampsOff,
} from "../../domain/decision.ts";
import { type DuePoints, isDue } from "../../domain/engine/lots.ts";
import type { Buying } from "../../domain/engine/promotions/acting.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import type { StoredTier } from "../../domain/engine/tiers/tier.ts";
import { isLapsing } from "../../domain/engine/vouchers/voucher.ts";
import type { Debt, HeldVoucher, Lot, MemberStampCard, Records } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { tableOf } from "../sql.ts";
import { restoredRecords } from "./kinds.ts";
import {
  joinRules,
  type MemberParts,
  memberStatement,
  mostDueLots,
  wantedColumns,
} from "./member-statement.ts";
import { completeRules } from "./rules.ts";
import { storedTier, type TierRow } from "./tiers.ts";

export interface WantedMember {
  readonly businessId: number;
  readonly contactId: number;
  /** How many points will be spent at most. */
  readonly spends?: number | undefined;
  /** Vouchers by their numbers, and up to so many that can be used: of each of the codes, or of any code without them. */
  readonly vouchers?:
    | { readonly ids: readonly number[]; readonly codes: readonly string[]; readonly usable: number }
    | undefined;
  /** Whether its tier and its stamps are read. With a named sale, its sales are read by day. A member that is found alone has its tier. */
  readonly tier?: boolean | undefined;
  /** The days of sales on which promotions may act; null: today. */
  readonly promotedOn?: readonly (string | null)[] | undefined;
  /** Vouchers of stamp cards that can be taken back for stamps that are taken off. */
  readonly stampsOff?: readonly StampsOff[] | undefined;
  /** The numbers of records, by kind. */
  readonly named?: { readonly [Name in NamedKind]?: readonly number[] } | undefined;
  /** The day of a sale that can use points that have lapsed since, and vouchers if any code will do. */
  readonly lapsedSince?: string | undefined;
  /** The most due lots to read. If there are more, `moreDue` is true. */
  readonly dueLots?: number | undefined;
  /** The day whose rules are wanted; the latest when absent. */
  readonly rulesOn?: string | undefined;
}

/** A member that was found alone, with the rules of the wanted day and of today. */
export interface FoundMember extends StoredMember, Pick<Moment, "given" | "localTime" | "currency"> {
  readonly tier: NonNullable<StoredMember["tier"]>;
  readonly rules: Rules;
  readonly rulesToday: Rules;
}

/** The named records that exist, by kind. */
export type NamedRecords = { readonly [Name in NamedKind]?: readonly Records[Name][] | null };

/** A member as it is stored. Its points are not settled. */
export interface StoredMember extends Member {
  readonly anonymous: Anonymous | null;
  /** The first day on which its money can no longer be used; null: it does not lapse. */
  readonly lapses_on: string | null;
  /** False if no record was named. */
  readonly erased: boolean;
  readonly named: NamedRecords;
  /** Without facts when it was not wanted. */
  readonly buying: Buying;
  /** None when its tier was not wanted. */
  readonly cards: readonly MemberStampCard[];
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

/** Pairs of a promotion_id and points. */
type Given = readonly (readonly [number, number])[] | null;

interface ReadRow extends Partial<TierRow> {
  readonly position: number;
  readonly is_due: boolean;
  readonly active: boolean;
  readonly anonymous: Anonymous | null;
  readonly lapses_on: string | null;
  readonly balances: Balances;
  readonly due: readonly DuePoints[] | null;
  readonly lots: readonly Lot[] | null;
  readonly debts: readonly Debt[] | null;
  readonly vouchers: readonly HeldVoucher[] | null;
  readonly today: string;
  readonly erased?: boolean | null;
  readonly named?: NamedRecords;
  readonly buying?: Buying | null;
  readonly cards?: readonly MemberStampCard[] | null;
  readonly given?: Given;
  readonly reads_stamps?: boolean;
  readonly reads_buying?: boolean;
  readonly reads_budgets?: boolean | null;
  readonly rules?: Rules | null;
  readonly local_time?: string;
  readonly currency?: string;
  readonly currency_decimals?: number;
  /** Undefined if the wanted day is today. */
  readonly rules_today?: Rules | null;
}

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
    return {
      rules,
      rulesToday,
      given: new Map(row.given ?? []),
      localTime: row.local_time ?? "",
      currency: row as Moment["currency"],
      ...member,
      tier: member.tier as NonNullable<typeof member.tier>,
    };
  });
}

/** Finds one member and the rules, in one snapshot. @returns undefined when there is no such member */
export async function findMemberAndRules(
  sql: Connection,
  wanted: WantedMember,
): Promise<FoundMember | undefined> {
  return (await findMembersAndRules(sql, [wanted]))[0];
}

type Optional = Pick<MemberParts, "due" | "cards" | "buying" | "budgets">;

/** Businesses of which this process has seen that they need a part. The part stays in their statements. */
const needing: Readonly<Record<"cards" | "buying" | "budgets", Set<number>>> = {
  cards: new Set(),
  buying: new Set(),
  budgets: new Set(),
};

const seenIn = (businessIds: readonly number[]): Omit<Optional, "due"> => ({
  cards: businessIds.some((id) => needing.cards.has(id)),
  buying: businessIds.some((id) => needing.buying.has(id)),
  budgets: businessIds.some((id) => needing.budgets.has(id)),
});

/** Remembers what a business needs. @returns whether the statement that read the row lacked some of it */
function lacks(businessId: number, row: Partial<ReadRow>, read: Omit<Optional, "due">): boolean {
  const needs = { cards: row.reads_stamps, buying: row.reads_buying, budgets: row.reads_budgets };
  const needed = (["cards", "buying", "budgets"] as const).filter((part) => needs[part]);
  for (const part of needed) needing[part].add(businessId);
  return needed.some((part) => !read[part]);
}

/**
 * Most members have nothing due, and most businesses have no stamp cards, and no promotions that ask for their members or have a budget.
 * So the first statement reads only whether something is due, and has only the parts that a business has needed before. Members that
 * need more are read again, with all parts. Without the parts for what is due, the statement of a quote takes 0.7 of the time in PostgreSQL;
 * without the others 0.7 of that, so that a business pays nothing for what it does not use.
 */
async function readMembers(sql: Connection, wanted: readonly WantedMember[], withRules: boolean) {
  const businessIdOf = ({ position }: ReadRow) => (wanted[position - 1] as WantedMember).businessId;
  const seen = seenIn(wanted.map(({ businessId }) => businessId));
  const rows = await selectMembers(sql, wanted, withRules, { due: false, ...seen });
  const isShort = rows.map((row) => lacks(businessIdOf(row), row, seen) || row.is_due);
  const short = rows.filter((_, index) => isShort[index]).map(({ position }) => position);
  if (short.length === 0) return rows;
  const members = short.map((position) => wanted[position - 1] as WantedMember);
  const all = { due: true, cards: true, buying: true, budgets: true };
  const again = await selectMembers(sql, members, withRules, all);
  const placed = again.map((row) => ({ ...row, position: short[row.position - 1] as number }));
  return [...rows.filter((_, index) => !isShort[index]), ...placed];
}

function selectMembers(
  sql: Connection,
  wanted: readonly WantedMember[],
  withRules: boolean,
  optional: Optional,
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
    promoted_on: one.promotedOn ?? [],
    off_cards: (one.stampsOff ?? []).map(({ stamp_card_id }) => stamp_card_id),
    stamps_off: (one.stampsOff ?? []).map(({ stamps }) => stamps),
    ...Object.fromEntries(kinds.map((kind) => [kind, one.named?.[kind] ?? []])),
  }));
  const isOfToday = rows.every(({ rules_on }) => rules_on === null);
  const tiers = wanted.some(({ tier }) => tier);
  const columns = [wantedColumns, ...kinds.map((kind) => `${kind} bigint[]`)].join(", ");
  return sql<ReadRow[]>`${memberStatement({
    businessIds: [...new Set(wanted.map(({ businessId }) => businessId))],
    wanted: tableOf("wanted", rows, columns),
    due: optional.due,
    spends: kinds.includes("sale") || rows.some(({ spends }) => spends > 0),
    late: rows.some(({ lapsed_since }) => lapsed_since !== null),
    codes: rows.some(({ voucher_codes }) => voucher_codes.length > 0),
    anyCode: rows.some((one) => one.voucher_codes.length === 0 && one.usable_vouchers > 0),
    ids: rows.some(({ voucher_ids }) => voucher_ids.length > 0),
    stampsOff: rows.some(({ off_cards }) => off_cards.length > 0),
    kinds,
    tiers,
    cards: tiers && optional.cards,
    buying: optional.buying && wanted.some(({ promotedOn = [] }) => promotedOn.length > 0),
    budgets: optional.budgets,
    rules: !withRules ? "none" : isOfToday ? "today" : "of a day",
  })}`;
}

/** Rules, and the points that their promotions with a budget have given, by promotion_id. */
export interface FoundRules {
  readonly rules: Rules;
  readonly given: ReadonlyMap<number, number>;
}

/** Finds the rules of each wanted day. @returns them in the order wanted */
export async function findRules(sql: Connection, wanted: readonly WantedRules[]): Promise<FoundRules[]> {
  const days = wanted.map((one) => ({ business_id: one.businessId, rules_on: one.rulesOn ?? null }));
  const read = (budgets: boolean) =>
    sql<Pick<ReadRow, "rules" | "given" | "reads_budgets">[]>`
      SELECT reward.* FROM ${tableOf("wanted", days, "business_id bigint, rules_on date")} ${joinRules(budgets)}
      ORDER BY wanted.nth`;
  const seen = seenIn(wanted.map(({ businessId }) => businessId));
  let rows = await read(seen.budgets);
  const isShort = rows.map((row, index) => lacks((wanted[index] as WantedRules).businessId, row, seen));
  if (isShort.includes(true)) rows = await read(true);
  return rows.map(({ rules = null, given }) => ({
    rules: completeRules(rules),
    given: new Map(given ?? []),
  }));
}

const restoredNames = (named: NamedRecords): NamedRecords =>
  Object.fromEntries(
    namedKinds.map((kind) => {
      const rows: readonly object[] | null | undefined = named[kind];
      return [kind, rows && restoredRecords(kind, rows)];
    }),
  );

function storedMember(row: ReadRow, { dueLots: limit = mostDueLots }: WantedMember): StoredMember {
  const { active, anonymous, lapses_on, balances, today } = row;
  // A lot can be both due and named.
  const lots = [...new Map(row.lots?.map((lot) => [lot.lot_id, lot])).values()];
  const vouchers = [...new Map(row.vouchers?.map((one) => [one.held_voucher_id, one])).values()];
  const due = row.due ?? [];
  const sumOf = (event: DuePoints["event"]) =>
    due.reduce((sum, one) => (one.event === event ? sum + one.points : sum), 0);
  return {
    active,
    anonymous,
    lapses_on,
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
    named: row.named === undefined ? {} : restoredNames(row.named),
    buying: row.buying ?? { facts: null, counts: [] },
    cards: row.cards ?? [],
    tier: row.standing === undefined ? undefined : storedTier(row as TierRow),
    moreDue:
      lots.filter((lot) => isDue(lot, today)).length > limit ||
      vouchers.filter((voucher) => isLapsing(voucher, today)).length > limit,
    due,
    today,
  };
}
