/** Prints lists: a page or all of them, as tables that fit a terminal or as JSON. */
import { Option } from "commander";
import type { Answer } from "loyalty-sdk";
import type { Operation } from "../../contract/operation.ts";
import { listAudit } from "../../operations/operator/audit/list.ts";
import { usageError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { findBusiness } from "../service/businesses.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { type Row, tableOf } from "../terminal/table.ts";
import { flagOf, names } from "./field-options.ts";
import { tellTimeZone, withMoney } from "./show-response.ts";

/** The options that every list has besides its fields, by the names that commander gives them. */
export interface ListOptions {
  readonly all?: true;
  readonly wide?: true;
  readonly columns?: readonly string[];
}

export function listOptions(): Option[] {
  return [
    new Option("--all", "Every page, one after the other.").conflicts("page"),
    new Option("--wide", "Show all columns, and cut no text.").conflicts("columns"),
    new Option("--columns <names>", "Show these columns, separated by commas, and cut no text.").argParser(
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
    ? await everyPage(client, operation, filter)
    : await client.call<Row[]>(operation.path, filter, { nameOf: flagOf });
  if (json) return out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  if (data.length > 0) {
    // Amounts are in the currency of the business, and times in its time zone.
    const id = filter.business_id as number | undefined;
    const business = id === undefined ? undefined : await findBusiness(client, id);
    const rows = business === undefined ? data : data.map((row) => withMoney(row, business.currency));
    const width = options.wide || options.columns ? Number.POSITIVE_INFINITY : undefined;
    for (const line of tableOf(columns, rows, out, width)) out.line(line);
    const shown = data.map((row) => columns.map((column) => row[column]));
    tellTimeZone(context, shown, operation === listAudit ? undefined : business?.time_zone);
  }
  const whole = { total: data.length, current_page: 1, last_page: 1 };
  const { total, current_page, last_page } = (meta.pagination as typeof whole | undefined) ?? whole;
  if (total === 0) err.line("No records found.");
  else if (current_page > last_page)
    err.line(`There is no page ${current_page}. The last one is ${last_page}.`);
  else if (last_page > 1) {
    const next = current_page < last_page ? `; the next: --page ${current_page + 1}, all of them: --all` : "";
    err.line(err.style("dim", `Page ${current_page} of ${last_page}, ${total} in all${next}`));
  }
}

/** All of a list as one response without pagination. */
async function everyPage(client: OperatorClient, { path }: Operation, filter: object) {
  const data: Row[] = [];
  let message = "";
  for await (const page of pagesOf<Row>(client, path, filter, { nameOf: flagOf })) {
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
export function allColumnsOf({ output }: Operation): string[] {
  return Object.keys((output as { properties?: object }).properties ?? {});
}

/** The columns that a list shows when nothing is said. */
export function shownColumnsOf(operation: Operation): readonly string[] {
  return shown[operation.path] ?? allColumnsOf(operation);
}

function columnsFor(operation: Operation, { wide, columns }: ListOptions): readonly string[] {
  const all = allColumnsOf(operation);
  if (columns === undefined) return wide ? all : shownColumnsOf(operation);
  const wrong = columns.filter((name) => !all.includes(name)).map((name) => `"${name}"`);
  if (columns.length > 0 && wrong.length === 0) return columns;
  throw usageError(
    wrong.length === 0 ? "--columns names no column." : `--columns: no column is named ${wrong.join(", ")}.`,
    `The columns are ${all.join(", ")}.`,
  );
}
