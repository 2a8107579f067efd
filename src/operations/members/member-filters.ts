/** The filters by which operators choose members: in the list, and in the export. */
import { type FieldError, fieldError, fields, reject, Type, wrongValue } from "../../contract/declare.ts";
import { tiers } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { lockSettings } from "../../database/engine/rules.ts";
import type { MemberConditions } from "../../database/members/filters.ts";
import { type SegmentRow, segments } from "../../database/members/segments.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { recordsOf } from "../records.ts";
import { problemsOfName } from "../status-steps.ts";

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
  points_expire_by: day("Only members with points that expire between today and this day."),
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

/** Pairs that are the wrong way round, and days that nothing uses. */
function checkFilters(input: MemberConditions): FieldError[] {
  const errors = pairs.flatMap(([first, last]) => {
    const [from, through] = [input[first], input[last]];
    if (from === undefined || through === undefined || from <= through) return [];
    const relation = typeof from === "string" ? "before" : "below";
    return [fieldError(last, "out_of_range", `must not be ${relation} ${first}`)];
  });
  const [days] = (["sales_from", "sales_through"] as const).filter((name) => input[name] !== undefined);
  if (days !== undefined && counted.every((name) => input[name] === undefined))
    errors.push(wrongValue(days, `must be sent with one of ${counted.join(", ")}`));
  return errors;
}

/** The filters of a request, without its other fields. */
const filtersOf = (input: object) =>
  Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(filterFields, name)),
  ) as MemberConditions;

export const segmentId = fields.identifier("A segment: filters that were saved under a name.", 4);

const isTierGone = async (sql: Connection, businessId: number, { tier_id }: MemberConditions) =>
  tier_id !== undefined && (await tiers.find(sql, businessId, tier_id)) === undefined;

/** What a request can have to choose members: filters, or a segment. */
export const memberFilters = {
  fields: {
    segment_id: Type.Optional({
      ...segmentId,
      description: "Only members of this segment, instead of filters.",
    }),
    ...filterFields,
  },
  errors: ["segment_not_found", "tier_not_found"],
  check: ({
    segment_id,
    ...input
  }: MemberConditions & { readonly segment_id?: number | undefined }): FieldError[] =>
    segment_id === undefined
      ? checkFilters(input)
      : Object.keys(filtersOf(input)).map((name) =>
          wrongValue(name, "must be omitted with segment_id, which has filters of its own"),
        ),
  /** The filters that a request has, or those of its segment. @returns the reason to reject a tier that was deleted: nobody will have it */
  async read(sql: Connection, businessId: number, input: object) {
    const { segment_id } = input as { readonly segment_id?: number };
    const segment = segment_id === undefined ? undefined : await segments.find(sql, businessId, segment_id);
    if (segment_id !== undefined && segment === undefined) return reject("segment_not_found");
    const filters = segment?.filters ?? filtersOf(input);
    return (await isTierGone(sql, businessId, filters)) ? reject("tier_not_found", {}) : filters;
  },
} as const;

/** Filters in a response. */
export const shownFilters = Type.Object(filterFields, {
  description: "The filters that a member must meet, all of them.",
});

const mostSegments = 100;

/** Why a segment can't be told from another one, is one too many, or would find nobody. */
async function rejectImpossible(
  tx: Connection,
  businessId: number,
  input: MemberConditions & { readonly segment_id?: number; readonly name?: string },
) {
  const { segment_id, name } = input;
  // Changes of segments wait for each other here.
  await lockSettings(tx, businessId);
  if (await isTierGone(tx, businessId, input)) return reject("tier_not_found", {});
  const present = await segments.present(tx, businessId);
  const others = present.filter((one) => one.segment_id !== segment_id);
  const called = (one: Pick<SegmentRow, "segment_id">) => `segment ${one.segment_id}`;
  const kind = { plural: "segments", most: Number.POSITIVE_INFINITY, called };
  const errors = name === undefined ? [] : problemsOfName({ name }, others, kind);
  if (segment_id === undefined && present.length >= mostSegments)
    errors.push(wrongValue("name", `can't be added: there are ${mostSegments} segments. Delete one first`));
  return errors.length === 0 ? undefined : reject("validation_failed", { errors });
}

const name = fields.text(60, "The name of the segment.", "Regulars of the spring");
const saved = Type.Object({ segment_id: segmentId, name, filters: shownFilters });
const hasFilter = (input: object) => Object.keys(filtersOf(input)).length > 0;

/** Segments as records: a request has the filters as fields of its own. */
export const segmentRecords = recordsOf(
  {
    ...segments,
    insert: (tx, businessId, record) =>
      segments.insert(tx, businessId, { ...record, filters: filtersOf(record) }),
    update: (tx, businessId, id, change) =>
      segments.update(tx, businessId, id, {
        name: change.name,
        filters: hasFilter(change) ? filtersOf(change) : undefined,
      }),
  },
  "segment_id",
  saved,
  "segment_not_found",
);
export const newSegment = {
  input: { name, ...filterFields },
  errors: ["tier_not_found"],
  atLeastOne: true,
  check: checkFilters,
  rejectInput: rejectImpossible,
} as const;
export const changedSegment = {
  input: { name: Type.Optional(name), ...filterFields },
  errors: ["tier_not_found"],
  check: checkFilters,
  rejectInput: rejectImpossible,
} as const;
