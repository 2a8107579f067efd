/**
 * Records a sale. Points and wallet pay a part of it, the rest is due at the till, and the sale earns points. Its member may reach
 * a tier by it. A quote is the same decision without its effects.
 */
import type { Currency } from "../amount-text.ts";
import { addDays } from "../dates.ts";
import type { Customer, Moment } from "../decision.ts";
import { latestRecordingDays } from "../idempotency.ts";
import { balanceLimit, generatedReference } from "../ledger.ts";
import type { EarningRate, HeldVoucher, Lot, Sale } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import {
  type Earning,
  type EarningReason,
  earn,
  type MissedReason,
  type SaleAtTill,
} from "./earning/earning.ts";
import { earnsBy, rulesFor } from "./earning/holders.ts";
import { entryOf } from "./entries.ts";
import { giveBesidesPoints } from "./gifts.ts";
import { earningAmount, type LineInput, newLines, payableLinesOf, sumOf, withFreeUnits } from "./lines.ts";
import { changeLots, pointsChanges, roomFor, validThrough } from "./lots.ts";
import { type PaymentInput, pay } from "./payment.ts";
import { showGranted } from "./promotions/vouchers.ts";
import { noLineRules, pointsDates, type Rules } from "./rules.ts";
import { owedOf, settle } from "./settle.ts";
import { tierChanges, tierResult } from "./tiers/progress.ts";
import { programOf, tierAfterSale } from "./tiers/tier.ts";
import { shortText, withText } from "./till-texts.ts";
import type { PublicDefinition } from "./vouchers/codes.ts";
import { type Covered, type PayableSale, showUsed } from "./vouchers/cover.ts";
import { totalValue, valueEntry } from "./vouchers/voucher.ts";

export interface SaleInput extends PaymentInput {
  /** The part of the amount that earns; all of it when absent. */
  readonly eligible_amount?: number | undefined;
  /** The lines of the receipt, whose amounts add up to the amount. With them, the program says what earns. */
  readonly lines?: readonly LineInput[] | undefined;
  /** The day of the sale; today when absent. */
  readonly sold_on?: string | undefined;
  /** The time of that day, HH:MM; now when both are absent. */
  readonly sold_at?: string | undefined;
  readonly reference_id?: string | undefined;
}

/** For the till to show: why a sale earns its points, when they can be spent, and whether they pay a debt. */
type SaleReason =
  | EarningReason
  | MissedReason
  | { readonly code: "pending_until"; readonly day: string }
  | { readonly code: "owed"; readonly points: number }
  | { readonly code: "voucher_lapses"; readonly unused: number }
  | { readonly code: "tier_reached"; readonly tier_id: number; readonly text: string };

/** Rejects a day in the future, and one that is too long ago. */
function checkDay(sold_on: string, today: string) {
  if (sold_on === today) return undefined;
  const earliest = addDays(today, -latestRecordingDays);
  if (sold_on >= earliest && sold_on <= today) return undefined;
  const message = `sold_on must be a day from ${earliest} to ${today}, which is today in the business's time zone.`;
  return reject("validation_failed", { errors: [{ field: "sold_on", code: "out_of_range", message }] });
}

/** How far the clock of a till may be ahead. */
const minutesAhead = 5;
const minutesOfDay = 24 * 60;
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** Rejects a time of today that has not come, and one just after midnight that can be of today or tomorrow. */
function checkTime({ sold_on, sold_at }: SaleInput, today: string, localTime: string) {
  if (sold_at === undefined || (sold_on ?? today) !== today) return undefined;
  const now = localTime.slice(11, 16);
  const [time, latest] = [minutesOf(sold_at), minutesOf(now) + minutesAhead];
  const isUnclear = sold_on === undefined && time + minutesOfDay <= latest;
  if (time <= latest && !isUnclear) return undefined;
  const message = isUnclear
    ? `sold_at can be of today or tomorrow, because it is ${now} in the business's time zone. Send sold_on.`
    : `sold_at must not be later than now, ${now} in the business's time zone. Send sold_on for a sale of an earlier day.`;
  return reject("validation_failed", { errors: [{ field: "sold_at", code: "out_of_range", message }] });
}

interface SaleResult {
  /** The points of the sale, if they can't be spent yet. */
  readonly pending: Lot | undefined;
  readonly points_settled: number;
  readonly voucher_unused: number;
  readonly tier: ReturnType<typeof tierResult>;
}

/** Why the sale earns its points, and what becomes of them and of vouchers, in words for the till. */
function reasonsOf(earning: Earning, result: SaleResult, currency: Currency) {
  const { pending, points_settled, voucher_unused, tier } = result;
  const reasons: SaleReason[] = [...earning.why];
  if (pending !== undefined) reasons.push({ code: "pending_until", day: pending.matures_on });
  if (points_settled !== 0) reasons.push({ code: "owed", points: points_settled });
  if (voucher_unused !== 0) reasons.push({ code: "voucher_lapses", unused: voucher_unused });
  const { changed, tier_id, name } = tier;
  if (changed && tier_id !== null)
    reasons.push({ code: "tier_reached", tier_id, text: shortText(`New tier: ${name}`) });
  return reasons.map((reason) => withText(reason, currency));
}

/**
 * Decides a sale.
 * @param member settled
 * @param rules those in force on the day of the sale
 * @param codes the definitions of the public codes that it names
 */
export function decideSale(
  member: Customer,
  input: SaleInput,
  rules: Rules,
  moment: Moment,
  codes: readonly PublicDefinition[] = [],
) {
  const { today, entryNo: sale_id, voucherNo, locations, codeUses } = moment;
  if (!member.active) return reject("member_inactive");
  const { amount, contact_id, location_id, sold_on = today, sold_at = null } = input;
  const wrongTime = checkDay(sold_on, today) ?? checkTime(input, today, moment.localTime);
  if (wrongTime !== undefined) return wrongTime;
  const { reference_id = generatedReference("sale", sale_id) } = input;
  // The tier that the member reaches by this sale decides only about later sales.
  const own = rulesFor(rules, member);
  const program = programOf(own, member.tier.standing);
  const { payable, parts: bought } = partsOf(input, program);
  const paid = pay(member, input, payable, rules, { today, voucherNo, locations, codeUses, sold_on, codes });
  if (paid instanceof Rejection) return paid;
  const { uses, points: pointsLeft, entries, covered, voucher_unused, heldValue, next, payment } = paid;
  const { voucher_amount, points_amount, wallet_used, amount_due } = payment;
  const parts = { ...bought, receipt_lines: withFreeUnits(bought.receipt_lines, freeUnitsOf(covered)) };
  const net = wallet_used + amount_due;
  const { wallet, sales } = member.balances;
  if (sales > balanceLimit - net)
    return reject("balance_limit_exceeded", { account: "sales", balance: sales });
  const earns = { amount, paidOtherwise: voucher_amount + points_amount, ...parts };
  const made = saleMade(member, { location_id, sold_on, sold_at }, moment);
  const earning = earn({ ...own, program }, earns, made);
  if (earning.points > roomFor(pointsLeft))
    return reject("balance_limit_exceeded", { account: "points", balance: pointsLeft.balance });
  const line = { sale_id, contact_id, location_id, reference_id, sold_on, sold_at, amount, uses };
  const used = { grants: earning.grants, held_voucher_ids: covered.map(idOfUsed) };
  // What is not in the spreads comes first: on Node.js 20, each property after them takes 1.5 µs.
  const sold = { refunded: 0, ...used, ...line, ...parts, ...payment };
  const granted = giveBesidesPoints(member, sold, own, next);
  if (granted instanceof Rejection) return granted;
  const { sale, lot } = earned(sold, granted, earning, rules);
  // This matures the points of the sale, unless they are pending for some days.
  const after = settle(changeLots(pointsLeft, lot === undefined ? [] : [lot]), today);
  const points_settled = owedOf(pointsLeft) - owedOf(after.points);
  const { standing, tier } = tierOfBuyer(member, rules, { sale_id, sold_on, net }, today);
  const { pending, ...points } = pointsOfSale(lot, today);
  return {
    entries: [
      ...entries,
      ...entriesOfSale(payment, net, sale),
      ...granted.vouchers.flatMap((voucher) => valueEntry("voucher_issued", voucher, 1)),
      ...after.entries,
    ],
    reference_id,
    location_id,
    payable,
    points: after.points,
    changes: {
      sale: [sale],
      ...pointsChanges(member.points, after.points),
      tier_standing: tierChanges(member.tier, standing),
      member_stamp_card: granted.cards,
      held_voucher: [...usedBy({ sale_id, now: moment.now }, covered), ...granted.vouchers],
    },
    data: {
      sale_id,
      reference_id,
      amount,
      voucher_unused,
      ...payment,
      ...points,
      points_settled,
      vouchers_used: covered.map(showUsed),
      vouchers_granted: granted.vouchers.map(showGranted),
      stamp_cards: [...granted.shown],
      tier,
      balances: {
        ...member.balances,
        wallet: wallet - wallet_used,
        points: after.points.balance,
        sales: sales + net,
        vouchers: heldValue + totalValue(granted.vouchers),
      },
      why: reasonsOf(earning, { pending, points_settled, voucher_unused, tier }, moment.currency),
    },
  };
}

/** What points and the wallet pay, and what is bought with money. */
const entriesOfSale = (
  { points_used, wallet_used }: Pick<Sale, "points_used" | "wallet_used">,
  net: number,
  sale: Sale,
) => [
  ...entryOf("reward_points_redeemed", -points_used),
  ...entryOf("wallet_payment", -wallet_used),
  ...entryOf("sale", net, sale),
];

/** The tier after a sale. */
function tierOfBuyer(
  member: Customer,
  rules: Rules,
  sold: Parameters<typeof tierAfterSale>[1],
  today: string,
) {
  const standing = earnsBy(rules, member) ? tierAfterSale(member.tier, sold, today) : member.tier.standing;
  return { standing, tier: tierResult(member.tier, standing) };
}

/** The vouchers that a sale has used. */
const usedBy = (
  { sale_id, now }: Pick<Sale, "sale_id"> & Pick<Moment, "now">,
  used: readonly Covered[],
): HeldVoucher[] =>
  used.map(({ voucher, covered }) => ({
    ...voucher,
    status: "redeemed",
    redeemed_at: now,
    sale_id,
    covered,
  }));

/** What a sale earned, as the response shows it. */
function pointsOfSale(lot: Lot | undefined, today: string) {
  const pending = lot !== undefined && lot.matures_on > today ? lot : undefined;
  return {
    pending,
    points_earned: lot?.points ?? 0,
    points_pending: pending?.points ?? 0,
    matures_on: pending?.matures_on ?? null,
    valid_through: lot === undefined ? null : validThrough(lot),
  };
}

/** The part of a sale that can earn, and the part that vouchers and points can pay. */
function partsOf(
  { amount, eligible_amount = amount, lines }: Pick<SaleInput, "amount" | "eligible_amount" | "lines">,
  program: Rules["program"],
) {
  if (lines === undefined) {
    const payable: PayableSale = { amount, payable: amount, lines: null, payableLines: [] };
    return { payable, parts: { receipt_lines: null, eligible_amount } };
  }
  const exclusions = program ?? noLineRules;
  const receipt_lines = newLines(lines, exclusions);
  const payableLines = payableLinesOf(lines, exclusions);
  const payable: PayableSale = { amount, payable: sumOf(payableLines), lines, payableLines };
  return { payable, parts: { receipt_lines, eligible_amount: earningAmount(receipt_lines) } };
}

/** When and where a sale was made, and by a member of which tier. A sale of an earlier day has the time that the till says. */
function saleMade(
  { tier, buying }: Customer,
  { location_id, sold_on, sold_at }: Pick<Sale, "location_id" | "sold_on" | "sold_at">,
  { today, localTime, given, currency }: Pick<Moment, "today" | "localTime" | "given" | "currency">,
): SaleAtTill {
  const time = sold_at ?? (sold_on === today ? localTime.slice(11, 16) : null);
  const tier_id = tier.standing?.tier_id ?? null;
  return { day: sold_on, time, location_id, tier_id, buying, given, currency };
}

const idOfUsed = ({ voucher }: Covered) => voucher.held_voucher_id;
const freeUnitsOf = (used: readonly Covered[]) => used.flatMap(({ line_no }) => line_no ?? []);
export const idOfVoucher = ({ held_voucher_id }: HeldVoucher) => held_voucher_id;

/** An imported sale. Neither points nor the wallet paid a part of it. */
export type ImportedSale = Pick<
  Sale,
  "sale_id" | "contact_id" | "location_id" | "reference_id" | "sold_on" | "amount"
> &
  Pick<SaleInput, "lines">;

/**
 * Calculates what an imported sale earns.
 * @param rules those that apply to the sale
 * @returns the sale, and the lot of its points if it earned any. The lot is not settled: its points are in no balance yet.
 */
export function earnFromImport(imported: ImportedSale, rules: Rules) {
  const { sale_id, contact_id, location_id, reference_id, sold_on, amount, lines } = imported;
  const { receipt_lines, eligible_amount } = partsOf({ amount, lines }, rules.program).parts;
  const made = {
    sale_id,
    contact_id,
    location_id,
    reference_id,
    sold_on,
    amount,
    receipt_lines,
    eligible_amount,
    sold_at: null,
    held_voucher_ids: [],
    voucher_amount: 0,
    points_used: 0,
    points_amount: 0,
    wallet_used: 0,
    amount_due: amount,
    uses: [],
  };
  const earning = earn(rules, { amount, receipt_lines, eligible_amount, paidOtherwise: 0 });
  return earned(made, { grants: null, stamps: null }, earning, rules);
}

type EarnedField = "earning_base" | "points_earned" | "points_limit" | "rules_version";

/** The sale with what it earned, and the lot of its points, which are pending at first. */
function earned(
  made: Omit<Sale, keyof EarningRate | EarnedField | "refunded" | "points_excused" | "grants" | "stamps">,
  { grants, stamps }: Pick<Sale, "grants" | "stamps">,
  { base, points, rate, points_limit }: Earning,
  rules: Rules,
): { sale: Sale; lot: Lot | undefined } {
  const { sale_id, reference_id, location_id, sold_on } = made;
  const { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order } = rate;
  // With a spread, this would take 15 µs.
  const sale: Sale = {
    sale_id,
    contact_id: made.contact_id,
    location_id,
    reference_id,
    sold_on,
    amount: made.amount,
    eligible_amount: made.eligible_amount,
    receipt_lines: made.receipt_lines,
    held_voucher_ids: made.held_voucher_ids,
    voucher_amount: made.voucher_amount,
    points_used: made.points_used,
    points_amount: made.points_amount,
    wallet_used: made.wallet_used,
    amount_due: made.amount_due,
    sold_at: made.sold_at,
    uses: made.uses,
    earning_base: base,
    points_earned: points,
    grants,
    points_limit,
    stamps,
    rules_version: rules.version,
    earn_points,
    earn_amount,
    earn_minimum_amount,
    maximum_points_per_order,
    refunded: 0,
    points_excused: 0,
  };
  if (points === 0) return { sale, lot: undefined };
  const { matures_on, expires_on } = pointsDates(rules, sold_on);
  const lot: Lot = {
    lot_id: sale_id,
    reference_id,
    location_id,
    occasion_id: null,
    earned_on: sold_on,
    matures_on,
    expires_on,
    matured: false,
    points,
    clawed: 0,
    used: 0,
    expired: 0,
    lapsed: 0,
  };
  return { sale, lot };
}
