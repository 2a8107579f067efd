/** What a promotion does, in words: "Double points · Tue 14:00–17:00 · coffee". */
import type { DataOf } from "../api/declarations.ts";
import { weekdays } from "./codes.ts";
import { dayText } from "./dates.ts";
import { decimalText, editedDecimal } from "./decimals.ts";
import { promotionTexts as t } from "./en/promotions.ts";

type Promotion = Partial<DataOf<"/op/promotions/get">>;
type NameOf = (id: number) => string;

const number = (value: number) => decimalText(value, 0);

/** @param one all of it, or what is written in a form so far @param names by the numbers of records */
export function promotionText(
  one: Promotion,
  money: (amount: number) => string,
  names: Readonly<Record<"location_ids" | "tier_ids" | "voucher_id" | "stamp_card_id", NameOf>>,
): string {
  const named = (field: keyof typeof names) =>
    [one[field] ?? []].flat().map(names[field]).filter(Boolean).join(", ");
  const { categories = [], skus = [], minimum_amount, minimum_quantity, member = "any", exclusive } = one;
  const { most_per_member, most_per_member_day, budget_points } = one;
  const words = [
    grantText(one),
    named("voucher_id") && t.voucher(named("voucher_id")),
    named("stamp_card_id") && t.stamps(one.stamps ?? 1, named("stamp_card_id")),
    daysText(one),
    timesText(one),
    [...categories, ...skus].join(", "),
    minimum_amount && t.leastAmount(money(minimum_amount)),
    minimum_quantity && t.leastQuantity(minimum_quantity),
    t.members[member](one.member_days ?? 0),
    named("tier_ids"),
    named("location_ids"),
    most_per_member && t.mostPerMember(number(most_per_member)),
    most_per_member_day && t.mostPerDay(number(most_per_member_day)),
    budget_points && t.budget(budget_points),
    exclusive && t.exclusive,
  ];
  return words.filter(Boolean).join(" · ");
}

function grantText({ multiply, points, per }: Promotion): string {
  if (multiply) return t.factors[multiply] ?? t.times(editedDecimal(multiply, 2).replace(/\.?0+$/, ""));
  if (!points) return "";
  return per === "unit" ? t.eachUnit(points) : t.fixed(points);
}

function daysText({ first_day, last_day }: Promotion): string {
  if (first_day && last_day) return t.to(dayText(first_day), dayText(last_day));
  if (first_day) return t.from(dayText(first_day));
  return last_day ? t.until(dayText(last_day)) : "";
}

function timesText({ weekdays: days = [], from_time, until_time }: Promotion): string {
  const sorted = [...days].sort();
  const [first = 1] = sorted;
  const last = sorted.at(-1) ?? 1;
  const nameOf = (day: number) => weekdays[day - 1] ?? "";
  const isRow = sorted.length > 2 && last - first === sorted.length - 1;
  const names = isRow ? t.to(nameOf(first), nameOf(last)) : sorted.map(nameOf).join(", ");
  const times = from_time && until_time ? t.to(from_time, until_time) : "";
  return [names, times].filter(Boolean).join(" ");
}
