/**
 * The background job that settles members in the ledger, tells partners once a day what expires soon, and gives members what they get on occasions. Decisions and reads settle only their own member, in memory.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../database/connection.ts";
import {
  type DueMember,
  findDueMembers,
  listRealTimeBusinesses,
  recordRun,
} from "../../database/engine/due.ts";
import { describeFault, isTransient } from "../../database/faults.ts";
import { recordGroupEvents } from "./group-events.ts";
import { settleCommand } from "./internal-commands.ts";
import { writeNotices } from "./notices.ts";
import { grantOccasions, type Perform } from "./occasions.ts";
import type { PostingQueue } from "./posting-queue.ts";
import { decideReferrals } from "./referrals.ts";

const everyMilliseconds = 60_000;
const membersAtOnce = 500;
/** A pause is this many times as long as the step before it. So settling takes at most a fifth of the time. */
const pausePerStep = 4;

/**
 * Settles members through the posting queue, so they share commits with requests. What is due is stored, so a crash loses no
 * work, and several processes can do this at the same time.
 */
export function startSettling(sql: Database, postings: Pick<PostingQueue, "post">, log: Logger) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /**
   * Settles all due members of a business, each once. A member that can't be settled, or is still due afterwards, is skipped.
   * @returns whether it came to the end
   */
  const settleBusiness = async (businessId: number) => {
    let after: DueMember | undefined;
    let settled = 0;
    let isComplete = false;
    const skipped = new Set<number>();
    let fault: ReturnType<typeof describeFault> | undefined;
    const settle = (contactId: number) =>
      postings.post(settleCommand(businessId, contactId)).catch((error: unknown) => {
        if (isTransient(error)) throw error;
        fault = describeFault(error);
        return undefined;
      });
    while (!stopped) {
      const startedAt = performance.now();
      const due = await findDueMembers(sql, businessId, { limit: membersAtOnce, after });
      const contactIds = [...new Set(due.map(({ contact_id }) => contact_id))];
      const outcomes = (await Promise.all(contactIds.map(settle))).filter((outcome) => outcome !== undefined);
      settled += outcomes.filter((outcome) => "status" in outcome).length;
      const rejected = outcomes.filter((outcome) => "code" in outcome).length;
      for (const contactId of await stillDue(businessId, contactIds)) skipped.add(contactId);
      after = due.at(-1);
      const isLast = due.length < membersAtOnce;
      isComplete = isLast && rejected === 0;
      // If all are rejected, the queue is full, and requests take precedence.
      if (isLast || (rejected > 0 && rejected === outcomes.length)) break;
      await sleep(pausePerStep * (performance.now() - startedAt));
    }
    if (settled > 0) await recordRun(sql, businessId, settled, skipped.size);
    if (skipped.size > 0) {
      const facts = {
        skipped: skipped.size,
        contact_ids: [...skipped].slice(0, 10),
        ...(fault && { fault }),
      };
      log.warn({ business_id: businessId, ...facts }, "members are due after settling");
    }
    return isComplete;
  };
  const stillDue = async (businessId: number, contactIds: readonly number[]) => {
    if (contactIds.length === 0) return [];
    const due = await findDueMembers(sql, businessId, { limit: membersAtOnce, only: contactIds });
    return due.map(({ contact_id }) => contact_id);
  };
  const settleAll = async () => {
    for (const { business_id, notices_on, occasions_due, referrals_due } of await listRealTimeBusinesses(
      sql,
    )) {
      if (stopped) return;
      const perform = inSteps(sql, () => stopped);
      const parts = [
        async () => {
          const isComplete = await settleBusiness(business_id);
          // What is due today is no longer about to expire.
          if (isComplete && notices_on !== null) await notify(sql, business_id, notices_on, () => stopped);
        },
        async () => occasions_due && grantOccasions(sql, business_id, perform, warn),
        async () => referrals_due && decideReferrals(business_id, perform, warn),
      ];
      for (const part of parts) {
        if (!stopped) await part().catch((error: unknown) => warn(error, { business_id }));
      }
    }
  };
  // The next round tries again. Until then, reads and decisions settle their own member.
  const warn = (error: unknown, of: object = {}) => {
    if (!stopped) log.warn({ ...of, fault: describeFault(error) }, "settling members failed");
  };
  const run = () => {
    running = running.then(settleAll).catch((error: unknown) => warn(error));
    return running;
  };
  const plan = () => {
    timer = setTimeout(() => void run().then(() => !stopped && plan()), everyMilliseconds).unref();
  };
  plan();
  return {
    /** Settles all businesses now. Resolves when nothing is due. */
    run,
    /** Stops after the step that is under way. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Does parts with pauses between their transactions. */
function inSteps(sql: Database, isStopped: () => boolean): Perform {
  return async (part) => {
    const startedAt = performance.now();
    const done = await sql.begin(async (tx) => {
      const result = await part(tx);
      await recordGroupEvents(tx);
      return result;
    });
    await sleep(pausePerStep * (performance.now() - startedAt));
    return isStopped() ? undefined : done;
  };
}

/** Writes the notices of a day. Each step is a transaction, so a crash neither loses nor repeats one. */
async function notify(sql: Database, businessId: number, today: string, isStopped: () => boolean) {
  let after: DueMember | undefined;
  while (!isStopped()) {
    const startedAt = performance.now();
    after = await sql.begin(async (tx) => {
      const next = await writeNotices(tx, businessId, today, after);
      await recordGroupEvents(tx);
      return next;
    });
    if (after === undefined) return;
    await sleep(pausePerStep * (performance.now() - startedAt));
  }
}
