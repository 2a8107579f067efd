/**
 * Random histories of one member's points, by decisions alone: sales, refunds, redemptions, adjustments and days that pass. The
 * tests beside the rules share them.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { anyLocation } from "../../src/domain/access/access.ts";
import { addDays } from "../../src/domain/dates.ts";
import type { Customer, EntryDraft, Points, Undone } from "../../src/domain/decision.ts";
import type { LineInput, LineRefund } from "../../src/domain/engine/lines.ts";
import { debitByHand, leftOf, unlotted } from "../../src/domain/engine/lots.ts";
import { decideRedeem, decideReverse } from "../../src/domain/engine/redemption.ts";
import { decideRefund } from "../../src/domain/engine/refund.ts";
import {
  inertRules,
  type LineRules,
  noLineRules,
  noMemberLimits,
  type ProgramRate,
  type Promotion,
  type Rules,
  type StampCard,
  type VoucherDefinition,
} from "../../src/domain/engine/rules.ts";
import { decideSale } from "../../src/domain/engine/sale.ts";
import { owedOf, settle } from "../../src/domain/engine/settle.ts";
import { plainVoucher } from "../../src/domain/engine/vouchers/terms.ts";
import { eventTypes } from "../../src/domain/ledger.ts";
import type { Redemption, Sale, SaleLine } from "../../src/domain/records.ts";
import { Rejection } from "../../src/domain/rejection.ts";
import { euros } from "./vouchers.ts";

export const start = "2026-01-15";

interface Ledger {
  member: Undone<Customer>;
  today: string;
  entries: { event_type: string; account: string; amount: number }[];
  sales: Map<number, Sale>;
  redemptions: Map<number, Redemption>;
}

const empty: Points = { balance: 0, lotted: 0, pending: 0, lots: [], debts: [] };
export const newLedger = (wallet = 0): Ledger => ({
  member: {
    active: true,
    erased: false,
    points: empty,
    vouchers: [],
    cards: [],
    tier: { standing: undefined, sales: [], past: [], rules: inertRules },
    buying: { facts: null, counts: [] },
    balances: { wallet, points: 0, vouchers: 0, sales: 0 },
  },
  today: start,
  entries: [],
  sales: new Map(),
  redemptions: new Map(),
});

function enter(ledger: Ledger, entries: readonly EntryDraft[], points: Points): void {
  const balances = { ...ledger.member.balances };
  for (const { event_type, amount } of entries) {
    const { account } = eventTypes[event_type];
    expect(amount).not.toBe(0);
    balances[account] += amount;
    expect(balances[account]).toBeGreaterThanOrEqual(0);
    ledger.entries.push({ event_type, account, amount });
  }
  expect(points.balance).toBe(balances.points);
  ledger.member = { ...ledger.member, balances, points };
}

/** @param settled how many entries come before those of the decision */
export const momentOf = ({ today, entries }: Ledger, settled = 0) => ({
  today,
  now: today,
  localTime: `${today} 12:00:00`,
  voucherNo: 1,
  locations: anyLocation,
  given: new Map(),
  codeUses: new Map(),
  currency: euros,
  entryNo: entries.length + 1 + settled,
});

type Step =
  | { do: "sale"; amount: number; points: number; wallet: number; earlier: number; lines?: Parts | undefined }
  | { do: "refund"; which: number; part: number; line?: LineStep | undefined }
  | { do: "redeem"; points: number }
  | { do: "reverse"; which: number }
  | { do: "adjust"; points: number }
  | { do: "wait"; days: number }
  | { do: "settle" };

/** Lines of a receipt, by their parts of its amount. */
export type Parts = readonly Readonly<{ weight: number; earns: boolean; quantity: number }>[];
export type LineStep = Readonly<{ which: number; by: "rest" | "unit" | "amount" }>;

export const excluded: LineRules = { ...noLineRules, excluded_categories: ["gift cards"] };

/** The lines of a sale. Their amounts add up to that of the sale. */
export function linesOf(amount: number, parts: Parts): LineInput[] {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  let [through, given] = [0, 0];
  return parts.map(({ weight, earns, quantity }) => {
    through += weight;
    const line = Math.floor((amount * through) / all) - given;
    given += line;
    // Lines of an even quantity are another category, for promotions.
    const category = !earns ? " Gift Cards" : quantity % 2 === 0 ? "tea" : "coffee";
    return { category, quantity, amount: line };
  });
}

/** A refund of a line, or of an amount of the sale. */
export function refundOf(
  sale: Sale,
  part: number,
  line: LineStep | undefined,
): { amount?: number; lines?: LineRefund[] } {
  if (line === undefined || sale.receipt_lines === null) {
    const amount = Math.max(1, Math.floor((sale.amount - sale.refunded) * part));
    return part >= 1 ? {} : { amount };
  }
  const line_no = (line.which % sale.receipt_lines.length) + 1;
  if (line.by === "rest") return { lines: [{ line_no }] };
  if (line.by === "unit") return { lines: [{ line_no, quantity: 1 }] };
  const { amount } = sale.receipt_lines[line_no - 1] as SaleLine;
  return { lines: [{ line_no, amount: Math.max(1, Math.floor(amount * part)) }] };
}

export const pick = <Value>(of: ReadonlyMap<number, Value>, which: number) =>
  of.size === 0 ? undefined : [...of.values()][which % of.size];

/** Does a step; one that is rejected changes nothing. @returns what the till and the member were told */
export function perform(ledger: Ledger, step: Step, rules: Rules): unknown {
  const { member, today } = ledger;
  if (step.do === "wait") {
    ledger.today = addDays(today, step.days);
    return undefined;
  }
  if (step.do === "settle") {
    const settled = settle(member.points, today);
    enter(ledger, settled.entries, settled.points);
    return undefined;
  }
  if (step.do === "adjust") {
    const settled = settle(member.points, today);
    if (settled.points.balance + step.points < 0 || step.points === 0) return "rejected";
    enter(ledger, settled.entries, settled.points);
    ledger.entries.push({ event_type: "reward_points_adjustment", account: "points", amount: step.points });
    const points =
      step.points < 0
        ? debitByHand(settled.points, -step.points)
        : { ...settled.points, balance: settled.points.balance + step.points };
    ledger.member = { ...member, balances: { ...ledger.member.balances, points: points.balance }, points };
    return undefined;
  }
  // As the group of postings does: it settles the member, and keeps that if the decision is accepted.
  const due = settle(member.points, today);
  const settledMember = {
    ...member,
    points: due.points,
    balances: { ...member.balances, points: due.points.balance },
  };
  if (step.do === "sale") return sell(ledger, step, rules);
  if (step.do === "refund") {
    const sale = pick(ledger.sales, step.which);
    if (sale === undefined) return "rejected";
    const part = refundOf(sale, step.part, step.line);
    const decision = decideRefund(settledMember, sale, { ...part, location_id: 1 }, rules, today);
    if (decision instanceof Rejection) return "rejected";
    enter(ledger, [...due.entries, ...decision.entries], decision.points);
    expect(decision.data.balances).toEqual(ledger.member.balances);
    ledger.sales.set(sale.sale_id, decision.changes.sale[0] as Sale);
    const { money_back, wallet_back, points_back, points_clawed } = decision.refund;
    return [money_back, wallet_back, points_back, points_clawed];
  }
  if (step.do === "redeem") {
    const input = { contact_id: 1, points: step.points };
    const decision = decideRedeem(
      settledMember,
      input,
      undefined,
      rules,
      momentOf(ledger, due.entries.length),
    );
    if (decision instanceof Rejection) return "rejected";
    enter(ledger, [...due.entries, ...decision.entries], decision.points);
    const [made] = decision.changes.redemption as [Redemption];
    ledger.redemptions.set(made.redemption_id, made);
    return undefined;
  }
  const redemption = pick(ledger.redemptions, step.which);
  if (redemption === undefined) return "rejected";
  const decision = decideReverse(settledMember, redemption, {}, rules, momentOf(ledger));
  if (decision instanceof Rejection) return "rejected";
  enter(ledger, [...due.entries, ...decision.entries], decision.points);
  ledger.redemptions.set(redemption.redemption_id, decision.changes.redemption[0] as Redemption);
  return undefined;
}

function sell(ledger: Ledger, step: Extract<Step, { do: "sale" }>, rules: Rules): unknown {
  const input = {
    contact_id: 1,
    location_id: 1,
    amount: step.amount,
    lines: step.lines && linesOf(step.amount, step.lines),
    use_points: step.points || undefined,
    use_wallet: step.wallet || undefined,
    sold_on: addDays(ledger.today, -step.earlier),
    // As the clock shows, so that a late sale meets the same promotions.
    sold_at: "12:00",
  };
  const due = settle(ledger.member.points, ledger.today);
  const balances = { ...ledger.member.balances, points: due.points.balance };
  const member = { ...ledger.member, points: due.points, balances };
  const decision = decideSale(member, input, rules, momentOf(ledger, due.entries.length));
  if (decision instanceof Rejection) return "rejected";
  const [sale] = decision.changes.sale as [Sale];
  expect(sale.points_amount + sale.wallet_used + sale.amount_due).toBe(sale.amount);
  enter(ledger, [...due.entries, ...decision.entries], decision.points);
  expect(decision.data.balances).toEqual(ledger.member.balances);
  expect(ledger.sales.has(sale.sale_id)).toBe(false);
  ledger.sales.set(sale.sale_id, sale);
  return [sale.amount_due, sale.points_earned, decision.data.points_pending, decision.data.valid_through];
}

/** What must hold of a member's points at any time. */
export function check({ member, entries, sales, redemptions }: Ledger): void {
  const { points, balances } = member;
  for (const account of ["wallet", "points", "sales"] as const) {
    const opening = account === "wallet" ? wallet : 0;
    const sum = entries
      .filter((entry) => entry.account === account)
      .reduce((all, { amount }) => all + amount, 0);
    expect(balances[account]).toBe(opening + sum);
  }
  expect(unlotted(points)).toBeGreaterThanOrEqual(0);
  const leftIn = (matured: boolean) =>
    points.lots.reduce((sum, lot) => (lot.matured === matured ? sum + leftOf(lot) : sum), 0);
  expect([points.lotted, points.pending]).toEqual([leftIn(true), leftIn(false)]);
  // A member who owes points has none in lots.
  if (owedOf(points) > 0) expect(points.lotted).toBe(0);
  for (const lot of points.lots) {
    expect(Math.min(lot.clawed, lot.used, lot.expired, leftOf(lot))).toBeGreaterThanOrEqual(0);
    if (lot.expires_on !== null)
      expect(lot.expires_on > lot.matures_on || lot.used > 0 || lot.expired > 0).toBe(true);
  }
  for (const debt of points.debts) expect(debt.owed).toBeGreaterThanOrEqual(0);
  // What is still spent on a lot's account is at most what the lot says was used.
  const used = new Map<number, number>();
  for (const { uses } of [...sales.values(), ...redemptions.values()]) {
    for (const use of uses) used.set(use.lot_id, (used.get(use.lot_id) ?? 0) + use.points);
  }
  for (const lot of points.lots) expect(lot.used).toBeGreaterThanOrEqual(used.get(lot.lot_id) ?? 0);
}

export const wallet = 5000;
const program = {
  program_id: 1,
  membership_name: "Club",
  earn_points: 1,
  earn_amount: 100,
  earn_minimum_amount: 0,
  maximum_points_per_order: 50,
  ...excluded,
  ...noMemberLimits,
};
/** Rates of the lines that linesOf makes. */
export const rateSets: fc.Arbitrary<ProgramRate[]> = fc.constantFrom(
  [],
  [],
  [{ categories: ["Coffee"], earn_points: 3, earn_amount: 7 }],
  [
    { categories: ["tea "], earn_points: 2, earn_per: "unit" },
    { categories: ["tea", "coffee"], earn_points: 9, earn_amount: 100 },
  ],
);
/** The same exclusions in all random rules, and random rates and limits. */
export const lineRulesOf = (exclusions: LineRules) => ({
  excluded_categories: fc.constant(exclusions.excluded_categories),
  excluded_skus: fc.constant(exclusions.excluded_skus),
  excluded_from_payment: fc.constant(exclusions.excluded_from_payment),
  rates: rateSets,
  maximum_points_per_day: fc.constantFrom(null, null, 30),
  maximum_points_per_month: fc.constantFrom(null, null, 90),
});
/** A promotion that is always on and doubles the points. */
export const doubling: Promotion = {
  ...{ promotion_id: 1, name: "Double", first_day: null, last_day: null, weekdays: [] },
  ...{ from_time: null, until_time: null, location_ids: [], tier_ids: [], skus: [], categories: [] },
  ...{ minimum_amount: 0, minimum_quantity: 0, multiply: 200, points: null, voucher_id: null, voucher: null },
  ...{ stamp_card_id: null, stamps: null },
  ...{ per: "sale", exclusive: false },
  ...{
    member: "any",
    member_days: null,
    most_per_member: null,
    most_per_member_day: null,
    budget_points: null,
  },
};
/** Random promotions, in the order of their numbers. */
export const promotionSets: fc.Arbitrary<Promotion[]> = fc
  .array(
    fc.record({
      weekdays: fc.constantFrom([], [], [4, 5]),
      from_time: fc.constantFrom(null, null, "22:00"),
      categories: fc.constantFrom([], [], ["coffee"], ["TEA "]),
      minimum_amount: fc.constantFrom(0, 0, 100),
      minimum_quantity: fc.constantFrom(0, 0, 2),
      multiply: fc.constantFrom(null, 110, 150, 300),
      per: fc.constantFrom("sale" as const, "unit" as const),
      exclusive: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 4 },
  )
  .map((made) =>
    made.map((one, index) => ({
      ...doubling,
      ...one,
      promotion_id: index + 1,
      until_time: one.from_time && "13:00",
      points: one.multiply === null ? 3 : null,
      per: one.multiply === null ? one.per : "sale",
    })),
  );
/** Random promotions for some members, with limits, and such that give a voucher. */
export const limitedPromotionSets = promotionSets.chain((promotions) =>
  fc.tuple(
    ...promotions.map((one) =>
      fc
        .record({
          member: fc.constantFrom("any", "any", "first_sale", "new", "returning", "birthday"),
          member_days: fc.constantFrom(1, 10),
          most_per_member: fc.constantFrom(null, null, 2),
          most_per_member_day: fc.constantFrom(null, null, 1),
          budget_points: fc.constantFrom(null, null, 5, 20),
          givesVoucher: fc.boolean(),
        })
        .map(({ givesVoucher, ...limits }) => ({
          ...{ ...one, ...limits },
          ...(givesVoucher && one.points !== null && { points: null, voucher_id: 1, voucher: coffeeVoucher }),
        })),
    ),
  ),
) as fc.Arbitrary<Promotion[]>;
const coffeeVoucher: VoucherDefinition = {
  ...plainVoucher,
  ...{ voucher_id: 1, campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 30, archived: false },
  ...{ location_id: null, points_price: null, validity: 3, validity_period: "day" },
};
/** Random stamp cards, of visits and of units, and one that lapses. */
export const stampCardSets: fc.Arbitrary<StampCard[]> = fc
  .array(
    fc.record({
      stamps_needed: fc.constantFrom(2, 3, 5),
      counts: fc.constantFrom("visit" as const, "unit" as const, "unit" as const),
      most_per_day: fc.constantFrom(null, 1, 2),
      categories: fc.constantFrom([], ["coffee"], ["Tea "]),
      counts_free_lines: fc.boolean(),
      minimum_amount: fc.constantFrom(0, 0, 60),
      validity: fc.constantFrom(null, null, 5),
    }),
    { maxLength: 2 },
  )
  .map((made) =>
    made.map((one, index) => ({
      ...{ stamp_card_id: index + 1, name: `Card ${index}`, skus: [], location_ids: [] },
      ...{ voucher_id: 1, voucher: coffeeVoucher },
      ...one,
      most_per_day: one.counts === "visit" ? one.most_per_day : null,
      validity_period: one.validity === null ? null : ("day" as const),
    })),
  );
/** Random rules. Each setting must say which values it takes, so that no new one stays without a trial. */
export const ruleSets = fc.record<Rules>({
  version: fc.constant(1),
  enable_rp: fc.constant(true),
  rp_name: fc.constant("Stars"),
  program: fc.record({
    program_id: fc.constant(1),
    membership_name: fc.constant("Club"),
    earn_points: fc.integer({ min: 1, max: 20 }),
    earn_amount: fc.constantFrom(1, 10, 100),
    earn_minimum_amount: fc.constantFrom(0, 50),
    maximum_points_per_order: fc.constantFrom(7, 60, 1e9),
    ...lineRulesOf(excluded),
  }),
  earn_on: fc.constantFrom("paid", "total"),
  value_points: fc.constantFrom(1, 5),
  value_amount: fc.constantFrom(1, 3),
  redeem_minimum_points: fc.constantFrom(0, 5),
  points_validity: fc.constantFrom(2, 30),
  points_validity_period: fc.constantFrom("day", "week"),
  points_expiry_rounding: fc.constantFrom("day", "month_end"),
  pending_days: fc.constantFrom(0, 0, 3),
  clawback_shortfall: fc.constantFrom("owe", "forgive"),
  restored_points_valid_days: fc.constantFrom(0, 5),
  // These lives have no tiers and no events. test/engine/whole-engine.test.ts has both.
  rp_sales_calculation_period: fc.constant(12),
  rp_sales_calculation_period_type: fc.constant("month"),
  tier_downgrade: fc.constant("to_qualified"),
  tier_grace_days: fc.constant(0),
  tier_after_refund: fc.constant("recalculate"),
  tiers: fc.constant([]),
  promotions: promotionSets,
  stamp_cards: fc.constant([]),
  occasions: fc.constant([]),
  expiring_notice_days: fc.constant(0),
  anonymous_cards_earn: fc.constant(true),
  referral_minimum_amount: fc.constant(0),
  referral_hold_days: fc.constant(14),
  referral_most_per_year: fc.constant(10),
  gift_validity: fc.constant(null),
  gift_validity_period: fc.constant(null),
  gift_maximum_amount: fc.constant(null),
});
export const small = (max: number) => fc.integer({ min: 0, max });
export const lineSteps: fc.Arbitrary<LineStep> = fc.record({
  which: small(3),
  by: fc.constantFrom("rest", "unit", "amount"),
});
export const parts: fc.Arbitrary<Parts> = fc.array(
  fc.record({
    weight: fc.integer({ min: 1, max: 9 }),
    earns: fc.boolean(),
    quantity: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
);
export const sale: fc.Arbitrary<Extract<Step, { do: "sale" }>> = fc.record({
  do: fc.constant("sale" as const),
  amount: fc.integer({ min: 1, max: 400 }),
  lines: fc.option(parts, { nil: undefined }),
  points: fc.oneof(fc.constant(0), small(40)),
  wallet: fc.oneof(fc.constant(0), small(100)),
  earlier: fc.constantFrom(0, 0, 0, 5, 31),
});
export const refund: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("refund" as const),
  which: small(20),
  part: fc.constantFrom(0.01, 0.3, 0.5, 1),
  line: fc.option(lineSteps, { nil: undefined }),
});
export const wait: fc.Arbitrary<Step> = fc.record({ do: fc.constant("wait" as const), days: small(40) });
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    sale,
    sale,
    refund,
    wait,
    fc.record({ do: fc.constant("redeem" as const), points: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ do: fc.constant("reverse" as const), which: small(10) }),
    fc.record({ do: fc.constant("adjust" as const), points: fc.integer({ min: -40, max: 40 }) }),
    fc.constant<Step>({ do: "settle" }),
  ),
  { maxLength: 25 },
);

export const sales = fc.array(
  fc.record({
    do: fc.constant("sale" as const),
    amount: fc.integer({ min: 1, max: 400 }),
    points: fc.constant(0),
  }),
  { minLength: 1, maxLength: 6 },
);
export const owing: Rules = {
  ...inertRules,
  enable_rp: true,
  program: { ...program, earn_points: 3 },
  value_amount: 1,
};
