/** The books are verified slice by slice, each in one snapshot. */
import type { Connection, Database } from "./connection.ts";

/** Something in the books that is not as the rest of them says it must be. */
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

/** What a slice of the books holds, and what is wrong in it. */
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

/** More of one slice are only counted: whoever has so many needs no longer list. */
export const mostMismatches = 100;

/** Runs the statements of a slice: they see one snapshot. */
export async function inSlice<Result>(
  patient: Database,
  verify: (tx: Connection) => Promise<Result>,
): Promise<Result> {
  const sliced = await patient.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (tx) => ({
    result: await verify(tx),
  }));
  return sliced.result;
}
