/** The rejections of lines, with amounts in the units of the file. */
import { majorText } from "../domain/amount-text.ts";
import type { ImportKind } from "../operations/imports/import-kinds.ts";
import type { Rejected } from "../operations/imports/imports.ts";
import { fieldsOf } from "./form/columns.ts";
import type { Line, Rejection } from "./lines.ts";

interface FileForm {
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals: number | undefined;
  /** Whose national phone numbers are understood. */
  readonly country: string | null;
  /** Whether a column is that of references. */
  readonly hasReferences: boolean;
}

const noPhone =
  "phone_number is required. If another column has numbers, say it as other_phone_number; if not, add them to the file.";

const withoutReference = "amount is negative. A refund has the reference_id of its sale.";
const withoutReferences =
  "amount is negative. A refund has the reference_id of its sale, and no column was taken for it: name it in columns.";

const phoneText = (country: string | null) =>
  "phone_number must be an international phone number such as +34600111222, with + and the country code" +
  (country === null
    ? "; with country, national numbers are understood."
    : `, or a national one of ${country}.`);

/** The amounts in a message: that of the line, and what is recorded or left. */
const amounts = /(?<=^\w+ is )\d+(?=,)|(?<= with |sale, )\d+(?=\.$)/g;

/** A rejection by the service, with amounts in the units of the file. */
export function rejectionBy(
  kind: ImportKind,
  { line: number, field, code, ...rejected }: Rejected,
  line: Line | undefined,
  { decimals, country, hasReferences }: FileForm,
): Rejection {
  // Such as that of an article that is too long.
  const message = rejected.message.replace(/^lines\.\d+\./, "line_");
  const value = line?.[field];
  const { unit, minimum, maximum } = fieldsOf(kind)[field] ?? {};
  const isAmount = unit === "minor_units" && typeof value === "number";
  const textOf = (amount: number) => (decimals === undefined ? String(amount) : majorText(amount, decimals));
  const inUnits = isAmount ? message.replace(amounts, (digits) => textOf(Number(digits))) : message;
  const because = (message: string, reason?: string) => ({
    ...{ line: number, field, message },
    ...(reason !== undefined && { reason }),
  });
  if (code === "sale_not_found")
    return because(message, "amount is a refund, and no sale of the member has its reference_id.");
  if (code === "refund_exceeds_sale" && inUnits.includes("left of the sale"))
    return because(inUnits, "amount is more than is left of the sale.");
  if (code === "differs" || code === "amount_differs")
    return because(
      inUnits,
      `${field} differs from the ${kind.name.replace(/s$/, "")} with the same ${kind.reference}.`,
    );
  if (code === "member_already_exists")
    return because(message, message.replace(/line \d+\.$/, "an earlier line."));
  if (field === "phone_number" && code === "required") return because(noPhone);
  if (field.endsWith("_name") && code === "required")
    return because(`${field} is required. To import such members, add defaults of ${field}, such as -.`);
  if (message.startsWith("phone_number must ")) return because(phoneText(country));
  if (code !== "out_of_range" || !isAmount) return because(message);
  if (field === "amount" && value < 0 && line?.reference_id === undefined)
    return because(hasReferences ? withoutReference : withoutReferences);
  if (decimals === undefined || minimum === undefined || maximum === undefined) return because(message);
  return because(
    `${field} must be ${value < minimum ? "at least" : "at most"} ${textOf(value < minimum ? minimum : maximum)}.`,
  );
}
