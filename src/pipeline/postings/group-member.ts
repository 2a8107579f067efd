/** A member as a group of postings holds it: as it was read, with the changes of the decisions so far. */

import { nameOfRecord } from "../../database/engine/kinds.ts";
import type { StoredMember } from "../../database/engine/members.ts";
import type { WantedForTier } from "../../database/engine/rewards/occasions.ts";
import type { FirstSale } from "../../database/engine/rewards/referrals.ts";
import type { BalanceRow, EntryRow } from "../../database/ledger/ledger.ts";
import { type Anonymous, giftLapseReason } from "../../domain/cards.ts";
import { addDays } from "../../domain/dates.ts";
import { type Member, type NamedKind, type Needs, namedKinds, type Points } from "../../domain/decision.ts";
import { countedPoints } from "../../domain/engine/earning/earning.ts";
import { pointsOfSales } from "../../domain/engine/earning/limits.ts";
import { actingToday, tierReached } from "../../domain/engine/occasions.ts";
import type { Buying } from "../../domain/engine/promotions/acting.ts";
import { type GrantChange, grantChanges } from "../../domain/engine/promotions/totals.ts";
import { referralOccasions } from "../../domain/engine/referrals.ts";
import type { Occasion, Rules } from "../../domain/engine/rules.ts";
import { type SettledState, settleAll } from "../../domain/engine/settle.ts";
import type { CardChange } from "../../domain/engine/stamps/events.ts";
import type { StoredTier } from "../../domain/engine/tiers/tier.ts";
import { type CodeLimit, codeUsesOf } from "../../domain/engine/vouchers/limits.ts";
import type { Account } from "../../domain/ledger.ts";
import type {
  Changes,
  GrantCount,
  HeldVoucher,
  Kind,
  MemberStampCard,
  Records,
  Sale,
  SalesDay,
  SalesOfDay,
  TierStanding,
} from "../../domain/records.ts";

/** The name of a thing in a map, made of its parts. */
export function joined(first: string | number, second: string | number, third?: string): string {
  return third === undefined ? `${first} ${second}` : `${first} ${second} ${third}`;
}

/** A record as it was read, and as it is now. */
interface HeldRecord {
  readonly kind: Kind;
  readonly before: Records[Kind] | undefined;
  readonly after: Records[Kind];
}

export interface GroupMember {
  readonly businessId: number;
  readonly contactId: number;
  readonly active: boolean;
  readonly anonymous: Anonymous | null;
  /** The first day on which its money can no longer be used; null: it does not lapse. */
  lapses_on: string | null;
  readonly erased: boolean;
  readonly balances: Partial<Record<Account, number>>;
  /** Undefined when no command needs them. */
  points: Points | undefined;
  /** Undefined when no command needs it. Its standing is among the records. */
  tier: (Pick<StoredTier, "past"> & { readonly sales: SalesDay[] }) | undefined;
  /** What was read of it, with the sales of the group. */
  buying: Buying;
  /** By kind and name. */
  readonly records: Map<string, HeldRecord>;
  /** How much of what is due was read. If more is due, the first command about the member settles a part, and all of them wait. */
  due: "all_read" | "more_due" | "settled_in_part";
}

export type Standing = Pick<GroupMember, "active" | "anonymous" | "lapses_on"> & {
  readonly erased?: boolean;
};

/** A member of which nothing else was read. */
export function newGroupMember(
  businessId: number,
  contactId: number,
  { active, anonymous, lapses_on, erased = false }: Standing,
): GroupMember {
  return {
    businessId,
    contactId,
    ...{ active, anonymous, lapses_on, erased },
    points: undefined,
    tier: undefined,
    buying: { facts: null, counts: [] },
    balances: {},
    records: new Map(),
    due: "all_read",
  };
}

/** Keeps what was read of a member. */
export function keepRead(member: GroupMember, read: StoredMember): void {
  Object.assign(member.balances, read.balances);
  member.points = read.points;
  member.buying = read.buying;
  if (read.moreDue) member.due = "more_due";
  member.tier = read.tier && { past: read.tier.past, sales: [...read.tier.sales] };
  const keep = (kind: Kind, records: readonly Records[Kind][]) => {
    for (const record of records) {
      const name = joined(kind, nameOfRecord(kind, record as never));
      member.records.set(name, { kind, before: record, after: record });
    }
  };
  keep("lot", read.points.lots);
  keep("debt", read.points.debts);
  keep("held_voucher", read.vouchers);
  keep("member_stamp_card", read.cards);
  keep("tier_standing", read.tier?.standing === undefined ? [] : [read.tier.standing]);
  for (const kind of namedKinds) keep(kind, read.named[kind] ?? []);
}

/** The vouchers of a member that were read or issued in the group. */
export function vouchersOf({ records }: GroupMember): HeldVoucher[] {
  return [...records.values()].flatMap(({ kind, after }) =>
    kind === "held_voucher" ? [after as HeldVoucher] : [],
  );
}

/** The stamp cards of a member that were read or begun in the group. */
export function cardsOf({ records }: GroupMember): MemberStampCard[] {
  return [...records.values()].flatMap(({ kind, after }) =>
    kind === "member_stamp_card" ? [after as MemberStampCard] : [],
  );
}

/** The cards that a decision changes, as it found them. */
export function cardChangesOf(
  { records }: GroupMember,
  { member_stamp_card: cards = [], held_voucher = [] }: Changes,
) {
  return cards.map((after): CardChange => {
    const before = records.get(joined("member_stamp_card", nameOfRecord("member_stamp_card", after)))?.after;
    const own = held_voucher.filter((one) => one.stamp_card_id === after.stamp_card_id);
    const isKnown = (one: HeldVoucher) => records.has(joined("held_voucher", String(one.held_voucher_id)));
    return {
      before: before as MemberStampCard | undefined,
      after,
      issued: own.filter((one) => !isKnown(one)),
      returned: own.filter((one) => isKnown(one) && one.status === "returned"),
    };
  });
}

/** Adds to the sales of a day at a location. */
export function addSales({ records, tier }: GroupMember, part: SalesOfDay): void {
  const { day, location_id, net, sales } = part;
  const name = joined("sales_day", day, String(location_id));
  const before = records.get(name)?.after as SalesOfDay | undefined;
  const after = before ? { ...part, net: before.net + net, sales: before.sales + sales } : part;
  records.set(name, { kind: "sales_day", before: undefined, after });
  if (net !== 0) tier?.sales.push({ day, net });
}

/** Counts the sales that the member doesn't have yet, and what promotions give on sales. @returns what they give */
export function countSales(member: GroupMember, sales: readonly Sale[]): GrantChange[] {
  return sales.flatMap((sale) => {
    const { sale_id, sold_on, location_id } = sale;
    const before = member.records.get(joined("sale", String(sale_id)))?.after as Sale | undefined;
    const granted = grantChanges(before, sale);
    for (const { promotion_id, given, counts } of granted)
      if (counts && given !== 0) addGrant(member, { promotion_id, day: sold_on, given });
    const points = countedPoints(sale) - countedPoints(before);
    if (points !== 0) addGrant(member, { promotion_id: pointsOfSales, day: sold_on, given: points });
    if (before !== undefined) return granted;
    addSales(member, { day: sold_on, location_id, net: 0, sales: 1 });
    const { facts } = member.buying;
    if (facts !== null && sold_on > (facts.bought_on ?? ""))
      member.buying = { ...member.buying, facts: { ...facts, bought_on: sold_on } };
    return granted;
  });
}

/** Adds to what a promotion has given to the member on a day. */
function addGrant(member: GroupMember, part: GrantCount): void {
  const { buying, records } = member;
  const name = joined("grant_count", String(part.promotion_id), part.day);
  const before = records.get(name)?.after as GrantCount | undefined;
  const after = { ...part, given: part.given + (before?.given ?? 0) };
  records.set(name, { kind: "grant_count", before: undefined, after });
  member.buying = { ...buying, counts: [...buying.counts, part] };
}

/** The standing of a member, as it was read or changed in the group. */
export function standingIn({ records }: GroupMember): TierStanding | undefined {
  return records.get(standingName)?.after as TierStanding | undefined;
}

/** The versions of the rules by which changes of a member's tier are judged, the oldest first. */
export function versionsFor({ tier }: GroupMember, rules: Rules | undefined) {
  const past = tier?.past.map((version) => version.rules) ?? [];
  return rules === undefined ? past : [...past, rules];
}

/** A tier that a member has reached today, and the occasions that give something for it. */
export interface ReachedTier extends Omit<WantedForTier, "occasion_id"> {
  readonly occasions: readonly Occasion[];
}

/** The tier that a member has reached in the group, if occasions give something for it. */
export function reachedIn(member: GroupMember, rules: Rules, today: string): ReachedTier[] {
  if (rules.occasions.length === 0) return [];
  const { before, after } = member.records.get(standingName) ?? {};
  const [was, is] = [before, after] as (TierStanding | undefined)[];
  const tier_id = tierReached(was, is, versionsFor(member, rules), today);
  const occasions = tier_id === undefined ? [] : actingToday(rules, "tier_reached", today);
  if (tier_id === undefined || occasions.length === 0) return [];
  return [{ business_id: member.businessId, contact_id: member.contactId, tier_id, day: today, occasions }];
}

/** The first sale that the group adds for a member, if the business gives something for referrals. */
export function firstSaleIn(member: GroupMember, rules: Rules, today: string): FirstSale[] {
  if (referralOccasions(rules).length === 0) return [];
  const added = [...member.records.values()].flatMap(({ kind, before, after }) =>
    kind === "sale" && before === undefined ? (after as Sale) : [],
  );
  const [sale] = added.toSorted((one, other) => one.sale_id - other.sale_id);
  if (sale === undefined) return [];
  const { businessId: business_id, contactId: contact_id } = member;
  const { referral_minimum_amount: minimum_amount, referral_hold_days } = rules;
  const { sale_id, sold_on, amount, refunded } = sale;
  const ends_on = addDays(today, referral_hold_days);
  return [{ business_id, contact_id, sale_id, sold_on, kept: amount - refunded, minimum_amount, ends_on }];
}

/** Counts what the change of a voucher adds to the uses of codes. */
export function countUses(codeUses: Map<CodeLimit, number>, before: object | undefined, after: object): void {
  for (const { limit, uses } of codeUsesOf(before as HeldVoucher | undefined, after as HeldVoucher))
    codeUses.set(limit, uses + (codeUses.get(limit) ?? 0));
}

/** The tier of a member, as it was read or changed in the group; undefined if it was not read. */
function tierIn(member: GroupMember): StoredTier | undefined {
  return member.tier && { ...member.tier, standing: standingIn(member) };
}

const standingName = joined("tier_standing", "");

/** The settled state of a member, if its points were read. */
export function settledIn(member: GroupMember | undefined, today: string): SettledState | undefined {
  if (member?.points === undefined) return undefined;
  const own = { vouchers: vouchersOf(member), cards: cardsOf(member) };
  return settleAll(member.points, own, tierIn(member), today);
}

/** The member as a decision sees it; undefined when an account that it needs does not exist. @param rules those of today */
export function viewOf(
  { active, anonymous, erased, balances, records, tier: read, buying }: GroupMember,
  settled: SettledState | undefined,
  needs: Needs,
  input: Readonly<Record<string, unknown>>,
  rules: Rules | undefined,
): Member<Needs> | undefined {
  if (needs.balances.some((account) => balances[account] === undefined)) return undefined;
  if (settled === undefined && needs.named === undefined) {
    return { active, anonymous, erased, balances: { ...balances } } as unknown as Member<Needs>;
  }
  const named = (needs.named ?? []).map((kind: NamedKind) => {
    return [kind, records.get(joined(kind, String(input[`${kind}_id`])))?.after];
  });
  const { points, vouchers, cards, standing, lapsedValue = 0 } = settled ?? {};
  const after = {
    ...balances,
    ...(points !== undefined && { points: points.balance }),
    ...(lapsedValue > 0 && { vouchers: (balances.vouchers as number) - lapsedValue }),
  };
  const tier = read && { standing, sales: [...read.sales], past: read.past, rules };
  const view = {
    active,
    anonymous,
    erased,
    balances: after,
    points,
    vouchers,
    cards,
    tier,
    buying,
    ...Object.fromEntries(named),
  };
  return view as unknown as Member<Needs>;
}

/** Takes the last day off a gift card, once it is over. @returns what its money loses with it; undefined before */
export function takeLapsed(member: GroupMember, today: string) {
  const { lapses_on, balances } = member;
  if (lapses_on === null || lapses_on > today || balances.wallet === undefined) return undefined;
  member.lapses_on = null;
  return { lapses_on, amount: -balances.wallet, reason: giftLapseReason };
}

/** The balances of the accounts of new entries. The last entry of an account has its balance. */
export function balancesAfter(entries: readonly EntryRow[]): BalanceRow[] {
  const balances = new Map<string, BalanceRow>();
  for (const { business_id, contact_id, account, balance_after: balance } of entries) {
    const name = joined(business_id, contact_id, account);
    const before = balances.get(name)?.entries ?? 0;
    balances.set(name, { business_id, contact_id, account, balance, entries: before + 1 });
  }
  return [...balances.values()];
}
