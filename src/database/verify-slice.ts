import type { Connection, Database } from "./connection.ts";
import { findRangeEnd, mostMismatches, type VerifiedSlice, verifyAccounts } from "./verify-accounts.ts";

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

/**
 * Entries that are verified together. A member's are all over the ledger: of so many, several are on each of its
 * pages, so that no page is read for one entry alone.
 */
const entriesAtOnce = 500_000;

/**
 * Verifies the accounts of up to `limit` members by `verifyAccounts`, one half of them beside the other: it is the
 * longest part, and the database has more than one processor. Each half is one snapshot, and no member is in both.
 */
export async function verifyAccountsByHalves(
  patient: Database,
  businessId: number,
  afterContactId: number,
  limit: number,
): Promise<VerifiedSlice> {
  const findEnd = (after: number, members: number) =>
    inSlice(patient, (tx) => findRangeEnd(tx, businessId, after, { members, entries: entriesAtOnce }));
  const verify = (after: number, last: number | null) =>
    inSlice(patient, (tx) => verifyAccounts(tx, { businessId, afterContactId: after, lastContactId: last }));
  const half = Math.ceil(limit / 2);
  const middle = await findEnd(afterContactId, half);
  const one = verify(afterContactId, middle);
  if (middle === null || half === limit) return one;
  const other = findEnd(middle, limit - half).then((last) => verify(middle, last));
  return addSlices(...(await Promise.all([one, other])));
}

function addSlices(one: VerifiedSlice, other: VerifiedSlice): VerifiedSlice {
  const sum = (name: "members" | "accounts" | "entries" | "blocks" | "mismatch_count") =>
    one[name] + other[name];
  return {
    members: sum("members"),
    accounts: sum("accounts"),
    entries: sum("entries"),
    blocks: sum("blocks"),
    mismatch_count: sum("mismatch_count"),
    mismatches: [...one.mismatches, ...other.mismatches].slice(0, mostMismatches),
    next: other.next,
  };
}
