/**
 * Records a group of postings in one transaction on one connection, in two round trips. The first locks and reads, the second
 * saves and commits. In between, the commands are decided in memory.
 *
 * If the connection is lost, its transaction keeps the ledgers locked until it has ended. So a retry of a command, in any
 * process, finds the outcome of the first attempt.
 */
import type { Logger } from "pino";
import { insertAuditEntries } from "../../database/access/audit.ts";
import { findCorrections, saveCorrections } from "../../database/access/corrections.ts";
import type { Connection, Database, Session } from "../../database/connection.ts";
import { mostDueLots } from "../../database/engine/member-statement.ts";
import {
  findMembers,
  findRules,
  type WantedMember,
  type WantedRules,
} from "../../database/engine/members.ts";
import { countCodeUses } from "../../database/engine/rewards/voucher-codes.ts";
import { saveRecords } from "../../database/engine/saving.ts";
import { codeOf, describeFault } from "../../database/faults.ts";
import { countAfterEntries, countRecorded } from "../../database/ledger/counts.ts";
import { addHappenings } from "../../database/ledger/day-totals.ts";
import { findStoredResponses, type StoredKey } from "../../database/ledger/idempotency-keys.ts";
import {
  type AccountRow,
  endLapsing,
  findAccounts,
  type LockedLedger,
  lockLedgers,
  record,
} from "../../database/ledger/ledger.ts";
import { lastDay } from "../../domain/dates.ts";
import type { NamedKind, Needs, StampsOff } from "../../domain/decision.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import type { CodeLimit } from "../../domain/engine/vouchers/limits.ts";
import { addFollowing } from "./following.ts";
import { keepEvents, recordGroupEvents } from "./group-events.ts";
import type { GroupOutcome, GroupRecording, GroupState, PostingCommand } from "./group-state.ts";
import { PostingGroup } from "./posting-group.ts";

/** SQLSTATE of a wait for a lock that took longer than lock_timeout. */
export const lockNotAvailable = "55P03";

/** Called for each ledger that has new entries. */
export type OnRecorded = (ledger: LockedLedger, lastEntryNo: number) => void;
/** Called for each business that has new events. */
export type OnEvents = (businessId: number) => void;

/**
 * Decides and records commands. Everything is committed when it returns, so responses may be sent.
 * @param whenLocked whether to wait for the ledger of the first command, if another transaction has locked it. A group waits
 *   for no other ledger, so no two groups wait for each other.
 * @returns the outcomes in the order of the commands
 * @throws when nothing was recorded, or the outcome is unknown. No command may be acknowledged then.
 */
export async function commitGroup(
  postings: Database,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
  onRecorded: OnRecorded,
  onEvents?: OnEvents,
): Promise<GroupOutcome[]> {
  const session = await postings.reserve();
  try {
    const read = await lockAndRead(session, commands, whenLocked);
    if (read === "locked") return commands.map(() => undefined);
    return await decideAndRecord(session, commands, read, onRecorded, onEvents);
  } catch (error) {
    await session.rollBack();
    throw error;
  } finally {
    session.release();
  }
}

/** Makes the first round trip, after the wait for a lock. @returns "locked" when the wait timed out */
async function lockAndRead(
  session: Session,
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
): Promise<GroupState | "locked"> {
  const businessIds = [...new Set(commands.map((command) => command.businessId))];
  const awaited = whenLocked === "wait" ? await waitForLedger(session, businessIds.shift() as number) : [];
  if (awaited === undefined) return "locked";
  const [, ledgers, stored, accounts, members, rules, corrections, codeUses] = await Promise.all([
    whenLocked === "skip" && session.begin(),
    lockLedgers(session, businessIds.sort(ascending), "skip"),
    readStoredResponses(session, commands),
    readAccounts(session, commands),
    readMembersOf(session, commands),
    readRules(session, commands),
    readCorrections(session, commands),
    readCodeUses(session, commands),
  ]);
  return { ledgers: [...awaited, ...ledgers], stored, accounts, members, ...rules, corrections, codeUses };
}

/** Reads what operators with limits have corrected. Without such operators, it sends no statement. */
export async function readCorrections(session: Connection, commands: readonly PostingCommand[]) {
  const wanted = commands.flatMap(({ businessId: business_id, limits }) =>
    limits === undefined ? [] : [{ business_id, operator_number: limits.operatorNumber }],
  );
  const nameOf = (one: (typeof wanted)[number]) => `${one.business_id} ${one.operator_number}`;
  return wanted.length === 0 ? [] : findCorrections(session, distinct(wanted, nameOf));
}

/** Counts the uses of the codes that commands name. Without codes, it sends no statement. */
export async function readCodeUses(
  tx: Connection,
  commands: readonly PostingCommand[],
): Promise<GroupState["codeUses"]> {
  const wanted = commands.flatMap(({ businessId: business_id, contactId: contact_id, operation, record }) =>
    (operation.needs.codes?.(record as never) ?? []).map((code) => ({ business_id, contact_id, ...code })),
  );
  const uses = new Map<number, Map<CodeLimit, number>>();
  if (wanted.length === 0) return uses;
  for (const [businessId, counted] of await countCodeUses(tx, wanted))
    uses.set(businessId, new Map([...(uses.get(businessId) ?? []), ...counted]));
  return uses;
}

function readStoredResponses(session: Session, commands: readonly PostingCommand[]): Promise<StoredKey[]> {
  const keys = commands
    .flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    .map(({ owner: { businessId: business_id, integrationId: integration_id }, key: idempotency_key }) => {
      return { business_id, integration_id, idempotency_key };
    });
  return findStoredResponses(session, keys);
}

const needsPoints = ({ operation }: PostingCommand) => operation.needs.points !== undefined;
/** Records are read with their member. */
const needsMember = ({ operation: { needs } }: PostingCommand) =>
  needs.points !== undefined || needs.named !== undefined;

/** Reads the accounts of commands that need nothing else. */
export function readAccounts(tx: Connection, commands: readonly PostingCommand[]): Promise<AccountRow[]> {
  const named = commands.flatMap((command) => {
    const { businessId: business_id, contactId: contact_id, operation } = command;
    if (needsMember(command)) return [];
    return operation.needs.balances.map((account) => ({ business_id, contact_id, account }));
  });
  return findAccounts(
    tx,
    distinct(named, ({ business_id, contact_id, account }) => `${business_id} ${contact_id} ${account}`),
  );
}

/** The stamps that a command takes off a card by hand. */
function stampsOffOf({ stamps: needsStamps }: Needs, input: PostingCommand["input"]): StampsOff[] {
  const { stamp_card_id, stamps = 0 } = input as Partial<StampsOff>;
  return needsStamps && stamp_card_id !== undefined && stamps < 0 ? [{ stamp_card_id, stamps: -stamps }] : [];
}

/** How many due lots a group reads at most: of all its members together, but at least so many of each. */
const dueLots = { together: 2 * mostDueLots, fewest: 20 };

/** Reads the members of commands that need points or records, each once, for all of its commands. */
export async function readMembersOf(
  tx: Connection,
  commands: readonly PostingCommand[],
): Promise<GroupState["members"]> {
  type Wanted = WantedMember & {
    spends: number;
    named: { [Name in NamedKind]?: number[] };
    vouchers: { ids: number[]; codes: string[]; usable: number };
    tier: boolean;
    promotedOn: (string | null)[];
    stampsOff: StampsOff[];
    lapsedSince?: string;
  };
  const wanted = new Map<string, Wanted>();
  for (const command of commands.filter(needsMember)) {
    const { businessId, contactId, operation, input, record } = command;
    const { points, vouchers, tier = false, promotions = false, named = [] } = operation.needs;
    const name = `${businessId} ${contactId}`;
    const known: Wanted = wanted.get(name) ?? {
      businessId,
      contactId,
      spends: 0,
      named: {},
      tier: false,
      promotedOn: [],
      stampsOff: [],
      vouchers: { ids: [], codes: [], usable: 0 },
    };
    known.tier ||= tier;
    const spends = points?.(input as never, record as never) ?? 0;
    known.spends += spends;
    const soldOn = input.sold_on as string | undefined;
    if (promotions && !known.promotedOn.includes(soldOn ?? null)) known.promotedOn.push(soldOn ?? null);
    known.stampsOff.push(...stampsOffOf(operation.needs, input));
    const isEarlier = soldOn !== undefined && soldOn < (known.lapsedSince ?? lastDay);
    if (spends > 0 && isEarlier) known.lapsedSince = soldOn;
    const { ids = [], code } = vouchers?.(input as never) ?? {};
    known.vouchers.ids.push(...ids);
    if (code !== undefined && !known.vouchers.codes.includes(code)) known.vouchers.codes.push(code);
    // Commands before may use the vouchers that lapse first.
    known.vouchers.usable += code === undefined ? ids.length : 1;
    for (const kind of named) {
      known.named[kind] = [...(known.named[kind] ?? []), input[`${kind}_id`] as number];
    }
    wanted.set(name, known);
  }
  if (wanted.size === 0) return [];
  const each = Math.floor(dueLots.together / wanted.size);
  const limit = Math.min(mostDueLots, Math.max(dueLots.fewest, each));
  const members = await findMembers(
    tx,
    [...wanted.values()].map(({ vouchers, ...one }) => ({
      dueLots: limit,
      ...one,
      // Those that are named by their numbers are found without the others.
      vouchers: vouchers.codes.length === 0 ? { ...vouchers, usable: 0 } : vouchers,
    })),
  );
  return [...wanted.values()].flatMap(({ businessId, contactId }, index) => {
    const member = members[index];
    return member === undefined ? [] : { businessId, contactId, member };
  });
}

/** Reads the rules of commands that need points or tiers. The rules of a day are read once. */
export async function readRules(
  tx: Connection,
  commands: readonly PostingCommand[],
): Promise<Pick<GroupState, "rules" | "rulesToday" | "given">> {
  const needing = commands.filter(needsPoints).map((command) => {
    return { command, businessId: command.businessId, rulesOn: command.input.sold_on as string | undefined };
  });
  const withTiers = commands
    .filter(({ operation: { needs } }) => needs.tier)
    .map(({ businessId }) => ({ businessId, rulesOn: undefined }));
  if (needing.length + withTiers.length === 0)
    return { rules: new Map(), rulesToday: new Map(), given: new Map() };
  const dayOf = ({ businessId, rulesOn }: WantedRules) => `${businessId} ${rulesOn}`;
  const wanted = distinct<WantedRules>([...needing, ...withTiers], dayOf);
  const found = await findRules(tx, wanted);
  const rulesOf = new Map(wanted.map((day, index) => [dayOf(day), found[index]?.rules as Rules]));
  const given = new Map<number, Map<number, number>>();
  for (const [index, { businessId }] of wanted.entries())
    given.set(businessId, new Map([...(given.get(businessId) ?? []), ...(found[index]?.given ?? [])]));
  return {
    given,
    rules: new Map(needing.map((needed) => [needed.command, rulesOf.get(dayOf(needed)) as Rules])),
    rulesToday: new Map(withTiers.map((one) => [one.businessId, rulesOf.get(dayOf(one)) as Rules])),
  };
}

function distinct<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}

const ascending = (one: number, other: number) => one - other;

/** Begins the transaction, and waits for its first lock. @returns undefined when the wait timed out */
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

/** Decides the commands, and makes the second round trip. */
async function decideAndRecord(
  session: Session,
  commands: readonly PostingCommand[],
  read: GroupState,
  onRecorded: OnRecorded,
  onEvents?: OnEvents,
): Promise<GroupOutcome[]> {
  const group = new PostingGroup(read);
  const outcomes = commands.map((command) => group.apply(command));
  await addFollowing(session, group);
  const recording = group.recording();
  if (recording === undefined) {
    await session.commit();
    return outcomes;
  }
  const lastEntryNos = new Map(recording.entries.map(({ business_id, entry_no }) => [business_id, entry_no]));
  const recordedIn = read.ledgers.filter((ledger) => lastEntryNos.has(ledger.business_id));
  // Entries dated before the last one are counted at once, like imported ones.
  const behind = recordedIn.filter((ledger) => ledger.behind);
  const recorded = saveGroup(session, recording);
  if (behind.length > 0) {
    await recorded;
    for (const { business_id, last_entry_no } of behind) {
      await countRecorded(session, business_id, last_entry_no, lastEntryNos.get(business_id) as number);
    }
  }
  const emitted = recording.events && recordGroupEvents(session);
  const committed = session.commit();
  // If a save fails, these fail, too, and are not awaited. An unhandled rejection would end the process.
  emitted?.catch(() => undefined);
  committed.catch(() => undefined);
  await recorded;
  await emitted;
  await committed;
  for (const ledger of recordedIn) onRecorded(ledger, lastEntryNos.get(ledger.business_id) as number);
  const withEvents = recording.events?.whole.map(({ business_id }) => business_id);
  for (const businessId of new Set(withEvents)) onEvents?.(businessId);
  return outcomes;
}

/**
 * Saves the decisions of a group. All ledger entries pass through here, with the records that belong to them, and all events
 * about entries, which are recorded at the end of the transaction. The statements are sent before the function returns, so
 * that the commit can follow them. The caller holds the ledgers' locks.
 */
export async function saveGroup(tx: Connection, recording: GroupRecording): Promise<void> {
  const { records, happenings, audited, corrections, events, lapsed } = recording;
  if (events !== undefined) keepEvents(tx, events);
  await Promise.all([
    record(tx, recording),
    saveRecords(tx, records),
    happenings.length > 0 && addHappenings(tx, happenings),
    audited.length > 0 && insertAuditEntries(tx, audited),
    corrections.length > 0 && saveCorrections(tx, corrections),
    lapsed.length > 0 && endLapsing(tx, lapsed),
  ]);
}

/**
 * Counts new entries in the background each time a ledger has got enough of them, once at a time for each business. A failure does no
 * harm: lists include entries that are not counted, but more slowly.
 */
export function createLedgerCounting(count: (businessId: number) => Promise<void>, log: Logger) {
  const running = new Map<number, Promise<void>>();
  return {
    /** Called for new entries: those after `before`, up to `last`. */
    recorded(businessId: number, before: number, last: number) {
      const nth = (entryNo: number) => Math.floor(entryNo / countAfterEntries);
      if (nth(before) === nth(last) || running.has(businessId)) return;
      const done = count(businessId)
        .catch((error: unknown) =>
          log.warn({ business_id: businessId, fault: describeFault(error) }, "counting the ledger failed"),
        )
        .finally(() => running.delete(businessId));
      running.set(businessId, done);
    },
    /** Resolves when no counting is under way. */
    finished: async () => void (await Promise.all(running.values())),
  };
}

export type LedgerCounting = ReturnType<typeof createLedgerCounting>;
