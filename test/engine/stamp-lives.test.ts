/** Properties of stamp cards, on random sales and refunds in real groups of postings. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { inertRules, type Rules, type StampCard } from "../../src/domain/engine/rules.ts";
import type { HeldVoucher, Sale } from "../../src/domain/records.ts";
import { recordSale } from "../../src/operations/partner/sales/record.ts";
import { refundSale } from "../../src/operations/partner/sales/refund.ts";
import { redeemVoucher } from "../../src/operations/partner/vouchers/redeem.ts";
import { MemoryBusiness } from "../support/memory-business.ts";
import { stampCardSets } from "../support/point-lives.ts";
import { runs } from "../support/random-cases.ts";

const start = "2026-01-15";
interface Line {
  readonly category: string;
  readonly quantity: number;
  readonly amount: number;
}
const lines: fc.Arbitrary<Line[]> = fc.array(
  fc.record({
    category: fc.constantFrom("coffee", "COFFEE ", "tea", "cake"),
    quantity: fc.integer({ min: 1, max: 4 }),
    amount: fc.constantFrom(0, 30, 100, 101),
  }),
  { minLength: 1, maxLength: 4 },
);
const total = (of: readonly Line[]) => of.reduce((sum, { amount }) => sum + amount, 0);
const isSold = (of: readonly Line[]) => total(of) > 0;
const cardSets = stampCardSets.map((cards) =>
  cards.map((one) => ({ ...one, validity: null, validity_period: null })),
);
const rulesWith = (stamp_cards: StampCard[]): Rules => ({ ...inertRules, stamp_cards });

interface Sold {
  readonly sale_id: number;
  readonly stamp_cards: { stamp_card_id: number; stamps_added: number }[];
}
const sell = (business: MemoryBusiness, of: readonly Line[], more: object = {}) =>
  business.post(recordSale, { amount: total(of), lines: of, ...more }) as unknown as Sold;
const heldBy = (business: MemoryBusiness) => business.recordsOf("held_voucher") as HeldVoucher[];

/** What is left in the end: the stamps, the vouchers by their status, and what is owed. */
const endOf = (business: MemoryBusiness) => ({
  cards: business
    .recordsOf("member_stamp_card")
    .map(({ stamp_card_id, stamps, completed }) => [stamp_card_id, stamps, completed]),
  vouchers: heldBy(business).map(({ held_voucher_id, status }) => [held_voucher_id, status]),
  balances: business.balances,
  left: (business.recordsOf("sale") as Sale[]).map(({ stamps }) => stamps?.map(({ left }) => left)),
});

/** What comes back: units of a line of a sale. */
const backs = fc.array(
  fc.record({ sale: fc.nat(3), line: fc.nat(3), units: fc.integer({ min: 1, max: 4 }) }),
  { maxLength: 8 },
);

it("has the same stamps and vouchers, whichever refunds come first and however they are cut", () => {
  fc.assert(
    fc.property(
      cardSets,
      fc.array(lines.filter(isSold), { minLength: 1, maxLength: 4 }),
      fc.array(fc.boolean(), { maxLength: 8 }),
      backs,
      fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }),
      (cards, sales, used, wanted, keys) => {
        // The units that come back, each once, of lines that have an amount for each unit.
        const units = new Map<string, { sale: number; line_no: number }>();
        for (const { sale, line, units: number } of wanted) {
          const { quantity = 0, amount = 0 } = sales[sale]?.[line] ?? {};
          for (let nth = 0; nth < Math.min(number, quantity) && amount >= quantity; nth += 1)
            units.set(`${sale} ${line} ${nth}`, { sale, line_no: line + 1 });
        }
        const play = (order: readonly { sale: number; line_no: number }[], isWhole: boolean) => {
          const business = new MemoryBusiness(rulesWith(cards), start);
          const ids = sales.map((of) => sell(business, of).sale_id);
          for (const [index, { held_voucher_id }] of heldBy(business).entries())
            if (used[index]) business.post(redeemVoucher, { held_voucher_id });
          const groups = new Map<string, { sale: number; line_no: number; quantity: number }>();
          for (const [index, one] of order.entries()) {
            const name = isWhole ? `${one.sale} ${one.line_no}` : String(index);
            groups.set(name, { ...one, quantity: (groups.get(name)?.quantity ?? 0) + 1 });
          }
          for (const { sale, line_no, quantity } of groups.values()) {
            const refunded = business.post(refundSale, {
              sale_id: ids[sale],
              lines: [{ line_no, quantity }],
            });
            expect(refunded).toMatchObject({ sale_id: ids[sale] });
          }
          return endOf(business);
        };
        const all = [...units.values()];
        const shuffled = all.toSorted(
          (one, other) => (keys[all.indexOf(one)] ?? 0) - (keys[all.indexOf(other)] ?? 0),
        );
        expect(play(shuffled, false)).toEqual(play(all, true));
      },
    ),
    { numRuns: runs(400) },
  );
});

it("leaves nothing when all is refunded, but what is owed for vouchers that were used", () => {
  fc.assert(
    fc.property(
      cardSets,
      fc.array(lines.filter(isSold), { minLength: 1, maxLength: 4 }),
      fc.array(fc.boolean(), { maxLength: 8 }),
      (cards, sales, used) => {
        const business = new MemoryBusiness(rulesWith(cards), start);
        const sold = sales.map((of) => sell(business, of));
        for (const [index, { held_voucher_id }] of heldBy(business).entries())
          if (used[index]) business.post(redeemVoucher, { held_voucher_id });
        for (const { sale_id } of sold) business.post(refundSale, { sale_id });
        for (const { stamp_card_id, stamps, completed } of business.recordsOf("member_stamp_card")) {
          const own = heldBy(business).filter((one) => one.stamp_card_id === stamp_card_id);
          const redeemed = own.filter(({ status }) => status === "redeemed");
          expect(own.filter(({ status }) => status === "held")).toEqual([]);
          expect(completed).toBe(redeemed.length);
          expect(stamps + redeemed.reduce((sum, one) => sum + (one.stamps_used ?? 0), 0)).toBe(0);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

const stampsOf = (cards: StampCard[], of: readonly Line[], more: object = {}) => {
  const sold = sell(new MemoryBusiness(rulesWith(cards), start), of, more);
  return new Map(sold.stamp_cards.map(({ stamp_card_id, stamps_added }) => [stamp_card_id, stamps_added]));
};

it("gives no fewer stamps for more, and the same in any order of lines and cards", () => {
  fc.assert(
    fc.property(
      cardSets,
      lines.filter(isSold),
      fc.record({ category: fc.constantFrom("coffee", "tea"), quantity: fc.nat(3), amount: fc.nat(90) }),
      fc.nat(3),
      (cards, sold, added, which) => {
        const before = stampsOf(cards, sold);
        const line = { ...added, quantity: added.quantity + 1 };
        const raised = sold.map((one, index) =>
          index === which ? { ...one, amount: one.amount + 10 } : one,
        );
        for (const more of [[...sold, line], raised]) {
          const after = stampsOf(cards, more);
          for (const [id, stamps] of before) expect(after.get(id) ?? 0).toBeGreaterThanOrEqual(stamps);
        }
        expect(stampsOf(cards, sold.toReversed())).toEqual(before);
        expect(new Map([...stampsOf(cards.toReversed(), sold)].sort())).toEqual(new Map([...before].sort()));
      },
    ),
    { numRuns: runs(300) },
  );
});
