/**
 * Counts a ledger's entries in blocks, some thousand at a time. Counting locks the business's row in `ledger_count`,
 * not its ledger: postings go on, since the entries that they record come after all that is being counted. Imported
 * history comes before counted entries, so an import counts it in its own transaction: it locks the ledger, then
 * `ledger_count`.
 */
import type { Connection, Database } from "../connection.ts";
import { addEntries, cutAnew, entriesInBlock } from "./count-blocks.ts";

/** The most that are counted in one transaction. */
const entriesAtOnce = 8 * entriesInBlock;
/** Entries wait to be counted until there are this many. */
export const foldAfterEntries = 2 * entriesInBlock;

/**
 * Counts entries in whole blocks, in transactions of their own, until fewer than a block's wait.
 * @returns when there is nothing left to do, or somebody else is counting
 */
export async function foldLedger(sql: Database, businessId: number): Promise<void> {
  for (let more = true; more; ) {
    more = await sql.begin(async (tx) => {
      // If another transaction is counting, this one would only wait with a connection.
      const [free] = await tx<{ counted_through: number }[]>`
        SELECT counted_through FROM ledger_count WHERE business_id = ${businessId} FOR UPDATE SKIP LOCKED`;
      if (free === undefined) return false;
      const counted = free.counted_through;
      const waiting = (await lastEntryNo(tx, businessId)) - counted;
      const now = Math.min(waiting - (waiting % entriesInBlock), entriesAtOnce);
      if (now <= 0) return false;
      await countThrough(tx, businessId, counted, counted + now);
      return waiting - now >= entriesInBlock;
    });
  }
}

/**
 * Counts the entries up to `through` that are not counted yet. The caller holds the ledger's lock.
 * @param through an entry_no; at most the ledger's last
 */
export async function foldEntries(tx: Connection, businessId: number, through: number): Promise<void> {
  const counted = await lockCounting(tx, businessId);
  if (counted < through) await countThrough(tx, businessId, counted, through);
}

/** Deletes all counts and counts again; for a ledger that was not filled by the service. */
export async function recountLedger(tx: Connection, businessId: number): Promise<void> {
  await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
  await lockCounting(tx, businessId);
  const through = await lastEntryNo(tx, businessId);
  await cutAnew(tx, businessId, through);
  await setCountedThrough(tx, businessId, through);
}

/**
 * Locks the counts of a ledger to the end of the transaction.
 * @returns up to which entry they go
 * @throws when there is no such business
 */
async function lockCounting(tx: Connection, businessId: number): Promise<number> {
  const [count] = await tx<{ counted_through: number }[]>`
    SELECT counted_through FROM ledger_count WHERE business_id = ${businessId} FOR UPDATE`;
  if (count === undefined) throw new Error(`business ${businessId} has no counts`);
  return count.counted_through;
}

/**
 * Whether enough entries wait to be counted. It takes no lock, so that it doesn't wait for a transaction that counts.
 * @param lastEntryNo the ledger's last entry
 * @throws when there is no such business
 */
export async function wantsCounting(
  tx: Connection,
  businessId: number,
  lastEntryNo: number,
): Promise<boolean> {
  const [count] = await tx<{ counted_through: number }[]>`
    SELECT counted_through FROM ledger_count WHERE business_id = ${businessId}`;
  if (count === undefined) throw new Error(`business ${businessId} has no counts`);
  return lastEntryNo - count.counted_through >= foldAfterEntries;
}

async function lastEntryNo(tx: Connection, businessId: number): Promise<number> {
  const [head] = await tx<{ last_entry_no: number }[]>`
    SELECT last_entry_no FROM ledger WHERE business_id = ${businessId}`;
  return head?.last_entry_no ?? 0;
}

async function setCountedThrough(tx: Connection, businessId: number, through: number): Promise<void> {
  await tx`UPDATE ledger_count SET counted_through = ${through} WHERE business_id = ${businessId}`;
}

async function countThrough(
  tx: Connection,
  businessId: number,
  counted: number,
  through: number,
): Promise<void> {
  await addEntries(tx, businessId, counted, through);
  await setCountedThrough(tx, businessId, through);
}
