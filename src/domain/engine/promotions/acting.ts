/** Which promotions can act on a sale: when, where, for which member, and how often. */
import { addDays, weekdayOf } from "../../dates.ts";
import type { GrantCount } from "../../records.ts";
import type { Promotion, Rules, StampCard } from "../rules.ts";

/** The most promotions that have not ended, and the most articles and categories of all of them. */
export const mostPromotions = 200;
export const mostPromotedWords = 2000;

/** What decides about the promotions of a member besides its tier. */
export interface Buying {
  /** Null: no promotion asks for them. */
  readonly facts: {
    readonly joined_on: string;
    /** Null: not known. */
    readonly born_on: string | null;
    /** The last day with a sale that is not wholly refunded; null: there is none. */
    readonly bought_on: string | null;
  } | null;
  /** What promotions with limits have given to the member. */
  readonly counts: readonly GrantCount[];
}

/** When and where a sale was made, and by whom. */
export interface SaleMade {
  readonly day: string;
  /** HH:MM; null: not known. */
  readonly time: string | null;
  /** Undefined: at any. */
  readonly location_id: number | undefined;
  /** The tier that its member had; undefined: any. */
  readonly tier_id: number | null | undefined;
  /** Undefined: any member. */
  readonly buying: Buying | undefined;
  /** The points that promotions with a budget have given, by promotion_id. */
  readonly given: ReadonlyMap<number, number>;
}

const isAmong = <Item>(items: readonly Item[], item: Item | undefined) =>
  items.length === 0 || item === undefined || items.includes(item);

/** Whether a stamp card collects stamps at a location. A voucher of one location is given only there. */
export const collectsAt = (
  {
    location_ids,
    voucher,
  }: Pick<StampCard, "location_ids"> & {
    readonly voucher: Pick<StampCard["voucher"], "location_id">;
  },
  location_id: number,
): boolean =>
  isAmong(location_ids, location_id) && (voucher.location_id === null || voucher.location_id === location_id);

/** The promotions of rules that can act at a location: those that give stamps do so only where their card collects some. */
export function promotionsAt(
  { promotions, stamp_cards }: Pick<Rules, "promotions" | "stamp_cards">,
  location_id: number | undefined,
): readonly Promotion[] {
  if (location_id === undefined) return promotions;
  return promotions.filter(
    ({ stamp_card_id: id }) =>
      id === null || stamp_cards.some((card) => card.stamp_card_id === id && collectsAt(card, location_id)),
  );
}

/** Whether a promotion is on. A window over midnight belongs to the day on which it began. */
export function isOn(promotion: Promotion, { day, time, location_id, tier_id, buying }: SaleMade): boolean {
  const { from_time, until_time, first_day, last_day, voucher } = promotion;
  if (voucher?.archived) return false;
  let begun = day;
  if (from_time !== null && until_time !== null) {
    if (time === null) return false;
    const isOver = from_time > until_time;
    const [isAfter, isBefore] = [time >= from_time, time < until_time];
    if (isOver ? !isAfter && !isBefore : !isAfter || !isBefore) return false;
    if (isOver && isBefore) begun = addDays(day, -1);
  }
  return (
    begun >= (first_day ?? begun) &&
    begun <= (last_day ?? begun) &&
    (promotion.weekdays.length === 0 || promotion.weekdays.includes(weekdayOf(begun))) &&
    isAmong(promotion.location_ids, location_id) &&
    // A voucher of one location is given only there, so that no till sees one that it may not use.
    isAmong(voucher === null || voucher.location_id === null ? [] : [voucher.location_id], location_id) &&
    isAmong<number | null>(promotion.tier_ids, tier_id) &&
    (buying === undefined || isFor(promotion, buying, day))
  );
}

/** Whether a promotion is for a member. */
function isFor({ member, member_days: days }: Promotion, { facts }: Buying, day: string): boolean {
  if (member === "any") return true;
  if (facts === null) return false;
  const { joined_on, born_on, bought_on } = facts;
  const since = addDays(day, -(days ?? 0));
  if (member === "first_sale") return bought_on === null;
  if (member === "new") return joined_on >= since;
  if (member === "returning") return bought_on !== null && bought_on < since;
  const years = [-1, 0, 1].map((more) => Number(day.slice(0, 4)) + more);
  const through = addDays(day, days ?? 0);
  return (
    born_on !== null &&
    years.map((year) => birthdayIn(year, born_on)).some((each) => each >= since && each <= through)
  );
}

/** The birthday in a year. Who was born on 29 February has it on the 28th in other years. */
function birthdayIn(year: number, born_on: string): string {
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  const date = born_on.slice(5);
  return `${String(year).padStart(4, "0")}-${date === "02-29" && !isLeap ? "02-28" : date}`;
}

export type PromotionLimit = "most_per_member" | "most_per_member_day" | "budget_points";

/** The fewest points that a promotion with a budget gives at once. A factor can give one. */
export const leastPoints = ({
  points,
  per,
  minimum_quantity,
}: Pick<Promotion, "points" | "per" | "minimum_quantity">): number =>
  (points ?? 1) * (per === "unit" ? Math.max(1, minimum_quantity) : 1);

/** The limit that a promotion has reached; undefined if it can give something. */
export function reachedLimit(
  promotion: Promotion,
  { day, buying, given }: Pick<SaleMade, "day" | "buying" | "given">,
): PromotionLimit | undefined {
  const { promotion_id, most_per_member, most_per_member_day, budget_points } = promotion;
  const own = (buying?.counts ?? []).filter((count) => count.promotion_id === promotion_id);
  const timesOf = (counts: readonly GrantCount[]) => counts.reduce((sum, count) => sum + count.given, 0);
  if (most_per_member !== null && timesOf(own) >= most_per_member) return "most_per_member";
  const ofDay = own.filter((count) => count.day === day);
  if (most_per_member_day !== null && timesOf(ofDay) >= most_per_member_day) return "most_per_member_day";
  const spent = given.get(promotion_id) ?? 0;
  if (budget_points !== null && spent + leastPoints(promotion) > budget_points) return "budget_points";
  return undefined;
}
