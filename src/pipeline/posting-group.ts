/** What a group of postings comes to: decisions, one after the other, and what they leave to be recorded. No I/O. */
import { fail, Refusal } from "../contract/errors.ts";
import type { PostingOperation } from "../contract/operation.ts";
import type { AccountRow, KeptKey, LockedLedger } from "../database/ledger/ledger.ts";
import type { EntryRow, Recording } from "../database/ledger/recording.ts";
import { decideKeyUse, type KeptResponse } from "../domain/idempotency.ts";
import { type Account, eventTypes, generatedReference, type MemberState, move } from "../domain/ledger.ts";
import { successBody } from "./envelope.ts";

/** One posting that waits to be recorded. */
export interface PostingCommand {
  readonly operation: PostingOperation;
  readonly businessId: number;
  readonly integrationId: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly input: { readonly contact_id: number };
}

/** The outcome of a write: a response, first or replayed, or a refusal that left no trace. */
export type WriteOutcome =
  | { readonly status: number; readonly body: string; readonly replayed: boolean }
  | Refusal;

interface AccountState {
  readonly active: boolean;
  balance: number;
  moved: boolean;
}

interface LedgerState extends LockedLedger {
  /** The last number that the group has given to an entry. */
  lastEntryNo: number;
}

const accountName = (businessId: number, contactId: number, account: Account) =>
  `${businessId} ${contactId} ${account}`;
const keyName = (businessId: number, integrationId: number, key: string) =>
  `${businessId} ${integrationId} ${key}`;

/** The state that the decisions of a group see and change. */
export class PostingGroup {
  readonly #ledgers: ReadonlyMap<number, LedgerState>;
  readonly #accounts: ReadonlyMap<string, AccountState>;
  readonly #kept: Map<string, KeptResponse>;
  readonly #entries: EntryRow[] = [];
  readonly #keys: KeptKey[] = [];

  /**
   * @param ledgers those that are locked
   * @param kept the responses under keys that were used before
   * @param accounts those that exist of the accounts that the commands need
   */
  constructor(ledgers: readonly LockedLedger[], kept: readonly KeptKey[], accounts: readonly AccountRow[]) {
    this.#ledgers = new Map(
      ledgers.map((ledger) => [ledger.business_id, { ...ledger, lastEntryNo: ledger.last_entry_no }]),
    );
    this.#kept = new Map(
      kept.map((row) => [keyName(row.business_id, row.integration_id, row.idempotency_key), row]),
    );
    this.#accounts = new Map(
      accounts.map(({ business_id, contact_id, account, active, balance }) => [
        accountName(business_id, contact_id, account),
        { active, balance, moved: false },
      ]),
    );
  }

  /**
   * Decides one command after those before it.
   * @returns undefined when its ledger is not locked
   */
  apply(command: PostingCommand): WriteOutcome | undefined {
    const { operation, businessId, integrationId, key, fingerprint, input } = command;
    const ledger = this.#ledgers.get(businessId);
    if (ledger === undefined) return undefined;
    const name = keyName(businessId, integrationId, key);
    const known = this.#kept.get(name);
    const use = decideKeyUse(known, fingerprint);
    if (use === "reused_with_different_payload") return fail("idempotency_key_reused_with_different_payload");
    if (known !== undefined) return { status: known.status, body: known.body, replayed: true };

    const { today } = ledger;
    const posting = operation.decide({ input, member: this.#member(command), today, fail });
    if (posting instanceof Refusal) return posting;
    const { entries, data } = posting;
    const reference =
      entries[0] &&
      (entries[0].reference_id ?? generatedReference(entries[0].event_type, ledger.lastEntryNo + 1));
    for (const { event_type, amount, location_id, reference_id, reason } of entries) {
      ledger.lastEntryNo += 1;
      this.#entries.push({
        business_id: businessId,
        entry_no: ledger.lastEntryNo,
        contact_id: input.contact_id,
        account: eventTypes[event_type].account,
        event_type,
        amount,
        balance_after: this.#move(command, eventTypes[event_type].account, amount),
        location_id: location_id ?? null,
        integration_id: integrationId,
        reference_id: reference_id ?? (reference as string),
        reason: reason ?? null,
        created_at: ledger.now,
      });
    }
    const answer = { fingerprint, status: 200, body: successBody(operation.message, data) };
    this.#keys.push({
      business_id: businessId,
      integration_id: integrationId,
      idempotency_key: key,
      ...answer,
    });
    this.#kept.set(name, answer);
    return { status: answer.status, body: answer.body, replayed: false };
  }

  #member({ operation, businessId, input }: PostingCommand): MemberState | undefined {
    const balances: Partial<Record<Account, number>> = {};
    let active = false;
    for (const account of operation.needs) {
      const state = this.#accounts.get(accountName(businessId, input.contact_id, account));
      if (state === undefined) return undefined;
      active = state.active;
      balances[account] = state.balance;
    }
    return { active, balances };
  }

  /** @returns the balance after the movement, which the operation has found to be allowed */
  #move({ operation, businessId, input }: PostingCommand, account: Account, amount: number): number {
    const state = this.#accounts.get(accountName(businessId, input.contact_id, account));
    const member = state && { active: true, balances: { [account]: state.balance } };
    const movement = move(member, account, amount);
    if (state === undefined || movement.status !== "moved" || amount === 0) {
      throw new Error(`${operation.path} moves ${account} by ${amount}: ${movement.status}`);
    }
    state.balance = movement.balance;
    state.moved = true;
    return movement.balance;
  }

  /** @returns what is to be recorded; undefined when every command was rejected or replayed */
  recording(): Recording | undefined {
    if (this.#keys.length === 0) return undefined;
    const heads = [...this.#ledgers.values()]
      .filter((ledger) => ledger.lastEntryNo > ledger.last_entry_no)
      .map(({ business_id, lastEntryNo, now }) => ({
        business_id,
        last_entry_no: lastEntryNo,
        last_recorded_at: now,
      }));
    const balances = [...this.#accounts]
      .filter(([, { moved }]) => moved)
      .map(([name, { balance }]) => {
        const [businessId, contactId, account] = name.split(" ");
        return {
          business_id: Number(businessId),
          contact_id: Number(contactId),
          account: account as Account,
          balance,
        };
      });
    return { heads, entries: this.#entries, balances, keys: this.#keys };
  }
}
