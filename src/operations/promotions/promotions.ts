/** The fields of promotions, and what makes one impossible. */
import { fields, reject, Type } from "../../contract/declare.ts";
import { findLocalTime } from "../../database/access/businesses.ts";
import { type PromotionRow, promotions, recordStatuses } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { findPromotionTotal, hasGiven } from "../../database/engine/rewards/promotions.ts";
import { lockSettings } from "../../database/engine/rules.ts";
import { leastPoints } from "../../domain/engine/promotions/acting.ts";
import { promotionInWords } from "../../domain/engine/promotions/words.ts";
import { memberConditions, type Promotion, type Rules } from "../../domain/engine/rules.ts";
import { mostStampsOfSale } from "../../domain/engine/stamps/counting.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { changesOf, pick, recordsOf } from "../records.ts";
import { promotionName } from "../sales/sale-reasons.ts";
import { timeOfDay } from "../sales/sales.ts";
import { findToChange, statusStepOf } from "../status-steps.ts";
import { readsWithWarning } from "../warnings.ts";
import { problemsOfNamed, rejectedField, rejectMissing } from "./named-by-promotions.ts";
import { problemsOfDays, promotionProblems } from "./promotion-problems.ts";
import { conditionsOnPrograms, problemsOfCurrentPrograms } from "./promotion-programs.ts";

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

const limit = (description: string, example: number) =>
  fields.nullable(fields.whole(1, 1_000_000, "A number of sales.", example), description, null);

/** The lines that count. */
export const promotedWords = {
  skus: anyOf(fields.sku, "The articles whose lines count.", ["LATTE-L"]),
  categories: anyOf(
    fields.category,
    "The categories whose lines count. Without both, the whole sale counts.",
    ["coffee"],
  ),
};

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
  ...promotedWords,
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
    "The least quantity of the lines that count, without units that vouchers paid. A sale without lines has none.",
    0,
  ),
  multiply: fields.nullable(
    fields.inHundredths(fields.whole(110, 1000, "The factor in hundredths.", 200)),
    "The factor of the program's points, in hundredths: 200 doubles them. Null: it does not multiply.",
  ),
  points: fields.nullable(
    fields.inPoints(fields.whole(1, 1_000_000, "The fixed points.", 50)),
    "The fixed points that it gives instead; null if it does not.",
    null,
  ),
  voucher_id: fields.nullable(
    fields.voucherId,
    "The voucher that it gives instead, one for each sale; null if it gives points.",
    null,
  ),
  stamp_card_id: fields.nullable(
    fields.stampCardId,
    "The stamp card on which it gives stamps instead; null if it gives none.",
    null,
  ),
  stamps: fields.nullable(
    fields.whole(1, mostStampsOfSale, "A number of stamps.", 1),
    "How many stamps it gives, besides those that the card counts; null without stamp_card_id.",
    null,
  ),
  per: fields.choice(
    ["sale", "unit"],
    "Whether fixed points are given for each sale, or for each unit of its lines that no voucher paid.",
  ),
  exclusive: fields.flag(
    "Whether it acts alone: only if it gives more points than all others together.",
    false,
  ),
  member: fields.choice(
    memberConditions,
    "Its members: any; those without another sale; those that joined in the last member_days; those that bought before, but nothing in the " +
      "last member_days; or those whose birthday is at most member_days before or after the sale.",
    "any",
  ),
  member_days: fields.nullable(
    fields.whole(0, 3650, "A number of days.", 7),
    "The days that member is about; null for any and first_sale.",
    null,
  ),
  most_per_member: limit("How many sales of a member it gives something for; null: any number.", 1),
  most_per_member_day: limit(
    "How many sales of a member on a day it gives something for; null: any number.",
    1,
  ),
  budget_points: fields.nullable(
    fields.inPoints(fields.whole(1, amountLimit, "A number of points.", 100_000)),
    "The most points that it gives in all. Refunds give points back to the budget. Null: any number.",
    null,
  ),
};

export const promotion = Type.Object({
  promotion_id: fields.promotionId,
  status: fields.choice(recordStatuses, "Whether the promotion acts: only an active one does.", "active"),
  ...promotionFields,
});
/** A promotion, as tills see it. */
export const promotionForTills = Type.Object({
  ...Type.Omit(promotion, [
    ...(["status", "voucher_id", "budget_points", "stamp_card_id", "stamps"] as const),
  ]).properties,
  gives_voucher: fields.nullable(
    fields.campaignName,
    "The name of the voucher that it gives; null if it gives none.",
    null,
  ),
  gives_stamps: fields.nullable(
    fields.whole(1, mostStampsOfSale, "A number of stamps.", 1),
    "How many stamps it gives on a stamp card; null if it gives none.",
    null,
  ),
  in_words: fields.text(
    800,
    "What it gives, on which goods, when and to which members, in English. Amounts are in fields of their own.",
    "2 × points for coffee, Tue, 14:00 to 17:00",
  ),
});

/** The rules of a business don't keep the order of fields. @param tiers those of the rules */
export const showPromotion = ({ promotion_id, name, ...rest }: Promotion, { tiers }: Pick<Rules, "tiers">) =>
  pick(
    {
      promotion_id,
      name,
      ...newPromotion,
      ...rest,
      gives_voucher: rest.voucher?.campaign_name ?? null,
      gives_stamps: rest.stamps ?? null,
      in_words: promotionInWords({ promotion_id, name, ...rest }, tiers),
    },
    promotionForTills,
  );

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
  voucher_id: null,
  stamp_card_id: null,
  stamps: null,
  per: "sale",
  exclusive: false,
  member: "any",
  member_days: null,
  most_per_member: null,
  most_per_member_day: null,
  budget_points: null,
};

/** The fields of an update. */
export const promotionChanges = changesOf(promotionFields);
/** The fields of a promotion whose cost is previewed. */
export const previewedPromotionFields = { ...promotionChanges, name: promotionFields.name };
/** The fields of a new promotion. */
export const newPromotionFields = {
  ...promotionChanges,
  name: promotionFields.name,
  status: Type.Optional(
    fields.choice(["active", "draft"], "Whether it acts from the next sale on, or waits as a draft."),
  ),
};

/** Rejects a promotion that could never act, or could not be told from another one. @param of whether it must act from now on, and with the programs of now */
async function rejectImpossible(
  tx: Connection,
  businessId: number,
  one: Omit<PromotionRow, "promotion_id"> & { readonly promotion_id?: number | undefined },
  { isTimed = true, isEarning = true } = {},
) {
  const all = await promotions.present(tx, businessId);
  const others = all.filter((other) => other.promotion_id !== one.promotion_id);
  const errors = promotionProblems(one, others, isTimed ? await findLocalTime(tx, businessId) : "");
  if (isEarning) errors.push(...(await problemsOfCurrentPrograms(tx, businessId, one)));
  return errors.length > 0 ? reject("validation_failed", { errors }) : undefined;
}

/** Rejects another budget that has too little left to give something. */
async function rejectSpentBudget(
  tx: Connection,
  businessId: number,
  known: PromotionRow,
  change: Partial<PromotionRow>,
) {
  const { promotion_id, budget_points: budget, ...after } = { ...known, ...change };
  if (budget === null || budget === known.budget_points) return undefined;
  const { points } = await findPromotionTotal(tx, businessId, promotion_id);
  const least = points + leastPoints(after);
  if (budget >= least) return undefined;
  const problem = `must be at least ${least}: the promotion has given ${points} already, and gives ${least - points} at once`;
  return rejectedField("budget_points", problem);
}

/** Rejects another kind of grant of a promotion that has given something: its report could not tell what it gave. */
async function rejectOtherGrant(
  tx: Connection,
  businessId: number,
  known: PromotionRow,
  change: Partial<PromotionRow>,
) {
  const { promotion_id } = known;
  const kindOf = ({ multiply, points, voucher_id, stamp_card_id, stamps }: PromotionRow) =>
    stamp_card_id === null
      ? (voucher_id ?? (multiply === null ? (points === null ? "none" : "points") : "multiply"))
      : `card ${stamp_card_id} ${stamps}`;
  const after = { ...known, ...change };
  if (kindOf(known) === kindOf(after) || !(await hasGiven(tx, businessId, promotion_id))) return undefined;
  const field = ["multiply", "points", "voucher_id", "stamp_card_id", "stamps"].find(
    (one) => change[one as keyof PromotionRow] != null,
  );
  const problem =
    "can't change what the promotion gives, because it has given something: end it and create another one";
  return rejectedField(field ?? "multiply", problem);
}

export const ofNewPromotion = {
  errors: ["location_not_found", "tier_not_found", "voucher_not_found", "stamp_card_not_found"],
  async rejectInput(tx: Connection, businessId: number, input: object) {
    await lockSettings(tx, businessId);
    return (
      (await rejectMissing(tx, businessId, input)) ??
      rejectImpossible(tx, businessId, { ...newPromotion, name: "", ...input })
    );
  },
} as const;

const timeFields = ["first_day", "last_day", "weekdays", "from_time", "until_time"] as const;

export const ofChangedPromotion = {
  errors: [
    "promotion_ended",
    "location_not_found",
    "tier_not_found",
    "voucher_not_found",
    "stamp_card_not_found",
  ],
  async rejectInput(tx: Connection, businessId: number, input: Partial<PromotionRow>) {
    const known = await findToChange(promotions, tx, businessId, input.promotion_id as number);
    if (known === undefined) return undefined;
    if (known.status === "ended") return reject("promotion_ended");
    const { stamp_card_id, voucher_id, location_ids } = { ...known, ...input };
    // Where it gives stamps or a voucher depends on both.
    const isPlaced = [input.stamp_card_id, input.voucher_id, input.location_ids].some(
      (one) => one !== undefined,
    );
    // One that is over stays so until its days or times change.
    const isTimed = timeFields.some((field) => input[field] !== undefined);
    // The same is true of one that no program lets act.
    const isEarning = conditionsOnPrograms.some((field) => input[field] !== undefined);
    const placed = isPlaced && { stamp_card_id, voucher_id, location_ids };
    return (
      (await rejectMissing(tx, businessId, { ...input, ...placed })) ??
      (await rejectImpossible(tx, businessId, { ...known, ...input }, { isTimed, isEarning })) ??
      (await rejectSpentBudget(tx, businessId, known, input)) ??
      rejectOtherGrant(tx, businessId, known, input)
    );
  },
} as const;

export const promotionRecords = recordsOf(promotions, "promotion_id", promotion, "promotion_not_found");

const named = {
  table: promotions,
  id: "promotion_id",
  schema: promotion,
  notFound: "promotion_not_found",
} as const;

/** What operators read of promotions. */
export const readPromotions = readsWithWarning({
  ...named,
  problemsOf: async (tx, businessId, one: PromotionRow) => [
    ...(await problemsOfNamed(tx, businessId, one)),
    ...problemsOfDays(one, await findLocalTime(tx, businessId)),
    ...(await problemsOfCurrentPrograms(tx, businessId, one)),
  ],
});

/** Declares an operation that moves a promotion to another status. */
export const promotionStep = statusStepOf({
  ...named,
  ended: "promotion_ended",
  async rejectActive(tx, businessId, one: PromotionRow) {
    const rejected = await rejectImpossible(tx, businessId, one);
    if (rejected !== undefined) return rejected;
    const errors = await problemsOfNamed(tx, businessId, one);
    return errors.length > 0 ? reject("validation_failed", { errors }) : undefined;
  },
});
