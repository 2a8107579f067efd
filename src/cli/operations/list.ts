/** Prints lists: a page or all of them, as tables that fit a terminal or as JSON. */
import { Option } from "commander";
import type { Answer } from "loyalty-sdk";
import type { Operation } from "../../contract/operation.ts";
import { maximumPerPage } from "../../domain/pagination.ts";
import { listAudit } from "../../operations/operator/audit/list.ts";
import type { Context } from "../context.ts";
import { type Business, findBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { type Row, tableOf } from "../terminal/table.ts";
import { withMoney } from "./amounts.ts";
import { flagOf } from "./field-options.ts";
import { allColumnsOf, pickedColumns, shownColumnsOf } from "./table-columns.ts";
import { tellTimeZone } from "./time-zone.ts";

interface Pagination {
  readonly total: number;
  readonly current_page: number;
  readonly last_page: number;
}

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
      (text) => text.split(",").map((name) => name.trim()),
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
  const { message, data, meta } = await (options.all ? everyPage : onePage)(client, operation, filter);
  if (json) return out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  if (data.length > 0) {
    const business = await businessOf(client, filter.business_id as number | undefined);
    const rows = business === undefined ? data : data.map((row) => withMoney(row, business.currency));
    const width = options.wide || options.columns ? Number.POSITIVE_INFINITY : undefined;
    for (const line of tableOf(columns, rows, out, width)) out.line(line);
    const shown = data.map((row) => columns.map((column) => row[column]));
    tellTimeZone(context, shown, operation === listAudit ? undefined : business?.time_zone);
  }
  const { total, current_page, last_page } = (meta.pagination ?? {
    total: data.length,
    current_page: 1,
    last_page: 1,
  }) as Pagination;
  if (total === 0) err.line("No records found.");
  else if (current_page > last_page)
    err.line(`There is no page ${current_page}. The last one is ${last_page}.`);
  else if (last_page > 1) {
    const next = current_page < last_page ? `; the next: --page ${current_page + 1}, all of them: --all` : "";
    err.line(err.style("dim", `Page ${current_page} of ${last_page}, ${total} in all${next}`));
  }
}

function columnsFor(operation: Operation, { wide, columns }: ListOptions): readonly string[] {
  if (columns !== undefined) return pickedColumns(operation, columns);
  return wide ? allColumnsOf(operation) : shownColumnsOf(operation);
}

function onePage(client: OperatorClient, operation: Operation, filter: object): Promise<Answer<Row[]>> {
  return client.call<Row[]>(operation.path, filter, { nameOf: flagOf });
}

/** All of a list as one response without pagination. */
async function everyPage(
  client: OperatorClient,
  operation: Operation,
  filter: object,
): Promise<Answer<Row[]>> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const body = { per_page: maximumPerPage, ...filter, page };
    const answer = await onePage(client, operation, body);
    rows.push(...answer.data);
    if (page >= (answer.meta.pagination as Pagination).last_page) return { ...answer, data: rows, meta: {} };
  }
}

/** The business of a list: amounts are in its currency, and times in its time zone. */
function businessOf(client: OperatorClient, id: number | undefined): Promise<Business> | undefined {
  return id === undefined ? undefined : findBusiness(client, id);
}
