/**
 * What a batch is decided on, when it is not known: the head of a ledger, and accounts. Where many businesses have a
 * posting or two each, there would be one such read for each posting; so those that are asked for together are sent
 * together. Each statement still names one business.
 */
import type { Account } from "../domain/ledger.ts";
import { plainArray, plainValues } from "./array-text.ts";
import { type Connection, type Database, parseBigint } from "./connection.ts";
import type { AccountRow, LedgerHead } from "./ledger.ts";
import { FixedStatement } from "./parameters.ts";

export interface WantedAccounts {
  readonly businessId: number;
  readonly contactIds: readonly number[];
  readonly accounts: readonly Account[];
  /** Whether accounts of the members who were enrolled next to these are wanted, too. */
  readonly neighbours: boolean;
}

/** The head of a ledger and accounts of some members, in one snapshot and without a lock. */
export interface LedgerRead {
  /** Undefined when there is no such business. */
  readonly head: LedgerHead | undefined;
  /** Those of the wanted accounts that there are. */
  readonly accounts: readonly AccountRow[];
}

/**
 * With their neighbours, accounts are read in spans of so many contact_ids, from a multiple of it. A read costs several
 * times what another row in it does, and neighbours lie in the same pages: so a process that has just started knows the
 * members of a business after a few thousand reads at most.
 */
const spanOfNeighbours = 64;

// Columns come as one array each: a row each would cost more than finding it. What would tell the planner which business
// it is, and how many spans, is kept from it: with a plan for a business that has come since the tables were analysed, and
// so has no accounts as far as it knows, it would read all of them; and it would plan anew each time (see ledger.ts).
const statement = new FixedStatement<"business_id" | "spans" | "width" | "accounts">(`
    WITH head AS MATERIALIZED (
      SELECT business_id, last_entry_no, version FROM ledger WHERE business_id = :business_id
    )
    SELECT head.last_entry_no, head.version, found.*
    FROM head CROSS JOIN LATERAL (
      SELECT array_agg(contact_id)::text AS contact_ids, array_agg(account)::text AS accounts,
        array_agg(balance)::text AS balances, array_agg(active)::text AS active
      FROM unnest(ARRAY(SELECT unnest(:spans::bigint[]))) AS span (first) CROSS JOIN LATERAL (
        SELECT contact_id, account, balance, active FROM account
        WHERE business_id = head.business_id
          AND contact_id >= span.first AND contact_id < span.first + :width::bigint
          AND account = ANY (ARRAY(SELECT unnest(:accounts::account_name[])))
        OFFSET 0
      ) AS account
    ) AS found`);

/** Array literals of equal length, or all of them null. */
type Columns = Readonly<Record<"contact_ids" | "accounts" | "balances" | "active", string | null>>;

type Row = LedgerHead & Columns;

function parametersOf({ businessId, contactIds, accounts, neighbours }: WantedAccounts) {
  const width = neighbours ? spanOfNeighbours : 1;
  return {
    business_id: businessId,
    spans: plainArray([...new Set(contactIds.map((contactId) => contactId - (contactId % width)))]),
    width,
    accounts: plainArray(accounts),
  };
}

function readOf([row]: readonly Row[]): LedgerRead {
  return { head: row, accounts: row === undefined ? [] : accountsOf(row) };
}

function accountsOf(columns: Columns): AccountRow[] {
  const [accounts, balances] = [plainValues(columns.accounts) as Account[], plainValues(columns.balances)];
  const active = plainValues(columns.active);
  return plainValues(columns.contact_ids).map((contactId, index) => ({
    contact_id: parseBigint(contactId),
    account: accounts[index] as Account,
    balance: parseBigint(balances[index] as string),
    active: active[index] === "t",
  }));
}

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
