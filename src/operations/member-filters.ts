/** The filters by which operators choose members: in the list, and in the export. */
import { type FieldError, fieldError, fields, Type } from "../contract/declare.ts";
import type { MemberConditions } from "../database/members/filters.ts";
import { amountLimit } from "../domain/ledger.ts";

const day = (description: string) => Type.Optional(fields.day(description));
const visits = (description: string, example: number) =>
  Type.Optional(fields.whole(0, 1_000_000, description, example));
const sales = (description: string, example: number) =>
  Type.Optional(fields.inMinorUnits(fields.whole(0, amountLimit, description, example)));

const filterFields = {
  tier_id: Type.Optional({ ...fields.tierId, description: "Only members with this tier." }),
  joined_from: day("Only members that joined on this day or later."),
  joined_through: day("Only members that joined on this day or earlier."),
  last_sale_from: day("Only members whose last sale was on this day or later."),
  last_sale_through: day("Only members who have bought something, last on this day or earlier."),
  sales_from: day(
    "The first day of the sales that least_visits to most_sales count. By default, all earlier days count.",
  ),
  sales_through: day("The last day of these sales. By default, all later days count."),
  least_visits: visits("Only members with at least so many sales, also refunded ones.", 3),
  most_visits: visits("Only members with at most so many sales; 0 for those without one.", 10),
  least_sales: sales(
    "Only members whose sales come to at least so much after refunds, in minor units.",
    10_000,
  ),
  most_sales: sales(
    "Only members whose sales come to at most so much after refunds, in minor units.",
    50_000,
  ),
  points_expire_by: day(
    "Only members of whose points some expire today or later, and by this day, their last one.",
  ),
  birthday_month: Type.Optional(fields.whole(1, 12, "Only members whose birthday is in this month.", 4)),
  has_email: Type.Optional(
    fields.flag("Only members with an e-mail address, or only those without one.", true),
  ),
};

/** Pairs of filters of which the first must not be above the second. */
const pairs = [
  ["joined_from", "joined_through"],
  ["last_sale_from", "last_sale_through"],
  ["sales_from", "sales_through"],
  ["least_visits", "most_visits"],
  ["least_sales", "most_sales"],
] as const;
const counted = ["least_visits", "most_visits", "least_sales", "most_sales"] as const;

export const memberFilters = {
  fields: filterFields,
  check(input: MemberConditions): FieldError[] {
    const errors = pairs.flatMap(([first, last]) => {
      const [from, through] = [input[first], input[last]];
      if (from === undefined || through === undefined || from <= through) return [];
      const relation = typeof from === "string" ? "before" : "below";
      return [fieldError(last, "out_of_range", `must not be ${relation} ${first}`)];
    });
    const [days] = (["sales_from", "sales_through"] as const).filter((name) => input[name] !== undefined);
    if (days !== undefined && counted.every((name) => input[name] === undefined))
      errors.push(fieldError(days, "not_allowed_value", `must be sent with one of ${counted.join(", ")}`));
    return errors;
  },
};
