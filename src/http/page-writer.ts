/** How amounts, numbers and days are written on members' pages and passes, by language. */
import type { MemberPage } from "../contract/member-page.ts";
import { filled, type PageLanguage, textsIn } from "./member-page-texts.ts";

export function pageWriter(
  { country, currency, currency_decimals }: MemberPage["business"],
  language: PageLanguage,
) {
  const locale = country === null ? language : `${language}-${country}`;
  const digits = { minimumFractionDigits: currency_decimals, maximumFractionDigits: currency_decimals };
  const money = new Intl.NumberFormat(locale, { style: "currency", currency, ...digits });
  const number = new Intl.NumberFormat(locale);
  const { day, months } = textsIn(language);
  return {
    money: (amount: number) => money.format(amount / 10 ** currency_decimals),
    number: (value: number) => number.format(value),
    /** @param text YYYY-MM-DD, or a time of this day in the zone of the business */
    day: (text: string) => {
      const [year = "", month, date] = text.slice(0, 10).split("-");
      return filled(day, String(Number(date)), months[Number(month) - 1] ?? "", year);
    },
  };
}

export type PageWriter = ReturnType<typeof pageWriter>;
