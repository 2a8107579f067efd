/**
 * Sends events to webhook endpoints. A process takes the leases of endpoints that have something to send, sends, and stores what it
 * has sent. No connection to the database is held during a request to a receiver.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import type { Database } from "../database/connection.ts";
import { describeFault } from "../database/faults.ts";
import {
  type EndpointKey,
  findWebhookWork,
  type LeasedEndpoint,
  readWebhookHealth,
  takeLeases,
  type WebhookHealth,
  type WebhookWork,
} from "../database/webhooks/leases.ts";
import { EndpointRun, type RunParts } from "./endpoint-run.ts";
import type { Messages, SkippedEvents } from "./messages.ts";
import { createProgressStore } from "./progress-store.ts";
import type { Requester } from "./request.ts";
import { createSend, type SendingParts } from "./sending.ts";

export interface SenderParts extends SendingParts {
  readonly sql: Database;
  readonly messages: Messages;
  readonly requester: Requester;
  readonly log: Logger;
  readonly metrics: SendingParts["metrics"] & { webhooksLooked(health: WebhookHealth): void };
  /** Identifies this process among all. */
  readonly lessee: string;
}

const pollMilliseconds = 1000;
/** Events that are recorded within this time are looked for together. */
const gatherMilliseconds = 20;
/** The pause when there are more leases to take. */
const pollAgainMilliseconds = 50;
const healthMilliseconds = 15_000;
/** How many leases a process takes at once. Others get some, too. */
const leasesAtOnce = 100;
const mostLeases = 4000;
/** How long a stop waits for what is in flight, and for what is stored then. */
const stopMilliseconds = 3000;
const storeWithinMilliseconds = 2000;

const nameOf = ({ business_id, endpoint_id }: EndpointKey) => `${business_id} ${endpoint_id}`;

export class Sender {
  readonly #parts: SenderParts;
  readonly #runParts: RunParts;
  /** By endpoint. */
  readonly #runs = new Map<string, EndpointRun>();
  /** Also runs that have lost their lease, and wait for what is in flight. */
  readonly #serving = new Set<Promise<void>>();
  /** The businesses whose events this process has recorded a moment ago. */
  readonly #woken = new Set<number>();
  #isStopped = false;
  #isClosed = false;
  #hasWarned = false;
  #polling: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  /** The latest look for work. Looks are done in turn, so that one does not find what another one takes. */
  #looking: Promise<unknown> = Promise.resolve();
  /** How often this process has taken leases, for their names. */
  #leases = 0;
  #healthAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const { sql, log, messages } = parts;
    const store = createProgressStore(sql, log);
    this.#runParts = {
      messages,
      send: createSend(parts),
      store: (progress) => (this.#isClosed ? Promise.resolve(false) : store(progress)),
      reportSkipped: (...given) => reportSkipped(parts, ...given),
      reportFault: this.#warn,
      clock: () => performance.now(),
      chance: Math.random,
    };
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
    const ended = this.#looking.then(() => {
      for (const run of this.#runs.values()) run.stop();
      return Promise.all(this.#serving);
    });
    await within(stopMilliseconds, ended);
    this.#parts.requester.stop();
    await within(storeWithinMilliseconds, ended);
    this.#isClosed = true;
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
      if (performance.now() >= this.#healthAt + healthMilliseconds) {
        this.#healthAt = performance.now();
        this.#parts.metrics.webhooksLooked(await readWebhookHealth(this.#parts.sql));
      }
    } catch (error) {
      if (!this.#isStopped) this.#warn(error);
    }
    // Processes that were started together should not poll together.
    const pause = hasMore ? pollAgainMilliseconds : pollMilliseconds * (0.8 + 0.2 * Math.random());
    if (!this.#isStopped) this.#polling = this.#pollAfter(pause);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const mine = this.#looking.then(work);
    this.#looking = mine.catch(() => undefined);
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
      if (run.lease === one.lease) run.notice(one);
      else {
        // A request has changed the endpoint, or this process was late. The lease is taken again.
        this.#runs.delete(nameOf(one));
        run.stop();
      }
    }
    const room = Math.min(leasesAtOnce, mostLeases - this.#runs.size);
    const free = found.filter((one) => !this.#runs.has(nameOf(one))).slice(0, room);
    if (free.length > 0 && !this.#isStopped) await this.#take(free);
    return free.length === leasesAtOnce;
  }

  async #take(found: readonly (EndpointKey & WebhookWork)[]): Promise<void> {
    const { sql, lessee } = this.#parts;
    const leasedAt = performance.now();
    const work = new Map(found.map((one) => [nameOf(one), one]));
    this.#leases += 1;
    for (const endpoint of await takeLeases(sql, lessee, `${lessee} ${this.#leases}`, found)) {
      const name = nameOf(endpoint);
      const run = new EndpointRun(endpoint, leasedAt, this.#runParts);
      this.#runs.set(name, run);
      run.notice(work.get(name) as WebhookWork);
      const served = run.serve().finally(() => {
        this.#serving.delete(served);
        if (this.#runs.get(name) === run) this.#runs.delete(name);
      });
      this.#serving.add(served);
    }
  }
}

/** Waits for something, and no longer. */
async function within(milliseconds: number, ended: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  const late = sleep(milliseconds, undefined, { ref: false, signal: limit.signal }).catch(() => undefined);
  await Promise.race([ended, late]);
  limit.abort();
}

/** The log and an audit entry tell which events an endpoint does not get. */
async function reportSkipped(
  { log, sql }: SenderParts,
  { business_id, endpoint_id }: LeasedEndpoint,
  { first, last }: SkippedEvents,
): Promise<void> {
  const after = { endpoint_id, first_event_no: first, last_event_no: last };
  const event = "webhook_endpoint.skipped" as const;
  await insertAuditEntries(sql, [
    { business_id, actor: ownActor("service", ""), event, before: null, after },
  ]);
  log.warn({ business_id, ...after }, "a webhook endpoint does not get events that are no longer kept");
}
