/** The fields of promotions, and what makes one impossible. */
import { type FieldError, fieldError, fields, reject, Type, writeOperation } from "../contract/declare.ts";
import type { WriteOperation } from "../contract/operation.ts";
import { findToday } from "../database/access/businesses.ts";
import {
  type PresentPromotion,
  type PromotionRow,
  promotionStatuses,
  promotions,
  tiers,
} from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { lockSettings } from "../database/engine/rules.ts";
import type { AuditEvent } from "../domain/audit-events.ts";
import { addDays, weekdayOf } from "../domain/dates.ts";
import { mostPromotedWords, mostPromotions } from "../domain/engine/promotions.ts";
import type { Promotion } from "../domain/engine/rules.ts";
import { amountLimit } from "../domain/ledger.ts";
import { nameKey } from "../domain/text.ts";
import { changesOf, pick, recordsOf, rejectMissingLocations } from "./records.ts";
import { promotionName, timeOfDay } from "./sales.ts";

const mostInList = 100;
const time = (description: string, example: string) =>
  fields.nullable(
    Type.String({ pattern: timeOfDay, maxLength: 5, description, examples: [example] }),
    description,
  );
const day = (description: string) => fields.nullable(fields.day(description), description, "2026-10-31");
const anyOf = <Item extends typeof fields.sku | typeof fields.locationId>(
  item: Item,
  description: string,
  example: (string | number)[],
) => Type.Array(item, { maxItems: mostInList, uniqueItems: true, description, examples: [example] });

/** The conditions of a promotion, and what it gives. */
const promotionFields = {
  name: promotionName,
  first_day: day("The first day of the promotion; null if it has begun."),
  last_day: day("The last day of the promotion; null if it has no end."),
  weekdays: Type.Array(fields.whole(1, 7, "A day of the week, from 1, Monday, to 7.", 2), {
    maxItems: 7,
    uniqueItems: true,
    description: "Its days of the week, from 1, Monday, to 7. Empty: all.",
    examples: [[2]],
  }),
  from_time: time("When it begins on a day, in the business's time zone; null: all day.", "14:00"),
  until_time: time("When it ends. Before from_time: on the next day. Null: all day.", "17:00"),
  location_ids: anyOf(fields.locationId, "Its locations. Empty: all.", [1]),
  tier_ids: anyOf(fields.tierId, "The tiers of its members. Empty: all members.", [2]),
  skus: anyOf(fields.sku, "The articles whose lines count.", ["LATTE-L"]),
  categories: anyOf(
    fields.category,
    "The categories whose lines count. Without both, the whole sale counts.",
    ["coffee"],
  ),
  minimum_amount: fields.inMinorUnits(
    fields.whole(
      0,
      amountLimit,
      "The least amount on which the lines that count must earn, in minor units.",
      0,
    ),
  ),
  minimum_quantity: fields.whole(
    0,
    1_000_000,
    "The least quantity of the lines that count. A sale without lines has none.",
    0,
  ),
  multiply: fields.nullable(
    fields.whole(110, 1000, "The factor in hundredths.", 200),
    "The factor of the program's points, in hundredths: 200 doubles them. Null: it gives fixed points.",
  ),
  points: fields.nullable(
    fields.inPoints(fields.whole(1, 1_000_000, "The fixed points.", 50)),
    "The fixed points that it gives instead; null if it multiplies.",
    null,
  ),
  per: fields.choice(
    ["sale", "unit"],
    "Whether fixed points are given for each sale, or for each unit of its lines.",
  ),
  exclusive: fields.flag(
    "Whether it acts alone: only if it gives more points than all others together.",
    false,
  ),
};

export const promotion = Type.Object({
  promotion_id: fields.promotionId,
  status: fields.choice(promotionStatuses, "Whether the promotion acts: only an active one does.", "active"),
  ...promotionFields,
});
/** A promotion, as tills see it. */
export const promotionForTills = Type.Omit(promotion, ["status", "tier_ids", "location_ids"]);

/** The rules of a business don't keep the order of fields. */
export const showPromotion = ({ promotion_id, name, ...rest }: Promotion) =>
  pick({ promotion_id, name, ...newPromotion, ...rest }, promotionForTills);

/** What a new promotion is, unless it says something else. */
export const newPromotion: Omit<PromotionRow, "promotion_id" | "name"> = {
  status: "active",
  first_day: null,
  last_day: null,
  weekdays: [],
  from_time: null,
  until_time: null,
  location_ids: [],
  tier_ids: [],
  skus: [],
  categories: [],
  minimum_amount: 0,
  minimum_quantity: 0,
  multiply: null,
  points: null,
  per: "sale",
  exclusive: false,
};

/** The fields of an update. */
export const promotionChanges = changesOf(promotionFields);
/** The fields of a new promotion. */
export const newPromotionFields = {
  ...promotionChanges,
  name: promotionFields.name,
  status: Type.Optional(
    fields.choice(["active", "draft"], "Whether it acts from the next sale on, or waits as a draft."),
  ),
};

const wrong = (field: string, problem: string) => fieldError(field, "not_allowed_value", problem);

/** Why a promotion could never act, or not be told from another one. */
function problemsOf(
  one: Omit<PromotionRow, "promotion_id">,
  others: readonly PresentPromotion[],
  today = "",
): FieldError[] {
  const problems: FieldError[] = [];
  const { multiply, points, first_day, last_day, from_time, until_time, weekdays } = one;
  if (multiply === null && points === null)
    problems.push(fieldError("multiply", "required", "or points is required: what the promotion gives"));
  if (multiply !== null && points !== null)
    problems.push(
      wrong("points", "must not be given together with multiply: leave one of them out, or null"),
    );
  if (multiply !== null && one.per === "unit")
    problems.push(wrong("per", "must be sale, because multiply has no units"));
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

/** Finds a promotion that is to be changed. Changes of promotions wait for each other here. */
async function findToChange(tx: Connection, businessId: number, promotionId: number) {
  await lockSettings(tx, businessId);
  return promotions.find(tx, businessId, promotionId);
}

/** Rejects a promotion that could never act, or could not be told from another one. */
async function rejectImpossible(
  tx: Connection,
  businessId: number,
  one: Omit<PromotionRow, "promotion_id"> & { readonly promotion_id?: number | undefined },
) {
  const all = await promotions.present(tx, businessId);
  const others = all.filter((other) => other.promotion_id !== one.promotion_id);
  const errors = problemsOf(one, others, await findToday(tx, businessId));
  return errors.length > 0 ? reject("validation_failed", { errors }) : undefined;
}

/** Rejects tiers and locations that the business does not have. */
async function rejectMissing(tx: Connection, businessId: number, one: Partial<PromotionRow>) {
  const { tier_ids = [], location_ids = [] } = one;
  const present =
    tier_ids.length === 0 ? [] : (await tiers.all(tx, businessId)).map(({ tier_id }) => tier_id);
  if (tier_ids.some((id) => !present.includes(id))) return reject("tier_not_found");
  return rejectMissingLocations(tx, businessId, location_ids);
}

export const ofNewPromotion = {
  errors: ["location_not_found", "tier_not_found"],
  async rejectInput(tx: Connection, businessId: number, input: object) {
    await lockSettings(tx, businessId);
    return (
      (await rejectImpossible(tx, businessId, { ...newPromotion, name: "", ...input })) ??
      rejectMissing(tx, businessId, input)
    );
  },
} as const;

export const ofChangedPromotion = {
  errors: ["promotion_ended", "location_not_found", "tier_not_found"],
  async rejectInput(tx: Connection, businessId: number, input: Partial<PromotionRow>) {
    const known = await findToChange(tx, businessId, input.promotion_id as number);
    if (known === undefined) return undefined;
    if (known.status === "ended") return reject("promotion_ended");
    return (
      (await rejectImpossible(tx, businessId, { ...known, ...input })) ?? rejectMissing(tx, businessId, input)
    );
  },
} as const;

export const promotionRecords = recordsOf(promotions, "promotion_id", promotion, "promotion_not_found");

/** Declares an operation that moves a promotion to another status. */
export const promotionStep = (
  declared: Pick<WriteOperation, "path" | "summary" | "message" | "description"> & {
    readonly event: AuditEvent;
    readonly confirm?: string;
  },
  status: PromotionRow["status"],
) =>
  writeOperation({
    role: "manager",
    ...declared,
    input: { business_id: fields.businessId, promotion_id: fields.promotionId },
    output: promotion,
    errors: ["promotion_not_found", "promotion_ended", "validation_failed"],
    async write({ input: { promotion_id }, tx, caller: { businessId }, audit, reject }) {
      const known = await findToChange(tx, businessId, promotion_id);
      if (known === undefined) return reject("promotion_not_found");
      if (known.status === "ended") return reject("promotion_ended");
      // One that can't act any more can still be paused or ended.
      const rejected =
        status === "active" ? await rejectImpossible(tx, businessId, { ...known, status }) : undefined;
      if (rejected !== undefined) return rejected;
      const updated = await promotions.update(tx, businessId, promotion_id, { status });
      if (updated === undefined) return reject("promotion_not_found");
      audit(updated);
      return pick(updated.after, promotion);
    },
  });
