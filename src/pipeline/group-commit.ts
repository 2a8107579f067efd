/**
 * Records a group of postings in one transaction on one connection, in two round trips: lock and read, then save and
 * commit. Between the two, the commands are decided in memory.
 *
 * If the connection is lost, its transaction keeps the ledgers locked until it has ended. So a retry of a command, in any
 * process, finds the outcome of the first attempt.
 */
import type { Logger } from "pino";
import { insertAuditEntries } from "../database/access/audit.ts";
import type { Database, Session } from "../database/connection.ts";
import { findEngineMembers, findRules } from "../database/engine/members.ts";
import { codeOf, describeFault } from "../database/faults.ts";
import { countAfterEntries, countRecorded } from "../database/ledger/counts.ts";
import { findStoredResponses, type StoredKey } from "../database/ledger/idempotency-keys.ts";
import {
  type AccountRow,
  findAccounts,
  type LockedLedger,
  lockLedgers,
  record,
} from "../database/ledger/ledger.ts";
import type { Rules } from "../domain/engine/rules.ts";
import { type GroupState, type PostingCommand, PostingGroup } from "./posting-group.ts";
import type { Outcome } from "./request.ts";

/** SQLSTATE of a wait for a lock that took longer than lock_timeout. */
export const lockNotAvailable = "55P03";

/** Called for each ledger to which a group has added entries. */
export type OnRecorded = (ledger: LockedLedger, lastEntryNo: number) => void;

/**
 * Decides and records commands. Everything is committed when it returns, so responses may be sent.
 * @param whenLocked whether to wait for the ledger of the first command, if another transaction has locked it. The other
 *   ledgers are locked only if they are free, so no other group waits for this one.
 * @returns the outcomes in the order of the commands; undefined for commands whose ledger another transaction has locked
 * @throws when nothing was recorded, or the outcome is unknown: no command may be acknowledged
 */
export async function commitGroup(
  postings: Database,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
  onRecorded: OnRecorded,
): Promise<(Outcome | undefined)[]> {
  const session = await postings.reserve();
  try {
    const read = await lockAndRead(session, commands, whenLocked);
    if (read === "locked") return commands.map(() => undefined);
    return await decideAndRecord(session, commands, read, onRecorded);
  } catch (error) {
    await session.rollBack();
    throw error;
  } finally {
    session.release();
  }
}

/** The first round trip, after the wait for a lock. @returns "locked" when the wait timed out */
async function lockAndRead(
  session: Session,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
): Promise<GroupState | "locked"> {
  const businessIds = [...new Set(commands.map((command) => command.businessId))];
  const awaited = whenLocked === "wait" ? await waitForLedger(session, businessIds.shift() as number) : [];
  if (awaited === undefined) return "locked";
  const [, ledgers, stored, accounts, engine] = await Promise.all([
    whenLocked === "skip" && session.begin(),
    lockLedgers(session, businessIds.sort(ascending), "skip"),
    readStoredResponses(session, commands),
    readAccounts(session, commands),
    readForEngine(session, commands),
  ]);
  return { ledgers: [...awaited, ...ledgers], stored, accounts, engine };
}

function readStoredResponses(session: Session, commands: readonly PostingCommand[]): Promise<StoredKey[]> {
  const keys = commands
    .flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    .map(({ owner: { businessId: business_id, integrationId: integration_id }, key: idempotency_key }) => {
      return { business_id, integration_id, idempotency_key };
    });
  return findStoredResponses(session, keys);
}

function readAccounts(session: Session, commands: readonly PostingCommand[]): Promise<AccountRow[]> {
  const named = commands.flatMap(({ businessId: business_id, contactId: contact_id, operation }) =>
    operation.needs.flatMap((account) => (account === "engine" ? [] : { business_id, contact_id, account })),
  );
  return findAccounts(
    session,
    distinct(named, ({ business_id, contact_id, account }) => `${business_id} ${contact_id} ${account}`),
  );
}

/** Reads the members and rules that the commands of the engine need, each once. */
async function readForEngine(
  session: Session,
  commands: readonly PostingCommand[],
): Promise<GroupState["engine"]> {
  const needing = commands
    .filter(({ operation }) => operation.needs.includes("engine"))
    .map((command) => {
      const { businessId, contactId } = command;
      const { sale_id: saleId, redemption_id: redemptionId, sold_on: rulesOn } = command.input as EngineInput;
      return { command, businessId, contactId, saleId, redemptionId, rulesOn };
    });
  if (needing.length === 0) return [];
  type Needed = (typeof needing)[number];
  const memberOf = ({ businessId, contactId, saleId, redemptionId }: Needed) =>
    `${businessId} ${contactId} ${saleId} ${redemptionId}`;
  const dayOf = ({ businessId, rulesOn }: Needed) => `${businessId} ${rulesOn}`;
  const [wantedMembers, wantedDays] = [distinct(needing, memberOf), distinct(needing, dayOf)];
  const [members, rules] = await Promise.all([
    findEngineMembers(session, wantedMembers),
    findRules(session, wantedDays),
  ]);
  const membersFound = new Map(wantedMembers.map((wanted, index) => [memberOf(wanted), members[index]]));
  const rulesFound = new Map(wantedDays.map((wanted, index) => [dayOf(wanted), rules[index]?.rules]));
  return needing.flatMap((needed) => {
    const member = membersFound.get(memberOf(needed));
    const { command } = needed;
    return member === undefined ? [] : { command, member, rules: rulesFound.get(dayOf(needed)) as Rules };
  });
}

/** Keeps one item for each name. */
function distinct<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}

/** The fields by which the engine's operations name the records that they need. */
interface EngineInput {
  readonly sale_id?: number;
  readonly redemption_id?: number;
  readonly sold_on?: string;
}

const ascending = (one: number, other: number) => one - other;

/** Begins, and waits for a lock while the transaction holds no other. @returns undefined when the wait timed out */
async function waitForLedger(session: Session, businessId: number): Promise<LockedLedger[] | undefined> {
  try {
    const [, ledgers] = await Promise.all([session.begin(), lockLedgers(session, [businessId], "wait")]);
    if (ledgers.length === 0) throw new Error(`business ${businessId} has no ledger`);
    return ledgers;
  } catch (error) {
    if (codeOf(error) !== lockNotAvailable) throw error;
    await session.rollBack();
    return undefined;
  }
}

/** The second round trip. */
async function decideAndRecord(
  session: Session,
  commands: readonly PostingCommand[],
  read: GroupState,
  onRecorded: OnRecorded,
): Promise<(Outcome | undefined)[]> {
  const group = new PostingGroup(read);
  const outcomes = commands.map((command) => group.apply(command));
  const recording = group.recording();
  if (recording === undefined) {
    await session.commit();
    return outcomes;
  }
  const lastEntryNos = new Map(recording.heads.map((head) => [head.business_id, head.last_entry_no]));
  const recordedIn = read.ledgers.filter((ledger) => lastEntryNos.has(ledger.business_id));
  // Entries dated before the last one are counted at once, like imported ones.
  const behind = recordedIn.filter((ledger) => ledger.behind);
  const recorded = Promise.all([
    record(session, recording),
    group.audited.length > 0 && insertAuditEntries(session, group.audited),
  ]);
  if (behind.length > 0) {
    await recorded;
    for (const { business_id, last_entry_no } of behind) {
      await countRecorded(session, business_id, last_entry_no, lastEntryNos.get(business_id) as number);
    }
  }
  const committed = session.commit();
  // If a save fails, the commit fails too, but only the error of the save tells the cause.
  committed.catch(() => undefined);
  await recorded;
  await committed;
  for (const ledger of recordedIn) onRecorded(ledger, lastEntryNos.get(ledger.business_id) as number);
  return outcomes;
}

/**
 * Counts the new entries of a ledger in the background when there are enough of them, once at a time for each business.
 * Lists include entries that are not counted, only slower, so a failure does no harm.
 */
export function createLedgerCounting(count: (businessId: number) => Promise<void>, log: Logger) {
  const running = new Map<number, Promise<void>>();
  return {
    /** @param uncounted how many entries of the business's ledger are in no block */
    recorded(businessId: number, uncounted: number) {
      if (uncounted < countAfterEntries || running.has(businessId)) return;
      const done = count(businessId)
        .catch((error: unknown) => log.warn({ fault: describeFault(error) }, "counting the ledger failed"))
        .finally(() => running.delete(businessId));
      running.set(businessId, done);
    },
    /** Resolves when no counting is under way. */
    finished: async () => void (await Promise.all(running.values())),
  };
}

export type LedgerCounting = ReturnType<typeof createLedgerCounting>;
