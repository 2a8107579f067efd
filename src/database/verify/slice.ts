/** The ledger is verified slice by slice, each in one snapshot. */
import type { Connection, Database } from "../connection.ts";
import { only } from "../rows.ts";
import { fragment, raw } from "../sql.ts";

/** Something in the ledger that contradicts the rest of it. */
export interface Mismatch {
  readonly kind: string;
  readonly contact_id: number | null;
  readonly account: string | null;
  readonly entry_no: number | null;
  /** Of a count: the block that it is kept for, and what it counts there. */
  readonly place: string | null;
  readonly expected: string | null;
  readonly found: string | null;
}

/** What a slice of the ledger holds, and what is wrong in it. */
export interface VerifiedSlice {
  readonly members: number;
  readonly accounts: number;
  readonly entries: number;
  readonly blocks: number;
  readonly mismatch_count: number;
  /** Up to `mostMismatches` of them. */
  readonly mismatches: readonly Mismatch[];
  /** Where the next slice begins; null when this was the last. */
  readonly next: number | null;
}

/** More mismatches of a slice are counted, but not listed. */
export const mostMismatches = 100;

/** Runs the statements of a slice in one snapshot. */
export function inSlice<Result>(
  longRunning: Database,
  verify: (tx: Connection) => Promise<Result>,
): Promise<Result> {
  return longRunning.begin(verify, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

/**
 * The last columns of a slice's statement: how many rows its table `mismatch` has, and the first of them.
 * @param order the columns that order them
 */
export const mismatchesBy = (order: string) => fragment`
  (SELECT count(*) FROM mismatch) AS mismatch_count,
  (SELECT coalesce(jsonb_agg(m), '[]') FROM (
    SELECT * FROM mismatch ORDER BY ${raw(order)} LIMIT ${mostMismatches}
  ) AS m) AS mismatches`;

const nothing = { members: 0, accounts: 0, entries: 0, blocks: 0, next: null };
const nowhere = { contact_id: null, account: null, entry_no: null, place: null };

/** What a statement found: it leaves out what its part does not count, and what its mismatches do not concern. */
export async function sliceOf(
  rows: Promise<readonly Pick<VerifiedSlice, "mismatch_count" | "mismatches">[]>,
): Promise<VerifiedSlice> {
  const found = await only(rows);
  return {
    ...nothing,
    ...found,
    mismatches: found.mismatches.map((mismatch) => ({ ...nowhere, ...mismatch })),
  };
}

/**
 * Makes PostgreSQL plan the following statements of a slice for any values. A plan for a range of keys may
 * use any index of a business that the statistics don't know, and one for a limit may sort all rows.
 */
export function planForAnyValues(tx: Connection) {
  return tx`SET LOCAL plan_cache_mode = force_generic_plan`;
}
