import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newLedger,
  owing,
  perform,
  pick,
  ruleSets,
  sale,
  sales,
  small,
  steps,
  wallet,
} from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import { coffeeCard, heldVoucher } from "../../../test/support/vouchers.ts";
import type { Points } from "../decision.ts";
import { balanceLimit } from "../ledger.ts";
import type { HeldVoucher, Lot, Sale, SaleGrant, SaleStamps } from "../records.ts";
import { Rejection } from "../rejection.ts";
import { leftOf, spendable } from "./lots.ts";
import { decideRefund, type RefundInput, refundClaims } from "./refund.ts";
import type { Rules } from "./rules.ts";
import { owedOf } from "./settle.ts";
import { newCard } from "./stamps/cards.ts";
import { publicCode } from "./vouchers/limits.ts";

describe("refunds", () => {
  const one = (rules: Rules, amount: number, points: number, walletPart: number) => {
    const ledger = newLedger(wallet);
    perform(ledger, { do: "adjust", points: 50 }, rules);
    perform(ledger, { do: "sale", amount, points, wallet: walletPart, earlier: 0 }, rules);
    return ledger;
  };

  it("give back the same however they are cut, never less for more, and everything in the end", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 });
    fc.assert(
      fc.property(ruleSets, fc.integer({ min: 1, max: 400 }), small(20), small(90), cuts, (...given) => {
        const [rules, amount, points, walletPart, parts] = given;
        const ledger = one(rules, amount, points, walletPart);
        const sold = pick(ledger.sales, 0);
        if (sold === undefined) return;
        let [total, before] = [0, refundClaims(sold)];
        for (const part of parts) {
          total = Math.min(sold.amount, total + part);
          const after = refundClaims({ ...sold, refunded: total });
          for (const name of Object.keys(after) as (keyof typeof after)[]) {
            expect(after[name]).toBeGreaterThanOrEqual(before[name]);
          }
          const worth = after.money_back + after.wallet_back;
          expect(worth).toBeLessThanOrEqual(total);
          before = after;
        }
        expect(refundClaims({ ...sold, refunded: sold.amount })).toEqual({
          money_back: sold.amount_due,
          wallet_back: sold.wallet_used,
          points_back: sold.points_used,
          points_to_claw: sold.points_earned,
        });
      }),
      { numRuns: runs(500) },
    );
  });

  it("undo a sale as if it had not been, when no date has passed", () => {
    fc.assert(
      fc.property(ruleSets, steps, sale, (rules, history, last) => {
        const ledger = newLedger(wallet);
        for (const step of history) perform(ledger, step, rules);
        perform(ledger, { do: "settle" }, rules);
        const before = ledger.member;
        const known = new Set(ledger.sales.keys());
        if (last.do !== "sale" || perform(ledger, { ...last, earlier: 0 }, rules) === "rejected") return;
        // Points that paid an old debt stay paid, and are owed again for this sale.
        if (owedOf(before.points) > 0) return;
        const which = [...ledger.sales.keys()].findIndex((saleId) => !known.has(saleId));
        perform(ledger, { do: "refund", which, part: 1 }, rules);
        expect(ledger.member.balances).toEqual(before.balances);
        const left = (points: Points) => spendable(points.lots).map((lot) => [lot.lot_id, leftOf(lot)]);
        expect(left(ledger.member.points)).toEqual(left(before.points));
      }),
      { numRuns: runs(300) },
    );
  });

  it("come to the same in any order, and returning everything leaves nothing", () => {
    fc.assert(
      fc.property(sales, fc.infiniteStream(small(100)), small(60), (bought, random, spent) => {
        const finish = (order: number[]) => {
          const ledger = newLedger(wallet);
          for (const step of bought) perform(ledger, { ...step, wallet: 0, earlier: 0 }, owing);
          // A last sale that is paid with points.
          const most = Math.min(spent, ledger.member.points.balance);
          perform(ledger, { do: "sale", amount: 100, points: most, wallet: 0, earlier: 0 }, owing);
          for (const which of order) perform(ledger, { do: "refund", which, part: 1 }, owing);
          return [ledger.member.balances, owedOf(ledger.member.points)];
        };
        const all = Array.from({ length: bought.length + 1 }, (_, index) => index);
        const shuffled = all
          .map((index) => ({ index, by: random.next().value as number }))
          .sort((a, b) => a.by - b.by)
          .map(({ index }) => index);
        const some = all.slice(0, Math.ceil(all.length / 2));
        expect(finish(shuffled.filter((index) => some.includes(index)))).toEqual(finish(some));
        expect(finish(shuffled)).toEqual([{ wallet, points: 0, vouchers: 0, sales: 0 }, 0]);
      }),
      { numRuns: runs(300) },
    );
  });

  it("owe what was spent meanwhile, and later points pay it", () => {
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, owing);
    perform(ledger, { do: "redeem", points: 30 }, owing);
    perform(ledger, { do: "refund", which: 0, part: 1 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 30]);
    perform(ledger, { do: "sale", amount: 700, points: 0, wallet: 0, earlier: 0 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 9]);
    perform(ledger, { do: "adjust", points: 5 }, owing);
    expect(owedOf(ledger.member.points)).toBe(9);
    perform(ledger, { do: "sale", amount: 400, points: 0, wallet: 0, earlier: 0 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([8, 0]);
  });

  it("forgive it where the rules say so", () => {
    const forgiving: Rules = { ...owing, clawback_shortfall: "forgive" };
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, forgiving);
    perform(ledger, { do: "redeem", points: 30 }, forgiving);
    perform(ledger, { do: "refund", which: 0, part: 1 }, forgiving);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 0]);
  });

  it("take nothing for points that expired unused, in however many refunds", () => {
    const rules: Rules = {
      ...owing,
      points_validity: 5,
      points_validity_period: "day",
      points_expiry_rounding: "day",
    };
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, rules);
    perform(ledger, { do: "redeem", points: 12 }, rules);
    perform(ledger, { do: "wait", days: 10 }, rules);
    perform(ledger, { do: "refund", which: 0, part: 0.5 }, rules);
    expect(owedOf(ledger.member.points)).toBe(0);
    perform(ledger, { do: "refund", which: 0, part: 1 }, rules);
    expect(owedOf(ledger.member.points)).toBe(12);
  });

  it("put points back for some days when their date has passed, or let them expire at once", () => {
    const rules: Rules = {
      ...owing,
      points_validity: 5,
      points_validity_period: "day",
      points_expiry_rounding: "day",
    };
    const refunded = (days: number) => {
      const of = { ...rules, restored_points_valid_days: days };
      const ledger = newLedger(wallet);
      perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, of);
      perform(ledger, { do: "sale", amount: 30, points: 30, wallet: 0, earlier: 0 }, of);
      perform(ledger, { do: "wait", days: 10 }, of);
      perform(ledger, { do: "refund", which: 1, part: 1 }, of);
      return [ledger.member.points.balance, ledger.entries.at(-1)?.event_type];
    };
    expect(refunded(30)[0]).toBe(30);
    expect(refunded(0)).toEqual([0, "reward_points_expired"]);
  });
});

/**
 * 10.00: a voucher paid 3.00, 40 points 0.40, the wallet 1.60, and 5.00 was due. The other 6.60 earned 3 points for each 1.00,
 * so 19.
 */
const sold: Sale = {
  ...{ sale_id: 7, contact_id: 1, location_id: 3, reference_id: "R-7", sold_on: "2026-01-10", sold_at: null },
  ...{ amount: 1000, eligible_amount: 1000, receipt_lines: null, held_voucher_ids: [1], voucher_amount: 300 },
  ...{ points_used: 40, points_amount: 40, wallet_used: 160, amount_due: 500, earning_base: 660 },
  ...{ points_earned: 19, points_limit: null, grants: null, stamps: null, rules_version: 1, earn_points: 3 },
  ...{ earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 50, refunded: 0 },
  ...{ points_excused: 0, uses: [{ lot_id: 0, points: 40 }] },
};
const paidWith = (more: Partial<HeldVoucher> = {}) =>
  heldVoucher({ coupon_value: 300, status: "redeemed", sale_id: 7, covered: 300, ...more });
/** The points of the sale, of which 5 were spent. */
const lotOf = (more: Partial<Lot> = {}): Lot => ({
  ...{ lot_id: 7, reference_id: "R-7", location_id: 3, occasion_id: null, earned_on: "2026-01-10" },
  ...{ matures_on: "2026-01-10", expires_on: null, matured: true, points: 19, clawed: 0, used: 5 },
  ...{ expired: 0, lapsed: 0 },
  ...more,
});
/** @param unlotted points that belong to no lot */
const pointsWith = (lot: Lot, unlotted: number, debts: Points["debts"] = []): Points => {
  const left = leftOf(lot);
  const [lotted, pending] = lot.matured ? [left, 0] : [0, left];
  return { balance: unlotted + lotted, lotted, pending, lots: [lot], debts };
};
const perSale = { points: 0, per: "sale", minimum_amount: 1, minimum_quantity: 0 } as const;
const grantOf = (more: Partial<SaleGrant>): SaleGrant => ({
  ...{ promotion_id: 5, lines: null, points: 0, left: 0, multiply: null, fixed: perSale, counts: false },
  ...{ held_voucher_id: null, keeps_voucher: more.held_voucher_id != null, excuses_voucher: false },
  ...{ stamp_card_id: null, stamps: 0, keeps_stamps: more.stamp_card_id != null },
  ...more,
});
/** Of the stamp card 1, which promotions gave. */
const stampsOf = (more: Partial<SaleStamps>): SaleStamps => ({
  ...{ stamp_card_id: 1, own: null, added: 1, on_card: 1, held_voucher_ids: [], left: 1, lapses_on: null },
  ...more,
});
const balances = { wallet: 1000, points: 20, vouchers: 100, sales: 660 };
const buyer = {
  ...{ active: true, erased: false, points: pointsWith(lotOf(), 6), vouchers: [paidWith()], cards: [] },
  ...{ tier: newLedger().member.tier, balances },
};
type Buying = Parameters<typeof decideRefund>[0];
const today = "2026-01-15";
const decide = (
  of: Partial<Sale> = {},
  input: Partial<RefundInput> = {},
  member: Partial<Buying> = {},
  rules: Partial<Rules> = {},
) =>
  decideRefund(
    { ...buyer, ...member },
    { ...sold, ...of },
    { location_id: 4, ...input },
    { ...owing, ...rules },
    today,
  );
/** The same, which is not rejected. */
function refund(...given: Parameters<typeof decide>) {
  const decision = decide(...given);
  if (decision instanceof Rejection) throw new Error(decision.code);
  return decision;
}
const briefly = (entries: readonly { event_type: string; amount: number }[]) =>
  entries.map(({ event_type, amount }) => `${event_type} ${amount}`);

describe("one refund", () => {
  it("gives back its part of each means of payment, and takes the points of its part", () => {
    // 40 %: 2.00 of 5.00, 0.64 of 1.60, 16 of 40 points. 3.96 are left, which earn 11 points.
    const { entries, changes, data, refund: made, ...others } = refund({}, { amount: 400 });
    expect(briefly(entries)).toEqual([
      "reward_points_redeemed 16",
      "wallet_payment 64",
      "sale_refund -264",
      "reward_points_earned -8",
    ]);
    const parts = {
      ...{ money_back: 200, wallet_back: 64, points_back: 16, points_clawed: 8, points_excused: 0 },
      ...{ points_owed: 0, points_forgiven: 0, vouchers_back: [], vouchers_taken: [], vouchers_excused: [] },
    };
    expect(made).toEqual({
      ...{ ...parts, sale_id: 7, refunded: 400, amount: 400, lines_back: null, location_id: 4 },
      ...{ reference_id: "R-7", reason: null },
    });
    expect(others).toMatchObject({ reference_id: "R-7", location_id: 4, reason: undefined });
    const lot = { ...lotOf(), clawed: 8 };
    expect(changes).toEqual({
      ...{ lot: [lot], debt: [], refund: [made], tier_standing: [], held_voucher: [], member_stamp_card: [] },
      sale: [{ ...sold, refunded: 400, uses: [{ lot_id: 0, points: 24 }] }],
    });
    expect(data).toEqual({
      ...{ ...parts, sale_id: 7, refunded: 400, refundable: 600, lines_back: [], stamps_taken: [] },
      ...{ member_erased: false, tier: { tier_id: null, name: null, valid_through: null, changed: false } },
      balances: { wallet: 1064, points: 28, vouchers: 100, sales: 396 },
    });
  });

  it("gives the vouchers back with the last part, and takes what the lot lacks from other points", () => {
    const of = { refunded: 400, uses: [{ lot_id: 0, points: 24 }] };
    const points = pointsWith({ ...lotOf(), clawed: 8 }, 22);
    const member = { points, balances: { wallet: 1064, points: 28, vouchers: 100, sales: 396 } };
    const last = refund(of, { reference_id: "R-8", reason: "Broken" }, member);
    expect(briefly(last.entries)).toEqual([
      "voucher_reversed 300",
      "reward_points_redeemed 24",
      "wallet_payment 96",
      "sale_refund -396",
      "reward_points_earned -11",
    ]);
    expect(last.refund).toMatchObject({
      ...{
        money_back: 300,
        wallet_back: 96,
        points_back: 24,
        points_clawed: 11,
        refunded: 1000,
        amount: 600,
      },
      ...{ vouchers_back: [1], reference_id: "R-8", reason: "Broken" },
    });
    expect(last.changes.held_voucher).toEqual([paidWith({ status: "held", sale_id: null, covered: null })]);
    expect(last.data).toMatchObject({
      refundable: 0,
      balances: { wallet: 1160, points: 41, vouchers: 400, sales: 0 },
    });
  });

  it("of lines names them, and leaves what is left of each", () => {
    const line = (amount: number, quantity: number) => {
      return { sku: null, category: null, quantity, amount, earns: true, covered: 0, returned: 0, free: 0 };
    };
    const granted = grantOf({
      lines: [1],
      points: 8,
      left: 8,
      fixed: { ...perSale, points: 2, per: "unit" },
    });
    const of = { receipt_lines: [line(800, 4), line(200, 1)], grants: [granted], points_earned: 27 };
    const { refund: made, data, changes } = refund(of, { lines: [{ line_no: 1, quantity: 1 }] });
    const lines_back = [{ line_no: 1, quantity_back: 1, amount: 200 }];
    expect(made).toMatchObject({ amount: 200, lines_back, money_back: 100, points_clawed: 6 });
    expect(data).toMatchObject({ refunded: 200, refundable: 800, lines_back });
    expect(changes.sale).toMatchObject([
      {
        receipt_lines: [{ ...line(800, 4), covered: 200, returned: 1 }, line(200, 1)],
        grants: [{ left: 6 }],
      },
    ]);
    const free = { receipt_lines: [line(1000, 1), line(0, 1)] };
    for (const refunded of [0, 999]) {
      const part = decide({ ...free, refunded }, { lines: [{ line_no: 2 }] });
      expect(part).toMatchObject({ code: "validation_failed" });
    }
    expect(decide({}, { lines: [{ line_no: 1 }] })).toMatchObject({ code: "validation_failed" });
  });

  it("gives back no more than is left", () => {
    const rejected = (refundable: number) => ({ code: "refund_exceeds_sale", details: { refundable } });
    expect(decide({ refunded: 400 }, { amount: 601 })).toMatchObject(rejected(600));
    expect(decide({ refunded: 400 }, { amount: 600 })).not.toBeInstanceOf(Rejection);
    expect(decide({ refunded: 1000 })).toMatchObject(rejected(0));
    expect(decide({ refunded: 999 }, { amount: 1 })).not.toBeInstanceOf(Rejection);
  });

  it("needs room for what it gives back in each account", () => {
    const withBalances = (wallet: number, vouchers: number) => {
      return decide({}, {}, { balances: { ...balances, wallet, vouchers } });
    };
    const full = (account: string, balance: number) => {
      return { code: "balance_limit_exceeded", details: { account, balance } };
    };
    const [wallet, vouchers] = [balanceLimit - 160, balanceLimit - 300];
    expect(withBalances(wallet, vouchers)).not.toBeInstanceOf(Rejection);
    expect(withBalances(wallet + 1, 0)).toMatchObject(full("wallet", wallet + 1));
    expect(withBalances(wallet + 1, vouchers + 1)).toMatchObject(full("vouchers", vouchers + 1));
    const points = (balance: number) => decide({}, {}, { points: { ...buyer.points, balance } });
    expect(points(balanceLimit - 40)).not.toBeInstanceOf(Rejection);
    expect(points(balanceLimit - 39)).toMatchObject(full("points", balanceLimit - 39));
  });

  it("takes back what promotions and stamp cards had given for the sale, and excuses what was used", () => {
    const stamps = stampsOf({ added: 12, on_card: 2, held_voucher_ids: [3], left: 12 });
    const grants = [{ held_voucher_id: 2 }, { held_voucher_id: 4 }, { stamp_card_id: 1, stamps: 12 }].map(
      grantOf,
    );
    const of = { grants, stamps: [stamps] };
    const issued = [
      heldVoucher({ held_voucher_id: 2 }),
      heldVoucher({ held_voucher_id: 3, coupon_value: 350, stamp_card_id: 1, stamps_used: 10 }),
      heldVoucher({ held_voucher_id: 4, status: "redeemed" }),
    ];
    const cards = [{ ...newCard(1), stamps: 2, begun_on: "2026-01-10", completed: 1 }];
    const member = { vouchers: [...issued, paidWith()], cards, balances: { ...balances, vouchers: 950 } };
    const rules = { stamp_cards: [coffeeCard] };
    const made = refund(of, {}, member, rules);
    expect(briefly(made.entries)).toEqual([
      "voucher_reversed 300",
      "reward_points_redeemed 40",
      "wallet_payment 160",
      "sale_refund -660",
      "voucher_issued -500",
      "voucher_issued -350",
      "reward_points_earned -19",
    ]);
    const parts = { vouchers_back: [1], vouchers_taken: [2, 3], vouchers_excused: [4] };
    expect(made.refund).toMatchObject(parts);
    expect(made.data).toMatchObject({
      ...{ ...parts, stamps_taken: [{ stamp_card_id: 1, taken: 12, stamps: 0, stamps_owed: 0 }] },
      balances: { vouchers: 400 },
    });
    expect(made.changes.held_voucher.map((one) => [one.held_voucher_id, one.status, one.excused])).toEqual([
      [1, "held", false],
      [4, "redeemed", true],
      [2, "returned", false],
      [3, "returned", false],
    ]);
    expect(made.changes.member_stamp_card).toMatchObject([{ stamps: 0, completed: 0 }]);
    expect(made.changes.sale).toMatchObject([
      {
        grants: [{ keeps_voucher: false }, { excuses_voucher: true }, { keeps_stamps: false }],
        stamps: [{ left: 0 }],
      },
    ]);
    const partly = refund(of, { amount: 990 }, member, rules);
    expect(partly.refund).toMatchObject({ vouchers_back: [], vouchers_taken: [], vouchers_excused: [] });
    expect(partly.changes.held_voucher).toEqual([]);
  });

  it("takes a voucher that it gives back, if stamps are owed for it", () => {
    const own = { counts: "visit", lines: null, minimum_amount: 0 } as const;
    const stamps = stampsOf({ own, on_card: 0 });
    const made = refund(
      { stamps: [stamps] },
      {},
      {
        vouchers: [paidWith({ stamp_card_id: 1, stamps_used: 10 })],
        cards: [{ ...newCard(1), completed: 1 }],
      },
      { stamp_cards: [coffeeCard] },
    );
    expect(made.refund).toMatchObject({ vouchers_back: [], vouchers_taken: [1] });
    expect(made.changes.held_voucher).toMatchObject([{ held_voucher_id: 1, status: "returned" }]);
    expect(made.changes.member_stamp_card).toMatchObject([{ stamps: 9, completed: 0 }]);
    expect(briefly(made.entries).filter((one) => one.startsWith("voucher"))).toEqual([
      "voucher_reversed 300",
      "voucher_issued -300",
    ]);
    expect(made.data.balances.vouchers).toBe(100);
  });

  it("returns the voucher of a public code, which can be used again", () => {
    const made = refund({}, {}, { vouchers: [paidWith({ code_id: publicCode })] });
    expect(made.changes.held_voucher).toMatchObject([{ held_voucher_id: 1, status: "returned" }]);
    expect(made.refund).toMatchObject({ vouchers_back: [], vouchers_taken: [] });
    expect(made.data.balances.vouchers).toBe(100);
  });

  it("of an erased member is all money, and frees only public codes", () => {
    const grants = [grantOf({ held_voucher_id: 3 })];
    const of = { held_voucher_ids: [1, 2], grants, stamps: [stampsOf({})] };
    const closed: Points = { balance: 0, lotted: 0, pending: 0, lots: [], debts: [] };
    const vouchers = [
      paidWith(),
      paidWith({ held_voucher_id: 2, code_id: publicCode }),
      heldVoucher({ held_voucher_id: 3, status: "redeemed" }),
      heldVoucher({ held_voucher_id: 4, stamp_card_id: 1, stamps_used: 10 }),
    ];
    const none = { wallet: 0, points: 0, vouchers: 0, sales: 660 };
    const erased = { erased: true, points: closed, vouchers, balances: none };
    const made = refund(of, {}, erased, { stamp_cards: [coffeeCard] });
    expect(briefly(made.entries)).toEqual(["sale_refund -660"]);
    expect(made.refund).toMatchObject({
      ...{ money_back: 660, wallet_back: 0, points_back: 0, points_clawed: 0, points_excused: 0 },
      ...{ points_owed: 0, points_forgiven: 19, vouchers_back: [], vouchers_taken: [], vouchers_excused: [] },
    });
    expect(made.data).toMatchObject({
      ...{ member_erased: true, stamps_taken: [], balances: { ...none, sales: 0 } },
    });
    expect(made.changes).toMatchObject({ lot: [], debt: [], member_stamp_card: [] });
    expect(made.changes.held_voucher).toMatchObject([{ held_voucher_id: 2, status: "returned" }]);
    expect(made.changes.sale).toMatchObject([
      { uses: sold.uses, grants: [{ keeps_voucher: false, excuses_voucher: false }], stamps: of.stamps },
    ]);
    const partly = refund(of, { amount: 500 }, erased);
    expect([partly.refund.money_back, partly.changes.held_voucher]).toEqual([330, []]);
  });
});

describe("points that a refund takes", () => {
  /** Of a sale that points had not paid. */
  const taken = (points: Points, of: Partial<Sale> = {}, rules: Partial<Rules> = {}) => {
    const unpaid = { points_used: 0, points_amount: 0, uses: [], held_voucher_ids: [] };
    const made = refund(
      { ...unpaid, ...of },
      {},
      { points, balances: { ...balances, points: points.balance } },
      rules,
    );
    const { points_clawed, points_excused, points_owed, points_forgiven } = made.refund;
    const parts = [points_clawed, points_excused, points_owed, points_forgiven];
    return { parts, changes: made.changes, balance: made.points.balance, data: made.data };
  };

  it("are pending ones of its sale, which are in no balance", () => {
    const lot = lotOf({ matured: false, used: 0, matures_on: "2026-02-01" });
    const { parts, changes, balance } = taken(pointsWith(lot, 6));
    expect([parts, balance]).toEqual([[19, 0, 0, 0], 6]);
    expect(changes.lot).toEqual([{ ...lot, clawed: 19 }]);
  });

  it("are not those that expired in the lot, each of which is excused once", () => {
    // 2 are left, 5 were spent, 12 expired, of which 4 were excused before.
    const lot = lotOf({ points: 19, used: 5, expired: 12, lapsed: 3 });
    const { parts, changes, balance } = taken(pointsWith(lot, 4), { points_excused: 4 });
    // 19 to take: 2 of the lot, 8 excused, 4 of the balance, and 5 owed.
    expect([parts, balance]).toEqual([[6, 8, 5, 0], 0]);
    expect(changes.lot).toEqual([{ ...lot, clawed: 2, lapsed: 0 }]);
    expect(changes.sale).toMatchObject([{ points_excused: 12 }]);
    expect(changes.debt).toEqual([{ sale_id: 7, reference_id: "R-7", location_id: 3, owed: 5 }]);
    const most = lotOf({ points: 30, used: 0, expired: 25, lapsed: 25 });
    const all = taken(pointsWith(most, 0));
    expect([all.parts, all.changes.lot]).toEqual([[5, 14, 0, 0], [{ ...most, clawed: 5, lapsed: 11 }]]);
  });

  it("are owed or forgiven by the rules, and add to what is owed for the same sale", () => {
    const debt = (sale_id: number, owed: number) => ({ sale_id, reference_id: "R", location_id: 3, owed });
    const spent = pointsWith(lotOf({ used: 19 }), 0, [debt(3, 2), debt(7, 4)]);
    const owed = taken(spent);
    expect([owed.parts, owed.data.points_owed]).toEqual([[0, 0, 19, 0], 25]);
    expect(owed.changes.debt).toEqual([{ ...debt(7, 23), reference_id: "R-7" }]);
    const forgiven = taken(spent, {}, { clawback_shortfall: "forgive" });
    expect([forgiven.parts, forgiven.data.points_owed]).toEqual([[0, 0, 0, 19], 6]);
    expect(forgiven.changes.debt).toEqual([]);
  });

  it("are none of a sale that earned none, and need the lot of one that did", () => {
    const points = pointsWith(lotOf(), 6);
    const none = taken(points, { points_earned: 0, earn_points: 0 });
    expect([none.parts, none.balance]).toEqual([[0, 0, 0, 0], 20]);
    expect(() => taken({ ...points, lots: [] })).toThrow("the lot of a refunded sale was not read");
  });
});
