/**
 * Settles members: adds the entries of points that have matured or expired. Decisions and reads settle only their own
 * member. This file settles all members in the background, and some when an operator or a sandbox asks.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Connection, Database } from "../database/connection.ts";
import { findDueMembers, listRealTimeBusinessIds } from "../database/engine/lots.ts";
import { findEngineMembers } from "../database/engine/members.ts";
import { describeFault } from "../database/faults.ts";
import { lockLedger, record } from "../database/ledger/ledger.ts";
import { inertRules } from "../domain/engine/rules.ts";
import { closePoints, settle } from "../domain/engine/settle.ts";
import type { EventType } from "../domain/ledger.ts";
import type { Member, Posting } from "../domain/posting.ts";
import { type PostingCommand, PostingGroup } from "./posting-group.ts";
import type { PostingQueue } from "./posting-queue.ts";

/** A command of the service itself. It has no idempotency key, because a second run has no effect. */
function internalCommand(
  businessId: number,
  contactId: number,
  path: PostingCommand["operation"]["path"],
  decide: (member: Member, today: string) => Omit<Posting, "data">,
): PostingCommand {
  return {
    operation: {
      path,
      message: "",
      needs: ["engine"],
      decide: ({ member, today, fail }) =>
        member === undefined ? fail("member_not_found") : { ...decide(member, today), data: {} },
    },
    businessId,
    contactId,
    integrationId: null,
    idempotencyKey: undefined,
    input: {},
  };
}

/** The command that settles a member. */
function settleCommand(businessId: number, contactId: number): PostingCommand {
  return internalCommand(businessId, contactId, "/op/members/settle", (member, today) => {
    const { points, entries } = settle(member.points, today);
    return { settled: entries, entries: [], points };
  });
}

/** The command that writes off the balances of a member, except the total of its sales. */
function closeCommand(businessId: number, contactId: number, reason: string | undefined): PostingCommand {
  return internalCommand(businessId, contactId, "/op/members/erase", ({ balances, points }, today) => {
    const closed = closePoints(points, today);
    const pointsLeft = points.balance + closed.entries.reduce((sum, { amount }) => sum + amount, 0);
    const writeOff = (event_type: EventType, balance: number) =>
      balance === 0 ? [] : [{ event_type, amount: -balance }];
    return {
      settled: closed.entries,
      entries: [
        ...writeOff("wallet_adjustment", balances.wallet),
        ...writeOff("reward_points_adjustment", pointsLeft),
        ...writeOff("voucher_issued", balances.vouchers),
      ],
      reason,
      points: closed.points,
    };
  });
}

/**
 * Settles members in a transaction, which locks the ledger.
 * @returns how many entries were recorded
 */
export function settleMembers(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
): Promise<number> {
  const commands = contactIds.map((contactId) => settleCommand(businessId, contactId));
  return postInternally(tx, businessId, commands);
}

/** Settles a member and writes off its balances, in a transaction. */
export async function closeAccounts(
  tx: Connection,
  businessId: number,
  contactId: number,
  reason: string | undefined,
): Promise<void> {
  await postInternally(tx, businessId, [closeCommand(businessId, contactId, reason)]);
}

async function postInternally(
  tx: Connection,
  businessId: number,
  commands: readonly PostingCommand[],
): Promise<number> {
  const ledger = await lockLedger(tx, businessId);
  if (ledger === undefined) return 0;
  const members = await findEngineMembers(tx, commands);
  const engine = commands.flatMap((command, index) => {
    const member = members[index];
    return member === undefined ? [] : [{ command, member, rules: inertRules }];
  });
  const group = new PostingGroup({ ledgers: [ledger], stored: [], accounts: [], engine });
  for (const { command } of engine) group.apply(command);
  const recording = group.recording();
  if (recording !== undefined) await record(tx, recording);
  return recording?.entries.length ?? 0;
}

const everyMilliseconds = 60_000;
const membersAtOnce = 500;
/** A pause is this many times as long as the step before it, so that settling is active a fifth of the time at most. */
const pausePerStep = 4;

/**
 * Settles members in the background through the posting queue, so they share commits with requests. The lots store what is
 * due, so a crash loses no work, and several processes can do this at the same time.
 */
export function startSettling(sql: Database, postings: Pick<PostingQueue, "post">, log: Logger) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const settleBusiness = async (businessId: number) => {
    while (!stopped) {
      const startedAt = performance.now();
      const due = await findDueMembers(sql, businessId, membersAtOnce);
      if (due.length === 0) return;
      const outcomes = await Promise.all(
        due.map((contactId) => postings.post(settleCommand(businessId, contactId))),
      );
      // The queue is full. Requests go first.
      if (outcomes.some((outcome) => "code" in outcome)) return;
      await sleep(pausePerStep * (performance.now() - startedAt));
    }
  };
  const settleAll = async () => {
    for (const businessId of await listRealTimeBusinessIds(sql)) await settleBusiness(businessId).catch(warn);
  };
  // The next round tries again. Until then, reads and decisions settle their own member.
  const warn = (error: unknown) => {
    if (!stopped) log.warn({ fault: describeFault(error) }, "settling points failed");
  };
  /** Settles all businesses now; resolves when nothing is due. */
  const run = () => {
    running = running.then(settleAll).catch(warn);
    return running;
  };
  const plan = () => {
    timer = setTimeout(() => void run().then(() => !stopped && plan()), everyMilliseconds).unref();
  };
  plan();
  return {
    run,
    /** Stops after the step that is under way. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
