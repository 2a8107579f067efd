/** Prints responses: for people as records and tables with money and times of the business, or as JSON. */
import { Option } from "commander";
import type { Answer } from "loyalty-sdk";
import type { TObject } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { type EventType, eventTypes } from "../../domain/ledger.ts";
import { decimalsOf } from "../../operations/currencies.ts";
import { listAudit } from "../../operations/operator/audit/list.ts";
import type { Context } from "../command.ts";
import { type Business, getBusiness } from "../service/businesses.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { usageError } from "../terminal/cli-error.ts";
import { majorText } from "../terminal/quantities.ts";
import { isRecord, linesOfRecord, type Row, tableLines } from "../terminal/table.ts";
import { names } from "./field-options.ts";

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
    for (const line of linesOfRecord(record, out)) out.line(line);
  }
  if (answer.replayed) err.line("Nothing was changed: this is the first response to this idempotency key.");
  if (operation.kind === "write" && operation.confidential === true) {
    err.line(err.style("yellow", "Store the client_secret now. It is shown only once."));
  }
  if (!json && business !== undefined) tellTimeZone(context, data, business.time_zone);
}

/**
 * Tells people in which time zone times are, because the API writes them without one.
 * @param shown what was printed
 */
function tellTimeZone({ err }: Context, shown: unknown, zone: string): void {
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

/** Whether a value has amounts of money, at any depth. */
export function hasMoney(value: unknown): boolean {
  const fields = JSON.stringify(value).matchAll(/"(\w+)":/g);
  return [...fields].some(([, field = ""]) => moneyFields.has(field));
}

/** A record with its amounts as people write them, at any depth: 25.00 EUR. */
export function withMoney(record: Row, currency: string): Row {
  const decimals = decimalsOf(currency) ?? 0;
  const shown = (field: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? withMoney(item, currency) : item));
    if (isRecord(value)) return withMoney(value, currency);
    if (!moneyFields.has(field) || typeof value !== "number") return value;
    return isOfPoints(record) ? `${value} points` : `${majorText(value, decimals)} ${currency}`;
  };
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, shown(field, value)]));
}

/** A movement of points and not of money: an entry of the points account, or an adjustment of it. */
function isOfPoints({ event_type, points, balance_after }: Row): boolean {
  if (typeof event_type === "string") return eventTypes[event_type as EventType]?.account === "points";
  return points !== undefined && balance_after !== undefined;
}

/** The options that every list has besides its fields, by the names that commander gives them. */
export interface ListOptions {
  readonly all?: true;
  readonly wide?: true;
  readonly columns?: readonly string[];
}

export function listOptions(): Option[] {
  return [
    new Option("--all", "Show all pages.").conflicts("page"),
    new Option("--wide", "Show all columns, and don't cut text.").conflicts("columns"),
    new Option("--columns <names>", "Show these columns, separated by commas, and don't cut text.").argParser(
      names,
    ),
  ];
}

/** Asks for a list and prints it. @throws CliError when --columns names a column that the list does not have */
export async function showList(
  operation: Operation,
  context: Context,
  filter: Readonly<Record<string, unknown>>,
  options: ListOptions,
): Promise<void> {
  const { out, err, json } = context;
  const columns = columnsFor(operation, options);
  const client = await context.client();
  const { message, data, meta } = options.all
    ? await everyPage(client, operation.path, filter)
    : await client.call<Row[]>(operation.path, filter);
  if (json) return out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  if (data.length > 0) {
    // Amounts are in the currency of the business, and times in its time zone.
    const id = filter.business_id as number | undefined;
    const business = id === undefined ? undefined : await getBusiness(client, id);
    const rows = business === undefined ? data : data.map((row) => withMoney(row, business.currency));
    const width = options.wide || options.columns ? Number.POSITIVE_INFINITY : undefined;
    for (const line of tableLines(columns, rows, out, width)) out.line(line);
    const shown = data.map((row) => columns.map((column) => row[column]));
    tellTimeZone(context, shown, (operation !== listAudit && business?.time_zone) || "UTC");
  }
  const whole = { total: data.length, current_page: 1, last_page: 1 };
  const { total, current_page, last_page } = (meta.pagination as typeof whole | undefined) ?? whole;
  if (total === 0) err.line("No records found.");
  else if (current_page > last_page)
    err.line(`There is no page ${current_page}. The last page is ${last_page}.`);
  else if (last_page > 1) {
    const next = current_page < last_page ? `; next page: --page ${current_page + 1}; all pages: --all` : "";
    err.line(err.style("dim", `Page ${current_page} of ${last_page}, ${total} in all${next}`));
  }
}

/** All of a list as one response without pagination. */
async function everyPage(client: OperatorClient, path: string, filter: object) {
  const data: Row[] = [];
  let message = "";
  for await (const page of pagesOf<Row>(client, path, filter)) {
    data.push(...page.data);
    ({ message } = page);
  }
  return { message, data, meta: {} as Answer["meta"] };
}

/** The columns without --wide: as many as fit 100 columns, the most useful first. */
const shown: Readonly<Record<string, readonly string[]>> = {
  "/op/audit/list": ["audit_id", "recorded_at", "business_id", "event", "actor"],
  "/op/businesses/list": ["business_id", "name", "currency", "time_zone", "sandbox"],
  "/op/integrations/list": ["integration_id", "name", "client_id", "enabled", "created_at"],
  "/op/members/list": [
    ...["contact_id", "first_name", "last_name", "phone_number", "tier_name"],
    ...["wallet_balance", "points_balance"],
  ],
};

/** The columns of a list: the fields that its items declare. */
export const allColumnsOf = ({ output }: Operation) => Object.keys((output as TObject).properties);

/** The columns that a list shows without --wide and --columns. */
export const shownColumnsOf = (operation: Operation) => shown[operation.path] ?? allColumnsOf(operation);

function columnsFor(operation: Operation, { wide, columns }: ListOptions): readonly string[] {
  const all = allColumnsOf(operation);
  if (columns === undefined) return wide ? all : shownColumnsOf(operation);
  const wrong = columns.filter((name) => !all.includes(name)).map((name) => `"${name}"`);
  if (wrong.length === 0) return columns;
  const message = `--columns: no column is named ${wrong.join(", ")}.`;
  throw usageError(message, `The columns are ${all.join(", ")}.`);
}
