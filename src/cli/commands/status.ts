/** `loyalty status`: how the service is, at a glance. */
import { Command } from "commander";
import { mostLeadSeconds } from "../../database/ledger/ledger.ts";
import { getStatus } from "../../operations/operator/status/get.ts";
import { acting } from "../context.ts";
import { exampleText } from "../operations/examples.ts";
import { showResponse } from "../operations/show-response.ts";
import { byteText, durationText, numberText } from "../terminal/quantities.ts";
import { recordOf } from "../terminal/table.ts";

type Figures<Name extends string> = Readonly<Record<Name, number>>;

interface Status
  extends Figures<
    "schema_version" | "uptime_seconds" | "businesses" | "members" | "entries" | "ledger_lead_seconds"
  > {
  readonly version: string;
  readonly database: { readonly kind: string; readonly version: string } & Figures<
    "size_bytes" | "shared_buffers_bytes"
  >;
  readonly requests: Figures<"minutes" | "total" | "refused" | "failed" | "mean_milliseconds">;
  readonly postings: Figures<
    "waiting" | "recorded" | "batches" | "mean_batch_size" | "mean_batch_milliseconds"
  >;
}

export function statusCommand(): Command {
  return new Command("status")
    .summary("Show how the service is")
    .description(getStatus.description)
    .addHelpText("after", exampleText(["loyalty status", "loyalty status --json"]))
    .action(
      acting(async (context) => {
        const client = await context.client();
        const answer = await client.call<Status>(getStatus.path, {});
        if (context.json) return showResponse(getStatus, context, answer, undefined);
        for (const line of recordOf(inWords(answer.data), context.out)) context.out.line(line);
      }),
    );
}

function inWords(status: Status): Readonly<Record<string, string>> {
  const { database, requests, postings } = status;
  const { minutes } = requests;
  return {
    version: `${status.version}, schema ${status.schema_version}`,
    running: `for ${durationText(status.uptime_seconds)}`,
    database:
      `${database.kind}, PostgreSQL ${database.version}, ${byteText(database.size_bytes)}, ` +
      `with ${byteText(database.shared_buffers_bytes)} of memory for its cache`,
    businesses: numberText(status.businesses),
    members: numberText(status.members),
    entries: numberText(status.entries),
    ...(status.ledger_lead_seconds > mostLeadSeconds && {
      clock:
        `${durationText(status.ledger_lead_seconds)} behind the last recorded entry: check the clock of the database's ` +
        "machine",
    }),
    requests:
      `${numberText(requests.total)} in ${minutes} minutes: ${numberText(requests.refused)} rejected, ` +
      `${numberText(requests.failed)} failed, ${numberText(requests.mean_milliseconds)} ms on average`,
    postings:
      `${numberText(postings.recorded)} writes to ledgers in ${minutes} minutes, in ${numberText(postings.batches)} commits ` +
      `(on average ${numberText(postings.mean_batch_size)} writes, ${numberText(postings.mean_batch_milliseconds)} ms); ` +
      `${numberText(postings.waiting)} waiting`,
  };
}
