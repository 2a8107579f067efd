/** `loyalty webhook listen`: forwards events to a program on this machine, as the service sends webhooks. */
import { type Command, Option } from "commander";
import { verifyWebhook } from "loyalty-sdk";
import { type Forwarded, Listener } from "loyalty-sdk/development";
import { newWebhookSecret } from "../../credentials/keys.ts";
import { eventPatterns } from "../../domain/events.ts";
import { withoutPassword } from "../../domain/text.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import type { IntegrationOptions } from "../integration.ts";
import { addField } from "../operations/field-options.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { printable } from "../terminal/terminal.ts";
import { eventSource, listEventsForOperator } from "./source.ts";

export function listenCommand(): Command {
  const command = new ServiceCommand("listen")
    .summary("Forward events to a program on this machine")
    .description(
      "Reads the events of a business and sends each to a URL, signed like a webhook. So you can develop a receiver on a machine " +
        "that the service can't reach. It needs no endpoint. If the receiver can't be reached, the event is sent again until " +
        "it is. An error response of the receiver is shown, and the next event follows. After the service or this machine " +
        "was away, it goes on with the event after the last one, so nothing is lost. It uses the integration that --client-id " +
        "names, with the secret in LOYALTY_CLIENT_SECRET, or otherwise the operator key.",
    )
    .requires(listEventsForOperator)
    .requiredOption("--forward-to <url>", "The URL of the receiver.")
    .addOption(
      new Option("--since <number>", "Begin after the event of this number. 0: with the oldest.")
        .argParser(eventNumber)
        .default(undefined, "only new events"),
    )
    .option(
      "--types <list>",
      "Only these types, separated by commas, such as sale.*,member.updated.",
      typeList,
    )
    .option(
      "--client-id <text>",
      "The client_id of an integration with the scope wa.events.read, instead of the operator key.",
    )
    .addOption(new Option("--sandbox", "Use the demo's sandbox business.").conflicts("clientId"));
  return addField(command, "business_id", "found")
    .examples(
      "loyalty webhook listen --forward-to http://localhost:3000",
      "loyalty webhook listen --forward-to http://localhost:3000/webhooks --since 0 --types 'sale.*'",
      "loyalty webhook listen --forward-to http://localhost:3000 --client-id loy_1",
    )
    .addHelpText(
      "after",
      "\nThe receiver needs the secret that is printed at the start. It is\nLOYALTY_WEBHOOK_SECRET, or a new one. End the command with Ctrl-C.",
    )
    .act(forwardEvents);
}

function eventNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--since must be the number of an event, not "${text}".`);
}

function typeList(text: string): string[] {
  const types = text.split(",").map((type) => type.trim());
  const unknown = types.find((type) => !eventPatterns.includes(type));
  if (unknown === undefined) return types;
  throw usageError(`There is no type of event "${unknown}".`, `Types: ${eventPatterns.join(", ")}`);
}

async function forwardEvents(context: Context, options: Options): Promise<void> {
  const { forwardTo, since, types } = options as {
    readonly forwardTo: string;
    readonly since?: number;
    readonly types?: readonly string[];
  };
  const url = receiverUrl(forwardTo);
  const secret = await chooseSecret();
  const list = await eventSource(context, options as IntegrationOptions);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const isAway = (error: unknown) =>
    error instanceof CliError && error.exitCode === exitCodes.unreachable ? error.message : undefined;
  const tell = (line: string) => context.err.line(printable(line));
  const forwarded = (sent: Forwarded) => tellForwarded(context, sent);
  const listener = new Listener({ url, secret, types, list, isAway, forwarded, tell }, stopping.signal);
  try {
    await listener.run(since);
  } catch (error) {
    if (!stopping.signal.aborted) throw isExpired(error) ? expired(error) : error;
  } finally {
    listener.tellWhereToContinue();
  }
  process.exitCode = exitCodes.interrupted;
}

function tellForwarded({ json, out }: Context, { event, status, milliseconds }: Forwarded): void {
  const { type, data } = event;
  const { sequence, contact_id } = data;
  if (json) {
    out.line(JSON.stringify({ sequence, type, contact_id, status, milliseconds }));
    return;
  }
  const about = `${sequence}  ${type}${contact_id === null ? "" : `  member ${contact_id}`}`;
  const isOk = status >= 200 && status < 300;
  out.line(`${about}  ${out.style(isOk ? "green" : "red", String(status))}  ${milliseconds} ms`);
}

function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === "")
    return url.href;
  throw usageError(
    `--forward-to must be a URL such as http://localhost:3000, not "${withoutPassword(text)}".`,
  );
}

async function chooseSecret(): Promise<string> {
  const given = process.env.LOYALTY_WEBHOOK_SECRET?.trim();
  if (!given) return newWebhookSecret();
  const problem = await verifyWebhook("", {}, given).catch((error: unknown) => error);
  if (!(problem instanceof TypeError)) return given;
  throw usageError("LOYALTY_WEBHOOK_SECRET must be whsec_ and base64, as the service shows secrets.");
}

const isExpired = (error: unknown): error is CliError =>
  error instanceof CliError && error.response?.code === "events_expired";

function expired({ response }: CliError): CliError {
  const { oldest } = (response?.details ?? {}) as { readonly oldest?: number };
  return new CliError(
    exitCodes.failed,
    "The next events were deleted, because they are older than the time for which events are kept.",
    [`Begin with the oldest event that is kept: --since ${(oldest ?? 1) - 1}`],
    response,
  );
}
