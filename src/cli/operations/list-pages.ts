/** Every page of a list, one after the other. */
import type { Operation } from "../../contract/operation.ts";
import { maximumPerPage } from "../../domain/pagination.ts";
import type { Context } from "../context.ts";
import { type Row, tableOf } from "../terminal/table.ts";
import { flagOf } from "./field-options.ts";
import { columnsOf } from "./show-response.ts";

/** Prints all of a list as one table or, with --json, as one response without pagination. */
export async function listEveryPage(operation: Operation, context: Context, filter: object): Promise<void> {
  const { out, err, json } = context;
  const client = await context.client();
  const rows: Row[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const body = { per_page: maximumPerPage, ...filter, page };
    const { data, meta } = await client.call<Row[]>(operation.path, body, { nameOf: flagOf });
    rows.push(...data);
    last = (meta.pagination as { last_page: number }).last_page;
  }
  if (json) {
    out.line(JSON.stringify({ success: true, message: operation.message, data: rows, meta: {} }, null, 2));
  } else if (rows.length === 0) err.line("There is none.");
  else for (const line of tableOf(columnsOf(operation), rows, out)) out.line(line);
}
