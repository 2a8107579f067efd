/** What a rate of a program gives, in words: "cosmetics: 5 points for each 1.00, so 10.00 earns 50". */
import type { DataOf } from "../api/declarations.ts";
import { decimalText } from "./decimals.ts";
import { texts } from "./en.ts";

type Rate = DataOf<"/op/programs/list">["rates"][number];

const units = 3;

/** @param example an amount, such as ten units of the currency */
export function rateText(rate: Rate, money: (amount: number) => string, example: number): string {
  const { categories = [], skus = [], earn_points: points, earn_amount, earn_per } = rate;
  const words = texts.programs.rate;
  const number = (count: number) => decimalText(count, 0);
  const lines = [...categories, ...skus].join(", ");
  if (earn_per) return words.eachUnit(lines, number(points), units, number(points * units));
  if (earn_amount === undefined) return "";
  const earned = Math.floor((example * points) / earn_amount);
  return words.eachAmount(lines, number(points), money(earn_amount), money(example), number(earned));
}
