/** Sales that happened before the service knew of them. */
import type { Connection } from "../connection.ts";
import { learnOfGrowth } from "../growth.ts";
import { countRecorded } from "../ledger/counts.ts";
import { plannedFor } from "../planning.ts";
import { fragment } from "../sql.ts";

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
  { businessId, timeZone }: { readonly businessId: number; readonly timeZone: string },
  sales: readonly SaleToFind[],
  dryRun: boolean,
): Promise<FoundSale[]> {
  const column = (name: keyof SaleToFind) => sales.map((sale) => sale[name]) as never[];
  // The order of the digests keeps requests with the same lines from a deadlock.
  const claimed = dryRun
    ? fragment`SELECT sale.digest FROM own CROSS JOIN sale LEFT JOIN LATERAL (
        SELECT true AS found FROM imported_line WHERE business_id = own.business_id AND digest = sale.digest OFFSET 0
      ) AS line ON true WHERE line.found IS NOT TRUE`
    : fragment`INSERT INTO imported_line (business_id, digest, amount)
        SELECT l.business_id, sale.digest, sale.amount FROM ledger l, sale
        WHERE l.business_id = ${businessId} AND sale.claimable
        ORDER BY sale.digest ON CONFLICT DO NOTHING RETURNING digest`;
  // LATERAL with OFFSET 0 makes each a look-up by key. If the planner knew the business, it would expect one
  // row of a business that is missing from its statistics, and read all its rows for each look-up.
  return tx<FoundSale[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id), sale AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column("digest")}::uuid[], ${column("contact_id")}::bigint[], ${column("phone_number")}::text[],
        ${column("external_ref")}::text[], ${column("location_id")}::bigint[], ${column("sold_at")}::text[],
        ${column("has_offset")}::boolean[], ${column("claimable")}::boolean[], ${column("amount")}::bigint[]
      ) WITH ORDINALITY
      AS sale (digest, contact_id, phone_number, external_ref, location_id, sold_at, has_offset, claimable, amount, nth)
    ), claimed AS (${claimed})
    SELECT claimed.digest IS NULL AS imported, coalesce(c.contact_id, p.contact_id, r.contact_id) AS contact_id,
      sale.location_id IS NULL OR l.location_id IS NOT NULL AS located, moment.created_at,
      to_char(moment.created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD') AS sold_on,
      coalesce(moment.created_at > coalesce(clock.clock_at, clock_timestamp()), false) AS future
    FROM own CROSS JOIN sale
    CROSS JOIN LATERAL (SELECT clock_at FROM ledger WHERE business_id = own.business_id OFFSET 0) AS clock
    CROSS JOIN LATERAL (
      SELECT CASE WHEN sale.has_offset THEN sale.sold_at::timestamptz
        ELSE sale.sold_at::timestamp AT TIME ZONE ${timeZone} END AS created_at
    ) AS moment
    LEFT JOIN claimed ON claimed.digest = sale.digest
    LEFT JOIN LATERAL (
      SELECT contact_id FROM member
      WHERE business_id = own.business_id AND contact_id = sale.contact_id OFFSET 0
    ) AS c ON true
    LEFT JOIN LATERAL (
      SELECT contact_id FROM member
      WHERE business_id = own.business_id AND phone_number = sale.phone_number OFFSET 0
    ) AS p ON true
    LEFT JOIN LATERAL (
      SELECT contact_id FROM member
      WHERE business_id = own.business_id AND external_ref = sale.external_ref OFFSET 0
    ) AS r ON true
    LEFT JOIN LATERAL (
      SELECT location_id FROM location
      WHERE business_id = own.business_id AND location_id = sale.location_id OFFSET 0
    ) AS l ON true
    ORDER BY sale.nth`;
}

/**
 * Finds the amounts with which lines were imported. A statement of its own, because the snapshot of `claimSales` does not
 * have the lines of another import that it waited for.
 * @returns amounts by digest, without lines for which no amount is stored
 */
export async function findImportedAmounts(
  tx: Connection,
  businessId: number,
  digests: readonly string[],
): Promise<Map<string, number>> {
  if (digests.length === 0) return new Map();
  const rows = await tx<{ digest: string; amount: number }[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id)
    SELECT replace(known.digest::text, '-', '') AS digest, line.amount
    FROM own CROSS JOIN unnest(${digests}::uuid[]) AS known (digest)
    CROSS JOIN LATERAL (
      SELECT amount FROM imported_line WHERE business_id = own.business_id AND digest = known.digest OFFSET 0
    ) AS line
    WHERE line.amount IS NOT NULL`;
  return new Map(rows.map(({ digest, amount }) => [digest, amount]));
}

/** Releases lines that `claimSales` claimed and that are rejected, so that they can be imported later. */
export async function releaseLines(
  tx: Connection,
  businessId: number,
  digests: readonly string[],
): Promise<void> {
  await tx`
    DELETE FROM imported_line
    WHERE business_id = ${businessId} AND digest = ANY (ARRAY(SELECT unnest(${digests}::uuid[])))`;
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

const byKey = ([one]: readonly [number, number], [other]: readonly [number, number]) => one - other;

export interface SaleToRecord {
  readonly contact_id: number;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  readonly reference_id: string;
  readonly created_at: string;
}

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
  const column = (name: keyof SaleToRecord) => sales.map((sale) => sale[name]);
  // In the order of the accounts' key: accounts with adjacent keys are on the same pages.
  const balances = [...new Map(sales.map((sale) => [sale.contact_id, sale.balance_after]))].sort(byKey);
  const through = lastEntryNo + sales.length;
  const recording = tx<{ entries: number; balances: number }[]>`
    WITH entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, reference_id, created_at)
      SELECT l.business_id, ${lastEntryNo} + s.nth, s.contact_id, 'sales', 'sale', s.amount, s.balance_after,
        s.location_id, s.reference_id, s.created_at
      FROM ledger l, unnest(
        ${column("contact_id")}::bigint[], ${column("amount")}::bigint[], ${column("balance_after")}::bigint[],
        ${column("location_id")}::bigint[],
        ${column("reference_id")}::text[],
        ${column("created_at")}::timestamptz[]
      ) WITH ORDINALITY AS s (contact_id, amount, balance_after, location_id, reference_id, created_at, nth)
      WHERE l.business_id = ${businessId}
      RETURNING created_at
    ), balance AS (
      UPDATE account a SET balance = b.balance
      FROM unnest(${balances.map(([id]) => id)}::bigint[], ${balances.map(([, to]) => to)}::bigint[])
        AS b (contact_id, balance)
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
