/** Prints a response: for people, with money and times of the business, or with --json as the service sent it. */
import type { Answer } from "loyalty-sdk";
import type { Operation } from "../../contract/operation.ts";
import { type EventType, eventTypes } from "../../domain/ledger.ts";
import type { Context } from "../context.ts";
import type { Business } from "../service/businesses.ts";
import { decimalsOf, majorText } from "../terminal/quantities.ts";
import { isRecord, type Row, recordOf } from "../terminal/table.ts";

/** @param business whose currency and time zone are used; without it, amounts stay in minor units */
export function showResponse(
  operation: Operation,
  context: Context,
  answer: Answer,
  business: Business | undefined,
): void {
  const { out, err, json } = context;
  const { message, data, meta } = answer;
  if (json) out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  else {
    if (operation.kind !== "read") out.line(out.style("green", message));
    const record = business === undefined ? (data as Row) : withMoney(data as Row, business.currency);
    for (const line of recordOf(record, out)) out.line(line);
  }
  if (answer.replayed)
    err.line("Nothing was done now: this is the first response to the same idempotency key.");
  if (operation.kind === "write" && operation.confidential === true) {
    err.line(
      err.style("yellow", "Keep the client_secret now: it is shown this once and can't be found out later."),
    );
  }
  if (!json && business !== undefined) tellTimeZone(context, data, business.time_zone);
}

/**
 * Tells people in which time zone times are, because the API writes them without one.
 * @param shown what was printed
 * @param zone of the business whose times they are; without one, times are in UTC
 */
export function tellTimeZone({ err }: Context, shown: unknown, zone = "UTC"): void {
  if (hasTimes(shown)) err.line(err.style("dim", `Times are in ${zone}.`));
}

/** Whether a value holds a time such as 2026-04-17 09:30:00, at any depth. */
export function hasTimes(value: unknown): boolean {
  return /"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"/.test(JSON.stringify(value));
}

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
