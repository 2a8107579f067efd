/**
 * Records a group of postings in one transaction on one connection, in two round trips: lock and read, then save and
 * commit. Between the two, the commands are decided in memory.
 *
 * A connection that is cut leaves the ledgers locked until its transaction has ended. So a retry of a command, in this
 * process or another, sees what became of the command before it is decided.
 */
import { insertAuditEntries } from "../database/access/audit.ts";
import type { Database, Session } from "../database/connection.ts";
import {
  findEngineMembers,
  findRules,
  type RulesRow,
  type WantedMember,
  type WantedRules,
} from "../database/engine/members.ts";
import { codeOf } from "../database/faults.ts";
import { countRecorded } from "../database/ledger/counts.ts";
import {
  type AccountColumns,
  type AccountRow,
  findAccounts,
  findKeptResponses,
  type KeptKey,
  type KeyColumns,
  type LockedLedger,
  lockLedgers,
} from "../database/ledger/ledger.ts";
import { record } from "../database/ledger/recording.ts";
import { type EngineState, type PostingCommand, PostingGroup, type WriteOutcome } from "./posting-group.ts";

/** SQLSTATE of a wait for a lock that took longer than lock_timeout. */
export const lockNotAvailable = "55P03";

/** Is called for each ledger that a group was recorded in. */
export type OnRecorded = (ledger: LockedLedger, lastEntryNo: number) => void;

/**
 * Decides and records commands. Responses may be sent once it has returned: everything is committed.
 * @param whenLocked whether to wait for the ledger of the first command, if another transaction has locked it. The other
 *   ledgers are locked only if they are free, so no other group waits for this one.
 * @returns the outcomes in the order of the commands; undefined for those whose ledger another
 *   transaction has locked: nothing was done for them
 * @throws when nothing was recorded, or when it is unknown what was: then nothing may be acknowledged
 */
export async function commitGroup(
  postings: Database,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
  onRecorded: OnRecorded,
): Promise<(WriteOutcome | undefined)[]> {
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

interface Read {
  readonly ledgers: readonly LockedLedger[];
  readonly kept: readonly KeptKey[];
  readonly accounts: readonly AccountRow[];
  readonly engine: readonly EngineState[];
}

/** The first round trip, after the wait for a lock. @returns "locked" when the wait timed out */
async function lockAndRead(
  session: Session,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
): Promise<Read | "locked"> {
  const businessIds = [...new Set(commands.map((command) => command.businessId))];
  const awaited = whenLocked === "wait" ? await waitForLedger(session, businessIds.shift() as number) : [];
  if (awaited === undefined) return "locked";
  const [, ledgers, kept, accounts, engine] = await Promise.all([
    whenLocked === "skip" && session.begin(),
    lockLedgers(session, businessIds.sort(ascending), "skip"),
    findKeptResponses(session, keysOf(commands)),
    findAccounts(session, neededAccounts(commands)),
    readForEngine(session, commands),
  ]);
  return { ledgers: [...awaited, ...ledgers], kept, accounts, engine };
}

function keysOf(commands: readonly PostingCommand[]): KeyColumns {
  const [businessIds, integrationIds, keys]: [number[], number[], string[]] = [[], [], []];
  for (const { use } of commands) {
    if (use === undefined) continue;
    businessIds.push(use.owner.businessId);
    integrationIds.push(use.owner.integrationId);
    keys.push(use.key);
  }
  return { businessIds, integrationIds, keys };
}

/** Reads what the commands of the engine need, each record once. */
async function readForEngine(session: Session, commands: readonly PostingCommand[]): Promise<EngineState[]> {
  const needing = commands.filter(({ operation }) => operation.needs.includes("engine"));
  if (needing.length === 0) return [];
  const members = new Distinct<WantedMember>();
  const days = new Distinct<WantedRules>();
  const places = needing.map(({ businessId, contactId, input }) => {
    const { sale_id: saleId, redemption_id: redemptionId, sold_on: rulesOn } = input as EngineInput;
    return {
      member: members.place({ businessId, contactId, saleId, redemptionId }),
      day: days.place({ businessId, rulesOn }),
    };
  });
  const [found, rules] = await Promise.all([
    findEngineMembers(session, members.items),
    findRules(session, days.items),
  ]);
  return needing.flatMap((command, index) => {
    const { member, day } = places[index] as { member: number; day: number };
    const state = found[member];
    return state === undefined ? [] : [{ command, member: state, rules: (rules[day] as RulesRow).rules }];
  });
}

/** Items without repetition, by what they hold. */
class Distinct<Item extends object> {
  readonly items: Item[] = [];
  readonly #places = new Map<string, number>();

  /** @returns where the item is among all */
  place(item: Item): number {
    const name = Object.values(item).join(" ");
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.items.length);
    return this.items.push(item) - 1;
  }
}

/** Fields by which the engine's operations name what they need. */
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
  { ledgers, kept, accounts, engine }: Read,
  onRecorded: OnRecorded,
): Promise<(WriteOutcome | undefined)[]> {
  const group = new PostingGroup(ledgers, kept, accounts, engine);
  const outcomes = commands.map((command) => group.apply(command));
  const recording = group.recording();
  if (recording === undefined) {
    await session.commit();
    return outcomes;
  }
  const lastEntryNos = new Map(recording.heads.map((head) => [head.business_id, head.last_entry_no]));
  const recordedIn = ledgers.filter((ledger) => lastEntryNos.has(ledger.business_id));
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
  for (const { businessId, contactId, operation } of commands) {
    for (const account of operation.needs) {
      const name = `${businessId} ${contactId} ${account}`;
      if (account === "engine" || seen.has(name)) continue;
      seen.add(name);
      businessIds.push(businessId);
      contactIds.push(contactId);
      accounts.push(account);
    }
  }
  return { businessIds, contactIds, accounts };
}
