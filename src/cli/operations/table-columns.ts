/** The columns of the tables of lists, and the texts of their cells. */
import type { Operation } from "../../contract/operation.ts";
import { type EventType, eventTypes } from "../../domain/ledger.ts";
import { usageError } from "../cli-error.ts";
import { decimalsOf, majorText } from "../terminal/money.ts";
import type { Row } from "../terminal/table.ts";

/** What a table shows without --wide: all that fits 100 columns, the most useful first. */
const shown: Readonly<Record<string, readonly string[]>> = {
  "/op/audit/list": ["audit_id", "recorded_at", "business_id", "event", "actor"],
  "/op/businesses/list": ["business_id", "name", "currency", "time_zone", "sandbox"],
  "/op/integrations/list": ["integration_id", "name", "client_id", "enabled", "created_at"],
  "/op/members/list": [
    ...["contact_id", "first_name", "last_name", "phone_number", "tier_name"],
    ...["wallet_balance", "points_balance"],
  ],
};

/** The fields that are amounts of money, in minor units of the business's currency. */
export const moneyFields: ReadonlySet<string> = new Set([
  ...["amount", "balance_after", "coupon_value", "earn_amount", "earn_minimum_amount", "promo_amount"],
  ...["sales_balance", "vouchers_balance", "wallet_balance"],
]);

/** The columns of a list: the fields that its items declare. */
export function allColumnsOf({ output }: Operation): string[] {
  return Object.keys((output as { properties?: object }).properties ?? {});
}

/** The columns that a list shows when nothing is said. */
export function shownColumnsOf(operation: Operation): readonly string[] {
  return shown[operation.path] ?? allColumnsOf(operation);
}

/** @throws CliError when a list has no such column */
export function pickedColumns(operation: Operation, names: readonly string[]): readonly string[] {
  const all = allColumnsOf(operation);
  const wrong = names.filter((name) => !all.includes(name)).map((name) => `"${name}"`);
  if (names.length > 0 && wrong.length === 0) return names;
  throw usageError(
    wrong.length === 0 ? "--columns names no column." : `--columns: no column is named ${wrong.join(", ")}.`,
    `The columns are ${all.join(", ")}.`,
  );
}

/** Rows with their amounts as people write them: 25.00 EUR. */
export function withMoney(rows: readonly Row[], currency: string): Row[] {
  const decimals = decimalsOf(currency);
  const text = (row: Row, field: string, value: unknown) => {
    if (!moneyFields.has(field) || typeof value !== "number") return value;
    if (isOfPoints(row)) return `${value} points`;
    return `${majorText(value, decimals)} ${currency}`;
  };
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([field, value]) => [field, text(row, field, value)])),
  );
}

/** A ledger entry that moves points and not money. */
function isOfPoints({ event_type }: Row): boolean {
  return typeof event_type === "string" && eventTypes[event_type as EventType]?.account === "points";
}
