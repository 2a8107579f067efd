/** Random histories of a member with points, wallet, vouchers and a tier, through the groups that postings really take. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { divideBase } from "../../src/domain/engine/lines.ts";
import { leftOf } from "../../src/domain/engine/lots.ts";
import type { Benefit } from "../../src/domain/engine/movement.ts";
import type { Rules, Tier, VoucherDefinition } from "../../src/domain/engine/rules.ts";
import { tiersIn } from "../../src/domain/engine/standing.ts";
import { codeKey, type PublicDefinition } from "../../src/domain/engine/vouchers/codes.ts";
import { plainVoucher } from "../../src/domain/engine/vouchers/terms.ts";
import { adjustRewardPoints } from "../../src/operations/partner/reward-points/adjust.ts";
import { redeemPoints } from "../../src/operations/partner/reward-points/redeem.ts";
import { reverseRedemption } from "../../src/operations/partner/reward-points/reverse.ts";
import { recordSale } from "../../src/operations/partner/sales/record.ts";
import { refundSale } from "../../src/operations/partner/sales/refund.ts";
import { issueVoucher } from "../../src/operations/partner/vouchers/issue.ts";
import { redeemVoucher } from "../../src/operations/partner/vouchers/redeem.ts";
import { reverseVoucher } from "../../src/operations/partner/vouchers/reverse.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { payFromWallet } from "../../src/operations/partner/wallet/pay.ts";
import { reverseMovement } from "../../src/operations/partner/wallet/reverse.ts";
import { topUpWallet } from "../../src/operations/partner/wallet/topup.ts";
import { MemoryBusiness } from "../support/memory-business.ts";
import {
  excluded,
  type LineStep,
  limitedPromotionSets,
  lineRulesOf,
  lineSteps,
  linesOf,
  type Parts,
  parts,
  refundOf,
  stampCardSets,
} from "../support/point-lives.ts";
import { runs } from "../support/random-cases.ts";

const start = "2026-01-15";
const wallet = 500;

const small = (max: number) => fc.integer({ min: 0, max });
const program = fc.record({
  program_id: fc.constant(1),
  membership_name: fc.constant("Club"),
  earn_points: fc.integer({ min: 1, max: 20 }),
  earn_amount: fc.constantFrom(1, 10),
  earn_minimum_amount: fc.constantFrom(0, 50),
  maximum_points_per_order: fc.constantFrom(7, 1e9),
  ...lineRulesOf(excluded),
});
const tierOf = (tier_id: number, qualifying_sales: number) =>
  fc.record<Tier>({
    tier_id: fc.constant(tier_id),
    name: fc.constant(`Tier ${tier_id}`),
    qualifying_sales: fc.constant(qualifying_sales),
    expiry: fc.constantFrom(1, 3),
    expiry_period: fc.constantFrom("week", "month"),
    program: fc.option(program),
  });
/** Each setting must say which values it takes, so that no new one stays without a trial. */
const ruleSets = fc
  .record<Rules>({
    version: fc.constant(1),
    enable_rp: fc.constant(true),
    rp_name: fc.constant("Points"),
    program,
    earn_on: fc.constantFrom("paid", "total"),
    value_points: fc.constantFrom(1, 5),
    value_amount: fc.constantFrom(1, 3),
    redeem_minimum_points: fc.constant(0),
    points_validity: fc.constantFrom(2, 30, null),
    points_validity_period: fc.constant("day"),
    points_expiry_rounding: fc.constantFrom("day", "month_end"),
    pending_days: fc.constantFrom(0, 0, 3),
    clawback_shortfall: fc.constantFrom("owe", "forgive"),
    restored_points_valid_days: fc.constantFrom(0, 5),
    rp_sales_calculation_period: fc.constantFrom(1, 2),
    rp_sales_calculation_period_type: fc.constant("month"),
    tier_downgrade: fc.constantFrom("to_qualified", "one_step"),
    tier_grace_days: fc.constantFrom(0, 5),
    tier_after_refund: fc.constantFrom("recalculate", "keep"),
    expiring_notice_days: fc.constant(30),
    anonymous_cards_earn: fc.constant(true),
    referral_minimum_amount: fc.constant(0),
    referral_hold_days: fc.constant(14),
    referral_most_per_year: fc.constant(10),
    gift_validity: fc.constant(null),
    gift_validity_period: fc.constant(null),
    gift_maximum_amount: fc.constant(null),
    tiers: fc.tuple(tierOf(1, 300), tierOf(2, 900)),
    promotions: limitedPromotionSets,
    stamp_cards: stampCardSets,
    occasions: fc.constant([]),
  })
  .map((rules) => (rules.points_validity === null ? { ...rules, points_validity_period: null } : rules));

type Step =
  | {
      do: "sale";
      amount: number;
      points: number;
      wallet: number;
      vouchers: number;
      codes: readonly string[];
      earlier: number;
      lines?: Parts | undefined;
    }
  | {
      do: "refund" | "reverseRedemption" | "reverseMovement" | "reverseVoucher";
      which: number;
      part: number;
      line?: LineStep | undefined;
    }
  | { do: "redeem"; points: number }
  | { do: "buyVoucher" | "issue" | "redeemCode"; value: number | "share" | "article"; days: number | null }
  | { do: "topup"; amount: number; promo: number }
  | { do: "pay" | "adjustPoints" | "adjustWallet"; amount: number }
  | { do: "wait"; days: number }
  | { do: "settle" };

/** What pays a part of a sale by its lines. */
const payers = {
  share: { kind: "percent", percent: 15, most_amount: 40 },
  article: { kind: "item", categories: ["coffee"], minimum_amount: 50 },
} as const;
/** Codes that the member may use: for a share, for an article, and of a value. */
const publicCodes: readonly PublicDefinition[] = [
  { ...payers.share, percent: 33, most_amount: null, most_per_member: 2 },
  { ...payers.article, most_uses: 3 },
  { coupon_value: 35, last_day: "2026-03-20", minimum_amount: 60 },
].map((one, index) => ({
  ...plainVoucher,
  ...{ archived: false, location_id: null, points_price: null, validity: null, validity_period: null },
  ...{ voucher_id: 10 + index, campaign_name: `Code ${index}`, coupon_code: `C${index}`, coupon_value: 0 },
  ...{ public_code: `CODE-${index}`, public_key: codeKey(`CODE-${index}`) },
  ...one,
}));

const sale: fc.Arbitrary<Extract<Step, { do: "sale" }>> = fc.record({
  do: fc.constant("sale"),
  amount: fc.integer({ min: 1, max: 400 }),
  lines: fc.option(parts, { nil: undefined }),
  points: fc.oneof(fc.constant(0), small(40)),
  wallet: fc.oneof(fc.constant(0), small(100)),
  vouchers: fc.constantFrom(0, 0, 1, 2),
  codes: fc.constantFrom([], [], [], ["CODE-0"], ["CODE-1"], ["CODE-2"], ["CODE-0", "CODE-2"]),
  earlier: fc.constantFrom(0, 0, 0, 5, 31),
});
const sell: fc.Arbitrary<Step> = sale;
const undo = fc.record({
  do: fc.constantFrom("refund", "refund", "reverseRedemption", "reverseMovement", "reverseVoucher"),
  which: small(20),
  part: fc.constantFrom(0.01, 0.5, 1),
  line: fc.option(lineSteps, { nil: undefined }),
}) as fc.Arbitrary<Step>;
const others = fc.oneof(
  fc.record({ do: fc.constant("redeem"), points: fc.integer({ min: 1, max: 30 }) }),
  fc.record({
    do: fc.constantFrom("issue", "buyVoucher", "redeemCode"),
    value: fc.constantFrom(0, 20, 300, "share", "article"),
    days: fc.constantFrom(1, 10, null),
  }),
  fc.record({ do: fc.constant("topup"), amount: fc.integer({ min: 1, max: 90 }), promo: small(9) }),
  fc.record({
    do: fc.constantFrom("pay", "adjustPoints", "adjustWallet"),
    amount: fc.integer({ min: -40, max: 40 }),
  }),
  fc.record({ do: fc.constant("wait"), days: small(40) }),
  fc.constant({ do: "settle" }),
) as fc.Arbitrary<Step>;
const histories = fc.array(fc.oneof(sell, sell, undo, others, others), {
  maxLength: 25,
});

/** The definition of a voucher of a value, for a share or for an article, that is valid for some days. */
const definitionOf = (value: number | "share" | "article", days: number | null): VoucherDefinition => ({
  ...plainVoucher,
  ...(typeof value === "number" ? { coupon_value: value } : { coupon_value: 0, ...payers[value] }),
  voucher_id: 1,
  campaign_name: "Test",
  coupon_code: `V${value}`,
  archived: false,
  location_id: null,
  points_price: 5,
  validity: days,
  validity_period: days === null ? null : "day",
});

function nth<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % items.length];
}

/** Does a step. @returns what the caller was told; undefined for a step that is no request */
function perform(business: MemoryBusiness, step: Step): unknown {
  const { today } = business;
  switch (step.do) {
    case "wait":
      return business.wait(step.days);
    case "settle":
      return business.settle();
    case "sale": {
      const sold_on = dayBefore(today, step.earlier);
      const held = business
        .recordsOf("held_voucher")
        .filter(({ status }) => status === "held" || status === "lapsed")
        .filter(({ lapses_on }) => lapses_on === null || lapses_on > sold_on);
      const use_codes = step.codes.length === 0 ? undefined : step.codes;
      const input = {
        amount: step.amount,
        lines: step.lines && linesOf(step.amount, step.lines),
        use_points: step.points || undefined,
        use_wallet: step.wallet || undefined,
        use_vouchers: held.slice(0, step.vouchers).map(({ held_voucher_id }) => held_voucher_id),
        use_codes,
        sold_on,
      };
      const quoted = business.quote(input, publicCodes);
      const sold = business.post(recordSale, input, publicCodes);
      expect(shownBefore(sold)).toEqual(shownBefore(quoted));
      return sold;
    }
    case "refund": {
      const sold = nth(business.recordsOf("sale"), step.which);
      if (sold === undefined) return undefined;
      return business.post(refundSale, { sale_id: sold.sale_id, ...refundOf(sold, step.part, step.line) });
    }
    case "reverseRedemption": {
      const made = nth(business.recordsOf("redemption"), step.which);
      return made && business.post(reverseRedemption, { redemption_id: made.redemption_id });
    }
    case "reverseMovement": {
      const made = nth(business.recordsOf("movement"), step.which);
      return made && business.post(reverseMovement, { movement_id: made.movement_id });
    }
    case "reverseVoucher": {
      const used = nth(business.recordsOf("held_voucher"), step.which);
      return used && business.post(reverseVoucher, { held_voucher_id: used.held_voucher_id });
    }
    case "redeem":
      return business.post(redeemPoints, { points: step.points });
    case "buyVoucher":
      return business.post(redeemPoints, { voucher_id: 1 }, definitionOf(step.value, step.days));
    case "issue":
      return business.post(issueVoucher, { voucher_id: 1 }, definitionOf(step.value, step.days));
    case "redeemCode":
      return business.post(redeemVoucher, { coupon_code: `V${step.value}` });
    case "topup": {
      const benefit: Benefit = {
        benefit_id: 1,
        title: "Offer",
        status: "active",
        location_id: 1,
        amount: step.amount,
        promo_amount: step.promo,
      };
      return business.post(topUpWallet, { benefit_id: 1 }, benefit);
    }
    case "pay":
      return business.post(payFromWallet, { amount: Math.abs(step.amount) + 1 });
    case "adjustPoints":
      return business.post(adjustRewardPoints, { points: Math.abs(step.amount) + 1, ...signOf(step) });
    case "adjustWallet":
      return business.post(adjustWallet, { amount: Math.abs(step.amount) + 1, ...signOf(step) });
  }
}

/** What a quote shows of a sale: all but the numbers of what is not made yet. */
function shownBefore(sold: unknown): unknown {
  if (typeof sold !== "object" || sold === null) return sold;
  // biome-ignore lint/suspicious/noExplicitAny: a response of any shape
  const { vouchers_used, vouchers_granted, ...data } = withoutNumbers(sold) as any;
  const explained = data.why.reduce(
    (sum: number, { code, points = 0 }: { code: string; points?: number }) => {
      return code === "owed" ? sum : sum + points;
    },
    0,
  );
  expect(explained).toBe(data.points_earned);
  const unnumbered = (vouchers: readonly object[]) =>
    vouchers.map((one) => ({ ...one, held_voucher_id: null }));
  return {
    ...data,
    vouchers_used: unnumbered(vouchers_used),
    vouchers_granted: unnumbered(vouchers_granted),
  };
}

const signOf = ({ amount }: { amount: number }) => ({ adjustment_type: amount < 0 ? "debit" : "credit" });
const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);

/** What must hold at any time. */
function check(business: MemoryBusiness): void {
  const { entries, balances, recordsOf } = business;
  const of = recordsOf.bind(business);
  const running: Record<string, number> = { wallet, points: 0, vouchers: 0, sales: 0 };
  for (const [index, { account, amount, balance_after, entry_no }] of entries.entries()) {
    running[account] = (running[account] as number) + amount;
    expect([entry_no, balance_after]).toEqual([index + 1, running[account]]);
    expect(balance_after).toBeGreaterThanOrEqual(0);
  }
  expect(balances).toEqual(running);
  const lots = of("lot");
  for (const { points, clawed, used, expired } of lots) {
    expect(Math.min(clawed, used, expired, points - clawed - used - expired)).toBeGreaterThanOrEqual(0);
  }
  const inLots = lots.reduce((sum, lot) => (lot.matured ? sum + leftOf(lot) : sum), 0);
  expect(balances.points).toBeGreaterThanOrEqual(inLots);
  const held = of("held_voucher").filter(({ status }) => status === "held");
  expect(balances.vouchers).toBe(held.reduce((sum, { coupon_value }) => sum + coupon_value, 0));
  expect(balances.sales).toBe(of("sales_day").reduce((sum, { net }) => sum + net, 0));
  checkCards(business);
  expect(of("sale").length).toBe(of("sales_day").reduce((sum, { sales }) => sum + sales, 0));
  for (const one of of("sale")) {
    const { amount, voucher_amount, points_amount, wallet_used, amount_due } = one;
    expect(voucher_amount + points_amount + wallet_used + amount_due).toBe(amount);
    if (one.receipt_lines === null) continue;
    expect(divideBase(one.earning_base, one.receipt_lines).reduce((sum, part) => sum + part, 0)).toBe(
      one.earning_base,
    );
    for (const line of one.receipt_lines) {
      expect([line.covered <= line.amount, line.returned <= line.quantity]).toEqual([true, true]);
    }
  }
}

/** A card has the stamps of its sales, by hand, less those that lapsed and those of its vouchers. */
function checkCards(business: MemoryBusiness): void {
  const held = business.recordsOf("held_voucher");
  const given = business.recordsOf("sale").flatMap(({ stamps }) => stamps ?? []);
  for (const card of business.recordsOf("member_stamp_card")) {
    const { stamp_card_id: id, stamps, by_hand, lapsed, completed, begun_on } = card;
    const vouchers = held.filter((one) => one.stamp_card_id === id && one.status !== "returned");
    const spent = vouchers.reduce((sum, one) => sum + (one.stamps_used ?? 0), 0);
    const left = given.reduce((sum, one) => (one.stamp_card_id === id ? sum + one.left : sum), 0);
    expect([stamps, completed]).toEqual([left + by_hand - lapsed - spent, vouchers.length]);
    expect([lapsed >= 0, begun_on !== null]).toEqual([true, stamps > 0]);
    // What was not used pays what is owed, and a full card gives its voucher.
    const definition = business.rules.stamp_cards.find((one) => one.stamp_card_id === id);
    expect(stamps).toBeLessThan(definition?.stamps_needed ?? 0);
    if (stamps < 0) expect(vouchers.every(({ status }) => status === "redeemed")).toBe(true);
  }
}

/** A response without the numbers of entries, and what contains them: settling changes them. */
function withoutNumbers(response: unknown): unknown {
  if (typeof response !== "object" || response === null) return response;
  const numbered = /^(?:sale|movement|redemption)_id$|^reference_id$/;
  return Object.fromEntries(Object.entries(response).filter(([name]) => !numbered.test(name)));
}

it("keeps ledger, lots, vouchers and sales by day in step, in any history", () => {
  fc.assert(
    fc.property(ruleSets, histories, (rules, history) => {
      const business = new MemoryBusiness(rules, start, { wallet });
      for (const step of history) {
        perform(business, step);
        check(business);
      }
    }),
    { numRuns: runs(300) },
  );
});

it("responds the same whether the job settles always, or never", () => {
  fc.assert(
    fc.property(ruleSets, histories, (rules, history) => {
      const [never, always] = [0, 1].map(() => new MemoryBusiness(rules, start, { wallet })) as [
        MemoryBusiness,
        MemoryBusiness,
      ];
      for (const step of history.filter((each) => each.do !== "settle")) {
        always.settle();
        expect(withoutNumbers(perform(always, step))).toEqual(withoutNumbers(perform(never, step)));
      }
      for (const business of [never, always]) business.settle();
      expect(always.balances).toEqual(never.balances);
      const standing = (business: MemoryBusiness) => {
        const [found] = business.recordsOf("tier_standing");
        return [found?.tier_id ?? null, found?.until ?? null, found?.tier_id ? found.since : null];
      };
      expect(standing(always)).toEqual(standing(never));
    }),
    { numRuns: runs(300) },
  );
});

it("settles nothing the second time", () => {
  fc.assert(
    fc.property(ruleSets, histories, small(60), (rules, history, days) => {
      const business = new MemoryBusiness(rules, start, { wallet });
      for (const step of history) perform(business, step);
      business.wait(days);
      business.settle();
      const before = business.entries.length;
      const standing = business.recordsOf("tier_standing")[0];
      business.settle();
      expect(business.entries.length).toBe(before);
      expect(business.recordsOf("tier_standing")[0]).toEqual(standing);
    }),
    { numRuns: runs(200) },
  );
});

it("returns the same response to a repeated key, without an effect", () => {
  fc.assert(
    fc.property(ruleSets, histories, sale, (rules, history, { amount }) => {
      const business = new MemoryBusiness(rules, start, { wallet });
      for (const step of history) perform(business, step);
      const first = business.post(recordSale, { amount }, undefined, "the same key");
      const count = business.entries.length;
      business.wait(40);
      expect(business.post(recordSale, { amount }, undefined, "the same key")).toEqual(first);
      expect(business.entries.length).toBe(count);
    }),
    { numRuns: runs(100) },
  );
});

it("leaves nothing of a sale that is refunded on its day: money, points, vouchers, sales and tier are as before", () => {
  const waits = fc.record({ do: fc.constant("wait" as const), days: small(40) });
  const before = fc.array(fc.oneof(sell, waits as fc.Arbitrary<Step>, others), {
    maxLength: 30,
    size: "max",
  });
  fc.assert(
    fc.property(ruleSets, before, sale, fc.boolean(), (rules, history, last, inParts) => {
      // A debt that its points paid stays paid.
      const recalculating: Rules = { ...rules, tier_after_refund: "recalculate" };
      const business = new MemoryBusiness(recalculating, start, { wallet });
      for (const step of history) perform(business, step);
      business.settle();
      if (business.recordsOf("debt").some(({ owed }) => owed > 0)) return;
      const state = () => ({
        balances: { ...business.balances },
        left: business.recordsOf("lot").map((lot) => [lot.lot_id, leftOf(lot)]),
        // One that the sale gave has been taken back.
        vouchers: business
          .recordsOf("held_voucher")
          .filter(({ status }) => status !== "returned")
          .map((one) => [one.held_voucher_id, one.status]),
        days: business
          .recordsOf("sales_day")
          .flatMap(({ day, location_id, net }) => (net ? { day, location_id, net } : [])),
        tier: tiersIn(business.recordsOf("tier_standing")[0])[0] ?? null,
      });
      const was = state();
      const sold = perform(business, { ...last, earlier: 0 });
      if (typeof sold !== "object" || sold === null) return;
      const { sale_id } = sold as { sale_id: number };
      if (inParts && last.amount > 2) business.post(refundSale, { sale_id, amount: 2 });
      business.post(refundSale, { sale_id });
      const is = state();
      expect({ ...is, left: is.left.filter(([lot]) => lot !== sale_id) }).toEqual(was);
    }),
    { numRuns: runs(300) },
  );
});
