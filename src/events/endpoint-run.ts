/** Sends the events of one endpoint, while this process has its lease. */
import { setTimeout as sleep } from "node:timers/promises";
import type { EndpointProgress, FinishedRetry, NewAttempt, NewRetry } from "../database/webhooks/attempts.ts";
import type { LeasedEndpoint, WebhookWork } from "../database/webhooks/leases.ts";
import { Deliveries } from "../domain/webhooks/deliveries.ts";
import {
  afterProbe,
  beginsToFail,
  disabledBy,
  type EndpointState,
  type EndpointStatus,
  enabledWith,
} from "../domain/webhooks/endpoint.ts";
import { outcomeOf } from "../domain/webhooks/message.ts";
import { retryPause } from "../domain/webhooks/schedule.ts";
import {
  type EventBatch,
  type EventDelivery,
  type Messages,
  type SkippedEvents,
  UnreadableSecretError,
} from "./messages.ts";
import { findProbe } from "./probe.ts";
import type { Response } from "./request.ts";
import type { Send, Sent } from "./sending.ts";

/** What the runs of a process share. */
export interface RunParts {
  readonly messages: Pick<Messages, "readEvents" | "readNewest" | "readOthers">;
  readonly send: Send;
  /** Stores progress, and renews the lease. @returns whether the lease had not ended */
  store(progress: EndpointProgress): Promise<boolean>;
  /** Records that events after the cursor are not kept any more. They are passed over when it resolves. */
  reportSkipped(endpoint: LeasedEndpoint, events: SkippedEvents): Promise<void>;
  reportFault(error: unknown): void;
  /** Monotonic milliseconds. */
  clock(): number;
  /** From 0 to 1, at random. */
  chance(): number;
}

/** When so many deliveries are not stored, they are stored. When twice as many are not, no more are started. */
const storeAfterDeliveries = 25;
const storeAfterMilliseconds = 900;
/** A lease is renewed after this time, or given back if there was nothing to do. */
const renewAfterMilliseconds = 2500;
/** Later, nothing is sent under it: the rights of the endpoint may have changed. */
const freshMilliseconds = 4000;
const pauseAfterFaultMilliseconds = 1000;
const most = { events: 100, others: 100 };
const noWork: WebhookWork = { has_events: false, has_others: false };

export class EndpointRun {
  #endpoint: LeasedEndpoint;
  readonly #parts: RunParts;
  readonly #deliveries: Deliveries<EventDelivery>;
  /** Events that a probe has delivered before the ones before them. */
  readonly #delivered = new Set<number>();
  /** For events that have failed once: the pause that the receiver asked for; and the last one. */
  readonly #asked = new Map<number, number>();
  #lastAsked: number | undefined;
  #work = noWork;
  /** What has happened and is not stored. */
  #attempts: NewAttempt[] = [];
  #retries = new Map<number, NewRetry>();
  #finished = new Map<number, FinishedRetry>();
  #isDirty = false;
  #storedStatus: EndpointStatus;
  #renewedAt: number;
  #activeAt: number;
  #isReading = false;
  #isProbing = false;
  /** The state in which the run ends, when nothing is in flight any more. */
  #end: EndpointState | undefined;
  #wake: () => void = () => undefined;

  /** @param leasedAt in monotonic milliseconds */
  constructor(endpoint: LeasedEndpoint, leasedAt: number, parts: RunParts) {
    const { cursor_event_no: cursor, status, failures } = endpoint;
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#renewedAt = leasedAt;
    this.#activeAt = leasedAt;
    this.#storedStatus = status;
    this.#deliveries = new Deliveries(endpoint, { cursor, failures: status === "enabled" ? failures : 0 });
  }

  get lease(): string {
    return this.#endpoint.lease;
  }

  /** There may be something to send. */
  notice({ has_events, has_others }: WebhookWork): void {
    this.#work = {
      has_events: this.#work.has_events || has_events,
      has_others: this.#work.has_others || has_others,
    };
    this.#advance();
  }

  /** Starts nothing more. The run ends when what is in flight has ended, and is stored. */
  stop(): void {
    this.#end ??= this.#state();
    this.#advance();
  }

  /** Stores, reads and sends in turn until the lease is given back or lost. Deliveries go on meanwhile. */
  async serve(): Promise<void> {
    if (this.#endpoint.status !== "enabled") void this.#probe();
    for (let isOver = false; !isOver; ) {
      this.#start();
      if (this.#mustStore()) isOver = await this.#store();
      else if (this.#wantsToRead()) await this.#read();
      else await this.#untilDue();
    }
  }

  async #untilDue(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, storeAfterMilliseconds).unref();
    });
    clearTimeout(timer);
    const idle = this.#parts.clock() - this.#activeAt;
    if (this.#hasNothingToDo && idle >= renewAfterMilliseconds) this.#end ??= this.#state();
  }

  /** Called when something has changed. */
  #advance(): void {
    this.#start();
    if (this.#mustStore() || this.#wantsToRead()) this.#wake();
  }

  /** Starts what may start now. */
  #start(): void {
    if (this.#end !== undefined || this.#endpoint.status !== "enabled") return;
    while (this.#mayStart()) {
      const delivery = this.#deliveries.start();
      if (delivery === undefined) break;
      this.#activeAt = this.#parts.clock();
      void this.#deliver(delivery);
    }
    const { stop, inFlight } = this.#deliveries;
    if (stop !== undefined && inFlight === 0) {
      const asked = { chance: this.#parts.chance(), retryAfterSeconds: this.#lastAsked };
      this.#end = stop === "gone" ? disabledBy("gone") : beginsToFail(asked);
    }
    if (!this.#hasNothingToDo) return;
    this.#deliveries.settle();
    this.#keepRetried();
  }

  #mayStart(): boolean {
    const unsaved = this.#unsaved + this.#deliveries.inFlight;
    return unsaved < 2 * storeAfterDeliveries && this.#isFresh;
  }

  get #isFresh(): boolean {
    return this.#parts.clock() < this.#renewedAt + freshMilliseconds;
  }

  get #hasNothingToDo(): boolean {
    const isBusy = this.#isReading || this.#isProbing || this.#work.has_events || this.#work.has_others;
    return !isBusy && this.#deliveries.hasNothingToSend;
  }

  get #unsaved(): number {
    return Math.max(this.#attempts.length, this.#finished.size);
  }

  get #hasEnded(): boolean {
    return this.#end !== undefined && this.#deliveries.inFlight === 0 && !this.#isProbing;
  }

  #mustStore(): boolean {
    if (this.#isReading) return false;
    const age = this.#parts.clock() - this.#renewedAt;
    const isLate = age >= (this.#isDirty ? storeAfterMilliseconds : renewAfterMilliseconds);
    return this.#hasEnded || isLate || this.#unsaved >= storeAfterDeliveries || this.#hidesOthers;
  }

  /** Whether retries have ended that would be read again, because that is not stored. */
  get #hidesOthers(): boolean {
    const { wantsMore } = this.#deliveries;
    return this.#work.has_others && wantsMore && this.#retries.size + this.#finished.size > 0;
  }

  #wantsToRead(): boolean {
    if (this.#isReading || this.#end !== undefined || this.#endpoint.status !== "enabled") return false;
    return this.#deliveries.wantsMore && (this.#work.has_events || this.#work.has_others);
  }

  async #read(): Promise<void> {
    const { readEvents, readOthers } = this.#parts.messages;
    const { has_events, has_others } = this.#work;
    this.#work = noWork;
    this.#isReading = true;
    // What ends during the read may be among what it finds.
    const inHand = this.#deliveries.others;
    const limit = Math.min(most.events, 4 * this.#deliveries.window);
    try {
      const [batch, others] = await Promise.all([
        has_events ? readEvents(this.#endpoint, this.#deliveries.readTo, limit) : undefined,
        has_others ? readOthers(this.#endpoint, "due", most.others) : [],
      ]);
      if (batch !== undefined) await this.#addEvents(batch);
      if (others.length === most.others) this.#work = { ...this.#work, has_others: true };
      this.#addOthers(others.filter(({ event_no }) => !inHand.has(event_no)));
    } catch (error) {
      this.#fail(error);
    }
    this.#isReading = false;
  }

  async #addEvents({ deliveries, readTo, hasMore, skipped }: EventBatch): Promise<void> {
    if (skipped !== undefined) await this.#parts.reportSkipped(this.#endpoint, skipped);
    if (hasMore) this.#work = { ...this.#work, has_events: true };
    this.#isDirty ||= readTo > this.#deliveries.readTo;
    const undelivered = deliveries.filter(({ event_no }) => !this.#delivered.delete(event_no));
    this.#deliveries.addEvents(undelivered, readTo);
  }

  #addOthers(others: readonly EventDelivery[]): void {
    const isNeedless = ({ body, event_no }: EventDelivery) =>
      body === undefined || this.#deliveries.isStillToSend(event_no);
    for (const one of others.filter(isNeedless)) this.#finish(one);
    this.#deliveries.addOthers(others.filter((one) => !isNeedless(one)));
  }

  /** A fault of the database, or secrets that can't be decrypted. */
  #fail(error: unknown): void {
    if (error instanceof UnreadableSecretError) this.#end ??= disabledBy("secret_unreadable");
    else this.#parts.reportFault(error);
    this.stop();
  }

  async #deliver(delivery: EventDelivery): Promise<void> {
    const sent = await this.#attempt(delivery, delivery.kind);
    if (sent === undefined) this.#deliveries.abandon(delivery);
    else {
      const { response, milliseconds } = sent;
      this.#deliveries.finish(delivery, outcomeOf(response), milliseconds);
      if (delivery.kind !== "delivery") this.#decideOther(delivery, response);
      else if (response.retryAfterSeconds !== undefined)
        this.#asked.set(delivery.event_no, response.retryAfterSeconds);
      this.#keepRetried();
    }
    this.#advance();
  }

  /** Sends once, and logs it. A run that can't send ends. */
  async #attempt(delivery: EventDelivery, kind: NewAttempt["kind"]): Promise<Sent | undefined> {
    const options = {
      isSlow: kind === "probe" || this.#deliveries.isSlow,
      mayStart: () => this.#end === undefined && this.#isFresh,
    };
    const sent = await this.#parts
      .send(this.#endpoint, delivery, options)
      .catch((error: unknown) => this.#fail(error));
    if (sent === undefined) {
      this.stop();
      return undefined;
    }
    const { response, startedAt: started_at, milliseconds } = sent;
    const { status: response_status, error, body: response_body, retryAfterSeconds } = response;
    this.#lastAsked = retryAfterSeconds;
    const succeeded = outcomeOf(response) === "delivered";
    const { event_no, attempts } = delivery;
    const result = { milliseconds, succeeded, response_status, error, response_body };
    this.#attempts.push({ event_no, kind, attempt: attempts + 1, started_at, ...result });
    this.#isDirty = true;
    return sent;
  }

  /** A retry, a replay or a test is done, or is sent again later. */
  #decideOther(delivery: EventDelivery, response: Response): void {
    const isDone = delivery.kind === "test" || outcomeOf(response) === "delivered";
    const failed = delivery.attempts + 1;
    const pause = isDone ? undefined : this.#pauseAfter(failed, response.retryAfterSeconds);
    if (pause === undefined) this.#finish(delivery);
    else this.#retry({ event_no: delivery.event_no, attempts: failed, due_seconds: pause });
  }

  #finish({ event_no, dueAt: due_at }: EventDelivery): void {
    this.#finished.set(event_no, { event_no, due_at });
    this.#isDirty = true;
  }

  #retry(retry: NewRetry): void {
    this.#retries.set(retry.event_no, retry);
    this.#isDirty = true;
  }

  /** Keeps the events that have failed once, and are retried by themselves. */
  #keepRetried(): void {
    for (const { event_no } of this.#deliveries.takeRetried()) {
      const due_seconds = this.#pauseAfter(1, this.#asked.get(event_no)) as number;
      this.#retry({ event_no, attempts: 1, due_seconds });
      this.#asked.delete(event_no);
    }
  }

  #pauseAfter(failed: number, retryAfterSeconds: number | undefined): number | undefined {
    return retryPause(failed, { chance: this.#parts.chance(), retryAfterSeconds });
  }

  /** Sends one event of a failing endpoint, or the test of a disabled one. */
  async #probe(): Promise<void> {
    this.#isProbing = true;
    try {
      const delivery = await findProbe(this.#parts.messages, this.#endpoint);
      // There is nothing to probe with, so nothing is undelivered.
      if (delivery === undefined)
        this.#end ??= this.#endpoint.status === "failing" ? enabledWith(0) : this.#state();
      else {
        const sent = await this.#attempt(delivery, delivery.kind === "test" ? "test" : "probe");
        if (sent !== undefined) this.#decideProbe(delivery, sent.response);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#isProbing = false;
    this.#advance();
  }

  #decideProbe(delivery: EventDelivery, response: Response): void {
    const outcome = outcomeOf(response);
    const { kind, event_no } = delivery;
    if (kind === "test" || (kind !== "delivery" && outcome === "delivered")) this.#finish(delivery);
    if (kind === "delivery" && outcome === "delivered") {
      this.#delivered.add(event_no);
      this.#deliveries.wasProbed(event_no);
    }
    const { status, failures, failing_seconds } = this.#endpoint;
    if (status === "disabled") {
      this.#end ??= this.#state();
      return;
    }
    const asked = { chance: this.#parts.chance(), retryAfterSeconds: response.retryAfterSeconds };
    const state = afterProbe({ failures, seconds: failing_seconds ?? 0 }, outcome, asked);
    if (state.status === "enabled") {
      this.#endpoint = { ...this.#endpoint, status: "enabled", failures: 0 };
      this.#work = { has_events: true, has_others: true };
      if (this.#end !== undefined) this.#end = state;
    } else this.#end = state;
  }

  #state(): EndpointState {
    const { status, failures, disabled_reason: disabledReason } = this.#endpoint;
    if (status === "enabled") return enabledWith(this.#deliveries.failures);
    return { status, failures, disabledReason, dueSeconds: status === "failing" ? 0 : null };
  }

  /** @returns whether the run is over */
  async #store(): Promise<boolean> {
    const progress = this.#takeProgress();
    const at = this.#parts.clock();
    try {
      const isHeld = await this.#parts.store(progress);
      if (progress.is_released) return true;
      // A request has changed the endpoint, or another process has it.
      if (!isHeld) this.stop();
      this.#renewedAt = at;
      this.#storedStatus = progress.status;
    } catch {
      this.#putBack(progress);
      await sleep(pauseAfterFaultMilliseconds, undefined, { ref: false });
    }
    return false;
  }

  /** Takes what has to be stored. The lease is given back after the run has ended. */
  #takeProgress(): EndpointProgress {
    const { business_id, endpoint_id, lease } = this.#endpoint;
    const state = this.#hasEnded ? (this.#end as EndpointState) : this.#state();
    const { status, disabledReason: disabled_reason, failures, dueSeconds: due_seconds } = state;
    const [attempts, retries, finished] = [this.#attempts, this.#retries, this.#finished];
    [this.#attempts, this.#retries, this.#finished, this.#isDirty] = [[], new Map(), new Map(), false];
    return {
      ...{ business_id, endpoint_id, lease, status, disabled_reason, failures, due_seconds },
      cursor_event_no: this.#deliveries.cursor,
      is_changed: status !== this.#storedStatus,
      is_released: this.#hasEnded,
      ...{ attempts, retries: [...retries.values()], finished: [...finished.values()] },
    };
  }

  /** What has happened since is newer. */
  #putBack({ attempts, retries, finished }: EndpointProgress): void {
    const byEvent = <Row extends { event_no: number }>(
      rows: readonly Row[],
      newer: ReadonlyMap<number, Row>,
    ) => new Map([...rows.map((row) => [row.event_no, row] as const), ...newer]);
    this.#attempts = [...attempts, ...this.#attempts];
    this.#retries = byEvent(retries, this.#retries);
    this.#finished = byEvent(finished, this.#finished);
    this.#isDirty = true;
  }
}
