/** Prints responses: for people as records and tables with money and times of the business, or as JSON. */
import { Option } from "commander";
import type { ApiResponse } from "loyalty-sdk";
import type { TObject } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { moneyText } from "../../domain/amount-text.ts";
import { csvLine } from "../../domain/csv.ts";
import { type EventType, eventTypes } from "../../domain/ledger.ts";
import type { Context } from "../command.ts";
import { type Business, getBusiness } from "../service/businesses.ts";
import { failuresOf, failureText } from "../service/cell-failures.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { usageError } from "../terminal/cli-error.ts";
import { fittingColumns, isRecord, linesOfRecord, type Row, tableLines } from "../terminal/table.ts";
import { type FieldSchema, names } from "./field-options.ts";

/** @param business whose currency and time zone are used; without it, amounts stay in minor units */
export function showResponse(
  operation: Operation,
  context: Context,
  response: ApiResponse,
  business: Business | undefined,
): void {
  const { out, err, json } = context;
  const { message, data, meta } = response;
  const rows = rowsIn(operation, data);
  if (json) out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  else if (rows !== undefined) showRows(context, operation, rows, data as Row);
  else {
    if (operation.kind !== "read") out.line(out.style("green", message));
    const record = business === undefined ? data : withUnits(data, operation.output, business);
    for (const line of linesOfRecord(record as Row, out)) out.line(line);
  }
  if (response.replayed) err.line("Nothing was changed: this is the first response to this idempotency key.");
  if (operation.kind === "write" && operation.confidential === true) {
    err.line(err.style("yellow", `Store the ${secretOf(operation)} now. It is shown only once.`));
  }
  if (!json && business !== undefined) tellTimeZone(context, data, business.time_zone);
}

/** The field of a response that is shown only once. */
function secretOf({ output }: Operation): string {
  const names = ["client_secret", "operator_key", "invitation_token"];
  return names.find((name) => name in ((output as FieldSchema).properties ?? {})) ?? "secret";
}

/** The records of a response that is one list of them. */
function rowsIn(operation: Operation, data: unknown): readonly Row[] | undefined {
  if (operation.kind !== "read" || operation.columns === undefined) return undefined;
  return Object.values(data as Row).find(Array.isArray);
}

/** Prints such a list as a table, and says how to continue. */
function showRows({ out, err }: Context, operation: Operation, rows: readonly Row[], data: Row): void {
  if (rows.length === 0) {
    err.line("No records found.");
    return;
  }
  const columns = operation.kind === "read" ? (operation.columns ?? []) : [];
  const shown = fittingColumns(columns, [], rows, out);
  for (const line of tableLines(shown, rows, out)) out.line(line);
  if (typeof data.next === "string") err.line(err.style("dim", `There are more: --before ${data.next}`));
}

/** Tells people in which time zone times are, because the API writes them without one. @param shown what was printed */
function tellTimeZone({ err }: Context, shown: unknown, zone: string): void {
  if (hasTimes(shown)) err.line(err.style("dim", `Times are in ${zone}.`));
}

/** Whether a value holds a time such as 2026-04-17 09:30:00, at any depth. */
export function hasTimes(value: unknown): boolean {
  return /"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"/.test(JSON.stringify(value));
}

/** Whether values of a schema have amounts of money or points, at any depth. */
export function hasUnits({ unit, properties = {}, items, anyOf = [] }: FieldSchema): boolean {
  return (
    unit !== undefined || [...Object.values(properties), ...(items ? [items] : []), ...anyOf].some(hasUnits)
  );
}

type Money = Pick<Business, "currency" | "currency_decimals">;

/** A value with its amounts as people write them, at any depth: 25.00 EUR. @param schema its declaration */
export function withUnits(value: unknown, schema: FieldSchema, money: Money): unknown {
  if (Array.isArray(value)) {
    const items = partOf(schema, ({ items }) => items);
    return items === undefined ? value : value.map((item) => withUnits(item, items, money));
  }
  if (!isRecord(value)) return value;
  const shown = Object.entries(value).map(([name, field]) => {
    const declared = partOf(schema, ({ properties }) => properties?.[name]);
    if (declared === undefined) return [name, field];
    const unit = unitOf(declared, value);
    if (unit === undefined || typeof field !== "number") return [name, withUnits(field, declared, money)];
    if (unit === "minor_units") return [name, moneyText(field, money)];
    // A name such as points_balance says it already.
    return [name, name.includes("points") ? field : `${field} points`];
  });
  return Object.fromEntries(shown);
}

function partOf(
  schema: FieldSchema,
  find: (schema: FieldSchema) => FieldSchema | undefined,
): FieldSchema | undefined {
  const own = find(schema);
  if (own !== undefined) return own;
  for (const option of schema.anyOf ?? []) {
    const found = partOf(option, find);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param record that has the field */
function unitOf(schema: FieldSchema, { event_type }: Row): "minor_units" | "points" | undefined {
  const unit = schema.unit ?? schema.anyOf?.find((option) => option.unit !== undefined)?.unit;
  if (unit === "hundredths") return undefined;
  if (unit !== "entry") return unit;
  return eventTypes[event_type as EventType]?.account === "points" ? "points" : "minor_units";
}

/** The options that every list has besides its fields, by the names that commander gives them. */
export interface ListOptions {
  readonly all?: true;
  readonly wide?: true;
  readonly columns?: readonly string[];
  readonly csv?: true;
}

export function listOptions(): Option[] {
  return [
    new Option("--all", "Show all pages.").conflicts(["page", "after"]),
    new Option("--wide", "Show all columns, and don't cut text.").conflicts("columns"),
    new Option("--columns <names>", "Show these columns, separated by commas, and don't cut text.").argParser(
      names,
    ),
    csvOption(),
  ];
}

export const csvOption = () =>
  new Option(
    "--csv",
    "Print CSV, with amounts in minor units. A ' stands before text that a spreadsheet would run as a formula.",
  );

/** Asks for a list and prints it. @throws CliError when --columns names a column that the list does not have */
export async function showList(
  operation: Operation,
  context: Context,
  filter: Readonly<Record<string, unknown>>,
  options: ListOptions,
): Promise<void> {
  const { out, err, json } = context;
  const wanted = columnsFor(operation, options, filter);
  const client = await context.client();
  const { message, data, meta } = options.all
    ? await everyPage(client, operation.path, filter)
    : await client.call<Row[]>(operation.path, filter);
  for (const failure of failuresOf({ meta })) {
    process.exitCode = failure.exit_code;
    if (!json) err.line(failureText(failure));
  }
  if (json) return out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  if (options.csv) await printCsv(context, options.columns ?? allColumnsOf(operation), data);
  else if (data.length > 0) {
    // Amounts are in the currency of the business, and times in its time zone.
    const id = filter.business_id as number | undefined;
    const business = id === undefined ? undefined : await getBusiness(client, id);
    const { output } = operation;
    const rows = business === undefined ? data : data.map((row) => withUnits(row, output, business) as Row);
    const inFull = options.wide || options.columns !== undefined;
    const others = allColumnsOf(operation).filter((name) => !wanted.includes(name));
    const chosen = inFull ? wanted : fittingColumns(wanted, others, rows, out);
    // The businesses of several cells have the name of their cell.
    const columns = rows.some((row) => "cell" in row) ? ["cell", ...chosen] : chosen;
    const width = inFull ? Number.POSITIVE_INFINITY : undefined;
    for (const line of tableLines(columns, rows, out, width)) out.line(line);
    const leftOut = wanted.filter((name) => !columns.includes(name));
    if (leftOut.length > 0) {
      err.line(err.style("dim", `There is no room for ${leftOut.join(", ")}. Show all: --wide`));
    }
    const shown = data.map((row) => columns.map((column) => row[column]));
    tellTimeZone(context, shown, zoneOf(operation) ?? business?.time_zone ?? "UTC");
  }
  tellPages(context, data.length, meta);
}

async function printCsv({ out }: Context, columns: readonly string[], rows: readonly Row[]): Promise<void> {
  const header = Object.fromEntries(columns.map((name) => [name, name]));
  for (const row of [header, ...rows]) {
    await out.write(`${csvLine(columns.map((name) => row[name]))}\n`);
  }
}

/** Tells people which page was printed, and how to see others. */
function tellPages({ err }: Context, rows: number, meta: ApiResponse["meta"]): void {
  const whole = { total: rows, current_page: 1, last_page: 1 };
  const { total, current_page, last_page } = (meta.pagination as typeof whole | undefined) ?? whole;
  if (meta.pagination === undefined && typeof meta.next === "string")
    err.line(err.style("dim", `There are more: --after ${meta.next}`));
  else if (total === 0) err.line("No records found.");
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
  let meta: ApiResponse["meta"] = {};
  for await (const page of pagesOf<Row>(client, path, filter)) {
    data.push(...page.data);
    ({ message } = page);
    const { pagination: _, next: __, ...others } = page.meta;
    meta = others;
  }
  return { message, data, meta };
}

/** The time zone of the times in a list, if it is not that of the business. */
function zoneOf({ output }: Operation): string | undefined {
  const { properties = {} } = output as FieldSchema;
  return Object.values(properties).find(({ zone }) => zone !== undefined)?.zone;
}

export const allColumnsOf = ({ output }: Operation) => Object.keys((output as TObject).properties);

/** A terminal has room for so many. The console shows all columns of a declaration. */
const mostColumns = 7;

/** The columns that a list shows without --wide and --columns. */
export function shownColumnsOf(operation: Operation): readonly string[] {
  const { columns } = operation.kind === "list" ? operation : {};
  return columns?.slice(0, mostColumns) ?? allColumnsOf(operation);
}

function columnsFor(operation: Operation, { wide, columns }: ListOptions, filter: Row): readonly string[] {
  const all = allColumnsOf(operation);
  if (columns === undefined && wide) return all;
  // A column that the filter names has the same value in every row.
  if (columns === undefined) return shownColumnsOf(operation).filter((name) => filter[name] === undefined);
  const wrong = columns.filter((name) => !all.includes(name)).map((name) => `"${name}"`);
  if (wrong.length === 0) return columns;
  const message = `--columns: no column is named ${wrong.join(", ")}.`;
  throw usageError(message, `The columns are ${all.join(", ")}.`);
}
