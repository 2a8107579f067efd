/**
 * Refunds a sale. Each part is a function of the total refunded so far, and a refund is the difference of two totals. So several
 * small refunds have the same result as one large refund.
 */
import { addDays } from "../dates.ts";
import type { Buyer, Member, Points, Undone } from "../decision.ts";
import { balanceLimit } from "../ledger.ts";
import type { Debt, HeldVoucher, Refund, RefundParts, Sale, Use } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { grantsKept, pointsKept } from "./earning/earning.ts";
import { entryOf } from "./entries.ts";
import { type LineRefund, refundLines, worthNothing } from "./lines.ts";
import { changeLots, leftOf, pointsChanges, putBack, roomFor, take } from "./lots.ts";
import { loseVouchers } from "./promotions/vouchers.ts";
import { type Rules, share } from "./rules.ts";
import { idOfVoucher } from "./sale.ts";
import { owedOf, payDebts, settle } from "./settle.ts";
import { takeStampsBack } from "./stamps/sale.ts";
import { tierChanges, tierResult } from "./tiers/progress.ts";
import { tierAfterRefund } from "./tiers/refund.ts";
import { giveVouchersBack, returnOfCodes, valueInUse } from "./vouchers/use.ts";
import { totalValue, valueEntry } from "./vouchers/voucher.ts";

/** What a refund gives back besides vouchers, and the earned points that it asks back. */
export interface RefundClaims extends Pick<RefundParts, "money_back" | "wallet_back" | "points_back"> {
  readonly points_to_claw: number;
}

/** What the refunds of a sale have given back of the money and of the wallet's part. */
export const moneyGivenBack = ({ amount, amount_due, wallet_used, refunded }: Sale) => ({
  money_back: share(amount_due, refunded, amount),
  wallet_back: share(wallet_used, refunded, amount),
});

/** The totals that the refunds of a sale have given and taken back so far. */
export function refundClaims(sale: Sale): RefundClaims {
  return {
    ...moneyGivenBack(sale),
    points_back: share(sale.points_used, sale.refunded, sale.amount),
    points_to_claw: sale.points_earned - pointsKept(sale),
  };
}

export interface RefundInput {
  readonly location_id: number;
  /** The part of the sale's amount to refund; the rest when absent. */
  readonly amount?: number | undefined;
  /** Lines to refund, instead of an amount. */
  readonly lines?: readonly LineRefund[] | undefined;
  /** The reference of the entries; the sale's when absent. */
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Decides a refund, also for an inactive member.
 * @param member settled
 * @param rules those in force today
 * @param today the day of the business
 */
export function decideRefund(
  member: Undone<Buyer>,
  sale: Sale,
  input: RefundInput,
  rules: Rules,
  today: string,
) {
  const { location_id, reason, reference_id = sale.reference_id } = input;
  const { sale_id } = sale;
  const part = partOf(sale, input);
  if (part instanceof Rejection) return part;
  const { amount, lines_back } = part;
  const { refunded } = part.sale;
  const claims = claimsBetween(refundClaims(sale), refundClaims(part.sale));
  const moved = member.erased ? closedRefund(member.points, sale, claims) : undefined;
  const result = moved ?? movePoints(member, sale, claims, rules, today);
  if (result instanceof Rejection) return result;
  const { points, pointsEntries, uses } = result;
  const moving = moveVouchers(member, sale, part.sale, rules, today);
  const { vouchers, wallet, sales } = member.balances;
  const parts = { ...result.parts, ...moving.parts };
  const added = { vouchers: moving.added, wallet: parts.wallet_back };
  const full = fullAccount(member.balances, added);
  if (full !== undefined) return full;
  const net = parts.wallet_back + parts.money_back;
  const standing = tierAfterRefund(member.tier, sale, net, today);
  const { points_owed: _, ...reported } = parts;
  const refund: Refund = {
    ...parts,
    sale_id,
    refunded,
    amount,
    lines_back,
    location_id,
    reference_id,
    reason: reason ?? null,
  };
  return {
    entries: [
      ...moving.back,
      ...entryOf("reward_points_redeemed", parts.points_back),
      ...entryOf("wallet_payment", parts.wallet_back),
      ...entryOf("sale_refund", -net, sale),
      ...moving.taken,
      ...entryOf("reward_points_earned", -result.takenFromBalance),
      ...pointsEntries,
    ],
    reference_id,
    location_id,
    reason,
    points,
    refund,
    changes: {
      ...pointsChanges(member.points, points),
      sale: [{ ...moving.sale, points_excused: sale.points_excused + parts.points_excused, uses }],
      refund: [refund],
      tier_standing: tierChanges(member.tier, standing),
      held_voucher: moving.vouchers,
      member_stamp_card: moving.cards,
    },
    data: {
      sale_id,
      refunded: amount,
      refundable: sale.amount - refunded,
      lines_back: lines_back ?? [],
      stamps_taken: moving.stamps_taken,
      ...reported,
      points_owed: owedOf(points),
      member_erased: member.erased,
      tier: tierResult(member.tier, standing),
      balances: {
        wallet: wallet + parts.wallet_back,
        points: points.balance,
        sales: sales - net,
        vouchers: vouchers + moving.value,
      },
    },
  };
}

/** Rejects a refund that would take an account above its limit. */
function fullAccount<Account extends "vouchers" | "wallet">(
  balances: Readonly<Record<Account, number>>,
  added: Readonly<Record<Account, number>>,
) {
  const account = (Object.keys(added) as Account[]).find((one) => balances[one] > balanceLimit - added[one]);
  return account && reject("balance_limit_exceeded", { account, balance: balances[account] });
}

/** The amount of a refund, and its sale afterwards, without what happens to its points. */
function partOf(sale: Sale, { amount, lines }: RefundInput) {
  const refundable = sale.amount - sale.refunded;
  const part =
    lines === undefined
      ? { amount: amount ?? refundable, receipt_lines: sale.receipt_lines, lines_back: null }
      : refundLines(sale, lines);
  if (part instanceof Rejection) return part;
  if (part.amount === 0 && refundable > 0) return worthNothing();
  if (part.amount === 0 || part.amount > refundable) return reject("refund_exceeds_sale", { refundable });
  const after = { ...sale, refunded: sale.refunded + part.amount, receipt_lines: part.receipt_lines };
  return { ...part, sale: { ...after, grants: grantsKept(after) } };
}

/** The vouchers that a sale has used. */
const vouchersOf = ({ held_voucher_ids }: Sale, { vouchers }: Undone<Buyer>) =>
  held_voucher_ids.flatMap((id) => vouchers.filter((one) => one.held_voucher_id === id));

/**
 * The vouchers that had paid come back as a whole, when all of the sale is refunded. Those that promotions and stamp cards had given
 * are taken back when too little of the sale is left for them.
 */
function moveVouchers(member: Undone<Buyer>, before: Sale, after: Sale, rules: Rules, today: string) {
  const isWhole = after.refunded === after.amount;
  const used = isWhole && !member.erased ? vouchersOf(before, member) : [];
  // The accounts of an erased member are closed, but a code can be used again.
  const freed = isWhole && member.erased ? returnOfCodes(vouchersOf(before, member)) : [];
  const back = giveVouchersBack(used, today, rules.restored_points_valid_days);
  const lost = loseVouchers(before, after, member.erased ? [] : member.vouchers);
  const vouchers = withChanges(member.vouchers, back.vouchers);
  const stamps = member.erased
    ? undefined
    : takeStampsBack({ ...member, vouchers }, before, after, rules, today);
  const taken = [...lost.taken, ...(stamps?.taken ?? [])];
  const isTaken = new Set(taken.map(idOfVoucher));
  const valued = [...lost.valued, ...(stamps?.valued ?? [])];
  return {
    sale: { ...after, grants: lost.grants, stamps: stamps?.stamps ?? before.stamps },
    cards: stamps?.cards ?? [],
    stamps_taken: stamps?.shown ?? [],
    vouchers: withChanges(
      [...back.vouchers, ...back.returned, ...freed, ...lost.excused],
      [...lost.taken, ...(stamps?.changed ?? [])],
    ),
    back: back.entries,
    taken: valued.flatMap((voucher) => valueEntry("voucher_issued", voucher, -1)),
    added: used.reduce((sum, voucher) => sum + valueInUse(voucher), 0),
    value: back.value - totalValue(valued),
    parts: {
      vouchers_back: back.vouchers.map(idOfVoucher).filter((id) => !isTaken.has(id)),
      vouchers_taken: taken.map(idOfVoucher),
      vouchers_excused: lost.excused.map(idOfVoucher),
    },
  };
}

/** Vouchers, of which some have changed. */
function withChanges(before: readonly HeldVoucher[], changed: readonly HeldVoucher[]): HeldVoucher[] {
  const ids = new Set(changed.map(idOfVoucher));
  return [...before.filter((one) => !ids.has(idOfVoucher(one))), ...changed];
}

function claimsBetween(before: RefundClaims, after: RefundClaims): RefundClaims {
  return {
    money_back: after.money_back - before.money_back,
    wallet_back: after.wallet_back - before.wallet_back,
    points_back: after.points_back - before.points_back,
    points_to_claw: after.points_to_claw - before.points_to_claw,
  };
}

/** The accounts of an erased member are closed. The till pays the wallet's part as money, and points don't change. */
function closedRefund(points: Points, { uses }: Sale, claims: RefundClaims) {
  const { money_back, wallet_back, points_to_claw } = claims;
  const parts: Omit<RefundParts, `vouchers_${string}`> = {
    money_back: money_back + wallet_back,
    wallet_back: 0,
    points_back: 0,
    points_clawed: 0,
    points_excused: 0,
    points_owed: 0,
    points_forgiven: points_to_claw,
  };
  return { points, parts, pointsEntries: [], takenFromBalance: 0, uses };
}

/** Gives spent points back and takes earned points back. Points that the member got back pay debts before they can expire. */
function movePoints(member: Member, sale: Sale, claims: RefundClaims, rules: Rules, today: string) {
  const { points_to_claw, ...back } = claims;
  const returned = giveBack(member.points, sale.uses, back.points_back, rules, today);
  if (returned instanceof Rejection) return returned;
  const { points: clawed, takenFromBalance, ...taken } = claw(returned.points, sale, points_to_claw, rules);
  const paid = payDebts(clawed);
  const { points, entries } = settle(paid.points, today);
  const parts: Omit<RefundParts, `vouchers_${string}`> = { ...back, ...taken };
  return {
    points,
    parts,
    pointsEntries: [...paid.entries, ...entries],
    takenFromBalance,
    uses: returned.uses,
  };
}

/** Gives spent points back, if the balance has room for them. */
export function giveBack(points: Points, uses: readonly Use[], amount: number, rules: Rules, today: string) {
  if (amount > roomFor(points)) {
    return reject("balance_limit_exceeded", { account: "points", balance: points.balance });
  }
  return putBack(points, uses, amount, today, addDays(today, rules.restored_points_valid_days));
}

/**
 * Takes back points that a sale earned: first from its own lot, then from other points. Points that expired in the lot are
 * excused, because the member has not used them, and no late sale uses them any more. Depending on the rules, the member owes the rest, or it is forgiven.
 * @returns the points, how many were taken from the balance, and how many were clawed back, excused, owed and forgiven
 */
function claw(before: Points, sale: Sale, amount: number, rules: Rules) {
  const nothing = { points_clawed: 0, points_excused: 0, points_owed: 0, points_forgiven: 0 };
  if (amount === 0) return { points: before, takenFromBalance: 0, ...nothing };
  const own = before.lots.find((lot) => lot.lot_id === sale.sale_id);
  if (own === undefined) throw new Error("the lot of a refunded sale was not read");
  const fromOwn = Math.min(amount, leftOf(own));
  const takenFromOwn = own.matured ? fromOwn : 0;
  const points_excused = Math.min(amount - fromOwn, own.expired - sale.points_excused);
  const lapsed = Math.max(0, own.lapsed - points_excused);
  const changed = changeLots(before, [{ ...own, clawed: own.clawed + fromOwn, lapsed }]);
  const afterOwn = { ...changed, balance: before.balance - takenFromOwn };

  const rest = amount - fromOwn - points_excused;
  const fromOthers = Math.min(rest, afterOwn.balance);
  const { points } = take(afterOwn, fromOthers, "clawed");
  const short = rest - fromOthers;
  const owes = rules.clawback_shortfall === "owe";
  return {
    points: owes ? owe(points, sale, short) : points,
    takenFromBalance: takenFromOwn + fromOthers,
    points_clawed: fromOwn + fromOthers,
    points_excused,
    points_owed: owes ? short : 0,
    points_forgiven: owes ? 0 : short,
  };
}

function owe(points: Points, { sale_id, reference_id, location_id }: Sale, short: number): Points {
  if (short === 0) return points;
  const known = points.debts.find((debt) => debt.sale_id === sale_id);
  const debt: Debt = { sale_id, reference_id, location_id, owed: (known?.owed ?? 0) + short };
  return { ...points, debts: [...points.debts.filter((other) => other !== known), debt] };
}
