/** The fields of requests and responses. Validation, documents and the types of the client derive from their schemas. */
import { type TSchema, Type } from "typebox";
import Format from "typebox/format";
import { isDay, isMoment } from "../domain/dates.ts";
import { mostSaleLines } from "../domain/engine/lines.ts";
import { adjustmentTypes, amountLimit, balanceLimit, eventTypeNames } from "../domain/ledger.ts";
import { defaultPage, defaultPerPage, maximumPerPage } from "../domain/pagination.ts";
import {
  isEmail,
  isPastedText,
  isPhoneNumber,
  isPlainLines,
  isPlainText,
  isPrintableAscii,
  isVisibleAscii,
} from "../domain/text.ts";

// Formats of our own, by the names that the published schemas show.
Format.Set("plain-text", isPlainText);
Format.Set("pasted-text", isPastedText);
Format.Set("plain-lines", isPlainLines);
Format.Set("e164", isPhoneNumber);
Format.Set("email", isEmail);
Format.Set("date", isDay);
Format.Set("moment", isMoment);
Format.Set("printable-ascii", isPrintableAscii);
Format.Set("visible-ascii", isVisibleAscii);

export const whole = (minimum: number, maximum: number, description: string, example: number) =>
  Type.Integer({ minimum, maximum, description, examples: [example] });

/** An integer that need not be sent. */
export const wholeOr = (value: number, minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, default: value, description, examples: [value] }));

/** A number of things, or a balance: from 0 to the largest exact integer. */
export const count = (description: string, example: number) => whole(0, balanceLimit, description, example);

/**
 * What a number measures: money in minor units of the business's currency, or points. "entry": points in a ledger entry of the
 * points account, and money in other entries. "hundredths": a factor.
 */
export type Unit = "minor_units" | "points" | "entry" | "hundredths";

/** Adds facts to a field for our own programs. The published schemas don't have them. */
const noted = <Field extends TSchema>(
  field: Field,
  facts:
    | { unit: Unit }
    | { zone: "UTC" }
    | { absentWhenEmpty: true }
    | { shownOnce: true }
    | { file: string }
    | { personal: string },
): Field => ({ ...field, ...facts });

export const inMinorUnits = <Field extends TSchema>(field: Field) => noted(field, { unit: "minor_units" });
export const inHundredths = <Field extends TSchema>(field: Field) => noted(field, { unit: "hundredths" });
export const inPoints = <Field extends TSchema>(field: Field) => noted(field, { unit: "points" });

/** A secret that only this response has, so that the caller must store it. */
export const shownOnce = <Field extends TSchema>(field: Field) => noted(field, { shownOnce: true });

/** The content of a file that people choose: text, or Base64. @param kinds as the attribute "accept" of HTML has them */
export const fromFile = <Field extends TSchema>(field: Field, kinds: string) => noted(field, { file: kinds });

/**
 * A field that says who a member is, or that is written about it. Stored responses lose it when the member is erased, and the
 * audit log and events never have a field of its name, whichever operation writes them (database/personal.ts).
 * @param afterErasure the value in stored responses after an erasure; a field that can be null is null then
 */
export const personal = <Field extends TSchema>(field: Field, afterErasure = "Erased") =>
  noted(field, { personal: afterErasure });

/** An empty value of the field counts as absent, if the field is optional. */
export const absentWhenEmpty = <Field extends TSchema>(field: Field) =>
  noted(field, { absentWhenEmpty: true });

export const identifier = (description: string, example: number) =>
  whole(1, balanceLimit, description, example);

/** One line of visible text. */
export const text = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, format: "plain-text", description, examples: [example] });

/** Text that the service returns, of any characters. */
export const returnedText = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, description, examples: [example] });

/** One of some values. @param example by default, the first value */
export const choice = <const Value extends string>(
  values: readonly Value[],
  description: string,
  example: NoInfer<Value> = values[0] as Value,
) => Type.Enum([...values], { description, examples: [example] });

export const flag = (description: string, example: boolean) =>
  Type.Boolean({ description, examples: [example] });

/** A flag that need not be sent, and is false then. */
export const option = (description: string, example = false) =>
  Type.Optional(Type.Boolean({ default: false, description, examples: [example] }));

/** @param example by default, that of the field */
export const nullable = <Field extends TSchema>(
  field: Field,
  description: string,
  example: unknown = (field as { examples?: readonly unknown[] }).examples?.[0],
) => Type.Union([field, Type.Null()], { description, ...(example !== undefined && { examples: [example] }) });

export const contactId = identifier("The member, by contact_id.", 100001);
export const memberId = identifier("Another number of the member, which appears only in responses.", 1);
export const businessId = identifier("The business.", 1);
export const integrationId = identifier("The integration.", 1);
export const locationId = identifier("A location that the integration may use.", 1);
export const benefitId = identifier("The top-up benefit.", 1);
export const programId = identifier("The reward program.", 1);
export const promotionId = identifier("The promotion.", 4);
export const stampCardId = identifier("The stamp card.", 2);
export const occasionId = identifier("The occasion.", 2);
export const tierId = identifier("The member tier.", 1);
export const voucherId = identifier("The voucher definition.", 1);
export const heldVoucherId = identifier("The voucher that the member holds, by held_voucher_id.", 17);
export const saleId = identifier("The sale, by the sale_id from /sp/sales/record.", 1045);
export const redemptionId = identifier(
  "The redemption, by the redemption_id from /sp/reward-points/redeem.",
  1052,
);

const meaningOfMovement =
  "The top-up or payment, by the movement_id from /sp/wallet/topup or /sp/wallet/pay.";
export const movementId = identifier(meaningOfMovement, 1061);
/** Of a response that need not have one. */
export const nullableMovementId = nullable(movementId, meaningOfMovement);

export const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  format: "printable-ascii",
  description:
    "Identifies this write. The same key with the same body returns the first response again and changes nothing, also on a later " +
    "day; with another body, it is rejected. The number of a receipt is not enough: add the day and the till.",
  examples: ["sale/2026-04-17/1/812"],
});

export const firstName = personal(text(255, "Given name.", "Ana"));
export const lastName = personal(text(255, "Family name.", "López"), "Member");
export const phoneNumber = personal(
  Type.String({
    minLength: 8,
    maxLength: 16,
    format: "e164",
    description: "Phone number in E.164 format, with the plus sign.",
    examples: ["+34600111222"],
  }),
  // No country has the code +999.
  "+999000000000",
);
export const email = personal(
  Type.String({
    minLength: 3,
    maxLength: 254,
    format: "email",
    description: "E-mail address.",
    examples: ["ana@example.com"],
  }),
  "erased@erased.invalid",
);
export const nullableEmail = nullable(email, "E-mail address, or null if the member has none.");
export const externalRef = personal(
  text(
    255,
    "The member's number in another system, such as a customer number. It is unique in the business.",
    "C-4711",
  ),
);
export const writtenExternalRef = { ...externalRef, format: "pasted-text" as const };
export const nullableExternalRef = nullable(
  externalRef,
  "The member's number in another system, such as a customer number, or null if there is none.",
);
export const nullableRemarks = nullable(
  personal(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      format: "plain-lines",
      description: "What the people of the business should know about the member.",
      examples: ["Allergic to nuts"],
    }),
  ),
  "What the people of the business should know about the member, as free text, or null. Partners don't see it. A merge moves " +
    "that of the merged member below it.",
);
export const dateOfBirth = personal(
  Type.String({
    format: "date",
    description: "Date of birth, YYYY-MM-DD; 1900 or later and not in the future.",
    examples: ["1990-04-17"],
  }),
  "1900-01-01",
);
export const nullableDateOfBirth = nullable(
  dateOfBirth,
  "Date of birth, YYYY-MM-DD, or null for none; 1900 or later and not in the future.",
);
export const password = personal(
  Type.String({
    minLength: 8,
    maxLength: 128,
    format: "plain-text",
    description:
      "8 to 128 characters, without control characters. Not one of the most used passwords, and not the member's own phone " +
      "number or e-mail address. Never returned.",
    examples: ["correct horse battery staple"],
  }),
);

export const amount = inMinorUnits(
  whole(1, amountLimit, "Amount in minor units of the business's currency (cents).", 1250),
);
export const points = inPoints(whole(1, amountLimit, "Whole reward points.", 120));
export const adjustmentType = choice(adjustmentTypes, "credit adds to the balance, debit subtracts from it.");
export const balanceAfter = noted(
  whole(0, balanceLimit, "The balance of the account after the entry.", 1370),
  { unit: "entry" },
);
export const signedAmount = noted(
  whole(-balanceLimit, balanceLimit, "The change of the balance; negative for a debit.", -500),
  { unit: "entry" },
);
export const reason = absentWhenEmpty(
  Type.String({
    minLength: 1,
    maxLength: 500,
    format: "plain-lines",
    description: "The reason, as free text. It can have several lines.",
    examples: ["Goodwill after a late delivery"],
  }),
);
export const referenceId = absentWhenEmpty(
  text(255, "The caller's own reference of the entry.", "receipt-000812"),
);
export const eventType = choice(eventTypeNames, "The kind of ledger entry.", "wallet_adjustment");
export const timestamp = Type.String({
  minLength: 19,
  maxLength: 19,
  pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$",
  description: "YYYY-MM-DD HH:MM:SS, local time in the business's time zone.",
  examples: ["2026-04-17 09:30:00"],
});
/** A time as events have it. */
export const utcMoment = (description: string) =>
  Type.String({
    maxLength: 32,
    format: "date-time",
    description: `${description} In UTC, as in RFC 3339.`,
    examples: ["2026-04-17T07:30:00.123456Z"],
  });
export const utcTimestamp = noted(
  Type.String({
    ...timestamp,
    description: "YYYY-MM-DD HH:MM:SS in UTC.",
    examples: ["2026-04-17 07:30:00"],
  }),
  { zone: "UTC" },
);
/** A time that a caller sends: YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS. */
export const utcTime = (description: string) =>
  noted(
    Type.String({
      minLength: 10,
      maxLength: 19,
      pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}:\\d{2})?$",
      format: "moment",
      description: `${description} YYYY-MM-DD HH:MM:SS or YYYY-MM-DD, in UTC.`,
      examples: ["2026-04-17 07:30:00"],
    }),
    { zone: "UTC" },
  );
/** The time of a sandbox: YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS. */
export const sandboxTime = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 19,
    pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}:\\d{2})?$",
    format: "moment",
    description: `${description} Local time in the business's time zone.`,
    examples: ["2027-01-01"],
  });
export const day = (description: string) =>
  Type.String({ format: "date", description, examples: ["2026-04-17"] });

export const title = text(255, "The title of the benefit.", "Top up 50, get 5");
export const benefitAmount = { ...amount, examples: [5000] };
export const promoAmount = inMinorUnits(whole(0, amountLimit, "Bonus amount in minor units.", 500));
export const benefitStatus = choice(["active", "inactive"], "Whether the benefit is offered.");

export const enableRp = flag(
  "Whether reward points are on: sales earn points, and points can be spent.",
  true,
);
export const rpName = text(255, "The name of the points, as members see it.", "Stars");
export const periodLength = whole(1, 1200, "The number of periods.", 12);
export const periodUnit = choice(["day", "week", "month", "year"], "The unit of the period.", "month");
export const membershipName = text(255, "The name of the program.", "Gold Club");
export const maximumPointsPerOrder = inPoints(
  whole(0, 1_000_000_000, "The maximum number of points that one order earns.", 500),
);
export const sku = text(64, "The article, in your words. Case and outer blanks don't matter.", "LATTE-L");
export const category = text(
  64,
  "Its category, in your words. Case and outer blanks don't matter.",
  "coffee",
);
export const lineNo = whole(
  1,
  mostSaleLines,
  "The number of the line, from 1 on, in the order of the receipt.",
  2,
);
export const tierName = text(255, "The name of the tier.", "Gold");
export const campaignName = text(255, "The name of the voucher's campaign.", "Summer 2026");
export const couponCode = text(255, "The code on the coupon.", "SUMMER10");
export const writtenCouponCode = {
  ...couponCode,
  format: "pasted-text" as const,
  description: "The code on the coupon, in any case.",
};
export const couponValue = inMinorUnits(
  whole(0, amountLimit, "The value of the coupon, in minor units.", 1000),
);
export const archived = flag("Whether the voucher is archived.", false);

export const search = absentWhenEmpty(
  Type.String({
    minLength: 1,
    maxLength: 100,
    format: "pasted-text",
    description:
      "Words that must all occur in the name, phone number, e-mail address or external reference, in any order, or a whole contact_id. " +
      "Members that were merged are found as the member that they became. Case, accents and the form of apostrophes and hyphens make no difference. Phone numbers match with or without spaces, hyphens, plus sign or leading 00, and in the national form of the " +
      "business's country, if it has one.",
    examples: ["lopez"],
  }),
);

export const page = wholeOr(defaultPage, 1, balanceLimit, "The number of the page, starting at 1.");
/** Where a list continues. */
const cursor = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: "^[A-Za-z0-9_-]+$",
    description,
    examples: ["pYFbO2pQyVqUC0jqVTlMMlsiMTA0MiJd"],
  });
export const after = Type.Optional(
  cursor(
    "Lists the items after those of an earlier response: its meta.next. Send the same filters with it, and no page. " +
      "Unlike the next page by its number, it repeats no item if others were added meanwhile.",
  ),
);
export const next = nullable(
  cursor("Where the list continues."),
  "Where the list continues: send it as after in the next request. Null at the end of the list.",
);
export const perPage = wholeOr(defaultPerPage, 1, maximumPerPage, "The number of items on a page.");

/** meta.pagination of every paginated list. A response to a request with `after` does not have it. */
export const pagination = Type.Object(
  {
    total: count("The number of items in the whole list.", 41),
    per_page: count("The number of items on a page.", 15),
    current_page: count("The number of this page.", 1),
    last_page: count("The number of the last page; at least 1.", 3),
    from: count("The position of the first item of this page in the list; 0 if the page is empty.", 1),
    to: count("The position of the last item of this page in the list; 0 if the page is empty.", 15),
  },
  { additionalProperties: false, description: "The position of this page in the list." },
);
