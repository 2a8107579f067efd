/** The fields of occasions, and what makes one impossible. */
import { type FieldError, fieldError, fields, reject, Type, wrongValue } from "../../contract/declare.ts";
import { findLocalTime } from "../../database/access/businesses.ts";
import { recordStatuses, vouchers } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { findSettings, lockSettings } from "../../database/engine/rules.ts";
import { type OccasionRow, occasions } from "../../database/occasions.ts";
import { hasDays, mostOccasions } from "../../domain/engine/occasions.ts";
import { allOccasionKinds, occasionKinds } from "../../domain/engine/rules.ts";
import { changesOf, checkValidity, recordsOf } from "../records.ts";
import { findToChange, problemsOfName, statusStepOf } from "../status-steps.ts";
import { problemOfChosen } from "../vouchers/given-vouchers.ts";
import { readsWithWarning } from "../warnings.ts";

const kinds =
  "birthday: the member's birthday; that of 29 February is on the 28th in other years. anniversary: the day of each later year on which " +
  "the member joined. inactive: the member has bought nothing for inactive_days after a sale. joined: the member joins. tier_reached: " +
  "the member gets a higher tier. referred, referrer: a referral of the member is granted, who was brought, or who brought another one.";
export const occasionKind = fields.choice(
  allOccasionKinds,
  `${kinds} bulk: an operator gave it to many members at once.`,
);
const day = (description: string) => fields.nullable(fields.day(description), description, null);

/** When an occasion is, and what it gives. */
export const occasionFields = {
  name: fields.text(60, "The name of the occasion.", "Birthday"),
  kind: occasionKind,
  days_before: fields.whole(
    0,
    30,
    "How many days before its birthday a member gets it; 0 for other kinds.",
    0,
  ),
  inactive_days: fields.nullable(
    fields.whole(1, 3650, "A number of days.", 90),
    "After how many days without a sale a member gets it; null for other kinds.",
    null,
  ),
  minimum_membership_days: fields.whole(
    0,
    3650,
    "How long a member must have been one. Others get nothing until the next time. By default, 7 for birthdays, and 0 otherwise; 0 for " +
      "kinds without a day.",
    7,
  ),
  first_day: day(
    "The first day for which it gives something; null: it has begun. For referrals, it is the day on which they are made.",
  ),
  last_day: day("The last day for which it gives something; null: it has no end."),
  points: fields.nullable(
    fields.inPoints(fields.whole(1, 1_000_000, "The points.", 100)),
    "The points that a member gets; null if it gets a voucher. While points are off, members get none.",
  ),
  validity: fields.nullable(
    fields.periodLength,
    "How long the points are valid; null if they don't expire.",
    3,
  ),
  validity_period: fields.nullable(fields.periodUnit, "The unit of validity; null if they don't expire."),
  voucher_id: fields.nullable(
    fields.voucherId,
    "The voucher that a member gets instead; null if it gets points.",
    null,
  ),
};

export const occasion = Type.Object({
  occasion_id: fields.occasionId,
  status: fields.choice(recordStatuses, "Whether it gives something: only an active one does.", "active"),
  ...occasionFields,
});

/** What a new occasion is, unless it says something else. */
export const newOccasion = ({
  kind,
}: Partial<OccasionRow>): Omit<OccasionRow, "occasion_id" | "name" | "kind"> => ({
  status: "active",
  days_before: 0,
  inactive_days: null,
  minimum_membership_days: kind === "birthday" ? 7 : 0,
  first_day: null,
  last_day: null,
  points: null,
  validity: null,
  validity_period: null,
  voucher_id: null,
});

const { kind: _, ...changing } = occasionFields;
/** Another kind is another occasion. */
export const occasionChanges = changesOf(changing);
export const newOccasionFields = {
  ...occasionChanges,
  name: occasionFields.name,
  kind: fields.choice(occasionKinds, kinds),
  status: Type.Optional(
    fields.choice(["active", "draft"], "Whether it gives something from today on, or waits as a draft."),
  ),
};

/** Why an occasion makes no sense, or can't be told from another one. @param others those that have not ended */
function problemsOf(
  one: Omit<OccasionRow, "occasion_id">,
  others: readonly Pick<OccasionRow, "occasion_id" | "name">[],
): FieldError[] {
  const called = ({ occasion_id }: Pick<OccasionRow, "occasion_id">) => `occasion ${occasion_id}`;
  const problems = problemsOfName(one, others, { plural: "occasions", most: mostOccasions, called });
  if (one.kind !== "birthday" && one.days_before > 0)
    problems.push(wrongValue("days_before", "must be 0 with another kind than birthday"));
  if (one.kind === "inactive" && one.inactive_days === null)
    problems.push(fieldError("inactive_days", "required", "must be sent with the kind inactive"));
  if (one.kind !== "inactive" && one.inactive_days !== null)
    problems.push(wrongValue("inactive_days", "must be null with another kind than inactive"));
  if (!hasDays(one) && one.minimum_membership_days > 0)
    problems.push(wrongValue("minimum_membership_days", "must be 0 with this kind, which has no day"));
  if (one.points === null && one.voucher_id === null)
    problems.push(fieldError("points", "required", "must be sent unless voucher_id is sent"));
  if (one.points !== null && one.voucher_id !== null)
    problems.push(wrongValue("voucher_id", "must be null with points: an occasion gives one of them"));
  if (one.points === null && one.validity !== null)
    problems.push(wrongValue("validity", "must be null without points: a voucher has a validity of its own"));
  if (one.first_day !== null && one.last_day !== null && one.first_day > one.last_day)
    problems.push(wrongValue("last_day", `must not be before first_day, ${one.first_day}`));
  return problems;
}

/** Rejects an occasion that could give nothing. @param isChosen whether it gives its voucher from now on */
async function rejectImpossible(
  tx: Connection,
  businessId: number,
  one: Omit<OccasionRow, "occasion_id"> & { readonly occasion_id?: number | undefined },
  isChosen: boolean,
) {
  const voucher = one.voucher_id === null ? null : await vouchers.find(tx, businessId, one.voucher_id);
  if (voucher === undefined) return reject("voucher_not_found");
  const present = await occasions.present(tx, businessId);
  const errors = problemsOf(
    one,
    present.filter(({ occasion_id }) => occasion_id !== one.occasion_id),
  );
  const problem = isChosen && voucher !== null ? problemOfChosen(voucher) : undefined;
  if (problem !== undefined) errors.push(problem);
  return errors.length > 0 ? reject("validation_failed", { errors }) : undefined;
}

export const ofNewOccasion = {
  errors: ["voucher_not_found"],
  check: checkValidity,
  async rejectInput(tx: Connection, businessId: number, input: object) {
    await lockSettings(tx, businessId);
    const one = { ...newOccasion(input), ...input } as Omit<OccasionRow, "occasion_id">;
    return rejectImpossible(tx, businessId, one, true);
  },
} as const;

export const ofChangedOccasion = {
  errors: ["occasion_ended", "voucher_not_found"],
  check: checkValidity,
  async rejectInput(tx: Connection, businessId: number, input: Partial<OccasionRow>) {
    const known = await findToChange(occasions, tx, businessId, input.occasion_id as number);
    if (known === undefined) return undefined;
    if (known.status === "ended") return reject("occasion_ended");
    return rejectImpossible(tx, businessId, { ...known, ...input }, input.voucher_id != null);
  },
} as const;

export const occasionRecords = recordsOf(occasions, "occasion_id", occasion, "occasion_not_found");

const named = {
  table: occasions,
  id: "occasion_id",
  schema: occasion,
  notFound: "occasion_not_found",
} as const;

/** What operators read of occasions. */
export const readOccasions = readsWithWarning({
  ...named,
  problemsOf: async (tx, businessId, one: OccasionRow) => {
    const voucher = one.voucher_id === null ? undefined : await vouchers.find(tx, businessId, one.voucher_id);
    const today = (await findLocalTime(tx, businessId)).slice(0, 10);
    const isOver = one.last_day !== null && one.last_day < today;
    const isOff = one.points !== null && !(await findSettings(tx, businessId)).enable_rp;
    return [
      ...(isOff ? [wrongValue("points", "can't be given while points are off: switch them on first")] : []),
      ...[voucher && problemOfChosen(voucher)].filter((problem) => problem !== undefined),
      ...(isOver ? [wrongValue("last_day", `must not be before today, ${today}`)] : []),
    ];
  },
});

/** Declares an operation that moves an occasion to another status. */
export const occasionStep = statusStepOf({
  ...named,
  ended: "occasion_ended",
  rejectActive: (tx, businessId, one: OccasionRow) => rejectImpossible(tx, businessId, one, true),
});
