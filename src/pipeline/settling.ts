/**
 * Brings the ledger up to date with points that have matured or expired. Decisions and reads do that by themselves for the
 * member they are about; this is for all others: in the background, and when an operator or a sandbox asks.
 */
import type { Logger } from "pino";
import type { Connection, Database } from "../database/connection.ts";
import { findDueMembers, listRealTimeBusinessIds } from "../database/engine/due.ts";
import { findEngineMembers } from "../database/engine/members.ts";
import { describeFault } from "../database/faults.ts";
import { lockLedger } from "../database/ledger/ledger.ts";
import { record } from "../database/ledger/recording.ts";
import { inertRules } from "../domain/engine/rules.ts";
import { settle } from "../domain/engine/settle.ts";
import { type PostingCommand, PostingGroup } from "./posting-group.ts";
import type { PostingQueue } from "./posting-queue.ts";

/** What settles one member. It can be repeated: then nothing is due any more. */
function settlementOf(businessId: number, contactId: number): PostingCommand {
  return {
    operation: {
      path: "/op/members/settle",
      message: "",
      needs: ["engine"],
      decide({ member, today, fail }) {
        if (member === undefined) return fail("member_not_found");
        const { balances, lots, debts } = member;
        const settled = settle({ balance: balances.points as number, lots, debts }, today);
        return { settled: settled.entries, entries: [], points: settled.points, data: {} };
      },
    },
    businessId,
    contactId,
    integrationId: null,
    key: undefined,
    fingerprint: "",
    input: {},
  };
}

/**
 * Settles members in a transaction. It locks the ledger, if it is not locked yet.
 * @returns how many entries were recorded
 */
export async function settleMembers(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
): Promise<number> {
  const ledger = await lockLedger(tx, businessId);
  if (ledger === undefined) return 0;
  const wanted = contactIds.map((contactId) => ({ businessId, contactId }));
  const members = await findEngineMembers(tx, wanted);
  const states = contactIds.flatMap((contactId, index) => {
    const member = members[index];
    return member === undefined
      ? []
      : [{ command: settlementOf(businessId, contactId), member, rules: inertRules }];
  });
  const group = new PostingGroup([ledger], [], [], states);
  for (const { command } of states) group.apply(command);
  const recording = group.recording();
  if (recording !== undefined) await record(tx, recording);
  return recording?.entries.length ?? 0;
}

const everyMilliseconds = 60_000;
const membersAtOnce = 500;
/** How much longer a pause is than the step before it: it takes at most a fifth of what live traffic leaves. */
const pausePerStep = 4;

export interface Settling {
  /** Stops after the step that is under way. */
  stop(): Promise<void>;
  /** Settles all businesses now; resolves when nothing is due. */
  run(): Promise<void>;
}

/**
 * Settles in the background. Members are posted to the queue of their business, so they share groups and commits with live
 * traffic. What is left to do stands in the lots: a crash loses nothing, and several processes do no harm.
 */
export function startSettling(sql: Database, postings: PostingQueue, log: Logger): Settling {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const settleAll = async () => {
    for (const businessId of await listRealTimeBusinessIds(sql)) {
      await settleBusiness(businessId);
    }
  };
  const settleBusiness = async (businessId: number) => {
    while (!stopped) {
      const startedAt = performance.now();
      const due = await findDueMembers(sql, businessId, membersAtOnce);
      if (due.length === 0) return;
      const outcomes = await Promise.all(
        due.map((contactId) => postings.post(settlementOf(businessId, contactId))),
      );
      // The queue is full: live traffic goes first.
      if (outcomes.some((outcome) => "code" in outcome)) return;
      await new Promise((resolve) => setTimeout(resolve, pausePerStep * (performance.now() - startedAt)));
    }
  };
  const run = () => {
    running = running.then(settleAll).catch((error: unknown) => {
      // The next turn takes it up; until then, reads and decisions settle for themselves.
      if (!stopped) log.warn({ fault: describeFault(error) }, "settling points failed");
    });
    return running;
  };
  const plan = () => {
    timer = setTimeout(() => void run().then(() => !stopped && plan()), everyMilliseconds).unref();
  };
  plan();
  return {
    run,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
