/** What a member gets on an occasion: points in a lot of their own, or a voucher. */
import { endOfValidity } from "../dates.ts";
import type { Member, Moment } from "../decision.ts";
import type { Lot, TierStanding } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { changeLots, pointsChanges, roomFor, validThrough } from "./lots.ts";
import { dayKinds, type HappeningKind, type Occasion, type Rules } from "./rules.ts";
import { settle } from "./settle.ts";
import { tierMove } from "./tiers/progress.ts";
import { makeVoucher, valueEntry, voucherValidThrough } from "./vouchers/voucher.ts";

/** For so many days after what a member got for a birthday or a tier, another date of birth, or the same tier, gives nothing. */
export const occasionPause = 300;

/** Most of a business that have not ended. */
export const mostOccasions = 20;

/** The reference of the entries of an occasion. */
const occasionReference = (occasionId: number, occurrence: string) => `occasion-${occasionId}-${occurrence}`;

/** The occasions that give something: while points are off, those with points don't. */
export const actingOccasions = ({ enable_rp, occasions }: Pick<Rules, "enable_rp" | "occasions">) =>
  occasions.filter(({ points }) => points === null || enable_rp);

/** An occasion that has days, on which the job finds the members. */
export interface DayOccasion extends Occasion {
  readonly kind: (typeof dayKinds)[number];
}
export const hasDays = <One extends Pick<Occasion, "kind">>(
  occasion: One,
): occasion is One & Pick<DayOccasion, "kind"> =>
  (dayKinds as readonly Occasion["kind"][]).includes(occasion.kind);

/** Whether an occasion gives something for what happens on a day. */
export const hasDay = ({ first_day, last_day }: Pick<Occasion, "first_day" | "last_day">, day: string) =>
  (first_day ?? day) <= day && (last_day ?? day) >= day;

/** The occasions that give something today for what happens today. */
export const actingToday = (rules: Rules, kind: HappeningKind, today: string) =>
  actingOccasions(rules).filter((one) => one.kind === kind && hasDay(one, today));

/** The tier that a member has reached today; undefined if it has not. @param versions of the rules, the oldest first */
export function tierReached(
  before: TierStanding | undefined,
  after: TierStanding | undefined,
  versions: readonly Pick<Rules, "tiers">[],
  today: string,
): number | undefined {
  // A tier of an earlier day is that of a member who was merged, or of a settlement that was late.
  if (after === undefined || after === before || after.since !== today) return undefined;
  return tierMove(before, after, versions) === "upgraded" ? (after.tier_id ?? undefined) : undefined;
}

/** Who gets something, and for which occurrence. */
interface Granted {
  readonly contact_id: number;
  readonly occurrence: string;
  readonly tier_id?: number | null;
}

/** Gives a member what it gets on an occasion. @returns a rejection when it is inactive, or its balance has no room */
export function decideOccasion(
  member: Member,
  occasion: Occasion,
  { contact_id, occurrence, tier_id = null }: Granted,
  moment: Pick<Moment, "today" | "entryNo" | "voucherNo">,
) {
  if (!member.active) return reject("member_inactive");
  const { occasion_id, kind, name, points, voucher } = occasion;
  const { today } = moment;
  const reason = kind === "bulk" ? name : undefined;
  const reference_id = occasionReference(occasion_id, occurrence);
  const grant = { occasion_id, occurrence, granted_on: today, tier_id };
  const of = { occasion_id, kind, occurrence, tier_id };
  if (points === null) {
    if (voucher === null) return reject("voucher_archived");
    const issued = makeVoucher(member, voucher, { contact_id, reference_id }, moment);
    if (issued instanceof Rejection) return issued;
    const { held_voucher_id, voucher_id, coupon_value } = issued;
    const granted = { ...grant, held_voucher_id, lot_id: null, points };
    return {
      entries: valueEntry("voucher_issued", issued, 1),
      reference_id,
      reason,
      changes: { held_voucher: [issued], occasion_grant: [granted] },
      data: {
        ...of,
        points,
        held_voucher_id,
        voucher_id,
        coupon_value,
        valid_through: voucherValidThrough(issued),
      },
    };
  }
  if (points > roomFor(member.points))
    return reject("balance_limit_exceeded", { account: "points", balance: member.points.balance });
  const lot = lotOf(occasion, points, reference_id, moment);
  // Like the points of a sale, they first pay what the member owes.
  const after = settle(changeLots(member.points, [lot]), today);
  const granted = { ...grant, held_voucher_id: null, lot_id: lot.lot_id, points };
  const none = { held_voucher_id: null, voucher_id: null, coupon_value: null };
  return {
    entries: after.entries,
    reference_id,
    reason,
    changes: { ...pointsChanges(member.points, after.points), occasion_grant: [granted] },
    data: { ...of, points, ...none, valid_through: validThrough(lot) },
  };
}

function lotOf(
  { occasion_id, validity, validity_period }: Occasion,
  points: number,
  reference_id: string,
  { today, entryNo }: Pick<Moment, "today" | "entryNo">,
): Lot {
  return {
    lot_id: entryNo,
    reference_id,
    location_id: null,
    occasion_id,
    earned_on: today,
    matures_on: today,
    expires_on: endOfValidity(today, validity, validity_period),
    matured: false,
    points,
    clawed: 0,
    used: 0,
    expired: 0,
    lapsed: 0,
  };
}
