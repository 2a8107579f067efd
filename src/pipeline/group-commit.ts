/**
 * Records a group of postings in one transaction on one connection, in two round trips: lock and read, then save and
 * commit. Between the two, the commands are decided in memory.
 *
 * A connection that is cut leaves the ledgers locked until its transaction has ended. So a retry of a command, in this
 * process or another, sees what became of the command before it is decided.
 */
import type { Database, Session } from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { countRecorded } from "../database/ledger/counts.ts";
import {
  type AccountColumns,
  type AccountRow,
  findAccounts,
  findKeptResponses,
  type KeptKey,
  type LockedLedger,
  lockLedgers,
} from "../database/ledger/ledger.ts";
import { record } from "../database/ledger/recording.ts";
import { type PostingCommand, PostingGroup, type WriteOutcome } from "./posting-group.ts";

/** SQLSTATE of a wait for a lock that took longer than lock_timeout. */
export const lockNotAvailable = "55P03";

/** Hears of each ledger that a group was recorded in. */
export type OnRecorded = (ledger: LockedLedger, lastEntryNo: number) => void;

/**
 * Decides and records commands. Responses may be sent once it has returned: everything is committed.
 * @param held whether to wait for the ledger of the first command, if another transaction has locked it. The others'
 *   ledgers are only locked when they are free: so nobody waits for a group that waits.
 * @returns the outcomes in the order of the commands; undefined for those whose ledger another
 *   transaction has locked: nothing was done for them
 * @throws when nothing was recorded, or when it is unknown what was: then nothing may be acknowledged
 */
export async function commitGroup(
  postings: Database,
  commands: readonly PostingCommand[],
  held: "wait" | "skip",
  onRecorded: OnRecorded,
): Promise<(WriteOutcome | undefined)[]> {
  const session = await postings.reserve();
  try {
    const read = await lockAndRead(session, commands, held);
    if (read === "locked") return commands.map(() => undefined);
    return await decideAndRecord(session, commands, read, onRecorded);
  } catch (error) {
    await session.rollBack();
    throw error;
  } finally {
    session.release();
  }
}

interface Read {
  readonly ledgers: readonly LockedLedger[];
  readonly kept: readonly KeptKey[];
  readonly accounts: readonly AccountRow[];
}

/** The first round trip, after the wait for a lock. @returns "locked" when the wait timed out */
async function lockAndRead(
  session: Session,
  commands: readonly PostingCommand[],
  held: "wait" | "skip",
): Promise<Read | "locked"> {
  const businessIds = [...new Set(commands.map((command) => command.businessId))];
  const awaited = held === "wait" ? await waitForLedger(session, businessIds.shift() as number) : [];
  if (awaited === undefined) return "locked";
  const [, ledgers, kept, accounts] = await Promise.all([
    held === "skip" && session.begin(),
    lockLedgers(session, businessIds.sort(ascending), "skip"),
    findKeptResponses(session, {
      businessIds: commands.map((command) => command.businessId),
      integrationIds: commands.map((command) => command.integrationId),
      keys: commands.map((command) => command.key),
    }),
    findAccounts(session, neededAccounts(commands)),
  ]);
  return { ledgers: [...awaited, ...ledgers], kept, accounts };
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
  { ledgers, kept, accounts }: Read,
  onRecorded: OnRecorded,
): Promise<(WriteOutcome | undefined)[]> {
  const group = new PostingGroup(ledgers, kept, accounts);
  const outcomes = commands.map((command) => group.apply(command));
  const recording = group.recording();
  if (recording === undefined) {
    await session.commit();
    return outcomes;
  }
  const lastEntryNos = new Map(recording.heads.map((head) => [head.business_id, head.last_entry_no]));
  const recordedIn = ledgers.filter((ledger) => lastEntryNos.has(ledger.business_id));
  // Entries that come before others are counted at once, like imported ones.
  const behind = recordedIn.filter((ledger) => ledger.behind);
  const recorded = record(session, recording);
  if (behind.length > 0) {
    await recorded;
    for (const { business_id, last_entry_no } of behind) {
      await countRecorded(session, business_id, last_entry_no, lastEntryNos.get(business_id) as number);
    }
  }
  const committed = session.commit();
  // When a save fails, so does the commit; the save says why.
  committed.catch(() => undefined);
  await recorded;
  await committed;
  for (const ledger of recordedIn) onRecorded(ledger, lastEntryNos.get(ledger.business_id) as number);
  return outcomes;
}

/** Each account once, however many commands need it. */
function neededAccounts(commands: readonly PostingCommand[]): AccountColumns {
  const [businessIds, contactIds, accounts]: [number[], number[], AccountColumns["accounts"][number][]] = [
    [],
    [],
    [],
  ];
  const seen = new Set<string>();
  for (const { businessId, operation, input } of commands) {
    for (const account of operation.needs) {
      const name = `${businessId} ${input.contact_id} ${account}`;
      if (seen.has(name)) continue;
      seen.add(name);
      businessIds.push(businessId);
      contactIds.push(input.contact_id);
      accounts.push(account);
    }
  }
  return { businessIds, contactIds, accounts };
}
