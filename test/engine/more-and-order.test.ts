/** Two properties of what promotions give on a sale: more is never less, and their order changes nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { earn } from "../../src/domain/engine/earning/earning.ts";
import { earningAmount, type LineInput, newLines } from "../../src/domain/engine/lines.ts";
import { inertRules, noMemberLimits, type Promotion } from "../../src/domain/engine/rules.ts";
import { excluded, linesOf, parts, promotionSets, rateSets, small } from "../support/point-lives.ts";
import { runs } from "../support/random-cases.ts";
import { coffeeCard, euros, freeCoffee } from "../support/vouchers.ts";

const amounts = fc.integer({ min: 1, max: 5000 });
/** What a promotion without a factor gives instead of points. */
const gifts = fc.array(fc.constantFrom("points" as const, "voucher" as const, "stamps" as const), {
  ...{ minLength: 4, maxLength: 4 },
});
const giving = (promotions: readonly Promotion[], kinds: readonly string[]): Promotion[] =>
  promotions.map((one, index) => {
    if (one.multiply !== null || kinds[index] === "points") return one;
    const instead = { ...one, points: null, per: "sale" as const, exclusive: false };
    return kinds[index] === "voucher"
      ? { ...instead, voucher_id: 1, voucher: freeCoffee }
      : { ...instead, stamp_card_id: 1, stamps: 2 };
  });
const rates = fc.record({
  ...{ earn_points: small(20), earn_amount: fc.constantFrom(1, 10, 100) },
  ...{ earn_minimum_amount: fc.constantFrom(0, 0, 300), rates: rateSets },
});

/** What a receipt earns. */
function earned(promotions: readonly Promotion[], rate: object, lines: readonly LineInput[], most = 1e9) {
  const program = {
    ...{ program_id: 1, membership_name: "Club", ...excluded, ...noMemberLimits },
    ...{ earn_points: 1, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: most, ...rate },
  };
  const receipt_lines = newLines(lines, program);
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  const rules = { ...inertRules, enable_rp: true, promotions, program, stamp_cards: [coffeeCard] };
  const sale = { amount, eligible_amount: earningAmount(receipt_lines), receipt_lines, paidOtherwise: 0 };
  const at = { day: "2026-01-15", time: "12:00", location_id: 1, tier_id: null, currency: euros };
  const { points, grants } = earn(rules, sale, { ...at, buying: undefined, given: new Map() });
  const nameOf = (id: number) => promotions.find((one) => one.promotion_id === id)?.name;
  const namesOf = (kept: "keeps_voucher" | "keeps_stamps") =>
    (grants ?? [])
      .filter((one) => one[kept])
      .map(({ promotion_id }) => nameOf(promotion_id))
      .toSorted();
  return { points, vouchers: namesOf("keeps_voucher"), stamps: namesOf("keeps_stamps") };
}

const named = (promotions: readonly Promotion[]) =>
  promotions.map((one) => ({ ...one, name: `Promotion ${one.promotion_id}` }));

describe("what promotions give", () => {
  it("is never less for another line or a larger amount: points, vouchers and stamps, if none acts alone", () => {
    fc.assert(
      fc.property(
        ...([amounts, parts, promotionSets, gifts, rates, small(9), amounts] as const),
        (...[amount, receipt, made, kinds, rate, at, more]) => {
          const together = giving(named(made), kinds).map((one) => ({ ...one, exclusive: false }));
          const lines = linesOf(amount, receipt);
          const raised = lines.map((line, index) =>
            index === at % lines.length ? { ...line, amount: line.amount + more } : line,
          );
          const longer = [...lines, { category: "tea", quantity: 1, amount: more }];
          const before = earned(together, rate, lines);
          for (const after of [raised, longer].map((larger) => earned(together, rate, larger))) {
            expect(after.points).toBeGreaterThanOrEqual(before.points);
            expect(after.vouchers).toEqual(expect.arrayContaining(before.vouchers));
            expect(after.stamps).toEqual(expect.arrayContaining(before.stamps));
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("does not depend on the order in which the promotions were made, also with a maximum and one that acts alone", () => {
    fc.assert(
      fc.property(
        ...([amounts, parts, promotionSets, gifts, rates, fc.constantFrom(1e9, 40)] as const),
        (...[amount, receipt, made, kinds, rate, most]) => {
          const promotions = giving(named(made), kinds);
          const reversed = promotions.toReversed().map((one, index) => ({ ...one, promotion_id: index + 1 }));
          const lines = linesOf(amount, receipt);
          expect(earned(reversed, rate, lines, most)).toEqual(earned(promotions, rate, lines, most));
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
