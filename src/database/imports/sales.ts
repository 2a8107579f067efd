/** Sales that happened before the service knew of them. */
import type { Connection } from "../connection.ts";
import { learnOfGrowth } from "../growth.ts";
import { foldEntries } from "../ledger/counts.ts";
import { plannedFor } from "../planning.ts";
import { fragment } from "../sql.ts";

/** A sale as a file tells it; exactly one of contact_id, phone_number and external_ref names the member. */
export interface SaleToFind {
  readonly digest: string;
  readonly contact_id: number | null;
  readonly phone_number: string | null;
  readonly external_ref: string | null;
  readonly location_id: number | null;
  /** ISO 8601. */
  readonly sold_at: string;
  /** Whether sold_at says how far it is from UTC; the business's wall clock otherwise. */
  readonly has_offset: boolean;
}

/** What the database knows of a sale. */
export interface FoundSale {
  /** Whether a line with this digest was imported before. */
  readonly imported: boolean;
  readonly contact_id: number | null;
  readonly located: boolean;
  readonly created_at: string;
  readonly future: boolean;
}

/**
 * Looks up what sales name, in their order, and claims the lines that were not imported yet; without the ledger's
 * lock, so that it holds up nobody.
 * @param dryRun claims no line
 */
export function claimSales(
  tx: Connection,
  { businessId, timeZone }: { readonly businessId: number; readonly timeZone: string },
  sales: readonly SaleToFind[],
  dryRun: boolean,
): Promise<FoundSale[]> {
  const column = (name: keyof SaleToFind) => sales.map((sale) => sale[name]) as never[];
  // In one order, so that requests with the same lines wait for one another in turn, never in a circle.
  const claimed = dryRun
    ? fragment`SELECT sale.digest FROM own CROSS JOIN sale LEFT JOIN LATERAL (
        SELECT true AS found FROM imported_line WHERE business_id = own.business_id AND digest = sale.digest OFFSET 0
      ) AS line ON true WHERE line.found IS NOT TRUE`
    : fragment`INSERT INTO imported_line (business_id, digest)
        SELECT l.business_id, sale.digest FROM ledger l, sale WHERE l.business_id = ${businessId}
        ORDER BY sale.digest ON CONFLICT DO NOTHING RETURNING digest`;
  // LATERAL with OFFSET 0 looks each one up by itself. The planner must not know which business it is: it believes that
  // one missing from its statistics has a single row, and reads the whole business for each look-up.
  return tx<FoundSale[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id), sale AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column("digest")}::uuid[], ${column("contact_id")}::bigint[], ${column("phone_number")}::text[],
        ${column("external_ref")}::text[], ${column("location_id")}::bigint[], ${column("sold_at")}::text[],
        ${column("has_offset")}::boolean[]
      ) WITH ORDINALITY
      AS sale (digest, contact_id, phone_number, external_ref, location_id, sold_at, has_offset, nth)
    ), claimed AS (${claimed})
    SELECT claimed.digest IS NULL AS imported, coalesce(c.contact_id, p.contact_id, r.contact_id) AS contact_id,
      sale.location_id IS NULL OR l.location_id IS NOT NULL AS located, moment.created_at,
      moment.created_at > clock_timestamp() AS future
    FROM own CROSS JOIN sale
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

/** Releases lines that `claimSales` claimed and that are refused, so that they can be imported later. */
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
  // In the order of the accounts' key: neighbours are on the same pages.
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
      last_recorded_at = greatest(last_recorded_at, clock_timestamp(), (SELECT max(created_at) FROM entry))
    WHERE business_id = ${businessId} AND last_entry_no = ${lastEntryNo}
    RETURNING (SELECT count(*) FROM entry) AS entries, (SELECT count(*) FROM balance) AS balances`;
  // They may lie before entries that are counted already, so they are counted at once.
  const [[recorded]] = await Promise.all([
    recording,
    plannedFor(tx, () => foldEntries(tx, businessId, through)),
  ]);
  if (recorded?.entries !== sales.length || recorded.balances !== balances.length) {
    throw new Error(`a chunk of ${sales.length} sales was not recorded whole`);
  }
  await learnOfGrowth(tx, lastEntryNo, through);
}
