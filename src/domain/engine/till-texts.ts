/** The words for a cashier that a till shows, each short enough for a line of its screen. In English. */
import { type Currency, moneyText } from "../amount-text.ts";

/** The most characters of such a line. */
export const mostShownCharacters = 40;

/** A text that fits into such a line. No character is cut in two. */
export function shortText(text: string): string {
  if (text.length <= mostShownCharacters) return text;
  let short = "";
  for (const character of text) {
    if (short.length + character.length >= mostShownCharacters) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}

/** A number of things: 1 point, 2 points. */
export const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;

/** The reasons whose words follow from their values, by their codes. The others bring their text along. */
interface ToSay {
  readonly earned: { readonly points: number; readonly base: number };
  readonly earned_by_rate: {
    readonly points: number;
    readonly base: number;
    readonly units: number;
    readonly earn_amount: number | null;
  };
  readonly capped: { readonly period: "order" | "day" | "month"; readonly maximum: number };
  readonly lines_excluded: { readonly amount: number };
  readonly below_minimum: { readonly minimum: number };
  readonly rewards_off: object;
  readonly no_program: object;
  readonly program_without_rate: object;
  readonly pending_until: { readonly day: string };
  readonly voucher_lapses: { readonly unused: number };
  readonly owed: { readonly points: number };
  readonly points_cannot_pay: object;
  readonly too_few_points: { readonly minimum_points: number };
  readonly sale_too_small: { readonly fewest_points_amount: number };
}

const periods = { order: "a sale", day: "a day", month: "a month" } as const;

const words: { readonly [Code in keyof ToSay]: (reason: ToSay[Code], currency: Currency) => string } = {
  earned: ({ points, base }, currency) => `${counted(points, "point")} for ${moneyText(base, currency)}`,
  earned_by_rate: ({ points, base, units, earn_amount }, currency) =>
    `${counted(points, "point")} for ${earn_amount === null ? counted(units, "unit") : moneyText(base, currency)}`,
  capped: ({ period, maximum }) => `At most ${counted(maximum, "point")} ${periods[period]}`,
  lines_excluded: ({ amount }, currency) => `No points for ${moneyText(amount, currency)}`,
  below_minimum: ({ minimum }, currency) => `No points below ${moneyText(minimum, currency)}`,
  rewards_off: () => "Points are off",
  no_program: () => "No points for this member or card",
  program_without_rate: () => "No points: the program has no rate",
  pending_until: ({ day }) => `Points can be spent from ${day}`,
  voucher_lapses: ({ unused }, currency) => `${moneyText(unused, currency)} of the vouchers is lost`,
  owed: ({ points }) => `${counted(points, "point")} ${points === 1 ? "pays" : "pay"} what is owed`,
  points_cannot_pay: () => "Points can't pay here",
  too_few_points: ({ minimum_points }) => `Points can pay from ${counted(minimum_points, "point")} on`,
  sale_too_small: ({ fewest_points_amount }, currency) =>
    `Points can pay from ${moneyText(fewest_points_amount, currency)} on`,
};

type Said = { [Code in keyof ToSay]: { readonly code: Code } & ToSay[Code] }[keyof ToSay];
interface WithText {
  readonly text: string;
}

/** Adds what a till shows of a reason, unless it has a text. */
export function withText<Reason extends Said | WithText>(reason: Reason, currency: Currency) {
  if ("text" in reason) return reason as Reason & WithText;
  const say = words[reason.code] as (one: Said, currency: Currency) => string;
  return { ...reason, text: shortText(say(reason, currency)) };
}
