/** Stores what was sent: every second, and after some deliveries. */
import type { Logger } from "pino";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import type { Connection, Database } from "../database/connection.ts";
import { insertEvents } from "../database/events.ts";
import { describeFault, isTransient } from "../database/faults.ts";
import { type EndpointProgress, storeProgress } from "../database/webhooks/attempts.ts";
import { type EndpointRun, storeAfterDeliveries } from "./endpoint-run.ts";

export interface StoreParts {
  readonly sql: Database;
  readonly log: Logger;
  /** Called when the process no longer has the lease of a run. */
  remove(run: EndpointRun): void;
}

const storeMilliseconds = 1000;
const mostAtOnce = 200;

const isUrgent = ({ hasEnded, unsavedDeliveries }: EndpointRun) =>
  hasEnded || unsavedDeliveries >= storeAfterDeliveries;

export class ProgressStore {
  readonly #parts: StoreParts;
  readonly #changed = new Set<EndpointRun>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  #isFinishing = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Stores what has happened to an endpoint: at once if the run has ended or has sent much, or else within a second. */
  add(run: EndpointRun): void {
    this.#changed.add(run);
    if (isUrgent(run)) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), storeMilliseconds).unref();
  }

  /** Stores everything. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    clearTimeout(this.#timer);
    await this.#storing;
    await this.#storeAll();
  }

  #start(): void {
    if (this.#storing !== undefined || this.#isFinishing) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storeAll().finally(() => {
      this.#storing = undefined;
      // Something failed to be stored, or was added meanwhile.
      if (this.#changed.size > 0 && !this.#isFinishing)
        this.#timer ??= setTimeout(() => this.#start(), storeMilliseconds).unref();
    });
  }

  /** Stores what has changed, until nothing of it is urgent. */
  async #storeAll(): Promise<void> {
    do {
      const runs = [...this.#changed];
      for (let first = 0; first < runs.length; first += mostAtOnce) {
        if (!(await this.#storeSome(runs.slice(first, first + mostAtOnce)))) return;
      }
    } while ([...this.#changed].some(isUrgent));
  }

  /** Stores them together, or one by one if one of them can't be stored. @returns whether all could be stored */
  async #storeSome(runs: readonly EndpointRun[]): Promise<boolean> {
    const { sql, log, remove } = this.#parts;
    const batch = runs.map((run) => ({ run, progress: run.takeProgress() }));
    for (const run of runs) this.#changed.delete(run);
    try {
      const held = new Set(
        await sql.begin((tx) =>
          this.#storeWith(
            tx,
            batch.map(({ progress }) => progress),
          ),
        ),
      );
      for (const { run, progress } of batch) {
        const isHeld = held.has(progress);
        if (isHeld) run.saved(progress);
        if (isHeld && progress.is_changed) logStatus(log, progress);
        if (!isHeld || progress.is_released) remove(run);
        if (!isHeld) run.stop();
        run.advance();
      }
      return true;
    } catch (error) {
      for (const { run, progress } of batch) {
        run.putBack(progress);
        this.#changed.add(run);
      }
      if (runs.length > 1 && !isTransient(error)) {
        let areStored = true;
        for (const run of runs) areStored = (await this.#storeSome([run])) && areStored;
        return areStored;
      }
      const { business_id, endpoint_id } = (runs[0] as EndpointRun).endpoint;
      const facts = { ...(runs.length === 1 && { business_id, endpoint_id }), fault: describeFault(error) };
      log.warn(facts, "what was sent to webhook endpoints can't be stored");
      return false;
    }
  }

  async #storeWith(tx: Connection, progress: readonly EndpointProgress[]): Promise<EndpointProgress[]> {
    const held = await storeProgress(tx, progress, performance.now());
    const disabled = held.filter((one) => one.is_changed && one.status === "disabled");
    if (disabled.length > 0) await reportDisabled(tx, disabled);
    return held;
  }
}

function logStatus(log: Logger, progress: EndpointProgress): void {
  const { business_id, endpoint_id, status, disabled_reason } = progress;
  const facts = { business_id, endpoint_id, ...(disabled_reason !== null && { disabled_reason }) };
  if (status === "enabled") log.info(facts, "a webhook endpoint has recovered");
  else log.warn(facts, `a webhook endpoint is ${status}`);
}

/** An audit entry, and an event for the other endpoints, tell that endpoints were disabled. */
async function reportDisabled(tx: Connection, disabled: readonly EndpointProgress[]): Promise<void> {
  const actor = ownActor("service", "");
  const facts = disabled.map(({ business_id, endpoint_id, disabled_reason }) => ({
    business_id,
    data: { endpoint_id, disabled_reason },
  }));
  await insertAuditEntries(
    tx,
    facts.map(({ business_id, data }) => ({
      ...{ business_id, actor, event: "webhook_endpoint.disabled", before: null },
      after: data,
    })),
  );
  const none = { occurred_at: null, contact_ids: [], location_id: null, entries: [] };
  const events = facts.map(({ business_id, data }) => ({
    ...none,
    ...{ business_id, type: "webhook_endpoint.disabled" as const, data },
  }));
  // The numbers of the last events are locked in the order of the businesses, as by other transactions.
  for (const event of events.toSorted((one, other) => one.business_id - other.business_id))
    await insertEvents(tx, [event]);
}
