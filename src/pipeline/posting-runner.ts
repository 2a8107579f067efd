/**
 * Records batches of postings. Two ways lead there, and both end in the same statement:
 *
 * - Ahead: the batch is decided on what this process knows of the ledger, and recorded by one statement that does
 *   nothing if the ledger has changed since. That is one round trip, and the next batch may be decided and sent while
 *   this one is under way. Accounts that are not known are read first.
 * - Locked: in a transaction that locks the ledger and reads what the decisions need. That is the way while somebody
 *   else writes to the ledger, and for keys that were used before.
 *
 * Nothing is answered before it is durable, and nothing refused before what that was decided on has proved right and
 * the key has turned out to be new.
 */
import { type Connection, type Database, faultOf, inPipelinedTransaction } from "../database/connection.ts";
import { createLane, type Lane } from "../database/lane.ts";
import { isUntouched, lockLedger, markAccountsChanged } from "../database/ledger.ts";
import { LedgerReads, readLedger, type WantedAccounts } from "../database/ledger-reads.ts";
import { type Recording, recordBatch } from "../database/ledger-recording.ts";
import type { DatabasePools } from "../database/pools.ts";
import type { SharedCommits } from "../database/shared-commits.ts";
import { Turns } from "../domain/turns.ts";
import { allSettledOrThrow } from "./all-settled.ts";
import { KnownLedger, KnownLedgers } from "./known-ledgers.ts";
import { PostingBatch, type PostingCommand, type WriteOutcome } from "./posting-batch.ts";
import { findAccountsFor, findKeptAnswersFor, type LedgerFound, readLedgerFor } from "./posting-reads.ts";
import { settleRefusals } from "./posting-refusals.ts";

/** Where a batch names more members, to read 64 accounts around each would hold up other look-ups. */
const mostWithNeighbours = 64;

export interface PostingRunnerSettings {
  /** How many batches may hold a connection of their own. */
  readonly lockedAtOnce: number;
  /** How many accounts are remembered. */
  readonly knownAccounts: number;
  /**
   * After so many batches in a row that nobody else's came between, accounts of neighbours are read along: of a ledger
   * that will be forgotten in a moment, they would be read in vain.
   */
  readonly neighboursAfterBatches: number;
}

/** A batch that was decided on what is known, and sent. */
interface Decision {
  readonly ledger: KnownLedger;
  /** What came of it; undefined when the ledger was not as it was known. */
  readonly outcomes: Promise<WriteOutcome[] | undefined>;
}

/** The batches of one business that are run ahead. */
interface Traffic {
  underWay: number;
  /** How many of them are decided, and sent. */
  sent: number;
  /** Settled once the last of them is decided: each is decided on what those before it come to. */
  decided: Promise<unknown>;
}

export class PostingRunner {
  readonly #sql: Database;
  readonly #neighboursAfterBatches: number;
  /** Aside from the lane. */
  readonly #reads: LedgerReads;
  readonly #uncounted: (businessId: number, entries: number) => void;
  /** Of all batches that are run ahead, so that they reach the database in their order, and share commits. */
  readonly #lane: Lane;
  readonly #known: KnownLedgers;
  readonly #traffic = new Map<number, Traffic>();
  /** Businesses to whose ledgers somebody else writes; with the version that this process wrote last, if any. */
  readonly #contended = new Map<number, number | undefined>();
  /**
   * Businesses of which nobody knows what became of a batch. The server may not even have read it, and may still record
   * it: until the ledger has another version, nobody can be refused for what it would change.
   */
  readonly #doubtful = new Set<number>();
  readonly #lockedTurns: Turns;
  /** Of businesses with batches on the locked way: settled once all of them are done. */
  readonly #locking = new Map<number, Promise<unknown>>();

  /** @param uncounted hears, after a batch was recorded, how many entries of the ledger are in no block yet */
  constructor(
    { sql, lookUps }: Pick<DatabasePools, "sql" | "lookUps">,
    settings: PostingRunnerSettings,
    uncounted: (businessId: number, entries: number) => void,
  ) {
    this.#sql = sql;
    this.#neighboursAfterBatches = settings.neighboursAfterBatches;
    this.#reads = new LedgerReads(lookUps);
    this.#uncounted = uncounted;
    this.#lane = createLane(sql);
    this.#known = new KnownLedgers(settings.knownAccounts);
    this.#lockedTurns = new Turns({ atOnce: settings.lockedAtOnce });
  }

  /**
   * Decides and records a batch of one business.
   * @returns the outcomes in the order of the commands, all durable
   * @throws when recording failed or its outcome is unknown: then nothing may be acknowledged
   */
  async run(businessId: number, commands: readonly PostingCommand[]): Promise<WriteOutcome[]> {
    // While a locked batch holds the ledger, one that went ahead would fail, be locked in turn, and so fail the next.
    if (!this.#contended.has(businessId)) await this.#locking.get(businessId);
    const ahead = this.#contended.has(businessId) ? undefined : await this.#runAhead(businessId, commands);
    return ahead ?? this.#lock(businessId, commands);
  }

  #lock(businessId: number, commands: readonly PostingCommand[]): Promise<WriteOutcome[]> {
    const running = this.#lockedTurns.take(businessId, () => this.#runLocked(businessId, commands));
    const all = Promise.allSettled([this.#locking.get(businessId), running]).finally(() => {
      if (this.#locking.get(businessId) === all) this.#locking.delete(businessId);
    });
    this.#locking.set(businessId, all);
    return running;
  }

  /** @returns whether a batch was recorded: whether the ledger was as it was known */
  #recorded(businessId: number, { head, entries }: Recording, countedThrough: number | undefined): boolean {
    if (countedThrough === undefined) return false;
    this.#uncounted(businessId, head.last_entry_no + entries.length - countedThrough);
    return true;
  }

  /** @param sent how many batches of the business are decided and not done */
  async #decideAhead(
    commits: SharedCommits,
    businessId: number,
    commands: readonly PostingCommand[],
    sent: number,
  ): Promise<Decision> {
    const remembered = this.#known.get(businessId);
    const strangers =
      remembered === undefined ? commands : commands.filter((command) => !knows(remembered, command));
    const read =
      strangers.length === 0 ? undefined : await this.#read(commits, businessId, strangers, remembered, sent);
    // A batch before has failed meanwhile, say: what it would have come to is not to be remembered again.
    if (this.#known.get(businessId) !== remembered) {
      return this.#decideAhead(commits, businessId, commands, sent);
    }
    if (read !== undefined && remembered?.hasBeenAt(read.head) === false) {
      this.#known.forget(businessId);
      return this.#decideAhead(commits, businessId, commands, sent);
    }
    const ledger = remembered ?? new KnownLedger((read as LedgerFound).head);
    const { head } = ledger;
    const batch = new PostingBatch(ledger, read?.accounts ?? []);
    const decided = commands.map((command) => batch.apply(command));
    const recording = batch.recording();
    this.#known.keep(businessId, ledger);
    const holds =
      recording !== undefined
        ? commits.record(businessId, recording).then((to) => this.#recorded(businessId, recording, to))
        : isUntouched(commits.inOrder(businessId), businessId, head);
    return { ledger, outcomes: settleRefusals(commits, businessId, commands, decided, holds) };
  }

  /**
   * Reads accounts that are not known, and others along. No batch under way has touched those that are not known: so they
   * are read aside, and do not wait for it to be on the disk. It may have touched the others, of which what is remembered
   * counts. Of a ledger that was forgotten since batches were sent, all is read in order, after them.
   * @param sent how many batches of the business are decided and not done
   */
  async #read(
    commits: SharedCommits,
    businessId: number,
    commands: readonly PostingCommand[],
    remembered: KnownLedger | undefined,
    sent: number,
  ): Promise<LedgerFound> {
    const inOrder = () => readInOrder(commits, businessId, commands);
    if (remembered === undefined && sent > 0) return inOrder();
    const neighbours =
      this.#known.hasRoomForMore(businessId) &&
      (remembered?.batches ?? 0) >= this.#neighboursAfterBatches &&
      commands.length <= mostWithNeighbours;
    const read = (wanted: WantedAccounts) => this.#reads.read(wanted);
    return readLedgerFor(read, businessId, commands, neighbours).catch(inOrder);
  }

  /** @returns undefined when the ledger was not as it was known, or a key was used before: nothing was recorded */
  async #runAhead(
    businessId: number,
    commands: readonly PostingCommand[],
  ): Promise<WriteOutcome[] | undefined> {
    const own = this.#traffic.get(businessId) ?? { underWay: 0, sent: 0, decided: Promise.resolve() };
    this.#traffic.set(businessId, own);
    own.underWay += 1;
    const place = this.#lane.enter();
    // Whoever waits for its turn looks at it later.
    place.catch(() => undefined);
    const deciding = own.decided.then(async () => {
      const { commits } = await place;
      const decision = await this.#decideAhead(commits, businessId, commands, own.sent);
      own.sent += 1;
      return decision;
    });
    own.decided = deciding.catch(() => undefined);
    let [broken, sent] = [false, false];
    try {
      const { ledger, outcomes } = await deciding;
      sent = true;
      const settled = await outcomes;
      if (settled !== undefined) return settled;
      // Were it forgotten already, a batch before this one would have failed, and this one only with it; or it was found
      // to be another server's, and what is known by now is not.
      if (this.#known.get(businessId) === ledger) {
        this.#contended.set(businessId, undefined);
        this.#known.forget(businessId);
      }
      return undefined;
    } catch (error) {
      this.#known.forget(businessId);
      const fault = faultOf(error);
      broken = fault === "unavailable";
      if (broken) {
        this.#doubtful.add(businessId);
        this.#contended.set(businessId, undefined);
      }
      if (fault === "conflict") return undefined;
      throw error;
    } finally {
      own.underWay -= 1;
      if (sent) own.sent -= 1;
      if (own.underWay === 0) this.#traffic.delete(businessId);
      place.then(
        (taken) => taken.leave(broken),
        () => undefined,
      );
    }
  }

  #runLocked(businessId: number, commands: readonly PostingCommand[]): Promise<WriteOutcome[]> {
    return inPipelinedTransaction(this.#sql, async (tx, commit) => {
      const [head, kept, accounts] = await allSettledOrThrow([
        lockLedger(tx, businessId),
        findKeptAnswersFor(tx, businessId, commands),
        findAccountsFor(tx, businessId, commands),
      ]);
      if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
      const ledger = new KnownLedger(head);
      const batch = new PostingBatch(ledger, accounts, kept);
      const outcomes = commands.map((command) => batch.apply(command));
      const recording = batch.recording();
      const doubtful = recording === undefined && this.#doubtful.has(businessId);
      const [recorded] = await allSettledOrThrow([
        recording === undefined
          ? doubtful
            ? this.#drawVersion(tx, businessId, ledger)
            : Promise.resolve(false)
          : recordBatch(tx, businessId, recording).then((to) => this.#recorded(businessId, recording, to)),
        commit(),
      ]);
      if (recording !== undefined && !recorded) {
        throw new Error(`business ${businessId} was written to in spite of the lock`);
      }
      // Not a doubt that has come up since, while the version stayed as it was.
      if (recording !== undefined || doubtful) this.#doubtful.delete(businessId);
      // Nobody else wrote since this process did: from here on it goes ahead again.
      if (!this.#contended.has(businessId) || this.#contended.get(businessId) === head.version) {
        this.#contended.delete(businessId);
        this.#known.keep(businessId, ledger);
      } else this.#contended.set(businessId, ledger.head.version);
      return outcomes;
    });
  }

  /** Sees to it that no batch of before is recorded any more. The caller holds the ledger's lock. */
  async #drawVersion(tx: Connection, businessId: number, ledger: KnownLedger): Promise<boolean> {
    ledger.advance({ ...ledger.head, version: await markAccountsChanged(tx, businessId) });
    return true;
  }
}

/** Reads what the commands need after all that was given to be recorded before. */
function readInOrder(
  commits: SharedCommits,
  businessId: number,
  commands: readonly PostingCommand[],
): Promise<LedgerFound> {
  const read = (wanted: WantedAccounts) => readLedger(commits.inOrder(businessId), wanted);
  return readLedgerFor(read, businessId, commands, false);
}

const knows = (ledger: KnownLedger, { operation, input }: PostingCommand) =>
  ledger.balance(operation.account, input.contact_id) !== undefined;
