/**
 * What this process knows of the businesses' ledgers, so that it need not read before each batch. All of it is a
 * guess: another process may have written since. A batch that was decided on it is recorded only if the ledger's
 * version is still the one that was known (`recordBatch`).
 */
import type { LedgerHead } from "../database/ledger.ts";
import type { Account } from "../domain/ledger.ts";
import { BalanceTable } from "./balance-table.ts";

/** More than there are batches of one business under way. */
const recentHeads = 8;

/** A ledger as far as it is known. The balances belong to the head: they change together. */
export class KnownLedger {
  /** Those of late, the one that counts last. */
  readonly #heads: LedgerHead[];
  /** How many accounts are known. */
  size = 0;
  /** How many batches were decided on it. */
  batches = 0;
  /** Of active accounts, by contact_id. */
  readonly #balances = new Map<Account, BalanceTable>();

  constructor(head: LedgerHead) {
    this.#heads = [head];
  }

  get head(): LedgerHead {
    return this.#heads.at(-1) as LedgerHead;
  }

  /** What the head will be once what was decided is recorded. */
  advance(head: LedgerHead): void {
    this.#heads.push(head);
    if (this.#heads.length > recentHeads) this.#heads.shift();
  }

  /**
   * Whether this ledger was at a head of late. One that is read while batches are under way is that of one of them, or of
   * the last before them; if it is none of those, the accounts that came with it are of another time, or of another
   * server: of one that was the primary before, say, and still answers.
   */
  hasBeenAt({ version, last_entry_no }: LedgerHead): boolean {
    return this.#heads.some((head) => head.version === version && head.last_entry_no === last_entry_no);
  }

  balance(account: Account, contactId: number): number | undefined {
    return this.#balances.get(account)?.get(contactId);
  }

  remember(account: Account, contactId: number, balance: number): void {
    let balances = this.#balances.get(account);
    if (balances === undefined) {
      balances = new BalanceTable();
      this.#balances.set(account, balances);
    }
    this.size -= balances.size;
    balances.set(contactId, balance);
    this.size += balances.size;
  }
}

/** About twice what one read brings at most, so that what nobody has asked for hardly ever takes the last room. */
const keptFree = 1 / 32;

export class KnownLedgers {
  readonly #capacity: number;
  /** The one that was kept longest ago first; with the size that it had then. */
  readonly #ledgers = new Map<number, { readonly ledger: KnownLedger; readonly size: number }>();
  #size = 0;
  /** Businesses whose ledger has been forgotten because there was no room for it. */
  readonly #crowdedOut = new Set<number>();

  /** @param capacity how many accounts are remembered, over all businesses */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Whether there is room for accounts of a business that nobody has asked for yet: not where they would crowd out those
   * in use, nor where all have been forgotten once, and would be again as soon as they are known.
   */
  hasRoomForMore(businessId: number): boolean {
    return this.#size < this.#capacity * (1 - keptFree) && !this.#crowdedOut.has(businessId);
  }

  get(businessId: number): KnownLedger | undefined {
    return this.#ledgers.get(businessId)?.ledger;
  }

  forget(businessId: number): void {
    this.#size -= this.#ledgers.get(businessId)?.size ?? 0;
    this.#ledgers.delete(businessId);
  }

  /**
   * Keeps a ledger, on which a batch was decided, as the one used last, and forgets others, or in the end itself, as far
   * as there is no room.
   */
  keep(businessId: number, ledger: KnownLedger): void {
    this.forget(businessId);
    ledger.batches += 1;
    this.#ledgers.set(businessId, { ledger, size: ledger.size });
    this.#size += ledger.size;
    for (const oldest of this.#ledgers.keys()) {
      if (this.#size <= this.#capacity) return;
      this.forget(oldest);
      this.#crowdedOut.add(oldest);
    }
  }
}
