/**
 * The lines of a receipt: which of them earn, which of them points and vouchers can pay, and refunds by line.
 *
 * What is left of each line decides what a sale still earns. A refund of a line lowers what is left of it. A refund of an amount
 * falls on all lines, in proportion to what was left of them after the last refund of lines, so that it does not matter how an
 * amount is cut. A sale keeps two things for that: what was covered of each line then, and the total that was refunded.
 */
import type { LineRate, RefundedLine, Sale, SaleLine } from "../records.ts";
import { reject } from "../rejection.ts";
import { nameKey } from "../text.ts";
import { type LineRules, type ProgramRate, share } from "./rules.ts";

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

type Words = Pick<SaleLine, "sku" | "category"> | LineInput;

/** The words of a line in the form in which they are compared. */
const keysOf = ({ sku, category }: Words) => ({
  sku: sku == null ? undefined : nameKey(sku),
  category: category == null ? undefined : nameKey(category),
});

/** Makes a function that says whether a line has one of some articles or categories, by the keys of its words. */
function havingOneOf({ skus, categories }: Record<"skus" | "categories", readonly string[]>) {
  const [ofSku, ofCategory] = [new Set(skus.map(nameKey)), new Set(categories.map(nameKey))];
  return ({ sku = "", category = "" }: ReturnType<typeof keysOf>) =>
    ofSku.has(sku) || ofCategory.has(category);
}

const none: number[] = [];

/** Makes a function that finds which lines have one of some articles or categories. @returns their places, from 0 */
export function lineFinder(lines: readonly Words[]) {
  const [bySku, byCategory] = [new Map<string, number[]>(), new Map<string, number[]>()];
  const add = (places: Map<string, number[]>, key: string | undefined, index: number) => {
    if (key === undefined) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  };
  for (const [index, line] of lines.entries()) {
    const { sku, category } = keysOf(line);
    add(bySku, sku, index);
    add(byCategory, category, index);
  }
  return ({ skus, categories }: Record<"skus" | "categories", readonly string[]>) => {
    const found: number[][] = [];
    for (const sku of skus) found.push(bySku.get(nameKey(sku)) ?? none);
    for (const category of categories) found.push(byCategory.get(nameKey(category)) ?? none);
    const [first = none, ...others] = found.filter((places) => places.length > 0);
    return others.length === 0 ? [...first] : [...new Set(found.flat())].sort((one, other) => one - other);
  };
}

export const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** What points and vouchers can pay of each line. */
export function payableLinesOf(lines: readonly LineInput[], { excluded_from_payment }: LineRules): number[] {
  if (excluded_from_payment.length === 0) return lines.map(({ amount }) => amount);
  const isExcluded = havingOneOf({ skus: [], categories: excluded_from_payment });
  return lines.map((line) => (isExcluded(keysOf(line)) ? 0 : line.amount));
}

type LineEarning = Pick<SaleLine, "earns" | "rate">;

/** Makes a function that says of a line whether it earns, and by which rate if not by that of the program. */
export function earningOfLines(program: LineRules): (line: Words) => LineEarning {
  const { excluded_skus: skus, excluded_categories: categories, rates } = program;
  if (skus.length + categories.length + rates.length === 0) return () => ({ earns: true });
  const [isExcluded, rateOf] = [havingOneOf({ skus, categories }), rateFinder(rates)];
  return (line) => {
    const keys = keysOf(line);
    return { earns: !isExcluded(keys), rate: rateOf(keys) };
  };
}

/** Makes a function that finds the first of some rates that matches a line. */
function rateFinder(rates: readonly ProgramRate[]) {
  const finders = rates.map(({ skus = [], categories = [], earn_points, earn_amount = null }) => {
    return { matches: havingOneOf({ skus, categories }), rate: { earn_points, earn_amount } };
  });
  return (keys: ReturnType<typeof keysOf>): LineRate | undefined =>
    finders.find(({ matches }) => matches(keys))?.rate;
}

/** The amount of the lines that earn. */
export const earningAmount = (lines: readonly Pick<SaleLine, "amount" | "earns">[]) =>
  sumOf(lines.filter(({ earns }) => earns).map(({ amount }) => amount));

/** Says of recorded lines how they would earn. One without words, as after an erasure, stays as it is. */
export function reconsidered(lines: readonly SaleLine[], program: LineRules): SaleLine[] {
  const isNamed = ({ sku, category }: SaleLine) => sku !== null || category !== null;
  const earningOf = earningOfLines(program);
  return lines.map((line) => {
    if (!isNamed(line)) return line;
    const { earns, rate } = earningOf(line);
    return { ...line, earns, rate };
  });
}

/** The lines of a new sale. */
export function newLines(lines: readonly LineInput[], program: LineRules): SaleLine[] {
  const earningOf = earningOfLines(program);
  return lines.map((line) => {
    const { sku = null, category = null, quantity = 1, amount } = line;
    const { earns, rate } = earningOf(line);
    const made = { sku, category, quantity, amount, earns, covered: 0, returned: 0, free: 0 };
    return rate === undefined ? made : { ...made, rate };
  });
}

/** Says of lines of which vouchers for an article paid units. @param numbers those of the lines, each once for each unit */
export function withFreeUnits(lines: readonly SaleLine[] | null, numbers: readonly number[]) {
  if (lines === null || numbers.length === 0) return lines;
  return lines.map((line, index) => {
    const free = numbers.filter((line_no) => line_no === index + 1).length;
    return free === 0 ? line : { ...line, free };
  });
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
    const own = share(base, through, all) - given;
    given += own;
    return own;
  });
}

/** The lines of a sale before its refunds. */
export const withoutRefunds = (lines: readonly SaleLine[] | null) =>
  lines === null ? null : lines.map((line) => ({ ...line, covered: 0, returned: 0 }));

type Refunded = Pick<Sale, "amount" | "refunded" | "receipt_lines">;

/**
 * Divides an amount among lines by the method of D'Hondt: in proportion to what is left of them, and each unit that rounding leaves
 * goes to the line that has the most for each unit it would have then. So a larger amount is never less for a line.
 * @param left what is left of each line
 * @param amount at most their sum
 */
export function divide(left: readonly number[], amount: number): number[] {
  const all = sumOf(left);
  const shares = left.map((open) => share(amount, open, all));
  for (let rest = amount - sumOf(shares); rest > 0; rest -= 1) {
    // open / (share + 1) is compared without division, because the quotients may not be exact numbers.
    const isMore = (one: number, other: number) =>
      isGreater(left[one] ?? 0, (shares[other] ?? 0) + 1, left[other] ?? 0, (shares[one] ?? 0) + 1);
    const next = left.reduce((best, _, index) => (isMore(index, best) ? index : best), 0);
    shares[next] = (shares[next] ?? 0) + 1;
  }
  return shares;
}

/** Whether a × b is greater than c × d. A refund of 200 lines takes a tenth of the time without big integers. */
function isGreater(a: number, b: number, c: number, d: number): boolean {
  const [one, other] = [a * b, c * d];
  if (one <= Number.MAX_SAFE_INTEGER && other <= Number.MAX_SAFE_INTEGER) return one > other;
  return BigInt(a) * BigInt(b) > BigInt(c) * BigInt(d);
}

/** The lines of a sale with all that its refunds cover of them. */
export function coveredLines({ refunded }: Pick<Sale, "refunded">, lines: readonly SaleLine[]): SaleLine[] {
  const byAmount = refunded - sumOf(lines.map(({ covered }) => covered));
  if (byAmount === 0) return [...lines];
  const shares = divide(lines.map(leftOfLine), byAmount);
  return lines.map((line, index) => ({ ...line, covered: line.covered + (shares[index] ?? 0) }));
}

/** What can be refunded of a line, with all that is covered of it. */
export const leftOfLine = ({ amount, covered }: SaleLine) => amount - covered;

/**
 * How many units of a line were bought and not given back. A unit is given back when more than half of its part of the amount is
 * covered, so that it does not matter whether a refund named units or an amount, and a small amount takes no unit.
 * @param line with all that is covered of it
 */
export function unitsKept(line: SaleLine): number {
  const { amount, quantity, returned, free } = line;
  const halves = share(leftOfLine(line), 2 * quantity, amount);
  const kept = amount === 0 ? quantity - returned : Math.floor((halves + 1) / 2);
  return Math.max(0, kept - free);
}

/** What refunds have left of a line that earns. A sale without lines is one line, without units. */
interface LinePart {
  readonly amount: number;
  readonly left: number;
  readonly units: number;
}

function partsLeft(sale: Refunded): LinePart[] {
  const { amount, refunded, receipt_lines: lines } = sale;
  if (lines === null) return [{ amount, left: amount - refunded, units: 0 }];
  return coveredLines(sale, lines).map((line) => {
    const { amount, earns } = line;
    if (!earns || amount === 0) return { amount: 0, left: 0, units: 0 };
    return { amount, left: leftOfLine(line), units: unitsKept(line) };
  });
}

/** What refunds have left of some lines of a sale that earn. Lines are given by their numbers; null: all. */
export function measureLines(sale: Refunded & Pick<Sale, "earning_base">) {
  const parts = partsLeft(sale);
  const sumsOf = (value: (part: LinePart) => number) => {
    // Promotions share lists of lines, and each is asked for several times.
    let [all, known]: [number?, Map<readonly number[], number>?] = [];
    return (lines: readonly number[] | null) => {
      all ??= sumOf(parts.map(value));
      if (lines === null) return all;
      known ??= new Map();
      const sum =
        known.get(lines) ?? lines.reduce((so, line_no) => so + value(parts[line_no - 1] as LinePart), 0);
      known.set(lines, sum);
      return sum;
    };
  };
  const whole = sumOf(parts.map(({ amount }) => amount));
  const leftOf = sumsOf(({ left }) => left);
  return {
    /** The amount of all lines that earn. */
    whole,
    leftOf,
    unitsOf: sumsOf(({ units }) => units),
    /** The part of the base of the sale. */
    baseOf: (lines: readonly number[] | null) => share(sale.earning_base, leftOf(lines), whole),
  };
}

/** A line to refund: some of its quantity, an amount, or the rest of it. */
export interface LineRefund {
  readonly line_no: number;
  readonly quantity?: number | undefined;
  readonly amount?: number | undefined;
}

/** Decides what a refund of lines gives back. @returns the lines afterwards, and the amount of the refund */
export function refundLines(sale: Refunded, wanted: readonly LineRefund[]) {
  if (sale.receipt_lines === null)
    return notLines("lines", "is not possible, because the sale was recorded without lines");
  const lines = coveredLines(sale, sale.receipt_lines);
  const lines_back: RefundedLine[] = [];
  for (const [index, one] of wanted.entries()) {
    const { line_no, quantity } = one;
    const line = lines[line_no - 1];
    if (line === undefined) {
      const problem = `must be the number of a line of the sale, which has lines 1 to ${lines.length}`;
      return notLines(`lines.${index}.line_no`, problem);
    }
    const back = refundLine(line, one);
    if (back === undefined) {
      const left = {
        refundable: leftOfLine(line),
        ...(quantity !== undefined && { quantity: unitsLeft(line) }),
      };
      return reject("refund_exceeds_sale", { ...left, line_no });
    }
    lines[line_no - 1] = back;
    const quantity_back = one.amount === undefined ? back.returned - line.returned : null;
    lines_back.push({ line_no, quantity_back, amount: back.covered - line.covered });
  }
  return { receipt_lines: lines, amount: sumOf(lines_back.map(({ amount }) => amount)), lines_back };
}

const unitsLeft = ({ quantity, returned }: SaleLine) => quantity - returned;

const notLines = (field: string, problem: string) =>
  reject("validation_failed", {
    errors: [{ field, code: "not_allowed_value", message: `${field} ${problem}.` }],
  });

/** A free line, or so little of a quantity that its part of the amount is rounded down to nothing. */
export const worthNothing = () =>
  notLines(
    "lines",
    "must name more: what they name is worth less than the smallest amount of money. Name a free line together with one that was paid",
  );

/** @returns the line afterwards; undefined when less is left of it */
function refundLine(line: SaleLine, { quantity, amount }: LineRefund): SaleLine | undefined {
  const left = leftOfLine(line);
  if (amount !== undefined) return amount > left ? undefined : { ...line, covered: line.covered + amount };
  const units = quantity ?? unitsLeft(line);
  const isDone = line.amount > 0 && left === 0;
  if (isDone || units === 0 || units > unitsLeft(line)) return undefined;
  const returned = line.returned + units;
  return { ...line, returned, covered: coveredByUnits(line, returned) };
}

/**
 * What is covered of a line when some of its quantity has come back. As long as only units came back, it is their part of the
 * amount, so that two refunds of one unit give as much as one of two. After a refund of an amount, it is their part of the rest.
 */
function coveredByUnits(line: SaleLine, returned: number): number {
  const { amount, quantity, covered } = line;
  if (covered === share(amount, line.returned, quantity)) return share(amount, returned, quantity);
  return covered + share(amount - covered, returned - line.returned, unitsLeft(line));
}
