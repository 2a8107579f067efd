/**
 * The points that the lines of a sale earn by its rates: the program's own, and those of some articles and categories.
 *
 * Lines with equal rates are a group, and the points of each group are rounded down. So the order of lines does not matter, and a
 * refund of one line does not change what others earn.
 */
import type { EarningRate, LineRate, Sale } from "../../records.ts";
import type { measureLines } from "../lines.ts";
import { share } from "../rules.ts";

type Measured = ReturnType<typeof measureLines>;

/** Lines that earn by one rate. */
interface RateGroup {
  /** Undefined: the program's own. */
  readonly rate: LineRate | undefined;
  /** The numbers of the lines; null: all of the sale. */
  readonly lines: readonly number[] | null;
}

/** What a group earns, before the maximum of an order. */
export interface RatedPart extends Pick<RateGroup, "rate"> {
  readonly base: number;
  /** Of a rate of lines: their quantity. */
  readonly units: number;
  readonly points: number;
}

/** The group of a sale whose lines have no rates of their own. */
const wholeSale: readonly RateGroup[] = [{ rate: undefined, lines: null }];

type Lines = Pick<Sale, "receipt_lines">;

/** The groups of a sale, always in the same order. */
function rateGroups({ receipt_lines: lines }: Lines): readonly RateGroup[] {
  if (!hasLineRates(lines)) return wholeSale;
  const groups = new Map<string, { rate: LineRate | undefined; lines: number[] }>();
  for (const [index, { earns, rate }] of lines.entries()) {
    if (!earns) continue;
    const key = rate === undefined ? "" : `${rate.earn_points} ${rate.earn_amount}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { rate, lines: [index + 1] });
    else known.lines.push(index + 1);
  }
  const order = ({ rate }: RateGroup) => [rate?.earn_points ?? 0, rate?.earn_amount ?? 0] as const;
  return [...groups.values()].sort((one, other) => {
    const [[points, amount], [otherPoints, otherAmount]] = [order(one), order(other)];
    return points - otherPoints || amount - otherAmount;
  });
}

/** Whether a line that earns has a rate of its own. */
const hasLineRates = (lines: Lines["receipt_lines"]): lines is NonNullable<typeof lines> =>
  lines?.some(({ earns, rate }) => earns && rate !== undefined) ?? false;

/** Whether a sale has a rate: its program's, or one of a line. */
export const isRated = (sale: Lines & Pick<EarningRate, "earn_points">) =>
  sale.earn_points > 0 || hasLineRates(sale.receipt_lines);

/** What each group earns on what refunds have left of its lines, before the maximum of an order. */
export function ratedParts(sale: Lines & EarningRate, measured: Measured): RatedPart[] {
  const isBelow = measured.baseOf(null) < sale.earn_minimum_amount;
  return rateGroups(sale).map(({ rate, lines }) => {
    const base = measured.baseOf(lines);
    const units = rate === undefined ? 0 : measured.unitsOf(lines);
    const { earn_points, earn_amount } = rate ?? sale;
    const points =
      isBelow || base === 0
        ? 0
        : earn_amount === null
          ? earn_points * units
          : share(base, earn_points, earn_amount);
    return { rate, base, units, points };
  });
}

/**
 * Makes functions for the points of a factor on some lines, in hundredths: `add` adds them to those before, and in each group, all factors
 * are added up before they are rounded down; `alone` rounds those of one factor up.
 */
export function multiplying(sale: Lines & EarningRate & Pick<Sale, "earning_base">, measured: Measured) {
  const { whole, leftOf, unitsOf, baseOf } = measured;
  const groups = rateGroups(sale).map(({ rate, lines }) => {
    const { earn_points, earn_amount } = rate ?? sale;
    const isByUnit = earn_amount === null;
    return {
      within: lines && new Set(lines),
      weightOf: isByUnit ? unitsOf : leftOf,
      factor:
        BigInt(earn_points) * (isByUnit ? BigInt(Math.min(1, baseOf(lines))) : BigInt(sale.earning_base)),
      divisor: isByUnit ? 100n : BigInt(whole) * BigInt(earn_amount) * 100n,
      weighted: 0n,
      points: 0,
    };
  });
  const weightIn = (
    { within, weightOf }: (typeof groups)[number],
    lines: readonly number[] | null,
    multiply: number,
  ) => {
    const own = within && lines ? lines.filter((line) => within.has(line)) : lines;
    return BigInt(weightOf(own)) * BigInt(multiply - 100);
  };
  return {
    add(lines: readonly number[] | null, multiply: number): number {
      let added = 0;
      for (const group of groups) {
        const before = group.points;
        group.weighted += weightIn(group, lines, multiply);
        group.points = Number((group.factor * group.weighted) / group.divisor);
        added += group.points - before;
      }
      return added;
    },
    alone(lines: readonly number[] | null, multiply: number): number {
      return groups.reduce((sum, group) => {
        const weighted = group.factor * weightIn(group, lines, multiply);
        return sum + Number((weighted + group.divisor - 1n) / group.divisor);
      }, 0);
    },
  };
}
