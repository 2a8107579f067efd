/** The commands about the service as a whole: `loyalty serve`, `status` and `key rotate`. */
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { writePrivateFile } from "../../credentials/secret-files.ts";
import { mostLeadSeconds } from "../../database/ledger/ledger.ts";
import { getStatus, type Status } from "../../operations/operator/status/get.ts";
import { packageRoot } from "../../package.ts";
import type { CellClient } from "../cells/client.ts";
import { type Context, ServiceCommand } from "../command.ts";
import { showResponse } from "../operations/responses.ts";
import { keyFileOf } from "../service/connection.ts";
import { CliError, usageError } from "../terminal/cli-error.ts";
import { byteText, durationText, numberText } from "../terminal/quantities.ts";
import { linesOfRecord } from "../terminal/table.ts";
import { confirm } from "../terminal/terminal.ts";

export function serveCommand(): Command {
  return new ServiceCommand("serve")
    .summary("Start the service")
    .description(
      "Starts the service and runs it until Ctrl-C or SIGTERM. Without DATABASE_URL, it runs its own PostgreSQL in the " +
        "data directory. Configure it with environment variables or a file .env in this directory.",
    )
    .option("--demo", "With DATABASE_URL: create the demo business, if the database has no business yet.")
    .option("--migrate", "Only migrate the database to this version, and end. A start does this, too.")
    .examples("loyalty serve", "PORT=9090 LOYALTY_DATA_DIR=/srv/loyalty loyalty serve")
    .action((options: object) => runService(Object.keys(options).map((name) => `--${name}`)));
}

/**
 * Runs the program of the service in this process, so that signals reach it and its workers start from the same program. The
 * program is not part of the command line, so it is not imported.
 */
async function runService(options: readonly string[]): Promise<void> {
  const program = join(packageRoot, "dist/main.js");
  process.argv = [process.argv[0] as string, program, ...options];
  await import(pathToFileURL(program).href);
}

export function statusCommand(): Command {
  return new ServiceCommand("status")
    .summary("Show the status of the service")
    .description(getStatus.description)
    .requires(getStatus)
    .examples("loyalty status", "loyalty status --json")
    .act(async (context) => {
      const cells = await context.cells();
      if (cells !== undefined) return showStatusOfCells(context, cells);
      const client = await context.client();
      const response = await client.call<Status>(getStatus.path, {});
      if (context.json) return showResponse(getStatus, context, response, undefined);
      for (const line of linesOfRecord(inWords(response.data), context.out)) context.out.line(line);
    });
}

/** Shows the status of each cell. A cell that does not respond does not hide the others. */
async function showStatusOfCells({ json, out, err }: Context, cells: readonly CellClient[]): Promise<void> {
  const statuses: Record<string, Status | { readonly failure: string }> = {};
  for (const { name, client } of cells) {
    if (!json) out.line(out.style("bold", name));
    try {
      const { data } = await client.call<Status>(getStatus.path, {});
      statuses[name] = data;
      if (!json) for (const line of linesOfRecord(inWords(data), out)) out.line(line);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      statuses[name] = { failure: error.message };
      process.exitCode = error.exitCode;
      if (!json) err.line(error.message);
    }
  }
  if (json) out.line(JSON.stringify(statuses, null, 2));
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
      `${numberText(requests.total)} in ${minutes} minutes: ${numberText(requests.rejected)} rejected, ` +
      `${numberText(requests.failed)} failed, ${numberText(requests.mean_milliseconds)} ms on average`,
    postings:
      `${numberText(postings.recorded)} in ${minutes} minutes, on average ${numberText(postings.mean_batch_size)} per commit ` +
      `and ${numberText(postings.mean_batch_milliseconds)} ms per commit; ${numberText(postings.waiting)} waiting`,
    ...webhooksInWords(status.webhooks),
  };
}

/** Nothing, if there is no endpoint. */
function webhooksInWords({ stopped, ...counts }: Status["webhooks"]): Readonly<Record<string, string>> {
  const { enabled, failing, disabled, disabled_by_request, backlog_seconds } = counts;
  if (enabled + failing + disabled + disabled_by_request === 0) return {};
  const all = [
    `${numberText(enabled)} enabled`,
    `${numberText(failing)} failing`,
    `${numberText(disabled)} disabled by the service`,
    `${numberText(disabled_by_request)} by a request`,
  ];
  const waiting =
    backlog_seconds === 0 ? "" : `; the oldest event waits for ${durationText(backlog_seconds)}`;
  return {
    webhooks: all.join(", ") + waiting,
    ...(stopped.length > 0 && { stopped: stopped.map(stoppedEndpointText).join("; ") }),
  };
}

/** A failing or disabled endpoint, in a few words. */
export function stoppedEndpointText(endpoint: Status["webhooks"]["stopped"][number]): string {
  const { business_id, endpoint_id, host, status, disabled_reason, failing_seconds } = endpoint;
  const state =
    status === "failing"
      ? `failing for ${durationText(failing_seconds ?? 0)}`
      : `disabled: ${disabled_reason}`;
  return `endpoint ${endpoint_id} of business ${business_id} (${host}) is ${state}`;
}

export function keyCommand(): Command {
  const rotate = new ServiceCommand("rotate")
    .summary("Replace the operator key")
    .description(
      "Replaces the operator key in its file. A running service accepts the new key immediately, and rejects the old key after " +
        "a second. A service that has its key in the environment must be restarted.",
    )
    .option("--yes", "Do not ask for confirmation.")
    .examples("loyalty key rotate", "loyalty key rotate --yes")
    .act(async (context, { yes }) => {
      if (process.env.LOYALTY_OPERATOR_KEY?.trim()) {
        throw usageError(
          "The operator key is set by LOYALTY_OPERATOR_KEY. Replace it there.",
          `To make a new one: node -p "crypto.randomBytes(48).toString('base64url')"`,
          "Then restart the service. If LOYALTY_OPERATOR_KEY_FILE names a file with the key instead, no restart is necessary.",
        );
      }
      const file = keyFileOf();
      await requireOwnFile(file);
      if (yes !== true) {
        await confirm(`Replace the operator key in ${file}`, "The old key stops working.");
      }
      const key = randomBytes(48).toString("base64url");
      await writePrivateFile(file, `${key}\n`, "replace").catch(({ code }: NodeJS.ErrnoException) => {
        throw usageError(`${file} can't be written (${code}).`);
      });
      if (context.json) return context.out.line(JSON.stringify({ file }));
      context.out.line(`A new operator key is in ${file}. A running service accepts it now.`);
    });
  return new ServiceCommand("key").description("the operator key: rotate").addCommand(rotate);
}

/** The service must be able to read a new file, which belongs to the user of the command. */
async function requireOwnFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    throw usageError(`${file} does not exist: set LOYALTY_DATA_DIR to the data directory of the service.`);
  const user = process.getuid?.();
  if (user === undefined || user === found.uid) return;
  throw usageError(`${file} belongs to another user (${found.uid}): run this command as that user.`);
}
