/** Forwards events to a program, as the service sends webhooks. */
import type { LoyaltyEvent } from "../generated/events.ts";
import type { EventsListData } from "../generated/types.ts";
import { wait } from "../waiting.ts";
import { signWebhook } from "../webhooks.ts";

const pollMilliseconds = 1000;
const retryMilliseconds = 2000;
const timeoutMilliseconds = 15_000;
const eventsAtOnce = 100;

export interface EventsWanted {
  readonly after?: number;
  readonly types?: readonly string[] | undefined;
  readonly limit: number;
}

/** An event to which the receiver responded. */
export interface Forwarded {
  readonly event: LoyaltyEvent;
  /** The status of the response. */
  readonly status: number;
  readonly milliseconds: number;
}

export interface Forwarding {
  /** Of the receiver. */
  readonly url: string;
  /** As the service shows secrets. */
  readonly secret: string;
  readonly types: readonly string[] | undefined;
  readonly list: (wanted: EventsWanted, signal: AbortSignal) => Promise<EventsListData>;
  /** @returns why the service is away, for an error of `list` that passes by itself */
  readonly isAway: (error: unknown) => string | undefined;
  /** Called for each event, in their order. */
  readonly forwarded: (sent: Forwarded) => void;
  /** Shows a line to the person. */
  readonly tell: (line: string) => void;
}

export class Listener {
  readonly #forwarding: Forwarding;
  readonly #signal: AbortSignal;
  /** The number of the last event that was read and forwarded. */
  #after: number | undefined;
  /** What is away; undefined if everything responds. */
  #away: string | undefined;

  constructor(forwarding: Forwarding, signal: AbortSignal) {
    this.#forwarding = forwarding;
    this.#signal = signal;
  }

  /** Forwards events until the signal, which it throws. @param since the number of an event; undefined: from now on */
  async run(since: number | undefined): Promise<void> {
    const { list, types, url, secret, tell } = this.#forwarding;
    const first = await list(
      { limit: 1, ...(since !== undefined && since > 0 && { after: since }) },
      this.#signal,
    );
    // Without a number, the oldest event is the first.
    this.#after = since === 0 ? undefined : (since ?? first.last);
    tell(`Forwarding events to ${url}, ${since === undefined ? "from now on" : `after event ${since}`}.`);
    tell(`Signing secret: ${secret}`);
    if (!first.enabled) {
      tell(
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
      if (page.next === page.last) await wait(pollMilliseconds, this.#signal);
    }
  }

  tellWhereToContinue(): void {
    if (this.#after === undefined) return;
    this.#forwarding.tell(`The last event was ${this.#after}. To continue: --since ${this.#after}`);
  }

  /** Lists the next events, and waits for the service if it is away. */
  async #listAgain(wanted: Omit<EventsWanted, "after">): Promise<EventsListData> {
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
        const why = this.#forwarding.isAway(error);
        if (why === undefined) throw error;
        this.#isAway("service", why);
        await wait(retryMilliseconds, this.#signal);
      }
    }
  }

  /** Sends an event, again until the receiver responds. */
  async #forward(event: LoyaltyEvent): Promise<void> {
    const { business_id, sequence } = event.data;
    for (;;) {
      const startedAt = performance.now();
      const sent = await this.#send(`evt_${business_id}_${sequence}`, JSON.stringify(event));
      const milliseconds = Math.round(performance.now() - startedAt);
      if (typeof sent === "number") {
        this.#isBack("receiver");
        this.#forwarding.forwarded({ event, status: sent, milliseconds });
        return;
      }
      this.#isAway(
        "receiver",
        `${this.#forwarding.url} does not respond (${sent}). Event ${sequence} waits.`,
      );
      await wait(retryMilliseconds, this.#signal);
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
      "webhook-signature": await signWebhook(secret, { id, timestamp, body }),
    };
    try {
      const response = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal });
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      this.#signal.throwIfAborted();
      if ((error as Error).name === "TimeoutError") return `no response in ${timeoutMilliseconds / 1000} s`;
      const { code, message } = ((error as Error).cause ?? error) as Error & { readonly code?: string };
      return code ?? message;
    }
  }

  /** Says once that something is away. */
  #isAway(what: string, message: string): void {
    if (this.#away === what) return;
    this.#away = what;
    this.#forwarding.tell(message);
    this.#forwarding.tell(`Waiting for the ${what}. Nothing is lost.`);
  }

  #isBack(what: string): void {
    if (this.#away !== what) return;
    this.#away = undefined;
    this.#forwarding.tell(`The ${what} responds again.`);
  }
}
