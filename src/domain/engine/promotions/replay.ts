/** Calculates what promotions would have given on the recorded sales of a member. */
import type { EarningRate, GrantCount, Sale, SaleGrant } from "../../records.ts";
import { withoutRefunds } from "../lines.ts";
import type { Promotion, Rules } from "../rules.ts";
import { type Buying, isOn, promotionsAt, type SaleMade } from "./acting.ts";
import { grantsLeft, grantsOf, pointsLeft } from "./grants.ts";

/** What a promotion would have given, after refunds. */
export interface ReplayedPromotion {
  readonly name: string;
  readonly sales: number;
  readonly points: number;
  /** Sales that were recorded without lines while it was on, if it counts lines. */
  readonly sales_without_lines: number;
}

type Sold = EarningRate & Pick<Sale, "amount" | "refunded" | "receipt_lines" | "earning_base" | "grants">;

export const neverGiven = (promotions: readonly Promotion[]): ReplayedPromotion[] =>
  promotions.map(({ name }) => ({ name, sales: 0, points: 0, sales_without_lines: 0 }));

/** Follows a member from sale to sale. Budgets don't act: they depend on all members. */
export class PromotionReplay {
  readonly #promotions: readonly Promotion[];
  readonly #stampCards: Rules["stamp_cards"];
  readonly #given: ReplayedPromotion[];
  #facts: Buying["facts"];
  /** Of promotions with limits: on the day of the last sale, and before. */
  readonly #counts = new Map<number, GrantCount[]>();

  /** @param stamp_cards those on which promotions give stamps */
  constructor(promotions: readonly Promotion[], facts: Buying["facts"], stamp_cards: Rules["stamp_cards"]) {
    this.#promotions = promotions.map((one) => ({ ...one, budget_points: null }));
    this.#stampCards = stamp_cards;
    this.#given = neverGiven(promotions);
    this.#facts = facts;
  }

  get given(): readonly ReplayedPromotion[] {
    return this.#given;
  }

  /**
   * Adds a sale. Sales come in the order of their days.
   * @param sale with its refunds, and with the grants of other promotions
   * @returns the grants of all promotions
   */
  add(sale: Sold, made: Omit<SaleMade, "buying" | "given">): readonly SaleGrant[] {
    const before = { ...sale, refunded: 0, receipt_lines: withoutRefunds(sale.receipt_lines) };
    const buying = { facts: this.#facts, counts: [...this.#counts.values()].flat() };
    const whole: SaleMade = { ...made, buying, given: new Map() };
    const rules = { promotions: this.#promotions, stamp_cards: this.#stampCards };
    const { grants } = grantsOf(promotionsAt(rules, made.location_id), before, whole, sale.grants ?? []);
    const { granted } = pointsLeft({ ...sale, grants });
    const left = grantsLeft({ ...sale, grants });
    const isKept = sale.refunded < sale.amount;
    if (this.#facts !== null && isKept) this.#facts = { ...this.#facts, bought_on: made.day };
    for (const [index, promotion] of this.#promotions.entries()) {
      const nth = grants.findIndex(({ promotion_id }) => promotion_id === promotion.promotion_id);
      const points = granted[nth] ?? 0;
      const isGiven = points > 0 || left[nth]?.keeps_voucher === true || left[nth]?.keeps_stamps === true;
      const known = this.#given[index] as ReplayedPromotion;
      const lacksLines =
        sale.receipt_lines === null &&
        promotion.skus.length + promotion.categories.length + promotion.minimum_quantity > 0 &&
        isOn(promotion, whole);
      this.#given[index] = {
        ...known,
        sales: known.sales + Number(isGiven),
        points: known.points + points,
        sales_without_lines: known.sales_without_lines + Number(lacksLines),
      };
      if (isGiven && grants[nth]?.counts) this.#count(promotion.promotion_id, made.day);
    }
    return grants;
  }

  #count(promotion_id: number, day: string): void {
    const known = this.#counts.get(promotion_id) ?? [];
    const sumOf = (counts: readonly GrantCount[]) => counts.reduce((sum, { given }) => sum + given, 0);
    const before = sumOf(known.filter((one) => one.day !== day));
    const ofDay = sumOf(known.filter((one) => one.day === day)) + 1;
    const counts = [{ promotion_id, day, given: ofDay }];
    if (before > 0) counts.push({ promotion_id, day: "", given: before });
    this.#counts.set(promotion_id, counts);
  }
}
