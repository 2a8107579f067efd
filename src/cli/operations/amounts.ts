/** Amounts of money in responses, as people write them. */
import { type EventType, eventTypes } from "../../domain/ledger.ts";
import { decimalsOf, majorText } from "../terminal/quantities.ts";
import { isRecord, type Row } from "../terminal/table.ts";

/** The fields that are amounts of money, in minor units of the business's currency. */
export const moneyFields: ReadonlySet<string> = new Set([
  ...["amount", "amount_due", "balance_after", "coupon_value", "earn_amount", "earn_minimum_amount"],
  ...["eligible_amount", "points_amount", "promo_amount", "refunded", "sales", "sales_balance"],
  ...["value_amount", "vouchers", "vouchers_balance", "wallet", "wallet_balance", "wallet_used"],
]);

/** A record with its amounts as people write them, at any depth: 25.00 EUR. */
export function withMoney(record: Row, currency: string): Row {
  const decimals = decimalsOf(currency);
  const shown = (row: Row, field: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? withMoney(item, currency) : item));
    if (isRecord(value)) return withMoney(value, currency);
    if (!moneyFields.has(field) || typeof value !== "number") return value;
    return isOfPoints(row) ? `${value} points` : `${majorText(value, decimals)} ${currency}`;
  };
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field, shown(record, field, value)]),
  );
}

/** Whether a value is a record with amounts of money. */
export function hasMoney(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMoney);
  return (
    isRecord(value) && Object.entries(value).some(([field, item]) => moneyFields.has(field) || hasMoney(item))
  );
}

/** A movement of points and not of money: an entry of the points account, or an adjustment of it. */
function isOfPoints({ event_type, points, balance_after }: Row): boolean {
  if (typeof event_type === "string") return eventTypes[event_type as EventType]?.account === "points";
  return points !== undefined && balance_after !== undefined;
}
