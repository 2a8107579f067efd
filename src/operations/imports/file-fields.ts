/** Fields that files have besides those of a line. Each one completes the texts of the line's fields. */
import { fields, type TSchema, Type } from "../../contract/declare.ts";
import type { ImportName } from "../../domain/imports/jobs.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { nameKey } from "../../domain/text.ts";
import { isDash, isVoided, knownWords, meaningOf } from "./sale-words.ts";

/** The texts of a line by field. */
export type Texts = Record<string, string>;

/** What the names of locations in a file mean, by their keys. Null: lines with the name are left out. */
export type Places = ReadonlyMap<string, number | null>;

/** What becomes of a line: its texts, or why it is rejected or left out. */
export type Made =
  | { readonly texts: Texts; readonly isRefund?: true }
  | { readonly problem: string; readonly kind: string }
  /** `undone`: of a sale that was undone. A negative amount can be what undoes it. */
  | { readonly leftOut: string; readonly undone?: "refunded" | "cancelled" };

export interface FileField {
  readonly schema: TSchema;
  /** The other fields of the line that are made of it. */
  readonly makes?: readonly string[];
  /**
   * Absent for an amount, which is read as those of the line, and for a currency.
   * @param texts the other texts of the line, which are not changed where they are the better ones
   */
  make?(text: string, texts: Texts, places: Places): Made;
}

const name: FileField = {
  schema: fields.personal(
    fields.text(
      500,
      'The whole name, instead of first_name and last_name: "First Last" is parted at its last blank, "Last, First" at its comma.',
      "Ana María López",
    ),
  ),
  makes: ["first_name", "last_name"],
  make(text, { first_name = "", last_name = "" }) {
    const [first = "", last = ""] = partsOfName(text);
    return { texts: { first_name: first_name || first, last_name: last_name || last } };
  },
};

/** @returns the given name and the family name; only the first one if there is one word */
export function partsOfName(text: string): readonly string[] {
  const [last = "", first, ...others] = text.split(",").map((part) => part.trim());
  if (first && last && others.length === 0) return [first, last];
  const [, given = text, family = ""] = /^(.*\S)\s+(\S+)$/s.exec(text) ?? [];
  return [given, family];
}

const otherPhoneNumber: FileField = {
  schema: fields.personal(
    fields.text(
      40,
      "Another column of phone numbers, for lines whose phone_number is empty.",
      "+34600111222",
    ),
  ),
  makes: ["phone_number"],
  make: (text, { phone_number = "" }) => ({ texts: { phone_number: phone_number || text } }),
};

const soldTime: FileField = {
  schema: fields.text(40, "The time of the sale, if sold_at has only the day.", "09:30:00"),
  // Spreadsheets add a time of zeros to days.
  make(text, { sold_at = "" }) {
    const day = sold_at.replace(/[T ]0?0[:.h]00(?:[:.]00(?:\.0+)?)?$/, "");
    // "Fr 17.04.2026" has none.
    const hasTime = /[T ,]\d{1,2}(?:[:h]\d{2}|\.\d{2}(?![.\d]))/.test(day);
    return { texts: { sold_at: day === "" || hasTime ? sold_at : `${day} ${text}` } };
  },
};

const location: FileField = {
  schema: fields.text(255, "The location, by its name. locations says what other names mean.", "Main Street"),
  makes: ["location_id"],
  make(text, { location_id = "" }, places) {
    if (location_id !== "") return { texts: {} };
    const id = places.get(nameKey(text));
    if (id === null) return { leftOut: `of the location ${text}` };
    if (id !== undefined) return { texts: { location_id: String(id) } };
    const kind = "names no location";
    return { problem: `${kind}: ${text}`, kind };
  },
};

const customerContacts: FileField = {
  schema: fields.personal(
    fields.text(
      500,
      "An e-mail address, a phone number, or both, in one column.",
      "+34600111222, ana@example.com",
    ),
  ),
  makes: ["phone_number", "email"],
  make(text, { phone_number = "", email = "" }) {
    const parts = text.split(/[,;|\n]/).map((part) => part.trim());
    const address = parts.find((part) => part.includes("@")) ?? "";
    const number = parts.find((part) => !part.includes("@") && (part.match(/\d/g) ?? []).length > 5) ?? "";
    return { texts: { phone_number: phone_number || number, email: email || address } };
  },
};

/** A text in a reason, by which lines are counted. */
const shown = (text: string) => (text.length > 50 ? `${text.slice(0, 50)}…` : text);

/** A reason for each text, so that a person sees all words that are not known. */
function notKnown(text: string, remedy: string) {
  const problem = `is not known: ${shown(text)} (${remedy})`;
  return { problem, kind: problem };
}

const refundedIsMissing =
  "and nothing says how much: say the column of refunded amounts as refunded_amount in columns";

const saleStatus = (field: string, description: string, example: string): FileField => ({
  schema: fields.text(100, description, example),
  make(text, { refunded_amount = "" }) {
    const meaning = meaningOf(text);
    if (isDash(text)) return { texts: {} };
    if (meaning === "none") return { leftOut: `with ${text}` };
    if (meaning === "refunded" || meaning === "cancelled")
      return { leftOut: `with ${text}`, undone: meaning };
    if (meaning === "refund") return { texts: {}, isRefund: true };
    if (meaning === undefined)
      return notKnown(text, `say paid, refund or cancelled, or leave ${field} out in columns`);
    const problem = `is ${text}, ${refundedIsMissing}`;
    return meaning === "partial" && !/[1-9]/.test(refunded_amount)
      ? { problem, kind: problem }
      : { texts: {} };
  },
});

const saleVoided: FileField = {
  schema: fields.text(100, "Whether a sale was voided: yes or no. Those with yes are left out.", "no"),
  make(text) {
    const voided = isVoided(text);
    if (voided === undefined) return notKnown(text, "say yes or no, or leave sale_voided out in columns");
    return voided ? { leftOut: "that were voided" } : { texts: {} };
  },
};

const currency: FileField = {
  schema: fields.text(
    50,
    "The currency of the amounts, by its code or sign. Lines in another one than that of the business are rejected.",
    "EUR",
  ),
};

const money = (description: string, example: number) =>
  fields.inMinorUnits(fields.whole(-amountLimit, amountLimit, description, example));

export const isOfReceiptLine = (field: string) => field.startsWith("line_");

export const fileFields: Readonly<Record<ImportName, Readonly<Record<string, FileField>>>> = {
  members: { name, other_phone_number: otherPhoneNumber },
  sales: {
    customer_contacts: customerContacts,
    other_phone_number: otherPhoneNumber,
    sold_time: soldTime,
    location,
    sale_type: saleStatus(
      "sale_type",
      `Whether a line is a sale or a refund, whose amount is then negative: ${knownWords}.`,
      "Refund",
    ),
    sale_status: saleStatus(
      "sale_status",
      "Which lines are sales. Those that are not paid, or are refunded, are left out.",
      "paid",
    ),
    sale_voided: saleVoided,
    currency,
    refunded_amount: {
      schema: money("What was refunded of the sale. It is subtracted from its amount.", 500),
    },
    line_sku: { schema: { ...fields.sku, description: "The article of a line of the receipt." } },
    line_category: { schema: { ...fields.category, description: "The category of a line of the receipt." } },
    line_quantity: {
      schema: Type.Number({ description: "The quantity of a line of the receipt.", examples: [2] }),
    },
    line_amount: {
      schema: money("The amount of a line of the receipt, if amount is that of the whole receipt.", 600),
    },
    line_price: { schema: money("The price of one, instead of line_amount.", 300) },
  },
  vouchers: { other_phone_number: otherPhoneNumber, currency },
};

/** The field of a request that says what names of locations in a file mean. */
export const locationNames = Type.Array(
  Type.Object({
    name: fields.text(255, "A name in the file, without regard to case.", "Main St"),
    location_id: fields.nullable(
      fields.locationId,
      "The location, or null to leave out the lines with the name.",
      3,
    ),
  }),
  {
    maxItems: 200,
    description: "For sales: what names of locations mean that are not those of the business's locations.",
  },
);
