/**
 * One batch of postings of one business: two pipelined round trips and one commit, however many there are.
 * The first round trip locks the ledger and reads what the decisions need; the decisions are pure; the
 * second records everything and commits. Nothing is answered before the commit.
 */
import type { ReservedSql } from "postgres";
import { fail, Refusal } from "../contract/errors.ts";
import type { PostingOperation } from "../contract/operation.ts";
import type { Database } from "../database/connection.ts";
import {
  type AccountRow,
  type EntryRow,
  findAccounts,
  findKeptAnswers,
  type KeyRow,
  type LedgerHead,
  lockLedger,
  recordBatch,
} from "../database/ledger.ts";
import { decideKeyUse, type KeptAnswer } from "../domain/idempotency.ts";
import { type Account, type AccountState, generatedReference } from "../domain/ledger.ts";
import { successBody } from "./envelope.ts";

/** One posting that waits for its turn. */
export interface PostingCommand {
  readonly operation: PostingOperation;
  readonly integrationId: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly input: { readonly contact_id: number };
}

/** What came of a write: an answer to send, first or again, or a refusal that left no trace. */
export type WriteOutcome =
  | { readonly status: number; readonly body: string; readonly replayed: boolean }
  | Refusal;

/**
 * Decides and records a batch in one transaction.
 * @param uncounted hears, after the commit, how many entries of the ledger are in no block yet
 * @returns the outcomes in the order of the commands, all durable
 * @throws when the transaction failed or its outcome is unknown: then nothing may be acknowledged
 */
export async function runBatch(
  sql: Database,
  businessId: number,
  commands: readonly PostingCommand[],
  uncounted: (entries: number) => void,
): Promise<WriteOutcome[]> {
  const connection = await sql.reserve();
  try {
    return await runOn(connection, businessId, commands, uncounted);
  } catch (error) {
    await connection`ROLLBACK`.catch(() => {
      // A lost connection has nothing left to roll back.
    });
    throw error;
  } finally {
    connection.release();
  }
}

async function runOn(
  connection: ReservedSql,
  businessId: number,
  commands: readonly PostingCommand[],
  uncounted: (entries: number) => void,
): Promise<WriteOutcome[]> {
  const [, head, kept, accounts] = await allSettledOrThrow([
    connection`BEGIN`.execute(),
    lockLedger(connection, businessId),
    findKeptAnswers(
      connection,
      businessId,
      distinct(commands, (command) => command.integrationId),
      distinct(commands, (command) => command.key),
    ),
    findAccounts(
      connection,
      businessId,
      distinct(commands, (command) => command.input.contact_id),
      distinct(commands, (command) => command.operation.account),
    ),
  ]);
  if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
  const batch = new Batch(head, accounts);
  for (const key of kept) batch.remember(key.integration_id, key.idempotency_key, key);
  const outcomes = commands.map((command) => batch.apply(command));
  if (batch.entries.length === 0) await connection`COMMIT`;
  else {
    await allSettledOrThrow([
      recordBatch(connection, businessId, batch.recording()),
      connection`COMMIT`.execute(),
    ]);
  }
  uncounted(head.last_entry_no + batch.entries.length - head.counted_through);
  return outcomes;
}

/** Sends all at once and waits for all, so that none is still under way when the first failure is thrown. */
async function allSettledOrThrow<Results extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof Results]: PromiseLike<Results[K]> }],
): Promise<Results> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }) as unknown as Results;
}

function distinct<Value>(
  commands: readonly PostingCommand[],
  pick: (command: PostingCommand) => Value,
): Value[] {
  return [...new Set(commands.map(pick))];
}

const accountKey = (contactId: number, account: Account) => `${contactId} ${account}`;

/** The state that a batch's decisions see and change, one after the other. No I/O. */
class Batch {
  readonly entries: EntryRow[] = [];
  readonly #keys: KeyRow[] = [];
  readonly #head: LedgerHead;
  readonly #accounts = new Map<string, AccountState>();
  readonly #moved = new Map<string, Omit<AccountRow, "active">>();
  readonly #kept = new Map<string, KeptAnswer>();

  constructor(head: LedgerHead, accounts: readonly AccountRow[]) {
    this.#head = head;
    for (const row of accounts) this.#accounts.set(accountKey(row.contact_id, row.account), row);
  }

  remember(integrationId: number, key: string, answer: KeptAnswer): void {
    this.#kept.set(`${integrationId} ${key}`, answer);
  }

  apply(command: PostingCommand): WriteOutcome {
    const { operation, integrationId, key, fingerprint, input } = command;
    const kept = this.#kept.get(`${integrationId} ${key}`);
    const use = decideKeyUse(kept, fingerprint);
    if (use === "reused_with_different_payload") return fail("idempotency_key_reused_with_different_payload");
    if (kept !== undefined) return { status: kept.status, body: kept.body, replayed: true };

    const name = accountKey(input.contact_id, operation.account);
    const account = this.#accounts.get(name);
    const posting = operation.decide({ input, account, fail });
    if (posting instanceof Refusal) return posting;

    const { entry, data } = posting;
    const entryNo = this.#head.last_entry_no + this.entries.length + 1;
    this.entries.push({
      entry_no: entryNo,
      contact_id: input.contact_id,
      account: operation.account,
      event_type: entry.event_type,
      amount: entry.amount,
      balance_after: entry.balance_after,
      location_id: entry.location_id ?? null,
      integration_id: integrationId,
      reference_id: entry.reference_id ?? generatedReference(entry.event_type, entryNo),
      reason: entry.reason ?? null,
    });
    this.#accounts.set(name, { balance: entry.balance_after, active: true });
    this.#moved.set(name, {
      contact_id: input.contact_id,
      account: operation.account,
      balance: entry.balance_after,
    });
    const answer = { fingerprint, status: 200, body: successBody(operation.message, data) };
    this.#keys.push({ integration_id: integrationId, idempotency_key: key, ...answer });
    this.remember(integrationId, key, answer);
    return { ...answer, replayed: false };
  }

  recording() {
    return {
      head: this.#head,
      entries: this.entries,
      balances: [...this.#moved.values()],
      keys: this.#keys,
    };
  }
}
