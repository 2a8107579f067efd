/** Prints a response: for people, or with --json as the service sent it. */
import type { Answer } from "loyalty-sdk";
import type { Operation } from "../../contract/operation.ts";
import type { Context } from "../context.ts";
import { type Row, recordOf, tableOf } from "../terminal/table.ts";

interface Pagination {
  readonly total: number;
  readonly current_page: number;
  readonly last_page: number;
}

export function showResponse(operation: Operation, context: Context, answer: Answer): void {
  const { out, err, json } = context;
  const { message, data, meta } = answer;
  if (json) out.line(JSON.stringify({ success: true, message, data, meta }, null, 2));
  else if (operation.kind === "list") showPage(operation, context, answer);
  else {
    if (operation.kind !== "read") out.line(out.style("green", message));
    for (const line of recordOf(data as Row, out)) out.line(line);
  }
  if (answer.replayed)
    err.line("Nothing was done now: this is the first answer to the same idempotency key.");
  if (operation.kind === "write" && operation.confidential === true) {
    err.line(
      err.style("yellow", "Keep the client_secret now: it is shown this once and can't be found out later."),
    );
  }
}

function showPage(operation: Operation, { out, err }: Context, { data, meta }: Answer): void {
  const rows = data as Row[];
  const { total, current_page, last_page } = meta.pagination as Pagination;
  if (rows.length > 0) {
    for (const line of tableOf(columnsOf(operation), rows, out)) out.line(line);
  }
  if (total === 0) err.line("There is none.");
  else if (last_page > 1 || rows.length === 0) {
    const next = current_page < last_page ? `; the next: --page ${current_page + 1}, all of them: --all` : "";
    err.line(err.style("dim", `Page ${current_page} of ${last_page}, ${total} in all${next}`));
  }
}

/** The columns of a list: the fields that its items declare. */
export function columnsOf({ output }: Operation): string[] {
  return Object.keys((output as { properties?: object }).properties ?? {});
}
