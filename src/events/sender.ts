/**
 * Sends events to webhook endpoints. A process takes the leases of endpoints that have something to send, sends, and stores what it
 * has sent every second. No connection to the database is held during a request to a receiver.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import type { Database } from "../database/connection.ts";
import { describeFault } from "../database/faults.ts";
import type { EndpointKey, LeasedEndpoint, WebhookWork } from "../database/webhooks/leases.ts";
import {
  findHeldLeases,
  findWebhookWork,
  leaseSeconds,
  readWebhookHealth,
  releaseLeases,
  renewLeases,
  takeLeases,
  type WebhookHealth,
} from "../database/webhooks/leases.ts";
import { type Outcome, outcomeOfAnswer } from "../domain/webhooks/message.ts";
import { EndpointRun, type RunPorts } from "./endpoint-run.ts";
import { type EventDelivery, type Messages, type SkippedEvents, UnreadableSecretError } from "./messages.ts";
import { createPace } from "./pace.ts";
import { ProgressStore } from "./progress-store.ts";
import type { Requester, Response } from "./request.ts";

export interface SenderParts {
  readonly sql: Database;
  readonly messages: Messages;
  readonly requester: Requester;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  /** Whether many postings wait in this process. */
  readonly isBusy: () => boolean;
  /** Identifies this process among all. */
  readonly lessee: string;
}

export interface WebhookMetrics {
  /** @param seconds from the recording of the event to its first attempt; undefined for further attempts */
  webhookSent(outcome: Outcome, seconds: number | undefined): void;
  webhooksLooked(health: WebhookHealth): void;
}

const pollMilliseconds = 1000;
/** Events that are recorded within this time are looked for together. */
const gatherMilliseconds = 20;
/** The pause when there are more leases to take. */
const pollAgainMilliseconds = 50;
/** How often a process looks whether its leases have ended: an integration that is disabled gets nothing after 5 s. */
const checkMilliseconds = 3000;
const renewMilliseconds = 10_000;
const healthMilliseconds = 15_000;
/** A lease without anything to send is given back after this time. */
const lingerMilliseconds = 5000;
/** How many leases a process takes at once. Others get some, too. */
const leasesAtOnce = 100;
const mostLeases = 4000;
const requestsAtOnce = 1000;
/** The part of one business, so that slow receivers of one don't keep those of others waiting. */
const requestsOfBusiness = 250;
/** How long a stop waits for what is in flight. */
const stopMilliseconds = 3000;
const storeWithinMilliseconds = 2000;

const leaseOf = ({ endpoint: { business_id, endpoint_id, lease } }: EndpointRun) => ({
  business_id,
  endpoint_id,
  lease,
});
const nameOf = ({ business_id, endpoint_id }: EndpointKey) => `${business_id} ${endpoint_id}`;

export class Sender {
  readonly #parts: SenderParts;
  readonly #store: ProgressStore;
  readonly #runs = new Map<string, EndpointRun>();
  readonly #pace: ReturnType<typeof createPace>;
  /** Runs that wait until a request of another one ends, or until the pace lets more start. */
  readonly #waiting = new Set<EndpointRun>();
  /** The businesses whose events this process has recorded a moment ago. */
  readonly #woken = new Set<number>();
  #inFlight = 0;
  /** How many of them are of each business. */
  readonly #inFlightOf = new Map<number, number>();
  #isStopped = false;
  #hasWarned = false;
  #polling: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  #pausing: NodeJS.Timeout | undefined;
  /** The latest work on leases. Such work is done in turn, so that a look does not find what another one takes. */
  #leasing: Promise<unknown> = Promise.resolve();
  #checkedAt = performance.now();
  /** How often this process has taken leases, for their names. */
  #leases = 0;
  #healthAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#pace = createPace({ isBusy: parts.isBusy, clock: () => performance.now() });
    this.#store = new ProgressStore({ ...parts, remove: (run) => this.#remove(run) });
    this.#polling = this.#pollAfter(pollMilliseconds * Math.random());
  }

  /** Events of a business were recorded by this process. */
  wake(businessId: number): void {
    if (this.#isStopped) return;
    this.#woken.add(businessId);
    this.#gathering ??= setTimeout(() => this.#lookForWoken(), gatherMilliseconds).unref();
  }

  /**
   * Waits a moment for what is in flight, stores what was sent, and gives the leases back. If the database does not respond, the
   * leases end by themselves.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#polling);
    clearTimeout(this.#gathering);
    clearTimeout(this.#pausing);
    const limit = new AbortController();
    const late = sleep(stopMilliseconds + storeWithinMilliseconds, undefined, {
      ref: false,
      signal: limit.signal,
    });
    await Promise.race([this.#finish(), late.catch(() => undefined)]);
    limit.abort();
  }

  async #finish(): Promise<void> {
    await this.#leasing;
    for (const run of this.#runs.values()) run.stop();
    const stopBy = performance.now() + stopMilliseconds;
    while (this.#inFlight > 0 && performance.now() < stopBy) await sleep(20);
    const { requester, sql } = this.#parts;
    requester.stop();
    // The outcomes of interrupted requests arrive now.
    while (this.#inFlight > 0) await sleep(1);
    await this.#store.finish();
    const rest = [...this.#runs.values()].map(leaseOf);
    if (rest.length > 0) await releaseLeases(sql, rest).catch(this.#warn);
  }

  /** Warns once for each time that the database can't be used. */
  readonly #warn = (error: unknown): void => {
    if (!this.#hasWarned) this.#parts.log.warn({ fault: describeFault(error) }, "webhooks can't be sent");
    this.#hasWarned = true;
  };

  #pollAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => void this.#poll(), milliseconds).unref();
  }

  async #poll(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.#inTurn(() => this.#look());
      this.#hasWarned = false;
      if (performance.now() >= this.#checkedAt + checkMilliseconds)
        await this.#inTurn(() => this.#checkLeases());
      if (performance.now() >= this.#healthAt + healthMilliseconds) {
        this.#healthAt = performance.now();
        this.#parts.metrics.webhooksLooked(await readWebhookHealth(this.#parts.sql));
      }
    } catch (error) {
      if (!this.#isStopped) this.#warn(error);
    }
    for (const run of this.#runs.values()) if (run.idleMilliseconds >= lingerMilliseconds) run.stop();
    // Processes that were started together should not poll together.
    const pause = hasMore ? pollAgainMilliseconds : pollMilliseconds * (0.8 + 0.2 * Math.random());
    if (!this.#isStopped) this.#polling = this.#pollAfter(pause);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const mine = this.#leasing.then(work);
    this.#leasing = mine.catch(() => undefined);
    return mine;
  }

  #lookForWoken(): void {
    this.#gathering = undefined;
    const woken = [...this.#woken];
    this.#woken.clear();
    // If it fails, the next poll finds the events.
    this.#inTurn(async () => {
      while (await this.#look(woken));
    }).catch(() => undefined);
  }

  /** Looks for endpoints with something to send, and takes their leases. @returns whether there may be more */
  async #look(among?: readonly number[]): Promise<boolean> {
    if (this.#isStopped) return false;
    const { sql, lessee } = this.#parts;
    const found = await findWebhookWork(sql, lessee, leasesAtOnce + this.#runs.size, among);
    for (const one of found) {
      const run = this.#runs.get(nameOf(one));
      if (run === undefined) continue;
      if (one.lease === run.endpoint.lease) run.notice(one);
      // A request has changed the endpoint, or this process was late. The lease is taken again.
      else this.#drop(run);
    }
    const room = Math.min(leasesAtOnce, mostLeases - this.#runs.size);
    const free = found.filter((one) => !this.#runs.has(nameOf(one))).slice(0, room);
    if (free.length > 0 && !this.#isStopped) await this.#take(free);
    return free.length === leasesAtOnce;
  }

  async #take(found: readonly (EndpointKey & WebhookWork)[]): Promise<void> {
    const { sql, lessee } = this.#parts;
    const until = performance.now() + leaseSeconds * 1000;
    const work = new Map(found.map((one) => [nameOf(one), one]));
    this.#leases += 1;
    for (const endpoint of await takeLeases(sql, lessee, `${lessee} ${this.#leases}`, found)) {
      const run = new EndpointRun(endpoint, until, this.#ports);
      this.#runs.set(nameOf(endpoint), run);
      run.notice(work.get(nameOf(endpoint)) as WebhookWork);
    }
  }

  /** Ends the runs whose leases have ended, and renews the other leases from time to time. */
  async #checkLeases(): Promise<void> {
    const { sql } = this.#parts;
    const now = performance.now();
    this.#checkedAt = now;
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    const held = await findHeldLeases(sql, runs.map(leaseOf));
    const isHeld = new Set(held.map(nameOf));
    for (const run of runs) if (!isHeld.has(nameOf(run.endpoint)) && this.#isCurrent(run)) this.#drop(run);
    const old = [...this.#runs.values()].filter(
      ({ leaseMilliseconds }) => leaseMilliseconds <= leaseSeconds * 1000 - renewMilliseconds,
    );
    if (old.length === 0) return;
    // Those that are locked at the moment are renewed at the next check.
    for (const endpoint of await renewLeases(sql, old.map(leaseOf))) {
      const run = this.#runs.get(nameOf(endpoint));
      if (run?.endpoint.lease === endpoint.lease) run.renew(endpoint, now + leaseSeconds * 1000);
    }
  }

  #isCurrent(run: EndpointRun): boolean {
    return this.#runs.get(nameOf(run.endpoint)) === run;
  }

  #remove(run: EndpointRun): void {
    this.#waiting.delete(run);
    if (this.#isCurrent(run)) this.#runs.delete(nameOf(run.endpoint));
  }

  /** Another process may have the lease now. What is in flight is not stored, so its events are sent again. */
  #drop(run: EndpointRun): void {
    this.#remove(run);
    run.stop();
  }

  readonly #ports: RunPorts = {
    clock: () => performance.now(),
    chance: Math.random,
    readEvents: (...given) => this.#parts.messages.readEvents(...given),
    readNewest: (...given) => this.#parts.messages.readNewest(...given),
    readOthers: (...given) => this.#parts.messages.readOthers(...given),
    send: (endpoint, delivery) => this.#send(endpoint, delivery),
    hasRoom: (run) => {
      if (this.#hasRoom(run)) return true;
      this.#waiting.add(run);
      this.#resumeLater();
      return false;
    },
    changed: (run) => {
      if (this.#isCurrent(run)) this.#store.add(run);
    },
    skipped: (endpoint, events) => this.#reportSkipped(endpoint, events),
    failed: (run, error) => {
      const isUnreadable = error instanceof UnreadableSecretError;
      if (!isUnreadable) this.#warn(error);
      run.stop(isUnreadable ? "secret_unreadable" : undefined);
    },
  };

  /** The log and an audit entry tell which events an endpoint does not get. */
  async #reportSkipped({ business_id, endpoint_id }: LeasedEndpoint, { first, last }: SkippedEvents) {
    const { log, sql } = this.#parts;
    const after = { endpoint_id, first_event_no: first, last_event_no: last };
    const event = "webhook_endpoint.skipped" as const;
    await insertAuditEntries(sql, [
      { business_id, actor: ownActor("service", ""), event, before: null, after },
    ]);
    log.warn({ business_id, ...after }, "a webhook endpoint does not get events that are no longer kept");
  }

  async #send(endpoint: LeasedEndpoint, delivery: EventDelivery): Promise<Response | undefined> {
    const { messages, requester, metrics } = this.#parts;
    const message = messages.messageOf(endpoint, delivery);
    this.#count(endpoint, 1);
    this.#pace.start();
    try {
      const isFirst = delivery.kind === "delivery";
      const seconds = isFirst ? (performance.now() - delivery.recordedAt) / 1000 : undefined;
      const response = await requester.send(message);
      if (response !== undefined) metrics.webhookSent(outcomeOfAnswer(response), seconds);
      return response;
    } finally {
      this.#count(endpoint, -1);
      this.#advanceWaiting();
    }
  }

  #count({ business_id }: LeasedEndpoint, change: 1 | -1): void {
    this.#inFlight += change;
    const ofBusiness = (this.#inFlightOf.get(business_id) ?? 0) + change;
    if (ofBusiness > 0) this.#inFlightOf.set(business_id, ofBusiness);
    else this.#inFlightOf.delete(business_id);
  }

  #hasRoom({ endpoint: { business_id } }: EndpointRun): boolean {
    const ofBusiness = this.#inFlightOf.get(business_id) ?? 0;
    return this.#inFlight < requestsAtOnce && ofBusiness < requestsOfBusiness && this.#pace.mayStart;
  }

  /** Goes on after a pause, unless a request that ends lets those that wait go on. */
  #resumeLater(): void {
    if (this.#isStopped || this.#waiting.size === 0 || this.#pace.mayStart) return;
    this.#pausing ??= setTimeout(() => {
      this.#pausing = undefined;
      this.#advanceWaiting();
      this.#resumeLater();
    }, Math.ceil(this.#pace.pauseMilliseconds)).unref();
  }

  /** Lets those that wait start, in the order in which they came. */
  #advanceWaiting(): void {
    for (const run of [...this.#waiting]) {
      if (this.#inFlight >= requestsAtOnce || !this.#pace.mayStart) return;
      if (!this.#hasRoom(run)) continue;
      this.#waiting.delete(run);
      run.advance();
    }
  }
}
