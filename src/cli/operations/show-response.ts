/** Prints a response: for people, or with --json as the service sent it. */
import type { Answer } from "loyalty-sdk";
import type { Operation } from "../../contract/operation.ts";
import type { Context } from "../context.ts";
import type { Business } from "../service/businesses.ts";
import { type Row, recordOf } from "../terminal/table.ts";
import { withMoney } from "./amounts.ts";
import { tellTimeZone } from "./time-zone.ts";

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
