/** What makes a promotion impossible: one that could never act, or not be told from another one. */
import { type FieldError, fieldError } from "../contract/declare.ts";
import type { PresentPromotion, PromotionRow } from "../database/catalog.ts";
import { addDays, weekdayOf } from "../domain/dates.ts";
import { mostPromotedWords, mostPromotions } from "../domain/engine/promotions/acting.ts";
import { nameKey } from "../domain/text.ts";

const wrong = (field: string, problem: string) => fieldError(field, "not_allowed_value", problem);

/** Why a promotion could never act, or not be told from another one. */
export function promotionProblems(
  one: Omit<PromotionRow, "promotion_id">,
  others: readonly PresentPromotion[],
  today = "",
): FieldError[] {
  const problems: FieldError[] = [];
  const { first_day, last_day, from_time, until_time, weekdays } = one;
  problems.push(...problemsOfGrant(one));
  if (first_day !== null && last_day !== null && first_day > last_day)
    problems.push(wrong("last_day", `must not be before first_day, ${first_day}`));
  else if (last_day !== null && last_day < today)
    problems.push(wrong("last_day", `must not be before today, ${today}`));
  else if (weekdays.length > 0 && !hasWeekday(one, today))
    problems.push(
      wrong("weekdays", `must have a day that is between ${later(first_day, today)} and ${last_day}`),
    );
  if ((from_time === null) !== (until_time === null))
    problems.push(
      from_time === null
        ? fieldError("from_time", "required", "must be sent together with until_time")
        : fieldError("until_time", "required", "must be sent together with from_time"),
    );
  if (from_time !== null && from_time === until_time)
    problems.push(wrong("until_time", "must differ from from_time: the promotion would have no minutes"));
  problems.push(...problemsOfMembers(one));
  const namesake = others.find((other) => nameKey(other.name) === nameKey(one.name));
  if (namesake !== undefined)
    problems.push(wrong("name", `must differ from that of promotion ${namesake.promotion_id}`));
  if (others.length >= mostPromotions)
    problems.push(
      wrong(
        "name",
        `can't be added: ${mostPromotions} promotions have not ended, and there can't be more. End one first`,
      ),
    );
  const words = others.reduce((sum, other) => sum + other.words, one.skus.length + one.categories.length);
  if (words > mostPromotedWords)
    problems.push(
      wrong(
        "categories",
        `must be fewer: promotions that have not ended can have ${mostPromotedWords} categories and skus together`,
      ),
    );
  return problems;
}

/** Why what it gives makes no sense. */
function problemsOfGrant(one: Omit<PromotionRow, "promotion_id">): FieldError[] {
  const { multiply, points, voucher_id, stamp_card_id, budget_points: budget } = one;
  const kinds = { multiply, points, voucher_id, stamp_card_id };
  const grants = Object.entries(kinds).filter(([, value]) => value !== null);
  const [first, second] = grants.map(([name]) => name);
  const problems: FieldError[] = [];
  if (first === undefined)
    problems.push(
      fieldError(
        "multiply",
        "required",
        "or points, voucher_id or stamp_card_id is required: what the promotion gives",
      ),
    );
  if ((stamp_card_id === null) !== (one.stamps === null))
    problems.push(
      one.stamps === null
        ? fieldError("stamps", "required", "must be sent together with stamp_card_id")
        : fieldError("stamp_card_id", "required", "must be sent together with stamps"),
    );
  if (second !== undefined)
    problems.push(wrong(second, `must not be given together with ${first}: leave one of them out, or null`));
  if (points === null && one.per === "unit")
    problems.push(wrong("per", "must be sale, because only fixed points are given for each unit"));
  const without = voucher_id !== null ? "voucher_id" : stamp_card_id !== null ? "stamp_card_id" : undefined;
  if (without !== undefined && one.exclusive)
    problems.push(wrong("exclusive", `must be false with ${without}, because it compares points`));
  if (without !== undefined && budget !== null)
    problems.push(wrong("budget_points", `must be null with ${without}, which gives no points`));
  if (budget !== null && points !== null && budget < points)
    problems.push(
      wrong("budget_points", `must be at least ${points}, the points that the promotion gives at once`),
    );
  return problems;
}

/** The most days before and after a birthday. */
const mostBirthdayDays = 60;

/** Why the condition of members makes no sense. */
function problemsOfMembers(one: Omit<PromotionRow, "promotion_id">): FieldError[] {
  const { member, member_days: days } = one;
  const problems: FieldError[] = [];
  const hasDays = member !== "any" && member !== "first_sale";
  if (hasDays && days === null)
    problems.push(fieldError("member_days", "required", `is required with member ${member}`));
  if (!hasDays && days !== null)
    problems.push(wrong("member_days", `must be null with member ${member}, which has no days`));
  if (hasDays && days === 0 && member !== "birthday")
    problems.push(wrong("member_days", `must be at least 1 with member ${member}`));
  if (member === "birthday" && days !== null && days > mostBirthdayDays)
    problems.push(wrong("member_days", `must be at most ${mostBirthdayDays} with member birthday`));
  return problems;
}

const later = (day: string | null, today: string) => (day !== null && day > today ? day : today);

/** Whether one of the weekdays is still to come. */
function hasWeekday(
  { first_day, last_day, weekdays }: Pick<PromotionRow, "first_day" | "last_day" | "weekdays">,
  today: string,
): boolean {
  if (last_day === null) return true;
  const days = Array.from({ length: 7 }, (_, index) => addDays(later(first_day, today), index));
  return days.some((each) => each <= last_day && weekdays.includes(weekdayOf(each)));
}
