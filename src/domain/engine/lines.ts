/**
 * The lines of a receipt: which of them earn, which of them points and vouchers can pay, and refunds by line.
 *
 * A sale keeps what refunds of lines cover of their amounts, and the total that was refunded. A refund of an amount of the sale falls
 * on what is left of all lines, in proportion. So the rest of a line is a part of the rest of the sale: that of its uncovered amount
 * in all uncovered amounts. A refund of a line rounds down what it covers and rounds up what it gives back. So the rest of the sale,
 * divided by the uncovered amounts, never grows, and no refund adds points.
 */
import type { RefundedLine, Sale, SaleLine } from "../records.ts";
import { reject } from "../rejection.ts";
import { nameKey } from "../text.ts";

/** The most lines of a receipt. */
export const mostSaleLines = 200;

/** A line, as a till sends it. */
export interface LineInput {
  readonly sku?: string | undefined;
  readonly category?: string | undefined;
  /** 1 when absent. */
  readonly quantity?: number | undefined;
  readonly amount: number;
}

/** What a program leaves out, in the words of the callers. */
export interface Exclusions {
  /** Lines of these categories and articles earn nothing. */
  readonly excluded_categories: string[];
  readonly excluded_skus: string[];
  /** Points and vouchers can't pay lines of these categories. */
  readonly excluded_from_payment: string[];
}

export const noExclusions: Exclusions = {
  excluded_categories: [],
  excluded_skus: [],
  excluded_from_payment: [],
};

type Words = Pick<SaleLine, "sku" | "category"> | LineInput;

/** Makes a function that says whether a line has one of some words. */
function having(field: "sku" | "category", words: readonly string[]) {
  const keys = new Set(words.map(nameKey));
  return (line: Words) => {
    const word = line[field];
    return keys.size > 0 && word != null && keys.has(nameKey(word));
  };
}

const sumOf = (lines: readonly { readonly amount: number }[]) =>
  lines.reduce((sum, { amount }) => sum + amount, 0);

/** The amount of the lines that points and vouchers can pay. */
export function payableOf(lines: readonly LineInput[], { excluded_from_payment }: Exclusions): number {
  const isExcluded = having("category", excluded_from_payment);
  return sumOf(lines.filter((line) => !isExcluded(line)));
}

/** Says of lines whether they earn. */
export function withEarning<Line extends Words>(lines: readonly Line[], exclusions: Exclusions) {
  const hasCategory = having("category", exclusions.excluded_categories);
  const hasSku = having("sku", exclusions.excluded_skus);
  return lines.map((line) => ({ ...line, earns: !hasCategory(line) && !hasSku(line) }));
}

/** The amount of the lines that earn. */
export const earningAmount = (lines: readonly Pick<SaleLine, "amount" | "earns">[]) =>
  sumOf(lines.filter(({ earns }) => earns));

/** The lines of a new sale. */
export function newLines(lines: readonly LineInput[], exclusions: Exclusions): SaleLine[] {
  return withEarning(lines, exclusions).map(
    ({ sku = null, category = null, quantity = 1, amount, earns }) => {
      return { sku, category, quantity, amount, earns, covered: 0, returned: 0 };
    },
  );
}

/**
 * Divides the base of a sale among the lines that earn, in proportion to their amounts. The parts add up to the base.
 * @returns the part of each line; 0 for one that does not earn
 */
export function divideBase(base: number, lines: readonly SaleLine[]): number[] {
  const all = earningAmount(lines);
  let [through, given] = [0, 0];
  return lines.map(({ amount, earns }) => {
    if (!earns) return 0;
    through += amount;
    const share = part(base, through, all) - given;
    given += share;
    return share;
  });
}

/** A proportional part, rounded down; 0 of nothing. */
const part = (of: number, some: number, all: number) =>
  all === 0 ? 0 : Number((BigInt(of) * BigInt(some)) / BigInt(all));
/** The same, rounded up. */
const partUp = (of: number, some: number, all: number) =>
  all === 0 ? 0 : Number((BigInt(of) * BigInt(some) + BigInt(all) - 1n) / BigInt(all));

const uncoveredOf = ({ amount, covered }: SaleLine) => amount - covered;
const uncoveredIn = (lines: readonly SaleLine[]) => lines.reduce((sum, line) => sum + uncoveredOf(line), 0);

type Refunded = Pick<Sale, "amount" | "refunded" | "lines">;

/** The part of a sale's earning base that refunds have left. */
export function baseLeft({
  amount,
  refunded,
  lines,
  earning_base,
}: Refunded & Pick<Sale, "earning_base">): number {
  const rest = amount - refunded;
  if (lines === null) return part(earning_base, rest, amount);
  const earning = lines.filter(({ earns }) => earns);
  const whole = BigInt(sumOf(earning)) * BigInt(uncoveredIn(lines));
  if (whole === 0n) return 0;
  return Number((BigInt(earning_base) * BigInt(uncoveredIn(earning)) * BigInt(rest)) / whole);
}

/** What can be refunded of each line of a sale. */
export function refundableLines({ amount, refunded }: Refunded, lines: readonly SaleLine[]): number[] {
  const rest = amount - refunded;
  const uncovered = uncoveredIn(lines);
  return lines.map((line) => partUp(uncoveredOf(line), rest, uncovered));
}

/** A line to refund: some of its quantity, an amount, or the rest of it. */
export interface LineRefund {
  readonly line_no: number;
  readonly quantity?: number | undefined;
  readonly amount?: number | undefined;
}

/** Decides what a refund of lines gives back. @returns the lines afterwards, and the amount of the refund */
export function refundLines(sale: Refunded, wanted: readonly LineRefund[]) {
  if (sale.lines === null)
    return notLines("lines", "is not possible, because the sale was recorded without lines");
  let [lines, refunded]: [readonly SaleLine[], number] = [sale.lines, sale.refunded];
  const lines_back: RefundedLine[] = [];
  for (const one of [...wanted].sort((a, b) => a.line_no - b.line_no)) {
    const line = lines[one.line_no - 1];
    if (line === undefined) {
      const field = `lines.${wanted.indexOf(one)}.line_no`;
      return notLines(
        field,
        `must be the number of a line of the sale, which has lines 1 to ${lines.length}`,
      );
    }
    const [rest, uncovered] = [sale.amount - refunded, uncoveredIn(lines)];
    const refundable = partUp(uncoveredOf(line), rest, uncovered);
    const back = refundLine(line, one, { refundable, rest, uncovered });
    if (back === undefined) {
      const left = one.quantity === undefined ? { refundable } : { refundable, quantity: unitsLeft(line) };
      return reject("refund_exceeds_sale", { ...left, line_no: one.line_no });
    }
    refunded += back.amount;
    lines = lines.with(one.line_no - 1, back.line);
    lines_back.push({ line_no: one.line_no, quantity_back: back.quantity, amount: back.amount });
  }
  return { lines, amount: refunded - sale.refunded, lines_back };
}

const unitsLeft = ({ quantity, returned }: SaleLine) => quantity - returned;

const notLines = (field: string, problem: string) =>
  reject("validation_failed", {
    errors: [{ field, code: "not_allowed_value", message: `${field} ${problem}.` }],
  });

type Left = Readonly<{ refundable: number; rest: number; uncovered: number }>;

/** @returns undefined when less is left of the line */
function refundLine(line: SaleLine, { quantity, amount }: LineRefund, { refundable, rest, uncovered }: Left) {
  const open = uncoveredOf(line);
  const isDone = line.amount > 0 && open === 0;
  if (amount !== undefined) {
    if (amount > refundable) return undefined;
    const covers = Math.min(open, part(amount, uncovered, rest));
    return { line: { ...line, covered: line.covered + covers }, quantity: null, amount };
  }
  const units = quantity ?? unitsLeft(line);
  if (isDone || units === 0 || units > unitsLeft(line)) return undefined;
  const returned = line.returned + units;
  const covered = coveredByUnits(line, returned);
  const back = partUp(covered - line.covered, rest, uncovered);
  return { line: { ...line, covered, returned }, quantity: units, amount: back };
}

/**
 * What is covered of a line when some of its quantity has come back. As long as only units came back, it is their part of the
 * amount, so that two refunds of one unit give as much as one of two. After a refund of an amount, it is their part of the rest.
 */
function coveredByUnits(line: SaleLine, returned: number): number {
  const { amount, quantity, covered } = line;
  if (covered === part(amount, line.returned, quantity)) return part(amount, returned, quantity);
  return covered + part(amount - covered, returned - line.returned, unitsLeft(line));
}
