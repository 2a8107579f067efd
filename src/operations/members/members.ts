/** Fields, checks and changes that operations on members share. */
import {
  type FieldError,
  fieldError,
  fields,
  type Reject,
  type TProperties,
  Type,
  writeOperation,
  wrongValue,
} from "../../contract/declare.ts";
import type { Caller, CheckContext, EmittedEvent, OperatorWrite } from "../../contract/operation.ts";
import { isCommonPassword } from "../../credentials/passwords.ts";
import { findToday } from "../../database/access/businesses.ts";
import type { Connection } from "../../database/connection.ts";
import type { MemberFilter } from "../../database/members/list.ts";
import {
  findMergedInto,
  findTakenFields,
  lockMember,
  type MemberChange,
  setActive,
  updateMember,
} from "../../database/members/members.ts";
import { fold } from "../../domain/text.ts";
import { money, points } from "../amounts.ts";
import { nullableDay, pointsOwed } from "../sales/sales.ts";
import { isNational, readPhoneNumber, readPhoneNumberStart } from "./phone-numbers.ts";

const detailFields = {
  contact_id: fields.contactId,
  member_id: fields.memberId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: fields.nullableEmail,
  external_ref: fields.nullableExternalRef,
  active: fields.flag("Whether the member is active.", true),
};

const salesMissing = fields.inMinorUnits(
  fields.count("The net sales, in minor units, that are still missing.", 5_800),
);
const salesNow = fields.inMinorUnits(
  fields.count("The member's net sales within the sales calculation period, in minor units.", 14_200),
);
/** The days on which sales renew a tier. */
export const keepingDays = {
  from: fields.day("The first day on which a sale counts for the renewal."),
  until: fields.day("The last day on which sales of this sum renew the tier."),
};
const orNull = (fields: TProperties, description: string) =>
  Type.Union([Type.Object(fields), Type.Null()], { description });

/** The tier of a member, the way to the next one, and what keeps it. */
export const tierProgressFields = {
  tier: orNull(
    {
      tier_id: fields.tierId,
      name: fields.tierName,
      since: fields.day("The day on which the member reached it."),
      valid_through: fields.day("Its last day, if it is not renewed."),
      by_hand: fields.flag("Whether an operator assigned it.", false),
    },
    "The member's tier; null without one.",
  ),
  next_tier: orNull(
    {
      tier_id: fields.tierId,
      name: fields.tierName,
      qualifying_sales: fields.inMinorUnits(
        fields.count("The net sales that it needs, in minor units.", 20_000),
      ),
      sales_now: salesNow,
      sales_missing: salesMissing,
      reach_by: nullableDay(
        "The last day on which all of these sales count; null if there are none. A sale that reaches a tier counts at once.",
      ),
    },
    "The next tier that the member can reach by its sales; null if there is none.",
  ),
  keep_tier: orNull(
    { sales_missing: salesMissing, ...keepingDays },
    "The net sales that renew the member's tier, in one or several sales on these days; null without a tier, or if sales don't " +
      "renew it.",
  ),
};

/** The balances of a member that was merged into another one. */
export const mergedBalances = Type.Object(
  {
    wallet: money("Money in the wallet", 1370),
    points: points("Points that can be spent.", 165),
    points_pending: points("Points that can't be spent yet.", 45),
    points_owed: pointsOwed,
    vouchers: money("Value of the vouchers"),
    sales: money("Sum of all purchases", 45_120),
  },
  { description: "The balances of the merged member, which are now those of contact_id." },
);

/** A member in the responses of operations that find one. */
export const memberDetails = Type.Object({ ...detailFields, ...tierProgressFields });

export const createdMember = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: fields.nullableEmail,
});

export const changedMember = Type.Omit(createdMember, ["phone_number"]);

export const tierId = fields.identifier("A tier of the business.", 1);
export const nullableTierId = fields.nullable(tierId, "A tier of the business, or null for none.");
const standing = {
  active: fields.flag("Whether the member is active.", true),
  tier_id: nullableTierId,
  tier_name: fields.nullable(fields.tierName, "The name of the member's tier, or null."),
  wallet_balance: fields.inMinorUnits(fields.count("Money in the wallet, in minor units.", 1250)),
  points_balance: fields.inPoints(fields.count("Reward points.", 120)),
  vouchers_balance: fields.inMinorUnits(
    fields.count("Value of the vouchers that the member has not used, in minor units.", 0),
  ),
  sales_balance: fields.inMinorUnits(fields.count("Sum of all purchases, in minor units.", 48_200)),
};
export const listedMember = Type.Object({
  ...createdMember.properties,
  ...standing,
});
export const member = Type.Object({
  ...createdMember.properties,
  date_of_birth: fields.nullable(fields.dateOfBirth, "Date of birth, or null."),
  external_ref: fields.nullableExternalRef,
  remarks: fields.nullableRemarks,
  ...standing,
  tier_until: fields.nullable(
    fields.day("The last day of the tier."),
    "The last day of the tier, if the member does not qualify again; null without a tier.",
    "2027-04-16",
  ),
  has_password: fields.flag("Whether a password is set.", false),
  merged_into: fields.nullable(fields.contactId, "The member into which it was merged, or null.", null),
  joined_at: fields.timestamp,
});
const { member_id, contact_id, first_name, last_name, phone_number, email, date_of_birth, external_ref } =
  member.properties;
/** A member in the responses of an operator's operations that create or change one. */
export const memberData = Type.Object({
  member_id,
  contact_id,
  first_name,
  last_name,
  phone_number,
  email,
  date_of_birth,
  external_ref,
});
/** The response to a change of a member's standing. */
export const memberStanding = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  active: standing.active,
  tier_id: nullableTierId,
});

export const writtenPhoneNumber = fields.personal(
  Type.String({
    minLength: 1,
    maxLength: 50,
    format: "pasted-text",
    description:
      "Phone number with its country code after a plus sign or 00; without them, in the national form of the business's " +
      "country, if it has one. It can have spaces, hyphens, dots and parentheses.",
    examples: ["+34 600 111 222"],
  }),
);

/** A number that can be read, in the country of the business. */
export function checkPhoneNumber(phoneNumber: string | undefined, country: string | null): FieldError[] {
  if (phoneNumber === undefined || readPhoneNumber(phoneNumber, country) !== undefined) return [];
  if (country === null && isNational(phoneNumber)) {
    const problem = "must begin with + or 00 and the country code, because the business has no country";
    return [fieldError("phone_number", "country_code_missing", problem)];
  }
  const problem = "must be an international phone number such as +34600111222";
  return [fieldError("phone_number", "invalid_format", problem)];
}

const firstDay = "1900-01-01";

/** Checks that the date is 1900 or later, and not in the future on the clock of the caller's business. */
export async function checkDateOfBirth(
  dateOfBirth: string | null | undefined,
  { services, businessId }: CheckContext,
): Promise<FieldError[]> {
  if (dateOfBirth === undefined || dateOfBirth === null) return [];
  const today = await findToday(services.lookUps, businessId);
  return today === undefined ? [] : failuresOfPast("date_of_birth", dateOfBirth, dateOfBirth > today);
}

/** Why a day or a time of the past is out of range. As they are written, they compare as text. */
export function failuresOfPast(field: string, time: string, isFuture: boolean): FieldError[] {
  if (time < firstDay) return [fieldError(field, "out_of_range", `must be ${firstDay} or later`)];
  if (isFuture) return [fieldError(field, "out_of_range", "must not be in the future")];
  return [];
}

/** Rejects the most used passwords, and what others know of the person. @param what names the values in `own` */
export function checkPassword(
  field: string,
  password: string | undefined,
  own: readonly (string | null | undefined)[],
  what = "the member's own phone number or e-mail address",
): FieldError[] {
  if (password === undefined) return [];
  if (isCommonPassword(password)) {
    return [wrongValue(field, "is one of the most used passwords")];
  }
  if (own.some((value) => value && comparable(value) === comparable(password))) {
    return [wrongValue(field, `must not be ${what}`)];
  }
  return [];
}

/** The form in which a password is compared. Phone numbers become their digits. */
function comparable(text: string): string {
  const folded = fold(text).trim();
  return /^[\d\s+().-]+$/.test(folded) ? folded.replaceAll(/\D/g, "") : folded;
}

/** Rejects a search with only combining marks, because folding leaves nothing to search for. */
export function checkSearch(search: string | undefined): FieldError[] {
  if (search === undefined || fold(search).trim() !== "") return [];
  return [fieldError("search", "too_short", "must contain a character other than accents")];
}

/** A filter for members whose search finds phone numbers as people write them. */
export function withPhones(filter: MemberFilter, { country }: Caller): MemberFilter {
  return { ...filter, readPhone: (text) => readPhoneNumberStart(text, country) };
}

/** The details of member_already_exists. */
export function takenDetails<Field extends string>(fields: readonly Field[]) {
  return { field: fields[0] as Field, fields };
}

/** Rejects a change of a member that was merged into another one. */
export async function rejectMerged(
  tx: Connection,
  businessId: number,
  contactId: number,
  reject: Reject<"member_inactive">,
) {
  const merged_into = await findMergedInto(tx, businessId, contactId);
  return merged_into === undefined ? undefined : reject("member_inactive", { merged_into });
}

/** Changes some fields of a member, active or not. Phone number, e-mail address and external reference stay unique. */
export async function changeMember(
  tx: Connection,
  businessId: number,
  { contact_id, ...change }: MemberChange & { contact_id: number },
  {
    reject,
    emit,
  }: {
    reject: Reject<"member_not_found" | "member_inactive" | "member_already_exists">;
    emit: (event: EmittedEvent) => void;
  },
) {
  const [member, rejection] = await Promise.all([
    lockMember(tx, businessId, contact_id),
    rejectMerged(tx, businessId, contact_id, reject),
  ]);
  // An anonymous card has no fields of a person.
  if (member === undefined || member.anonymous !== null) return reject("member_not_found");
  if (rejection !== undefined) return rejection;
  const taken = await findTakenFields(tx, businessId, change, contact_id);
  if (taken.length > 0) return reject("member_already_exists", takenDetails(taken));
  const { member_id, first_name, last_name, email } = await updateMember(tx, businessId, member, change);
  // Partners don't see the remarks.
  const event = memberUpdated(contact_id, { ...change, remarks: undefined });
  if (event.data.changed.length > 0) emit(event);
  return { member_id, contact_id, first_name, last_name, email };
}

/** The event of a change of personal data, with the names of the changed fields. */
function memberUpdated(contact_id: number, change: object) {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { contact_ids: [contact_id], data: { changed: given.map(([field]) => field) } };
}

/** Declares the operation that makes a member active or inactive. */
export const setsActive = (
  active: boolean,
  texts: Pick<
    OperatorWrite,
    "path" | "role" | "event" | "emits" | "summary" | "message" | "description" | "confirm"
  >,
) =>
  writeOperation({
    ...texts,
    input: { business_id: fields.businessId, contact_id: fields.contactId },
    output: memberStanding,
    errors: ["member_not_found", "member_inactive"],
    async write({ input: { contact_id }, tx, caller, audit, emit, reject }) {
      const before = await setActive(tx, caller.businessId, contact_id, active);
      if (before === undefined) return reject("member_not_found");
      const rejection = await rejectMerged(tx, caller.businessId, contact_id, reject);
      if (rejection !== undefined) return rejection;
      const after = { ...before, active };
      if (before.active !== active) emit({ contact_ids: [contact_id], data: { active } });
      audit({ before, after });
      return after;
    },
  });
