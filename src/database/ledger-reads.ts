/**
 * What a batch is decided on, when it is not known: the head of a ledger, and accounts. Where many businesses have a
 * posting or two each, there would be one such read for each posting; so those that are asked for together are sent
 * together. Each statement still names one business.
 */
import type { Account } from "../domain/ledger.ts";
import { plainArray } from "./array-text.ts";
import type { Connection, Database } from "./connection.ts";
import type { AccountRow, LedgerHead } from "./ledger.ts";
import { FixedStatement } from "./parameters.ts";

export interface WantedAccounts {
  readonly businessId: number;
  readonly contactIds: readonly number[];
  readonly accounts: readonly Account[];
}

/** The head of a ledger and the accounts of some members, in one snapshot and without a lock. */
export interface LedgerRead {
  /** Undefined when there is no such business. */
  readonly head: LedgerHead | undefined;
  /** Those of the wanted accounts that there are. */
  readonly accounts: readonly AccountRow[];
}

// Arrays come through a subquery, see ledger.ts.
const statement = new FixedStatement<"business_id" | "contact_ids" | "accounts">(`
    SELECT l.last_entry_no, l.version, a.contact_id, a.account, a.balance, a.active
    FROM ledger l LEFT JOIN account a ON a.business_id = :business_id
      AND a.contact_id = ANY (ARRAY(SELECT unnest(:contact_ids::bigint[])))
      AND a.account = ANY (ARRAY(SELECT unnest(:accounts::account_name[])))
    WHERE l.business_id = :business_id`);

type Row = LedgerHead & (AccountRow | { readonly contact_id: null });

const parametersOf = ({ businessId, contactIds, accounts }: WantedAccounts) => ({
  business_id: businessId,
  contact_ids: plainArray(contactIds),
  accounts: plainArray(accounts),
});

const readOf = (rows: readonly Row[]): LedgerRead => ({
  head: rows[0],
  accounts: rows.filter((row) => row.contact_id !== null) as AccountRow[],
});

/** Reads what is wanted of one ledger. Sent at once. */
export async function readLedger(tx: Connection, wanted: WantedAccounts): Promise<LedgerRead> {
  return readOf(await statement.send<Row>(tx, parametersOf(wanted)));
}

interface Waiting {
  readonly wanted: WantedAccounts;
  readonly resolve: (read: LedgerRead) => void;
  readonly reject: (error: unknown) => void;
}

/** The most reads that are sent together: they fail together. */
const mostTogether = 32;

/** Reads ledgers of several businesses. */
export class LedgerReads {
  readonly #sql: Database;
  #waiting: Waiting[] = [];

  constructor(sql: Database) {
    this.#sql = sql;
  }

  /** Reads what is wanted of one ledger, with what else is asked for by now. */
  read(wanted: WantedAccounts): Promise<LedgerRead> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ wanted, resolve, reject });
      // After the promises that are settled by now: what is asked for in the same turn goes together.
      if (this.#waiting.length === 1) process.nextTick(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += mostTogether) {
      void this.#send(waiting.slice(at, at + mostTogether));
    }
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    try {
      const sets = group.map(({ wanted }) => parametersOf(wanted));
      const reads = await statement.sendAll<Row>(this.#sql, sets);
      for (const [index, { resolve }] of group.entries()) resolve(readOf(reads[index] as Row[]));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
