/**
 * Shared by the imports. A request carries a chunk of a file's lines. A rejected line does not stop the other lines, so
 * fields are checked here, line by line, and not with the request.
 */

import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { fields } from "../../contract/declare.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { FieldErrorCode } from "../../contract/field-errors.ts";
import { type Body, validatorOf } from "../../contract/validation.ts";
import { cardKey } from "../../domain/cards.ts";
import { longestText, mostLines } from "../../domain/imports/limits.ts";
import { amountLimit, balanceLimit } from "../../domain/ledger.ts";
import { ownNumber, writtenCardCode } from "../members/cards.ts";
import { readPhoneNumber } from "../members/phone-numbers.ts";
import { locationId } from "../records.ts";

/** A day or a time in the past, told by the business's clock or with an offset. */
const pastMoment = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 32,
    format: "moment",
    description:
      `${description} A day (its beginning) or a time, in the business's time zone unless it has an offset; 1900 or later ` +
      "and not in the future.",
    examples: ["2026-04-17 09:30:00"],
  });

const phoneNumber = Type.String({
  ...fields.phoneNumber,
  description:
    "Phone number in E.164 format, with the plus sign, or in the national form of the business's country.",
});

/** The fields of an imported member, in full. */
export const memberFields = Type.Object({
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: phoneNumber,
  email: Type.Optional(fields.email),
  date_of_birth: Type.Optional(fields.dateOfBirth),
  external_ref: Type.Optional(fields.externalRef),
  card_code: ownNumber,
  joined_at: Type.Optional(pastMoment("The time when the member joined; by default, now.")),
  wallet_balance: Type.Optional(
    fields.inMinorUnits(fields.whole(0, amountLimit, "Opening balance of the wallet, in minor units.", 1250)),
  ),
  points_balance: Type.Optional(
    fields.inPoints(fields.whole(0, amountLimit, "Opening balance of the reward points.", 120)),
  ),
  tier: Type.Optional(fields.text(255, "The tier, by its name or its tier_id.", "Gold")),
  tier_until: Type.Optional(
    fields.day("The last day of the tier. By default, the tier is valid from today on, for its validity."),
  ),
});

/** A line that names a member has one of these fields. */
export const namingFields = {
  contact_id: Type.Optional(fields.contactId),
  phone_number: Type.Optional(phoneNumber),
  external_ref: Type.Optional(fields.externalRef),
  card_code: Type.Optional(writtenCardCode),
  email: Type.Optional(fields.email),
};

/** A line with its phone number and its card number in the forms in which they are stored, as far as they can be read. */
export function withStoredNumbers<
  Line extends { readonly phone_number?: string; readonly card_code?: string },
>(line: Line, country: string | null): Line {
  const { phone_number, card_code } = line;
  const read = phone_number && readPhoneNumber(phone_number, country);
  // Most lines are not copied.
  const named = read === undefined || read === phone_number ? line : { ...line, phone_number: read };
  return card_code === undefined ? named : { ...named, card_code: cardKey(card_code) };
}

/** The fields of an imported sale, in full. */
export const saleFields = Type.Object({
  ...namingFields,
  sold_at: pastMoment("The time of the sale."),
  time_zone: Type.Optional(
    fields.text(64, "The IANA time zone of sold_at; by default, that of the business.", "America/New_York"),
  ),
  amount: fields.amount,
  location_id: Type.Optional(locationId),
  reference_id: Type.Optional(fields.referenceId),
});

const lineNumber = fields.identifier("The number of the line in the file. LineErrors contain it.", 2);

const unreadable = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 20,
  description:
    "Fields of the line that the caller can't read. The other fields are checked, so that you see all reasons at once. " +
    "The line is not imported.",
  examples: [[]],
});

export interface LineName {
  readonly line: number;
  readonly unreadable?: readonly string[];
}

/** The lines of a request. The schema has only the types of a line's own fields; the rest is checked later. */
export function linesOf<Fields extends TProperties>(fields: TObject<Fields>) {
  const line = {
    type: "object",
    properties: { line: lineNumber, unreadable, ...typesOf(fields.properties) },
    required: ["line"],
    additionalProperties: false,
  };
  return Type.Array(Type.Unsafe<LineName & Static<TObject<Fields>>>(line), {
    minItems: 1,
    maxItems: mostLines,
    description: `The lines, up to ${mostLines}.`,
  });
}

const typesOf = (properties: TProperties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, typeOnly(schema)]));

/** Bounds wider than any field's: a value beyond them is a mistake of the caller, not of the file. */
function typeOnly(schema: TSchema): object {
  const { type, description, examples, unit, personal } = schema as unknown as Record<string, unknown>;
  if (type === "string") return { type, maxLength: longestText, description, examples, personal };
  const { items, properties, required, maxItems } = schema as unknown as TObject &
    Record<"items" | "maxItems", TSchema>;
  if (type === "array") return { type, items: typeOnly(items), maxItems, description, examples };
  if (type === "object")
    return { type, properties: typesOf(properties), required, additionalProperties: false };
  return { type, minimum: -balanceLimit, maximum: balanceLimit, description, examples, unit };
}

/** Why a line is not imported. */
export interface LineError extends Rejected {
  readonly code: FieldErrorCode | ErrorCode | "amount_differs" | "differs" | "member_erased";
}

/** @param problem completes a sentence that begins with the field's name */
export function lineError(
  line: LineName,
  field: string,
  code: LineError["code"],
  problem: string,
): LineError {
  return { line: line.line, field, code, message: `${field === "" ? "The line" : field} ${problem}.` };
}

/** The result of a chunk. */
export const importResult = Type.Object({
  imported: fields.whole(0, mostLines, "The number of lines that were imported, or would be.", 1998),
  skipped: fields.whole(0, mostLines, "The number of lines that were already imported.", 1),
  rejected: Type.Array(
    Type.Object({
      line: lineNumber,
      field: fields.returnedText(
        100,
        "The invalid field; empty if the line as a whole is invalid.",
        "phone_number",
      ),
      code: fields.returnedText(
        50,
        "The reason, for programs: a field code of validation_failed, an error code, member_erased, or amount_differs or " +
          "differs if another amount or another value is recorded under the reference.",
        "member_not_found",
      ),
      message: fields.returnedText(2000, "The reason, for people.", "phone_number names no member."),
      imported: Type.Optional(
        fields.count("For amount_differs: the amount with which the reference was imported.", 2500),
      ),
    }),
    { maxItems: 20 * mostLines, description: "All reasons of all rejected lines." },
  ),
});

export type ChunkResult = Static<typeof importResult>;
/** As the service returns it. */
export type Rejected = ChunkResult["rejected"][number];

/** Fields of the request of every import. */
export const trialFields = {
  dry_run: fields.option("Whether to check all lines and import none."),
};

/** A line whose fields were checked. */
export interface CheckedLine<Line> {
  /** Without the fields that are wrong, so that the others can be looked up. */
  readonly line: Line;
  /** Whether a field is missing or wrong: the line is not imported. */
  readonly bad: boolean;
  readonly rejections: readonly LineError[];
}

/**
 * Makes the function that checks a line, without the database.
 * @param fields the schema of a line's own fields, in full
 * @returns a function whose `check` finds what the schema can't express; `has` says whether the file has a field, right or
 *   wrong
 */
export function lineChecker<Fields extends TProperties>(fields: TObject<Fields>) {
  type Line = LineName & Static<TObject<Fields>>;
  const properties: TProperties = { line: lineNumber, ...fields.properties };
  const validate = validatorOf(Type.Object(properties, { additionalProperties: false }));
  return (
    given: Line,
    check: (has: (field: string) => boolean) => LineError[] = () => [],
  ): CheckedLine<Line> => {
    const { unreadable } = given;
    // Most lines are right, and not copied.
    const line: Line = unreadable === undefined ? given : { ...given };
    if (unreadable !== undefined) delete (line as { unreadable?: unknown }).unreadable;
    const failures = validate(line as Body).failures.filter(
      ({ field }) => unreadable?.includes(field) !== true,
    );
    const more = check((field) => field in line || unreadable?.includes(field) === true);
    if (unreadable === undefined && failures.length === 0 && more.length === 0)
      return { line, bad: false, rejections: more };
    const rejections = [...failures.map((failure) => ({ line: line.line, ...failure })), ...more];
    const wrong = new Set(rejections.map(({ field }) => field.replace(/\..*/, "")));
    const right = Object.entries(line).filter(([field]) => !wrong.has(field));
    return { line: Object.fromEntries(right) as Line, bad: true, rejections };
  };
}
