/** What makes a promotion impossible: one that could never act, or not be told from another one. */
import { type FieldError, fieldError, wrongValue } from "../../contract/declare.ts";
import type { PresentPromotion, PromotionRow } from "../../database/catalog.ts";
import { addDays, weekdayOf } from "../../domain/dates.ts";
import { leastPoints, mostPromotedWords, mostPromotions } from "../../domain/engine/promotions/acting.ts";
import { problemsOfName } from "../status-steps.ts";

/** Why a promotion could never act, or not be told from another one. */
export function promotionProblems(
  one: Omit<PromotionRow, "promotion_id">,
  others: readonly PresentPromotion[],
  now = "",
): FieldError[] {
  const problems: FieldError[] = [];
  const { from_time, until_time } = one;
  problems.push(...problemsOfGrant(one), ...problemsOfDays(one, now));
  if ((from_time === null) !== (until_time === null))
    problems.push(
      from_time === null
        ? fieldError("from_time", "required", "must be sent together with until_time")
        : fieldError("until_time", "required", "must be sent together with from_time"),
    );
  if (from_time !== null && from_time === until_time)
    problems.push(
      wrongValue("until_time", "must differ from from_time: the promotion would have no minutes"),
    );
  problems.push(...problemsOfMembers(one));
  problems.push(
    ...problemsOfName(one, others, { plural: "promotions", most: mostPromotions, called: calledIn }),
  );
  const words = others.reduce((sum, other) => sum + other.words, one.skus.length + one.categories.length);
  if (words > mostPromotedWords)
    problems.push(
      wrongValue(
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
    problems.push(
      wrongValue(second, `must not be given together with ${first}: leave one of them out, or null`),
    );
  if (points === null && one.per === "unit")
    problems.push(wrongValue("per", "must be sale, because only fixed points are given for each unit"));
  const without = voucher_id !== null ? "voucher_id" : stamp_card_id !== null ? "stamp_card_id" : undefined;
  if (without !== undefined && one.exclusive)
    problems.push(wrongValue("exclusive", `must be false with ${without}, because it compares points`));
  if (without !== undefined && budget !== null)
    problems.push(wrongValue("budget_points", `must be null with ${without}, which gives no points`));
  const least = leastPoints(one);
  if (budget !== null && budget < least)
    problems.push(
      wrongValue("budget_points", `must be at least ${least}, the points that the promotion gives at once`),
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
    problems.push(wrongValue("member_days", `must be null with member ${member}, which has no days`));
  if (hasDays && days === 0 && member !== "birthday")
    problems.push(wrongValue("member_days", `must be at least 1 with member ${member}`));
  if (member === "birthday" && days !== null && days > mostBirthdayDays)
    problems.push(wrongValue("member_days", `must be at most ${mostBirthdayDays} with member birthday`));
  return problems;
}

/** Why there is no day on which it could act. @param now the local time; "" if it can act on any day */
export function problemsOfDays(one: Omit<PromotionRow, "promotion_id">, now: string): FieldError[] {
  const { first_day, last_day, from_time, until_time, weekdays } = one;
  if (last_day === null) return [];
  const [today, time] = [now.slice(0, 10), now.slice(11, 16)];
  if (first_day !== null && first_day > last_day)
    return [wrongValue("last_day", `must not be before first_day, ${first_day}`)];
  if (last_day < today) return [wrongValue("last_day", `must not be before today, ${today}`)];
  const isOver = from_time !== null && until_time !== null && from_time < until_time && until_time <= time;
  if (isOver && last_day === today)
    return [wrongValue("until_time", `must be after ${time}, the time now, because last_day is today`)];
  const next = isOver ? addDays(today, 1) : today;
  const begin = first_day !== null && first_day > next ? first_day : next;
  if (weekdays.length === 0 || begin === "") return [];
  const days = Array.from({ length: 7 }, (_, index) => addDays(begin, index)).filter(
    (each) => each <= last_day,
  );
  const possible = days.map(weekdayOf);
  if (possible.some((each) => weekdays.includes(each))) return [];
  const which = possible.length === 1 ? `be ${possible}` : `have one of ${possible.join(", ")}`;
  return [wrongValue("weekdays", `must ${which}: only these are between ${begin} and ${last_day}`)];
}

/** A promotion in a message. One that is only previewed has a negative number, by its place in the request. */
const calledIn = ({ promotion_id }: PresentPromotion) =>
  promotion_id < 0 ? `new_promotions.${-1 - promotion_id}` : `promotion ${promotion_id}`;
