/** The ledger is verified slice by slice, each in one snapshot. */
import type { Connection, Database } from "../connection.ts";

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
 * Makes PostgreSQL plan the following statements of a slice for any values. A plan for a range of keys may
 * use any index of a business that the statistics don't know, and one for a limit may sort all rows.
 */
export async function planForAnyValues(tx: Connection): Promise<void> {
  await tx`SET LOCAL plan_cache_mode = force_generic_plan`;
}
