/** Sales that happened before the service knew of them. */
import type { Connection } from "../connection.ts";
import { countRecorded } from "../ledger/counts.ts";
import type { EntryRow } from "../ledger/recording.ts";
import { learnOfGrowth, plannedFor } from "../plans.ts";
import type { BusinessTime } from "../rows.ts";
import { fragment, tableOf } from "../sql.ts";
import { instantOf, lookUp } from "./lines.ts";

/** A sale of a file. At most one of contact_id, phone_number and external_ref names the member. */
export interface SaleToFind {
  readonly digest: string;
  /** False for a line that is only looked up, because a field is wrong. */
  readonly claimable: boolean;
  /** The amount to compare later lines with; null for a line without a reference. */
  readonly amount: number | null;
  readonly contact_id: number | null;
  readonly phone_number: string | null;
  readonly external_ref: string | null;
  readonly location_id: number | null;
  /** ISO 8601; null when it is wrong. */
  readonly sold_at: string | null;
  /** Whether sold_at has an offset from UTC. Otherwise it is on the business's clock. */
  readonly has_offset: boolean;
}

/** What the database has about a sale. */
export interface FoundSale {
  /** Whether a line with this digest is already imported. Not defined for lines that can't be claimed. */
  readonly imported: boolean;
  readonly contact_id: number | null;
  readonly located: boolean;
  readonly created_at: string;
  /** The day of the sale in the business's time zone. */
  readonly sold_on: string;
  readonly future: boolean;
}

/**
 * Looks up the members and locations of sales, in their order, and claims the lines that are not imported yet. Needs no
 * lock on the ledger.
 * @param dryRun claims no line
 */
export function claimSales(
  tx: Connection,
  { businessId, timeZone }: BusinessTime,
  sales: readonly SaleToFind[],
  dryRun: boolean,
): Promise<FoundSale[]> {
  // The order of the digests keeps requests with the same lines from a deadlock.
  const claimed = dryRun
    ? fragment`SELECT sale.digest FROM own CROSS JOIN sale
        ${lookUp("line", "true AS found FROM imported_line", "digest = sale.digest")}
        WHERE line.found IS NOT TRUE`
    : fragment`INSERT INTO imported_line (business_id, digest, amount)
        SELECT l.business_id, sale.digest, sale.amount FROM ledger l, sale
        WHERE l.business_id = ${businessId} AND sale.claimable
        ORDER BY sale.digest ON CONFLICT DO NOTHING RETURNING digest`;
  const columns = `digest uuid, contact_id bigint, phone_number text, external_ref text, location_id bigint,
    sold_at text, has_offset boolean, claimable boolean, amount bigint`;
  return tx<FoundSale[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id), sale AS MATERIALIZED (
      SELECT * FROM ${tableOf("sale", sales, columns)}
    ), claimed AS (${claimed})
    SELECT claimed.digest IS NULL AS imported, coalesce(c.contact_id, p.contact_id, r.contact_id) AS contact_id,
      sale.location_id IS NULL OR l.location_id IS NOT NULL AS located, moment.created_at,
      to_char(moment.created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD') AS sold_on,
      coalesce(moment.created_at > coalesce(clock.clock_at, clock_timestamp()), false) AS future
    FROM own CROSS JOIN sale
    CROSS JOIN LATERAL (SELECT clock_at FROM ledger WHERE business_id = own.business_id OFFSET 0) AS clock
    CROSS JOIN LATERAL (SELECT ${instantOf("sale", "sold_at", timeZone)} AS created_at) AS moment
    LEFT JOIN claimed ON claimed.digest = sale.digest
    ${lookUp("c", "contact_id FROM member", "contact_id = sale.contact_id")}
    ${lookUp("p", "contact_id FROM member", "phone_number = sale.phone_number")}
    ${lookUp("r", "contact_id FROM member", "external_ref = sale.external_ref")}
    ${lookUp("l", "location_id FROM location", "location_id = sale.location_id")}
    ORDER BY sale.nth`;
}

/** The balances of members' sales accounts, by contact_id. The caller holds the ledger's lock. */
export async function findSalesBalances(
  tx: Connection,
  businessId: number,
  contactIds: ReadonlySet<number>,
): Promise<Map<number, number>> {
  const rows = await plannedFor(
    tx,
    () => tx<{ contact_id: number; balance: number }[]>`
    SELECT a.contact_id, a.balance FROM unnest(${[...contactIds].sort((a, b) => a - b)}::bigint[]) AS sold (contact_id)
    JOIN account a ON a.business_id = ${businessId} AND a.contact_id = sold.contact_id AND a.account = 'sales'`,
  );
  return new Map(rows.map(({ contact_id, balance }) => [contact_id, balance]));
}

export type SaleToRecord = Pick<
  EntryRow,
  "contact_id" | "amount" | "balance_after" | "location_id" | "reference_id" | "created_at"
>;

/**
 * Records sales as the ledger's next entries, each at its own time, and counts them. The caller holds the ledger's lock
 * and has read the balances since. No later entry may come before one of them: the clock may have gone back since they
 * were found not to lie in the future.
 * @param lastEntryNo the ledger's last entry before
 */
export async function recordSales(
  tx: Connection,
  businessId: number,
  lastEntryNo: number,
  sales: readonly SaleToRecord[],
): Promise<void> {
  // In the order of the accounts' key: accounts with adjacent keys are on the same pages.
  const balances = [...new Map(sales.map((sale) => [sale.contact_id, sale])).values()].sort(
    (one, other) => one.contact_id - other.contact_id,
  );
  const columns = `contact_id bigint, amount bigint, balance_after bigint, location_id bigint, reference_id text,
    created_at timestamptz`;
  const through = lastEntryNo + sales.length;
  const recording = tx<{ entries: number; balances: number }[]>`
    WITH entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, reference_id, created_at)
      SELECT l.business_id, ${lastEntryNo} + s.nth, s.contact_id, 'sales', 'sale', s.amount, s.balance_after,
        s.location_id, s.reference_id, s.created_at
      FROM ledger l, ${tableOf("s", sales, columns)}
      WHERE l.business_id = ${businessId}
      RETURNING created_at
    ), balance AS (
      UPDATE account a SET balance = b.balance_after
      FROM ${tableOf("b", balances, "contact_id bigint, balance_after bigint")}
      WHERE a.business_id = ${businessId} AND a.contact_id = b.contact_id AND a.account = 'sales'
      RETURNING 1
    )
    UPDATE ledger SET last_entry_no = ${through},
      last_recorded_at = greatest(last_recorded_at, coalesce(clock_at, clock_timestamp()), (SELECT max(created_at) FROM entry))
    WHERE business_id = ${businessId} AND last_entry_no = ${lastEntryNo}
    RETURNING (SELECT count(*) FROM entry) AS entries, (SELECT count(*) FROM balance) AS balances`;
  // They may be dated before counted entries, so they are counted at once.
  const [[recorded]] = await Promise.all([
    recording,
    plannedFor(tx, () => countRecorded(tx, businessId, lastEntryNo, through)),
  ]);
  if (recorded?.entries !== sales.length || recorded.balances !== balances.length) {
    throw new Error(`a chunk of ${sales.length} sales was not recorded whole`);
  }
  await learnOfGrowth(tx, lastEntryNo, through);
}
