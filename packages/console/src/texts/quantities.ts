/** Numbers that are no amounts of money, by what their names and declarations say of them. */
import type { Field } from "../api/declarations.ts";
import { durationText, periodText } from "./dates.ts";
import { decimalText } from "./decimals.ts";
import { texts } from "./en/texts.ts";

/** Whether a value is absent. Zero says so of a minimum, and of a part of a sale, of a refund or of points that was not used. */
export const isNone = (name: string, value: unknown): boolean => {
  const parts = /minimum|^(?:used|clawed|refunded|covered|(?:points|wallet|money)_(?:back|clawed))$/;
  return (value ?? "") === "" || (value === 0 && parts.test(name));
};

/** @param unit that of a period */
export function quantityText(name: string, field: Field, value: number, unit: unknown): string {
  if (name.endsWith("_id") || name === "entry_no") return String(value);
  if (typeof unit === "string") return periodText(value, unit);
  if (field.unit === "hundredths") return decimalText(value, 2);
  if (name.endsWith("_seconds")) return durationText(value);
  if (name.endsWith("_bytes")) return texts.megabytes(decimalText(Math.ceil(value / 1e6), 0));
  return decimalText(value, 0);
}
