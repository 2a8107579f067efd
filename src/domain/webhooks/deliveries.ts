/** Which deliveries of an endpoint are sent next, and which of its events are done. */
import { failuresToFailing } from "./endpoint.ts";
import type { Outcome } from "./message.ts";

/** One attempt to send an event. */
export interface Delivery {
  /** 0 for a test. */
  readonly event_no: number;
  /** How many attempts have failed before. */
  readonly attempts: number;
  /** `delivery`: an event after the cursor. The others are rows of their own, which are done or sent again later. */
  readonly kind: "delivery" | "retry" | "replay" | "test";
}

/** A response that takes longer is slow. */
const slowMilliseconds = 3000;

interface Limits {
  readonly max_in_flight: number;
  /** Whether events are sent one at a time, and none after one that failed. */
  readonly ordered: boolean;
}

/** After a probe has delivered an event, at most so many earlier events in a row that fail get retries of their own. */
const mostBefore = 100;

/**
 * The deliveries of an endpoint. It begins with one in flight. Each quick success doubles that, up to its limit, and each slow
 * response halves it. So a receiver that is slow gets one request at a time.
 *
 * An event that fails is undecided at first. If another delivery then succeeds, or no other event is left to send, the failed event gets
 * retries of its own, and the cursor passes it. If five attempts in a row fail, the endpoint is failing, and the cursor stays before the
 * undecided events. So an endpoint that is down makes few rows.
 *
 * Each of the five attempts is of another event. An attempt of an event that has failed before also counts, unless a delivery has
 * succeeded since its first attempt. For example, an endpoint that gets one event a day is failing after five attempts of that event.
 * An endpoint that rejects one event and accepts the others does not become failing.
 */
export class Deliveries<Event extends Delivery = Delivery> {
  readonly #limits: Limits;
  readonly #events: Event[] = [];
  readonly #others: Event[] = [];
  readonly #inFlight = new Set<Event>();
  #undecided: Event[] = [];
  #retried: Event[] = [];
  /** All events up to this one have been read. */
  #readTo: number;
  #window = 1;
  #failures: number;
  /** A probe has delivered this event, and so many that fail before it are retried by themselves. */
  #probed = 0;
  #mayFail = mostBefore;
  #isGone = false;
  #isSlow = false;
  #lastWasEvent = false;

  constructor(limits: Limits, { cursor, failures }: { readonly cursor: number; readonly failures: number }) {
    this.#limits = limits;
    this.#readTo = cursor;
    this.#failures = failures;
  }

  /** Adds events in their order. @param readTo all events up to this number have been read */
  addEvents(events: readonly Event[], readTo: number): void {
    this.#events.push(...events);
    this.#readTo = readTo;
  }

  /** Adds retries, replays and tests. */
  addOthers(deliveries: readonly Event[]): void {
    this.#others.push(...deliveries);
  }

  get readTo(): number {
    return this.#readTo;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** A probe has delivered an event. If those before it fail, they fail while others succeed. */
  wasProbed(eventNo: number): void {
    this.#probed = eventNo;
    this.#mayFail = mostBefore;
  }

  /** How many can be sent at the same time now. */
  get window(): number {
    return this.#limits.ordered ? 1 : Math.min(this.#window, this.#limits.max_in_flight);
  }

  /** How many attempts in a row have failed. After a success, only the first attempt of an event begins to count. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether more should be read. */
  get wantsMore(): boolean {
    return this.stop === undefined && this.#events.length + this.#others.length < this.window;
  }

  get hasNothingToSend(): boolean {
    return this.#events.length + this.#others.length + this.#inFlight.size === 0;
  }

  /** Whether the last response was slow. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** The events whose retries, replays and tests wait or are in flight. */
  get others(): ReadonlySet<number> {
    const all = [...this.#others, ...this.#inFlight];
    return new Set(all.filter(({ kind }) => kind !== "delivery").map(({ event_no }) => event_no));
  }

  /** Whether an event after the cursor was not sent yet, or is in flight. */
  isStillToSend(eventNo: number): boolean {
    const isIt = ({ event_no, kind }: Event) => event_no === eventNo && kind === "delivery";
    return eventNo > this.#readTo || this.#events.some(isIt) || [...this.#inFlight].some(isIt);
  }

  /** Why no more deliveries start. When those in flight have ended and it is still so, the endpoint changes its status. */
  get stop(): "failing" | "gone" | undefined {
    if (this.#isGone) return "gone";
    const most = this.#limits.ordered ? 1 : failuresToFailing;
    return this.#failures >= most ? "failing" : undefined;
  }

  /** Starts the next delivery. Events and other deliveries take turns. @returns undefined when none may start now */
  start(): Event | undefined {
    if (this.stop !== undefined || this.#inFlight.size >= this.window) return undefined;
    const [first, second] = this.#lastWasEvent ? [this.#others, this.#events] : [this.#events, this.#others];
    const next = first.shift() ?? second.shift();
    if (next === undefined) return undefined;
    this.#lastWasEvent = next.kind === "delivery";
    this.#inFlight.add(next);
    return next;
  }

  /** @param milliseconds how long it took */
  finish(delivery: Event, outcome: Outcome, milliseconds = 0): void {
    this.#inFlight.delete(delivery);
    this.#isSlow = milliseconds >= slowMilliseconds;
    if (this.#isSlow) this.#window = Math.max(1, Math.floor(this.#window / 2));
    const { kind, attempts } = delivery;
    // A test says nothing about events.
    if (kind === "test") return;
    if (outcome === "delivered") {
      this.#failures = 0;
      this.#mayFail = mostBefore;
      if (!this.#isSlow) this.#window = Math.min(2 * this.#window, this.#limits.max_in_flight);
      this.#retryUndecided();
      return;
    }
    if (outcome === "gone") this.#isGone = true;
    if (kind === "delivery" && delivery.event_no < this.#probed && this.#mayFail > 0) {
      this.#mayFail -= 1;
      // Their further attempts count until something succeeds.
      this.#failures = Math.max(1, this.#failures);
      this.#retried.push(delivery);
      return;
    }
    if (attempts === 0 || this.#failures > 0) this.#failures += 1;
    if (kind === "delivery") this.#undecided.push(delivery);
  }

  /** Takes back a delivery whose outcome is unknown. Its event stays after the cursor. */
  abandon(delivery: Event): void {
    this.#inFlight.delete(delivery);
    if (delivery.kind === "delivery") this.#undecided.push(delivery);
  }

  /** Decides undecided events if nothing else will: there are no further events. */
  settle(): void {
    if (this.stop === undefined && this.hasNothingToSend) this.#retryUndecided();
  }

  /** Takes the events that are now to be retried by themselves. */
  takeRetried(): Event[] {
    const taken = this.#retried;
    this.#retried = [];
    return taken;
  }

  /** The last event that is done: all up to it were sent, or are retried by themselves. */
  get cursor(): number {
    const open = [...this.#inFlight, ...this.#undecided, ...this.#events.slice(0, 1)]
      .filter(({ kind }) => kind === "delivery")
      .map(({ event_no }) => event_no - 1);
    return Math.min(this.#readTo, ...open);
  }

  #retryUndecided(): void {
    this.#retried.push(...this.#undecided);
    this.#undecided = [];
  }
}
