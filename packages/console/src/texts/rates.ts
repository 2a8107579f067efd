/** What a program does with some lines, in words: "cosmetics: 5 points for each 1.00 EUR, so 10.00 EUR earns 50". */
import type { DataOf } from "../api/declarations.ts";
import { decimalText } from "./decimals.ts";
import { texts } from "./en/texts.ts";

type Program = Partial<DataOf<"/op/programs/list">>;
type Rate = NonNullable<Program["rates"]>[number];
type Money = (amount: number) => string;

const units = 3;
const number = (count: number) => decimalText(count, 0);

/** A rate without an amount is for each unit. */
export function rateText(earn_points: number, earn_amount: number | null | undefined, money: Money): string {
  const { eachAmount, eachUnit } = texts.programs.rate;
  return earn_amount ? eachAmount(earn_points, money(earn_amount)) : eachUnit(earn_points);
}

function ownRateText(rate: Rate, money: Money, example: number): string {
  const { categories = [], skus = [], earn_points: points, earn_amount, earn_per } = rate;
  const { ofLines, ofAmount, ofUnits } = texts.programs.rate;
  if (!earn_per && earn_amount === undefined) return "";
  const earned = earn_amount ? Math.floor((example * points) / earn_amount) : points * units;
  const of = earn_amount ? ofAmount(money(example), number(earned)) : ofUnits(units, number(earned));
  return ofLines([...categories, ...skus].join(", "), rateText(points, earn_amount, money), of);
}

/** @param of an amount as an example, such as ten units of the currency */
export function programText(program: Program, money: Money, of: { readonly example: number }): string {
  const { rates = [], excluded_categories = [], excluded_skus = [], excluded_from_payment = [] } = program;
  const { earnsNothing, paidWithMoney } = texts.programs;
  const excluded = [...excluded_categories, ...excluded_skus].join(", ");
  const unpaid = excluded_from_payment.join(", ");
  const words = rates.map((rate) => ownRateText(rate, money, of.example));
  return [...words, excluded && earnsNothing(excluded), unpaid && paidWithMoney(unpaid)]
    .filter(Boolean)
    .join("\n");
}
