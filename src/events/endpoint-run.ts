/** Sends the events of one endpoint, while this process has its lease. */
import type { EndpointProgress, NewAttempt } from "../database/webhooks/attempts.ts";
import type { LeasedEndpoint, WebhookWork } from "../database/webhooks/leases.ts";
import { Deliveries } from "../domain/webhooks/deliveries.ts";
import {
  afterProbe,
  beginsToFail,
  chooseProbe,
  type DisabledReason,
  disabledBy,
  type EndpointState,
  type EndpointStatus,
  enabledWith,
} from "../domain/webhooks/endpoint.ts";
import { outcomeOfAnswer } from "../domain/webhooks/message.ts";
import { retryPause } from "../domain/webhooks/schedule.ts";
import type { EventDelivery, Messages, SkippedEvents } from "./messages.ts";
import type { Response } from "./request.ts";
import { Unsaved } from "./unsaved.ts";

/** What a run needs of its process. */
export interface RunPorts extends Pick<Messages, "readEvents" | "readNewest" | "readOthers"> {
  /** @returns undefined when the process stops */
  send(endpoint: LeasedEndpoint, delivery: EventDelivery): Promise<Response | undefined>;
  /** Whether the process may start another request. */
  hasRoom(run: EndpointRun): boolean;
  /** There is something to store. */
  changed(run: EndpointRun): void;
  failed(run: EndpointRun, error: unknown): void;
  /** Records that events after the cursor are not kept any more. They are passed over when it resolves. */
  skipped(endpoint: LeasedEndpoint, events: SkippedEvents): Promise<void>;
  /** Monotonic milliseconds. */
  clock(): number;
  /** From 0 to 1, at random. */
  chance(): number;
}

/** When so many deliveries are not stored yet, they are stored. When twice as many are not, no more are started. */
export const storeAfterDeliveries = 25;
const most = { events: 100, others: 100 };

const isVoid = ({ body }: EventDelivery) => body === undefined;

export class EndpointRun {
  endpoint: LeasedEndpoint;
  readonly #ports: RunPorts;
  readonly #deliveries: Deliveries<EventDelivery>;
  /** Events that a probe has delivered before the ones before them. */
  readonly #delivered = new Set<number>();
  /** For events that have failed once: the pause that the receiver asked for; and the last one. */
  readonly #asked = new Map<number, number>();
  #lastAsked: number | undefined;
  #leasedUntil: number;
  #work: WebhookWork = { has_events: false, has_others: false };
  #isReading = false;
  #isProbing = false;
  readonly #unsaved = new Unsaved();
  #savedCursor: number;
  #storedStatus: EndpointStatus;
  /** The state in which the run ends, when nothing is in flight any more. */
  #end: EndpointState | undefined;
  #isStopped = false;
  #idleSince: number | undefined;

  constructor(endpoint: LeasedEndpoint, leasedUntil: number, ports: RunPorts) {
    const { cursor_event_no: cursor, status, failures } = endpoint;
    this.endpoint = endpoint;
    this.#ports = ports;
    this.#leasedUntil = leasedUntil;
    this.#savedCursor = cursor;
    this.#storedStatus = status;
    this.#deliveries = new Deliveries(endpoint, { cursor, failures: status === "enabled" ? failures : 0 });
  }

  /** Whether the run has ended, and only has to be stored. */
  get hasEnded(): boolean {
    return this.#end !== undefined && this.#deliveries.inFlight === 0 && !this.#isProbing;
  }

  get unsavedDeliveries(): number {
    return this.#unsaved.deliveries;
  }

  /** For how long the lease is still valid, in milliseconds. */
  get leaseMilliseconds(): number {
    return this.#leasedUntil - this.#ports.clock();
  }

  /** For how long there has been nothing to do, in milliseconds. */
  get idleMilliseconds(): number {
    return this.#idleSince === undefined ? 0 : this.#ports.clock() - this.#idleSince;
  }

  /** There may be something to send. */
  notice({ has_events, has_others }: WebhookWork): void {
    this.#work = {
      has_events: this.#work.has_events || has_events,
      has_others: this.#work.has_others || has_others,
    };
    this.advance();
  }

  renew(endpoint: LeasedEndpoint, leasedUntil: number): void {
    this.endpoint = endpoint;
    this.#leasedUntil = leasedUntil;
    this.advance();
  }

  /** Starts nothing more. @param disabled why the endpoint can't be served. What is in flight is stored when it has ended. */
  stop(disabled?: DisabledReason): void {
    this.#isStopped = true;
    this.#end ??= disabled === undefined ? this.#state() : disabledBy(disabled);
    this.#changedIfEnded();
  }

  /** Starts what may start now, and reads what is missing. */
  advance(): void {
    if (this.#isStopped || this.#end !== undefined) this.#changedIfEnded();
    else if (this.endpoint.status === "enabled") this.#sendAndRead();
    else if (!this.#isProbing) this.#begin(this.#probe());
  }

  #sendAndRead(): void {
    while (this.#mayStart()) {
      const delivery = this.#deliveries.start();
      if (delivery === undefined) break;
      this.#begin(this.#deliver(delivery));
    }
    if (this.#changeStatus()) return;
    if (!this.#isReading && this.#wantsToRead()) this.#begin(this.#read());
    if (!this.#isReading && this.#deliveries.hasNothingToSend && !this.#work.has_events) {
      this.#deliveries.settle();
      this.#keepRetried();
      this.#idleSince ??= this.#ports.clock();
    } else this.#idleSince = undefined;
    if (this.#hasUnsaved) this.#ports.changed(this);
  }

  #mayStart(): boolean {
    const { clock, hasRoom } = this.#ports;
    const isSaved = this.unsavedDeliveries + this.#deliveries.inFlight < 2 * storeAfterDeliveries;
    return (
      isSaved &&
      clock() < this.#leasedUntil &&
      this.#deliveries.inFlight < this.#deliveries.window &&
      hasRoom(this)
    );
  }

  #wantsToRead(): boolean {
    const { wantsMore } = this.#deliveries;
    const isThere = this.#work.has_events || this.#readsOthers;
    return wantsMore && isThere && this.#ports.clock() < this.#leasedUntil;
  }

  get #readsOthers(): boolean {
    return this.#work.has_others && !this.#unsaved.hidesRetries(storeAfterDeliveries);
  }

  /** @returns whether the endpoint fails or is gone, and the run ends */
  #changeStatus(): boolean {
    const { stop, inFlight } = this.#deliveries;
    if (stop === undefined) return false;
    if (inFlight > 0) return true;
    const asked = { chance: this.#ports.chance(), retryAfterSeconds: this.#lastAsked };
    this.#end = stop === "gone" ? disabledBy("gone") : beginsToFail(asked);
    this.#ports.changed(this);
    return true;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const { has_events } = this.#work;
    const has_others = this.#readsOthers;
    this.#work = { has_events: false, has_others: this.#work.has_others && !has_others };
    const limit = Math.min(most.events, 4 * this.#deliveries.window);
    try {
      const [batch, others] = await Promise.all([
        has_events ? this.#ports.readEvents(this.endpoint, this.#deliveries.readTo, limit) : undefined,
        has_others ? this.#ports.readOthers(this.endpoint, "due", most.others) : [],
      ]);
      if (batch?.skipped !== undefined) await this.#ports.skipped(this.endpoint, batch.skipped);
      if (batch !== undefined) {
        const deliveries = batch.deliveries.filter(({ event_no }) => !this.#delivered.delete(event_no));
        this.#deliveries.addEvents(deliveries, batch.readTo);
        if (batch.hasMore) this.#work = { ...this.#work, has_events: true };
      }
      if (others.length === most.others) this.#work = { ...this.#work, has_others: true };
      const isFresh = (no: number) => !this.#deliveries.hasOther(no) && !this.#unsaved.knows(no);
      const fresh = others.filter(({ event_no }) => isFresh(event_no));
      const isNeedless = (one: EventDelivery) => isVoid(one) || this.#deliveries.isStillToSend(one.event_no);
      for (const one of fresh.filter(isNeedless)) this.#unsaved.finish(one);
      this.#deliveries.addOthers(fresh.filter((one) => !isNeedless(one)));
    } finally {
      this.#isReading = false;
      this.#unsaved.endReading();
    }
    this.advance();
  }

  get #hasUnsaved(): boolean {
    return !this.#unsaved.isEmpty || this.#deliveries.cursor !== this.#savedCursor;
  }

  async #deliver(delivery: EventDelivery): Promise<void> {
    const response = await this.#attempt(delivery, delivery.kind).catch((error: unknown) => {
      this.#ports.failed(this, error);
    });
    if (response === undefined) this.#deliveries.abandon(delivery);
    else {
      this.#deliveries.finish(delivery, outcomeOfAnswer(response));
      if (delivery.kind !== "delivery") this.#decideOther(delivery, response);
      else if (response.retryAfterSeconds !== undefined)
        this.#asked.set(delivery.event_no, response.retryAfterSeconds);
      this.#keepRetried();
    }
    this.advance();
  }

  /** Sends once, and logs it. */
  async #attempt(delivery: EventDelivery, kind: NewAttempt["kind"]): Promise<Response | undefined> {
    const { clock, send } = this.#ports;
    const startedAt = clock();
    const response = await send(this.endpoint, delivery);
    if (response === undefined) return undefined;
    const { status, error, body, retryAfterSeconds } = response;
    this.#lastAsked = retryAfterSeconds;
    this.#unsaved.add({
      ...{ event_no: delivery.event_no, kind, attempt: delivery.attempts + 1 },
      ...{ started_at: startedAt, milliseconds: Math.round(clock() - startedAt) },
      ...{
        succeeded: outcomeOfAnswer(response) === "delivered",
        response_status: status,
        error,
        response_body: body,
      },
    });
    return response;
  }

  /** A retry, a replay or a test is done, or is sent again later. */
  #decideOther(delivery: EventDelivery, response: Response): void {
    const { event_no, attempts, kind } = delivery;
    const isDone = kind === "test" || outcomeOfAnswer(response) === "delivered";
    const pause = isDone ? undefined : this.#pauseAfter(attempts + 1, response.retryAfterSeconds);
    if (pause === undefined) this.#unsaved.finish(delivery);
    else this.#unsaved.retry({ event_no, attempts: attempts + 1, due_seconds: pause });
  }

  /** Keeps the events that have failed once, and are retried by themselves. */
  #keepRetried(): void {
    for (const { event_no } of this.#deliveries.takeRetried()) {
      const due_seconds = this.#pauseAfter(1, this.#asked.get(event_no)) as number;
      this.#unsaved.retry({ event_no, attempts: 1, due_seconds });
      this.#asked.delete(event_no);
    }
  }

  #pauseAfter(failed: number, retryAfterSeconds: number | undefined): number | undefined {
    return retryPause(failed, { chance: this.#ports.chance(), retryAfterSeconds });
  }

  /** Sends one event of a failing endpoint, or the test of a disabled one. */
  async #probe(): Promise<void> {
    this.#isProbing = true;
    try {
      const delivery = await this.#findProbe();
      if (delivery === undefined) {
        // There is nothing to probe with, so nothing is undelivered.
        this.#end = this.endpoint.status === "failing" ? enabledWith(0) : this.#state();
        return;
      }
      const { failures, failing_seconds, status } = this.endpoint;
      const response = await this.#attempt(delivery, delivery.kind === "test" ? "test" : "probe");
      if (response === undefined) return;
      const outcome = outcomeOfAnswer(response);
      if (delivery.kind === "test" || (delivery.kind !== "delivery" && outcome === "delivered"))
        this.#unsaved.finish(delivery);
      if (delivery.kind === "delivery" && outcome === "delivered") {
        this.#delivered.add(delivery.event_no);
        this.#deliveries.wasProbed(delivery.event_no);
      }
      if (status === "disabled") this.#end = this.#state();
      else {
        const failing = { failures, seconds: failing_seconds ?? 0 };
        const { retryAfterSeconds } = response;
        const state = afterProbe(failing, outcome, { chance: this.#ports.chance(), retryAfterSeconds });
        if (state.status === "enabled") this.#recover();
        else this.#end = state;
      }
    } finally {
      this.#isProbing = false;
    }
    this.advance();
  }

  #recover(): void {
    this.endpoint = { ...this.endpoint, status: "enabled", failures: 0 };
    if (this.#isStopped) this.#end = enabledWith(0);
    this.#work = { has_events: true, has_others: true };
    this.#ports.changed(this);
  }

  /**
   * A test if there is one. Otherwise one of the next events or the newest. Of an ordered endpoint, it is always the first.
   */
  async #findProbe(): Promise<EventDelivery | undefined> {
    const { endpoint } = this;
    const [test] = await this.#ports.readOthers(endpoint, "tests", 1);
    if (test !== undefined || endpoint.status === "disabled") return test;
    const limit = endpoint.ordered ? 1 : most.events;
    let after = this.#deliveries.readTo;
    for (let hasMore = true; hasMore; ) {
      const batch = await this.#ports.readEvents(endpoint, after, limit);
      if (batch.deliveries.length > 0) {
        const newest = endpoint.ordered ? undefined : await this.#ports.readNewest(endpoint);
        return chooseProbe(batch.deliveries, newest, endpoint.failures);
      }
      after = batch.readTo;
      hasMore = batch.hasMore;
    }
    const others = (await this.#ports.readOthers(endpoint, "probe", limit)).filter((one) => !isVoid(one));
    return others[endpoint.failures % Math.max(1, others.length)];
  }

  #state(): EndpointState {
    const { status, failures } = this.endpoint;
    if (status === "enabled") return enabledWith(this.#deliveries.failures);
    return {
      status,
      failures,
      disabledReason: this.endpoint.disabled_reason,
      dueSeconds: status === "failing" ? 0 : null,
    };
  }

  #changedIfEnded(): void {
    if (this.hasEnded) this.#ports.changed(this);
  }

  #begin(work: Promise<void>): void {
    work.catch((error: unknown) => this.#ports.failed(this, error));
  }

  /** Takes what has to be stored. @param isReleased whether the lease is given back, after the run has ended */
  takeProgress(): EndpointProgress {
    const { business_id, endpoint_id, lease } = this.endpoint;
    const state = this.hasEnded ? (this.#end as EndpointState) : this.#state();
    return {
      ...{ business_id, endpoint_id, lease, cursor_event_no: this.#deliveries.cursor, status: state.status },
      ...{ disabled_reason: state.disabledReason, failures: state.failures, due_seconds: state.dueSeconds },
      is_changed: state.status !== this.#storedStatus,
      is_released: this.hasEnded,
      ...this.#unsaved.take(),
    };
  }

  saved({ cursor_event_no, status }: EndpointProgress): void {
    this.#unsaved.endSaving(this.#isReading);
    this.#savedCursor = cursor_event_no;
    this.#storedStatus = status;
  }

  /** Takes back what could not be stored. */
  putBack(progress: EndpointProgress): void {
    this.#unsaved.endSaving(this.#isReading);
    this.#unsaved.putBack(progress);
  }
}
