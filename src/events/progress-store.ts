/** Stores what was sent to endpoints: what is ready at the same time in one transaction, and one transaction after the other. */
import type { Logger } from "pino";
import { insertAuditEntries, ownActor } from "../database/access/audit.ts";
import type { Connection, Database } from "../database/connection.ts";
import { insertEvents } from "../database/events.ts";
import { describeFault, isTransient } from "../database/faults.ts";
import { commitWithoutDisk, type EndpointProgress, storeProgress } from "../database/webhooks/attempts.ts";

interface Waiting {
  readonly progress: EndpointProgress;
  readonly resolve: (isHeld: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const mostAtOnce = 200;

/** @returns a function that stores progress, and returns whether its lease had not ended */
export function createProgressStore(sql: Database, log: Logger) {
  const waiting: Waiting[] = [];
  let isStoring = false;

  const storeAll = async () => {
    isStoring = true;
    // What is ready now is stored together.
    await undefined;
    while (waiting.length > 0) await storeSome(waiting.splice(0, mostAtOnce));
    isStoring = false;
  };
  /** Stores them together, or one by one if one of them can't be stored. */
  const storeSome = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const held = new Set(
        await sql.begin((tx) =>
          storeWith(
            tx,
            batch.map(({ progress }) => progress),
          ),
        ),
      );
      for (const { progress, resolve } of batch) {
        const isHeld = held.has(progress);
        if (isHeld && progress.is_changed) logStatus(log, progress);
        resolve(isHeld);
      }
    } catch (error) {
      if (batch.length > 1 && !isTransient(error)) {
        for (const one of batch) await storeSome([one]);
        return;
      }
      const { business_id, endpoint_id } = (batch[0] as Waiting).progress;
      const facts = { ...(batch.length === 1 && { business_id, endpoint_id }), fault: describeFault(error) };
      log.warn(facts, "what was sent to webhook endpoints can't be stored");
      for (const { reject } of batch) reject(error);
    }
  };
  return (progress: EndpointProgress): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({ progress, resolve, reject });
      if (!isStoring) void storeAll();
    });
}

async function storeWith(tx: Connection, progress: readonly EndpointProgress[]): Promise<EndpointProgress[]> {
  const isDisabled = (one: EndpointProgress) => one.is_changed && one.status === "disabled";
  // A crash of the database may take the last moment, and its events are sent again. But no event may be lost that others have read.
  if (!progress.some(isDisabled)) await commitWithoutDisk(tx);
  const held = await storeProgress(tx, progress, performance.now());
  const disabled = held.filter(isDisabled);
  if (disabled.length > 0) await reportDisabled(tx, disabled);
  return held;
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
      business_id,
      actor,
      event: "webhook_endpoint.disabled",
      before: null,
      after: data,
    })),
  );
  const none = { occurred_at: null, contact_ids: [], location_id: null, entries: [] };
  const events = facts.map(({ business_id, data }) => ({
    ...none,
    business_id,
    type: "webhook_endpoint.disabled" as const,
    data,
  }));
  // The numbers of the last events are locked in the order of the businesses, as by other transactions.
  for (const event of events.toSorted((one, other) => one.business_id - other.business_id))
    await insertEvents(tx, [event]);
}
