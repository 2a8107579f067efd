/** Fields that files have besides those of a line. Each one completes the texts of the line's fields. */
import { fields, type TSchema, Type } from "../../contract/declare.ts";
import type { ImportName } from "../../domain/imports/jobs.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { nameKey } from "../../domain/text.ts";

/** The texts of a line by field. */
export type Texts = Record<string, string>;

/** What the names of locations in a file mean, by their keys. Null: lines with the name are left out. */
export type Places = ReadonlyMap<string, number | null>;

/** What becomes of a line: its texts, or why it is rejected or left out. */
export type Made =
  | { readonly texts: Texts; readonly isRefund?: true }
  | { readonly problem: string; readonly kind: string }
  | { readonly leftOut: string };

export interface FileField {
  readonly schema: TSchema;
  /** The other fields of the line that are made of it. */
  readonly makes?: readonly string[];
  /**
   * Absent for an amount, which is read as those of the line.
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
    const hasTime = /[T ,]\d{1,2}[:.h]\d{2}/.test(day);
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

/** What systems write about receipts. The names of PrestaShop are those of its languages. */
const statuses: Readonly<Record<"sale" | "refund" | "none", readonly string[]>> = {
  sale: [
    ...["sale", "payment", "paid", "partially refunded", "closed", "complete", "completed", "fulfilled"],
    ...["processing", "payment accepted", "remote payment accepted", "processing in progress", "shipped"],
    ...["delivered", "on backorder (paid)", "paiement accepté", "paiement à distance accepté"],
    ...["en cours de préparation", "expédié", "livré", "payé", "venta", "pagado", "pagada", "cobrado"],
    ...["cobrada", "cerrado", "cerrada", "completado", "completada", "bezahlt", "abgeschlossen"],
  ],
  refund: ["refund", "return", "devolución", "retour"],
  none: [
    ...["voided", "void", "pending", "authorized", "partially paid", "unpaid", "expired", "cancelled"],
    ...["canceled", "open", "refunded", "on hold", "holded", "pending payment", "payment review"],
    ...["suspected fraud", "fraud", "payment error", "on backorder (not paid)", "awaiting check payment"],
    ...["awaiting bank wire payment", "awaiting cash on delivery validation", "annulé", "remboursé"],
    ...["remboursement", "erreur de paiement", "en attente de paiement par chèque"],
    ...["en attente de virement bancaire", "en attente de paiement paypal", "anulado", "anulada"],
    ...["cancelado", "cancelada", "pendiente", "reembolsado", "storniert", "offen"],
  ],
};

const saleStatus = (field: string, description: string, example: string): FileField => ({
  schema: fields.text(100, description, example),
  make(text) {
    const status = text.toLowerCase().replaceAll("_", " ");
    if (statuses.none.includes(status)) return { leftOut: `with ${text}` };
    if (statuses.refund.includes(status)) return { texts: {}, isRefund: true };
    if (statuses.sale.includes(status)) return { texts: {} };
    const remedy = `say paid, refund or cancelled, or leave ${field} out in columns`;
    return { problem: `is not known: ${text} (${remedy})`, kind: `is not known: ${remedy}` };
  },
});

const known = Object.values(statuses).flat().join(", ");
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
      `Whether a line is a sale or a refund, whose amount is then negative: ${known}.`,
      "Refund",
    ),
    sale_status: saleStatus(
      "sale_status",
      "Which lines are sales. Those that are not paid, or are refunded, are left out.",
      "paid",
    ),
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
  vouchers: { other_phone_number: otherPhoneNumber },
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
