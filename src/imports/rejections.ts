/** The rejections of lines, with amounts in the units of the file. */
import { majorText } from "../domain/amount-text.ts";
import type { ImportKind } from "../operations/import-kinds.ts";
import type { ChunkResult } from "../operations/imports.ts";
import { fieldsOf } from "./columns.ts";
import type { Line, Rejection } from "./lines.ts";

export type Rejected = ChunkResult["rejected"][number];

interface FileForm {
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals: number | undefined;
  /** Whose national phone numbers are understood. */
  readonly country: string | null;
}

const noPhone =
  "phone_number is required. If another column has numbers, say it as other_phone_number; if not, add them to the file.";

/** A rejection by the service, with amounts in the units of the file. */
export function rejectionBy(
  kind: ImportKind,
  found: Rejected,
  line: Line | undefined,
  { decimals, country }: FileForm,
): Rejection {
  // Such as that of an article that is too long.
  const rejected = { ...found, message: found.message.replace(/^lines\.\d+\./, "line_") };
  const { field, code, message, imported } = rejected;
  const value = line?.[field];
  const { unit, minimum, maximum } = fieldsOf(kind)[field] ?? {};
  const isAmount = unit === "minor_units" && typeof value === "number";
  if (code === "sale_not_found")
    return { ...rejected, reason: "amount is a refund, and no sale of the member has its reference_id." };
  if (
    isAmount &&
    value < 0 &&
    field === "amount" &&
    code === "out_of_range" &&
    line?.reference_id === undefined
  ) {
    return { ...rejected, message: "amount is negative. A refund has the reference_id of its sale." };
  }
  const isReused = code === "differs" || code === "amount_differs";
  const record = kind.name.replace(/s$/, "");
  const differs = `${field} differs from the ${record} with the same ${kind.reference}.`;
  const reason = isReused ? { reason: differs } : {};
  const national =
    country === null
      ? "; with country, national numbers are understood"
      : `, or a national one of ${country}`;
  const phone = `${field} must be an international phone number such as +34600111222, with + and the country code${national}.`;
  const isMissing = field === "phone_number" && code === "required";
  const isPhone = message.startsWith("phone_number must ");
  const same = {
    ...rejected,
    ...reason,
    ...((isPhone || isMissing) && { message: isPhone ? phone : noPhone }),
  };
  const left = code === "refund_exceeds_sale" ? / ([0-9]+)\.$/.exec(message)?.[1] : undefined;
  if (left !== undefined) {
    const reason = "amount is more than is left of the sale.";
    return {
      ...rejected,
      reason,
      message: `${message.slice(0, -left.length - 1)}${decimals ? majorText(Number(left), decimals) : left}.`,
    };
  }
  if (decimals === undefined || !isAmount) return same;
  const text = (amount: number) => majorText(amount, decimals);
  if (code === "amount_differs" && imported !== undefined) {
    const inMajorUnits = message
      .replace(`${field} is ${value},`, `${field} is ${text(value)},`)
      .replace(new RegExp(`with ${imported}\\.$`), `with ${text(imported)}.`);
    return { ...same, message: inMajorUnits };
  }
  if (code !== "out_of_range" || minimum === undefined || maximum === undefined) return same;
  const bound = value < minimum ? `at least ${text(minimum)}` : `at most ${text(maximum)}`;
  return { ...same, message: `${field} must be ${bound}.` };
}
