import type { Connection, Database } from "./connection.ts";
import { mostMismatches, type VerifiedSlice, verifyAccounts } from "./verify-accounts.ts";

/** A slice is cut by members, and one member can have millions of entries. Less than an operator's request may take. */
const patienceSeconds = 50;

/** Runs the one statement of a slice with more patience than the service has for others. */
export async function inSlice<Result>(
  sql: Database,
  verify: (tx: Connection) => Promise<Result>,
): Promise<Result> {
  const sliced = await sql.begin("READ ONLY", async (tx) => {
    await tx`SET LOCAL statement_timeout = ${tx.unsafe(`'${patienceSeconds}s'`)}`;
    return { result: await verify(tx) };
  });
  return sliced.result;
}

/**
 * Verifies the accounts of up to `limit` members by `verifyAccounts`, one half of them beside the other: it is the
 * longest part, and the database has more than one processor. Each half is one snapshot, and no member is in both.
 */
export async function verifyAccountsByHalves(
  sql: Database,
  businessId: number,
  afterContactId: number,
  limit: number,
): Promise<VerifiedSlice> {
  const verifyAfter = (contactId: number, members: number) =>
    inSlice(sql, (tx) => verifyAccounts(tx, businessId, contactId, members));
  const half = Math.floor(limit / 2);
  const [middle] = await sql<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND contact_id > ${afterContactId}
    ORDER BY contact_id OFFSET ${Math.max(0, half - 1)} LIMIT 1`;
  if (half === 0 || middle === undefined) return verifyAfter(afterContactId, limit);
  const [one, other] = await Promise.all([
    verifyAfter(afterContactId, half),
    verifyAfter(middle.contact_id, limit - half),
  ]);
  // A member that was made meanwhile, before the middle, ends the first half earlier: the rest comes with the next slice.
  return one.next === middle.contact_id ? addSlices(one, other) : one;
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
