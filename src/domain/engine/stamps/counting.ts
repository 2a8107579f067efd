/**
 * How many stamps a sale gives on stamp cards, and how many of them its refunds leave. Both are counted on what is left of each line,
 * so that it does not matter how a refund is cut.
 */
import type { Sale, SaleGrant, SaleLine, SaleStamps } from "../../records.ts";
import { coveredLines, leftOfLine, type lineFinder, unitsKept } from "../lines.ts";
import { mostPromotions } from "../promotions/acting.ts";
import { type StampCard, share } from "../rules.ts";

/** The most stamp cards of a business that have not ended. */
export const mostStampCards = 50;
/** The most stamps that one sale gives on a card, so that it issues a limited number of vouchers. */
export const mostStampsOfSale = 100;
/** The fewest stamps for which a card gives a voucher. */
const fewestStampsNeeded = 2;
/** The most vouchers that promotions and stamp cards give for a sale. */
export const mostVouchersOfSale = mostPromotions + (mostStampCards * mostStampsOfSale) / fewestStampsNeeded;

type Stamped = Pick<Sale, "amount" | "refunded" | "receipt_lines" | "voucher_amount">;
type Own = NonNullable<SaleStamps["own"]>;

/** The lines of a new sale that count for a card. A free line counts if the card says so. @returns undefined if there are none */
export function linesThatCount(
  card: Pick<StampCard, "skus" | "categories" | "counts" | "counts_free_lines">,
  lines: readonly SaleLine[] | null,
  find: ReturnType<typeof lineFinder>,
): Own["lines"] | undefined {
  const { skus, categories, counts, counts_free_lines } = card;
  const isAny = skus.length + categories.length === 0;
  if (isAny && counts === "visit") return null;
  if (lines === null) return undefined;
  const places = isAny
    ? lines.map((_, index) => index)
    : find({ skus: [...skus], categories: [...categories] });
  const isCounted = (index: number) => counts_free_lines || (lines[index]?.amount ?? 0) > 0;
  const numbers = places.filter(isCounted).map((index) => index + 1);
  return numbers.length === 0 ? undefined : numbers;
}

/** Makes a function that counts the stamps of a card on what refunds have left of a sale, without those of promotions. */
export function stampCounter(sale: Stamped) {
  const { amount, refunded, voucher_amount, receipt_lines } = sale;
  const left = amount - refunded;
  // What vouchers paid is given, not bought.
  const paid = share(amount - voucher_amount, left, amount);
  const lines = receipt_lines && coveredLines(sale, receipt_lines);
  return (own: SaleStamps["own"]): number => {
    if (own === null) return 0;
    const { counts, minimum_amount } = own;
    const counted = own.lines?.map((line_no) => lines?.[line_no - 1] as SaleLine) ?? null;
    const ofLines = counted === null ? left : counted.reduce((sum, line) => sum + leftOfLine(line), 0);
    if (paid === 0 || Math.min(ofLines, paid) < minimum_amount) return 0;
    const units = (counted ?? []).reduce((sum, line) => sum + unitsKept(line), 0);
    return counts === "unit" ? units : Number(ofLines + units > 0);
  };
}

/** The stamps that promotions give on a card. */
const promoted = (grants: readonly SaleGrant[] | null, id: number) =>
  (grants ?? []).reduce(
    (sum, one) => (one.stamp_card_id === id && one.keeps_stamps ? sum + one.stamps : sum),
    0,
  );

type Count = ReturnType<typeof stampCounter>;

/** The stamps of a new sale on a card. @param count made for the sale */
export function countStamps(
  { grants }: Pick<Sale, "grants">,
  id: number,
  own: SaleStamps["own"],
  count: Count,
): number {
  return Math.min(mostStampsOfSale, count(own) + promoted(grants, id));
}

/** The stamps of a sale, with what its refunds leave of them. @param count made for the sale */
export function stampsKept({ stamps, ...sale }: Pick<Sale, "grants" | "stamps">, count: Count) {
  if (stamps === null) return null;
  return stamps.map((one): SaleStamps => {
    const kept = count(one.own) + promoted(sale.grants, one.stamp_card_id);
    return { ...one, left: Math.min(one.left, kept) };
  });
}

/** Whether a sale has a visit, which counts for the limit of its day. @param count made for the sale */
export const hasVisit = (count: Count, own: SaleStamps["own"]) => own?.counts === "visit" && count(own) > 0;
