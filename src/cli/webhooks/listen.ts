/** `loyalty webhook listen`: forwards events to a program on this machine, as the service sends webhooks. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "commander";
import { type LoyaltyEvent, verifyWebhook } from "loyalty-sdk";
import { newWebhookSecret } from "../../credentials/keys.ts";
import { signaturesOf } from "../../credentials/signature.ts";
import { eventPatterns } from "../../domain/events.ts";
import { messageId } from "../../domain/webhooks/message.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import type { IntegrationOptions } from "../integration.ts";
import { addField } from "../operations/field-options.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { printable } from "../terminal/terminal.ts";
import { eventSource, type ListEvents, listEventsForOperator } from "./source.ts";

const pollMilliseconds = 1000;
const retryMilliseconds = 2000;
const timeoutMilliseconds = 15_000;
const eventsAtOnce = 100;

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
  const listener = new Listener(context, { url, secret, types, list }, stopping.signal);
  try {
    await listener.run(since);
  } catch (error) {
    if (!stopping.signal.aborted) throw isExpired(error) ? expired(error) : error;
  } finally {
    listener.tellWhereToContinue();
  }
  process.exitCode = exitCodes.interrupted;
}

function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === "")
    return url.href;
  throw usageError(`--forward-to must be a URL such as http://localhost:3000, not "${text}".`);
}

async function chooseSecret(): Promise<string> {
  const given = process.env.LOYALTY_WEBHOOK_SECRET?.trim();
  if (!given) return newWebhookSecret();
  const problem = await verifyWebhook("", {}, given).catch((error: unknown) => error);
  if (!(problem instanceof TypeError)) return given;
  throw usageError("LOYALTY_WEBHOOK_SECRET must be whsec_ and base64, as the service shows secrets.");
}

interface Forwarding {
  readonly url: string;
  readonly secret: string;
  readonly types: readonly string[] | undefined;
  readonly list: ListEvents;
}

class Listener {
  readonly #context: Context;
  readonly #forwarding: Forwarding;
  readonly #signal: AbortSignal;
  /** The number of the last event that was read and forwarded. */
  #after: number | undefined;
  /** What is away; undefined if everything responds. */
  #away: string | undefined;

  constructor(context: Context, forwarding: Forwarding, signal: AbortSignal) {
    this.#context = context;
    this.#forwarding = forwarding;
    this.#signal = signal;
  }

  /** Forwards events until the signal, which it throws. */
  async run(since: number | undefined): Promise<void> {
    const { list, types, url, secret } = this.#forwarding;
    const first = await list(
      { limit: 1, ...(since !== undefined && since > 0 && { after: since }) },
      this.#signal,
    );
    // Without a number, the oldest event is the first.
    this.#after = since === 0 ? undefined : (since ?? first.last);
    this.#tell(
      `Forwarding events to ${url}, ${since === undefined ? "from now on" : `after event ${since}`}.`,
    );
    this.#tell(`Signing secret: ${secret}`);
    if (!first.enabled) {
      this.#tell(
        "This business records no events. Switch them on: loyalty business update --business ID --events-enabled",
      );
    }
    for (;;) {
      const page = await this.#listAgain({ types, limit: eventsAtOnce });
      for (const event of page.events) {
        await this.#forward(event);
        this.#after = event.data.sequence;
      }
      this.#after = page.next;
      if (page.next === page.last) await sleep(pollMilliseconds, undefined, { signal: this.#signal });
    }
  }

  tellWhereToContinue(): void {
    if (this.#after !== undefined)
      this.#tell(`The last event was ${this.#after}. To continue: --since ${this.#after}`);
  }

  /** Lists the next events, and waits for the service if it is away. */
  async #listAgain(wanted: { readonly types: readonly string[] | undefined; readonly limit: number }) {
    const after = this.#after;
    for (;;) {
      try {
        const page = await this.#forwarding.list(
          { ...wanted, ...(after !== undefined && { after }) },
          this.#signal,
        );
        this.#isBack("service");
        return page;
      } catch (error) {
        if (!(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error;
        this.#isAway("service", error.message);
        await sleep(retryMilliseconds, undefined, { signal: this.#signal });
      }
    }
  }

  /** Sends an event, again until the receiver responds. */
  async #forward(event: LoyaltyEvent): Promise<void> {
    const { business_id, sequence, contact_id } = event.data;
    const id = messageId(business_id, sequence);
    const about = `${sequence}  ${event.type}${contact_id === null ? "" : `  member ${contact_id}`}`;
    for (;;) {
      const startedAt = performance.now();
      const sent = await this.#send(id, JSON.stringify(event));
      const milliseconds = Math.round(performance.now() - startedAt);
      if (typeof sent === "number") {
        this.#isBack("receiver");
        const isOk = sent >= 200 && sent < 300;
        const { json, out } = this.#context;
        if (json)
          out.line(JSON.stringify({ sequence, type: event.type, contact_id, status: sent, milliseconds }));
        else out.line(`${about}  ${out.style(isOk ? "green" : "red", String(sent))}  ${milliseconds} ms`);
        return;
      }
      this.#isAway(
        "receiver",
        `${this.#forwarding.url} does not respond (${sent}). Event ${sequence} waits.`,
      );
      await sleep(retryMilliseconds, undefined, { signal: this.#signal });
    }
  }

  /** @returns the status of the response, or why there is none */
  async #send(id: string, body: string): Promise<number | string> {
    const { url, secret } = this.#forwarding;
    const timestamp = Math.floor(Date.now() / 1000);
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutMilliseconds)]);
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signaturesOf([secret], { id, timestamp, body }),
    };
    try {
      const response = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal });
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      this.#signal.throwIfAborted();
      if ((error as Error).name === "TimeoutError") return `no response in ${timeoutMilliseconds / 1000} s`;
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      return printable(code ?? message);
    }
  }

  /** Says once that something is away. */
  #isAway(what: string, message: string): void {
    if (this.#away === what) return;
    this.#away = what;
    this.#tell(message);
    this.#tell(`Waiting for the ${what}. Nothing is lost.`);
  }

  #isBack(what: string): void {
    if (this.#away !== what) return;
    this.#away = undefined;
    this.#tell(`The ${what} responds again.`);
  }

  #tell(line: string): void {
    this.#context.err.line(line);
  }
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
