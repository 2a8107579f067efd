/**
 * What vouchers pay of a sale: first those for an article, then the share, then values, each of what is still open. The order in
 * which a till names them makes no difference, except for which of two values is left over.
 */
import { amountLimit } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { type LineInput, lineFinder } from "../lines.ts";
import { share } from "../rules.ts";
import { notUsable } from "./use.ts";
import { totalValue } from "./voucher.ts";

/** The parts of a sale that vouchers can pay. */
export interface PayableSale {
  readonly amount: number;
  /** What vouchers and points can pay of it. */
  readonly payable: number;
  /** Its lines, and what vouchers and points can pay of each; null: it has no lines. */
  readonly lines: readonly LineInput[] | null;
  readonly payableLines: readonly number[];
}

/** A voucher, and what it pays of a sale. */
export interface Covered {
  readonly voucher: HeldVoucher;
  readonly covered: number;
  /** The line of which it paid a unit; undefined: it is no voucher for an article. */
  readonly line_no?: number | undefined;
}

interface Open {
  /** Of the whole sale, and of each line. */
  all: number;
  readonly lines: number[];
  /** The units of each line. */
  readonly units: number[];
}

/** Makes a function that says what vouchers pay of a sale. @returns of it: a rejection when one of them can't pay */
export function coverage(sale: PayableSale) {
  const { amount, payable, lines } = sale;
  const bought = lines ?? [];
  let find: ReturnType<typeof lineFinder> | undefined;
  /** The lines that count for a voucher, by their places. */
  const linesOf = (terms: NonNullable<HeldVoucher["terms"]>): readonly number[] => {
    if (lines === null) return [];
    if (terms.skus.length + terms.categories.length === 0) return [...lines.keys()];
    find ??= lineFinder(lines);
    return find(terms);
  };
  return (vouchers: readonly HeldVoucher[]) => {
    const small = vouchers.find(({ terms }) => terms !== null && amount < terms.minimum_amount);
    if (small?.terms) {
      return notUsable("minimum_amount", small, { minimum_amount: small.terms.minimum_amount });
    }
    const open: Open = {
      all: payable,
      lines: [...sale.payableLines],
      units: bought.map(({ quantity = 1 }) => quantity),
    };
    const paid = new Map<HeldVoucher, number>();
    const items = vouchers.filter(({ terms }) => terms?.kind === "item");
    const lineOf = assignLines(items, linesOf, open, bought);
    if (!(lineOf instanceof Map)) return notUsable("no_item", lineOf);
    for (const [voucher, place] of lineOf) paid.set(voucher, payItem(voucher, place, open, bought));
    const [percent, second] = vouchers.filter(({ terms }) => terms?.kind === "percent");
    if (second !== undefined) return notUsable("second_percent", second);
    if (percent !== undefined) {
      const { covered, reason } = payShare(percent, linesOf(termsOf(percent)), open, lines !== null);
      if (covered === 0) return notUsable(reason, percent);
      paid.set(percent, covered);
    }
    const values = vouchers.filter((voucher) => !paid.has(voucher));
    const spare = notNeeded(values, open.all);
    if (spare !== undefined) return notUsable("not_needed", spare);
    for (const voucher of values) {
      const covered = Math.min(voucher.coupon_value, open.all);
      open.all -= covered;
      paid.set(voucher, covered);
    }
    return vouchers.map((voucher): Covered => {
      return { voucher, covered: paid.get(voucher) ?? 0, line_no: numberOf(lineOf.get(voucher)) };
    });
  };
}

const termsOf = ({ terms }: HeldVoucher) => terms as NonNullable<HeldVoucher["terms"]>;

const numberOf = (place: number | undefined) => (place === undefined ? undefined : place + 1);

const unitPrice = ({ amount, quantity = 1 }: LineInput) => share(amount, 1, quantity);

/**
 * Gives each voucher for an article the line of which it pays a unit: the dearest that is free. Vouchers that count for few lines come
 * first, so that "any drink" leaves the coffee to "a coffee". Of equals, those that pay most come first, and have the dearest line. A
 * voucher without a free line gets that of another one, if this one has a further line (augmenting paths of a matching).
 * @returns the place of the line of each, or a voucher that has none
 */
function assignLines(
  items: readonly HeldVoucher[],
  linesOf: (terms: NonNullable<HeldVoucher["terms"]>) => readonly number[],
  open: Open,
  lines: readonly LineInput[],
): Map<HeldVoucher, number> | HeldVoucher {
  const priceOf = (place: number) => unitPrice(lines[place] as LineInput);
  const places = new Map(
    items.map((voucher) => {
      const payable = linesOf(termsOf(voucher)).filter(
        (place) => priceOf(place) > 0 && (open.lines[place] ?? 0) > 0,
      );
      return [voucher, payable.sort((one, other) => priceOf(other) - priceOf(one))] as const;
    }),
  );
  const placesOf = (voucher: HeldVoucher) => places.get(voucher) ?? [];
  const assigned = new Map<HeldVoucher, number>();
  const at = (place: number) => items.filter((voucher) => assigned.get(voucher) === place);
  const assign = (voucher: HeldVoucher, tried: Set<number>): boolean => {
    const untried = placesOf(voucher).filter((place) => !tried.has(place));
    const free = untried.find((place) => at(place).length < (open.units[place] ?? 0));
    for (const place of free === undefined ? untried : [free]) {
      tried.add(place);
      if (place === free || at(place).some((other) => assign(other, tried))) {
        assigned.set(voucher, place);
        return true;
      }
    }
    return false;
  };
  const mostPaid = (voucher: HeldVoucher) => termsOf(voucher).most_amount ?? amountLimit;
  const inOrder = [...items].sort(
    (one, other) =>
      placesOf(one).length - placesOf(other).length ||
      mostPaid(other) - mostPaid(one) ||
      one.held_voucher_id - other.held_voucher_id,
  );
  return inOrder.find((voucher) => !assign(voucher, new Set())) ?? assigned;
}

/** Pays one unit of a line. @returns how much */
function payItem(voucher: HeldVoucher, place: number, open: Open, lines: readonly LineInput[]): number {
  const price = unitPrice(lines[place] as LineInput);
  const covered = Math.min(price, termsOf(voucher).most_amount ?? price);
  open.lines[place] = (open.lines[place] as number) - covered;
  open.all -= covered;
  return covered;
}

/** Pays a share of what is open of the lines that count. A share without lines of its own counts for a sale without lines, too. */
function payShare(voucher: HeldVoucher, places: readonly number[], open: Open, hasLines: boolean) {
  const { percent, most_amount, skus, categories } = termsOf(voucher);
  const isOfAll = !hasLines && skus.length + categories.length === 0;
  const eligible = isOfAll ? open.all : places.reduce((sum, place) => sum + (open.lines[place] ?? 0), 0);
  const part = share(eligible, percent ?? 0, 100);
  const covered = Math.min(part, most_amount ?? part);
  open.all -= covered;
  const whenNothing = isOfAll || places.length > 0 ? "not_needed" : "no_item";
  return { covered, reason: eligible > 0 ? "worth_nothing" : whenNothing } as const;
}

/**
 * The last voucher whose whole value would be lost: without it, the others pay less. A voucher without a value is not about money.
 * @param open what is to be paid
 */
function notNeeded(values: readonly HeldVoucher[], open: number): HeldVoucher | undefined {
  const unused = totalValue(values) - open;
  return values.findLast(({ coupon_value }) => coupon_value > 0 && coupon_value <= unused);
}

/** The value of vouchers that a sale does not use, because it is smaller. Shares and articles have no value. */
export const unusedValue = (used: readonly Covered[]) =>
  used.reduce(
    (sum, { voucher, covered }) => sum + (voucher.coupon_value === 0 ? 0 : voucher.coupon_value - covered),
    0,
  );

/** What vouchers pay together. */
export const coveredAmount = (used: readonly Covered[]) =>
  used.reduce((sum, { covered }) => sum + covered, 0);

/** A voucher that pays a part of a sale, as a till shows it. */
export const showUsed = ({ voucher, covered }: Covered) => {
  const { held_voucher_id, coupon_code } = voucher;
  return { held_voucher_id, coupon_code, covered };
};
