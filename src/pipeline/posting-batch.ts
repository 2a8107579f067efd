/** What a batch of postings comes to: decisions, one after the other, and what they leave to be recorded. No I/O. */
import { fail, Refusal } from "../contract/errors.ts";
import type { PostingOperation } from "../contract/operation.ts";
import { type AccountRow, type KeptKey, newVersion } from "../database/ledger.ts";
import type { EntryRow, Recording } from "../database/ledger-recording.ts";
import { decideKeyUse, type KeptAnswer } from "../domain/idempotency.ts";
import { type Account, type AccountState, generatedReference } from "../domain/ledger.ts";
import { successBody } from "./envelope.ts";
import type { KnownLedger } from "./known-ledgers.ts";

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
 * What a command with a key that was used before is answered.
 * @returns undefined when the key is new
 */
export function answerUnderKey(kept: KeptAnswer | undefined, fingerprint: string): WriteOutcome | undefined {
  const use = decideKeyUse(kept, fingerprint);
  if (use === "reused_with_different_payload") return fail("idempotency_key_reused_with_different_payload");
  return kept && { status: kept.status, body: kept.body, replayed: true };
}

const accountName = (contactId: number, account: Account) => `${contactId} ${account}`;
const keyName = (integrationId: number, key: string) => `${integrationId} ${key}`;

/** The state that a batch's decisions see and change. What is known of the ledger changes with it. */
export class PostingBatch {
  readonly #ledger: KnownLedger;
  readonly #entries: EntryRow[] = [];
  readonly #keys: KeptKey[] = [];
  readonly #inactive = new Map<string, AccountState>();
  readonly #moved = new Map<string, Omit<AccountRow, "active">>();
  readonly #kept = new Map<string, KeptAnswer>();

  /**
   * @param ledger has the active accounts that the commands name; what it has not and `read` neither, is nobody's
   * @param read accounts that were read for this batch; what the ledger has of them is as new or newer
   * @param kept answers under the keys that were used before
   */
  constructor(ledger: KnownLedger, read: readonly AccountRow[], kept: readonly KeptKey[] = []) {
    this.#ledger = ledger;
    for (const row of read) {
      if (!row.active) this.#inactive.set(accountName(row.contact_id, row.account), row);
      else if (ledger.balance(row.account, row.contact_id) === undefined) {
        ledger.remember(row.account, row.contact_id, row.balance);
      }
    }
    for (const key of kept) this.#kept.set(keyName(key.integration_id, key.idempotency_key), key);
  }

  /** Decides one command after those before it. */
  apply(command: PostingCommand): WriteOutcome {
    const { operation, integrationId, key, fingerprint, input } = command;
    const known = answerUnderKey(this.#kept.get(keyName(integrationId, key)), fingerprint);
    if (known !== undefined) return known;

    const account = this.#account(input.contact_id, operation.account);
    const posting = operation.decide({ input, account, fail });
    if (posting instanceof Refusal) return posting;

    const { entry, data } = posting;
    const entryNo = this.#ledger.head.last_entry_no + this.#entries.length + 1;
    this.#entries.push({
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
    this.#moved.set(accountName(input.contact_id, operation.account), {
      contact_id: input.contact_id,
      account: operation.account,
      balance: entry.balance_after,
    });
    this.#ledger.remember(operation.account, input.contact_id, entry.balance_after);
    const answer = { fingerprint, status: 200, body: successBody(operation.message, data) };
    this.#keys.push({ integration_id: integrationId, idempotency_key: key, ...answer });
    this.#kept.set(keyName(integrationId, key), answer);
    return { ...answer, replayed: false };
  }

  #account(contactId: number, account: Account): AccountState | undefined {
    const balance = this.#ledger.balance(account, contactId);
    return balance === undefined
      ? this.#inactive.get(accountName(contactId, account))
      : { balance, active: true };
  }

  /**
   * Ends the batch: the ledger is known from here on as it will be once this is recorded.
   * @returns what is to be recorded; undefined when every command was refused or is answered already
   */
  recording(): Recording | undefined {
    const { head } = this.#ledger;
    if (this.#entries.length === 0) return undefined;
    const version = newVersion();
    this.#ledger.advance({ last_entry_no: head.last_entry_no + this.#entries.length, version });
    const [entries, balances, keys] = [this.#entries, [...this.#moved.values()], this.#keys];
    return { head, version, entries, balances, keys };
  }
}
