/**
 * The counts behind the transaction list, from which any page and its exact total come at about the same cost however
 * long the ledger is (transaction-list.ts).
 *
 * The ledger in list order (created_at, entry_no) is cut into blocks of 1,024 entries, and the blocks into groups of 64.
 * A block covers the entries from its first place up to the next block's, and a group the same of blocks. `entry_count`
 * has how many entries each of them has, by location and event type. The newest entries are in no block and the newest
 * blocks in no group: `ledger_count` has where the blocks and the groups end, and how many entries the blocks have.
 *
 * New entries come after all others, so blocks are added at the end, beside the postings: that locks the business's row
 * in `ledger_count`, not the ledger. Entries that come before others, such as imported history, are added to the blocks
 * and groups that they lie in, in the transaction that records them. It locks the ledger first and the counts second.
 */
import type { Connection, Database } from "../connection.ts";
import { fragment, raw } from "../sql.ts";

const block = 0;
const group = 1;
type Level = typeof block | typeof group;

/** How many entries are in a new block, and how many blocks in a new group. */
const sizes = [1024, 64] as const;
/** A block or a group with more entries of one event type, because history was imported into it, is cut again. */
const largest = [2 * 1024, 2 * 64 * 1024] as const;
/** Entries wait to be counted until there are this many. */
export const countAfterEntries = 2 * sizes[block];
/** The most entries that are put into blocks in one transaction. */
const entriesAtOnce = 8 * sizes[block];

/** The `location_id` of the counts of all locations together. Entries at no location are counted as at location 0. */
export const allLocations = raw("-1");

/** A place in list order: an entry's created_at and entry_no. */
interface Place {
  readonly at: string;
  readonly no: number;
}

interface Counts {
  readonly entries: number;
  /** The first place after the blocks, and after the groups. */
  readonly ends: readonly [Place, Place];
}

/**
 * Puts new entries into blocks, in transactions of their own.
 * @returns when there is nothing left to do, or another transaction is counting
 */
export async function countNewEntries(sql: Database, businessId: number): Promise<void> {
  for (let more = true; more; ) {
    more = await sql.begin(async (tx) => {
      // A transaction that waited for one that counts would only hold a connection.
      const counts = await lockCounts(tx, businessId, "skip");
      if (counts === undefined) return false;
      const added = await addBlocks(tx, businessId, counts, entriesAtOnce);
      await addGroups(tx, businessId, counts.entries);
      return added === entriesAtOnce;
    });
  }
}

/**
 * Counts entries that may come before others, in the transaction that records them. The caller holds the ledger's lock.
 * @param after the last entry before them
 * @param through the last of them, which is the ledger's last
 */
export async function countRecorded(
  tx: Connection,
  businessId: number,
  after: number,
  through: number,
): Promise<void> {
  const counts = await lockCounts(tx, businessId, "wait");
  if (counts === undefined) throw new Error(`business ${businessId} has no counts`);
  const grown = await addToParts(tx, businessId, counts, after, through);
  for (const { level, from_at, from_no } of grown) {
    await cutAgain(tx, businessId, counts, level, { at: from_at, no: from_no });
  }
  if (through - counts.entries >= countAfterEntries) await addBlocks(tx, businessId, counts, entriesAtOnce);
  await addGroups(tx, businessId, counts.entries);
}

/** Deletes all counts and counts again; for a ledger that was not filled by the service. */
export async function recountLedger(tx: Connection, businessId: number): Promise<void> {
  await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
  await lockCounts(tx, businessId, "wait");
  await tx`DELETE FROM entry_count WHERE business_id = ${businessId}`;
  await tx`
    UPDATE ledger_count SET counted_entries = DEFAULT, blocks_end_at = DEFAULT, blocks_end_no = DEFAULT,
      groups_end_at = DEFAULT, groups_end_no = DEFAULT
    WHERE business_id = ${businessId}`;
  const counts = await lockCounts(tx, businessId, "wait");
  if (counts === undefined) return;
  await addBlocks(tx, businessId, counts, null);
  await addGroups(tx, businessId, 0);
}

interface CountsRow {
  readonly counted_entries: number;
  readonly blocks_end_at: string;
  readonly blocks_end_no: number;
  readonly groups_end_at: string;
  readonly groups_end_no: number;
}

/**
 * Locks the counts of a ledger to the end of the transaction.
 * @param held what to do when another transaction has locked them
 * @returns undefined when they are locked, or there is no such business
 */
async function lockCounts(
  tx: Connection,
  businessId: number,
  held: "wait" | "skip",
): Promise<Counts | undefined> {
  const [row] = await tx<CountsRow[]>`
    SELECT counted_entries, blocks_end_at, blocks_end_no, groups_end_at, groups_end_no FROM ledger_count
    WHERE business_id = ${businessId} FOR UPDATE ${raw(held === "skip" ? "SKIP LOCKED" : "")}`;
  return (
    row && {
      entries: row.counted_entries,
      ends: [
        { at: row.blocks_end_at, no: row.blocks_end_no },
        { at: row.groups_end_at, no: row.groups_end_no },
      ],
    }
  );
}

/**
 * Puts entries that are in no block into blocks.
 * @param most how many; null: all
 * @returns how many entries that were
 */
async function addBlocks(
  tx: Connection,
  businessId: number,
  { ends: [from] }: Counts,
  most: number | null,
): Promise<number> {
  const { entries, end } = await cut(tx, businessId, block, { from, until: null, most });
  await tx`
    UPDATE ledger_count SET counted_entries = counted_entries + ${entries},
      blocks_end_at = ${end.at}, blocks_end_no = ${end.no}
    WHERE business_id = ${businessId}`;
  return entries;
}

/**
 * Puts blocks that are in no group into groups, each time that another group's worth of entries is counted.
 * @param before how many entries were counted before this transaction
 */
async function addGroups(tx: Connection, businessId: number, before: number): Promise<void> {
  const counts = await lockCounts(tx, businessId, "wait");
  const entriesInGroup = sizes[block] * sizes[group];
  const now = counts?.entries ?? 0;
  if (counts === undefined || Math.floor(now / entriesInGroup) === Math.floor(before / entriesInGroup))
    return;
  const { end } = await cut(tx, businessId, group, { from: counts.ends[group], until: null, most: null });
  await tx`
    UPDATE ledger_count SET groups_end_at = ${end.at}, groups_end_no = ${end.no} WHERE business_id = ${businessId}`;
}

interface Part {
  readonly level: Level;
  readonly from_at: string;
  readonly from_no: number;
}

/**
 * Adds those of the entries that lie before the end of the blocks to the blocks and groups that they fall into.
 * An upsert finds each count by its key, where an update from a list may compare each with each.
 * @returns the blocks and groups that grew too large
 */
async function addToParts(
  tx: Connection,
  businessId: number,
  { ends: [blocksEnd, groupsEnd] }: Counts,
  after: number,
  through: number,
): Promise<Part[]> {
  const rows = await tx<(Part & { readonly location_id: number; readonly entries: number })[]>`
    WITH entry AS MATERIALIZED (
      SELECT created_at, entry_no, coalesce(location_id, 0) AS location_id, event_type FROM ledger_entry
      WHERE business_id = ${businessId} AND entry_no > ${after} AND entry_no <= ${through}
        AND (created_at, entry_no) < (${blocksEnd.at}::timestamptz, ${blocksEnd.no})
    ), placed AS (
      SELECT part.*, location_id, event_type
      FROM entry CROSS JOIN (VALUES (${block}::smallint), (${group}::smallint)) AS each (level)
      CROSS JOIN LATERAL (
        SELECT level, from_at, from_no FROM entry_count c
        WHERE c.business_id = ${businessId} AND c.level = each.level
          AND (c.from_at, c.from_no) <= (entry.created_at, entry.entry_no)
        ORDER BY c.from_at DESC, c.from_no DESC LIMIT 1
      ) AS part
      WHERE part.level = ${block}
        OR (created_at, entry_no) < (${groupsEnd.at}::timestamptz, ${groupsEnd.no})
    ), counted AS (
      UPDATE ledger_count SET counted_entries = counted_entries + (SELECT count(*) FROM entry)
      WHERE business_id = ${businessId}
    )
    INSERT INTO entry_count AS known (business_id, level, from_at, from_no, location_id, event_type, entries)
    SELECT l.business_id, p.*
    FROM ledger l, (
      SELECT level, from_at, from_no, coalesce(location_id, ${allLocations}), event_type, count(*)::integer
      FROM placed
      GROUP BY GROUPING SETS ((level, from_at, from_no, location_id, event_type), (level, from_at, from_no, event_type))
    ) AS p
    WHERE l.business_id = ${businessId}
    ON CONFLICT (business_id, level, from_at, from_no, location_id, event_type)
      DO UPDATE SET entries = known.entries + excluded.entries
    RETURNING level, from_at, from_no, location_id, entries`;
  return rows.filter(({ level, location_id, entries }) => location_id < 0 && entries > largest[level]);
}

/** Cuts a block or a group that grew too large into several. */
async function cutAgain(
  tx: Connection,
  businessId: number,
  { ends }: Counts,
  level: Level,
  from: Place,
): Promise<void> {
  const [next] = await tx<Place[]>`
    SELECT from_at AS at, from_no AS no FROM entry_count
    WHERE business_id = ${businessId} AND level = ${level}
      AND (from_at, from_no) > (${from.at}::timestamptz, ${from.no})
    ORDER BY from_at, from_no LIMIT 1`;
  await tx`
    DELETE FROM entry_count
    WHERE business_id = ${businessId} AND level = ${level} AND from_at = ${from.at} AND from_no = ${from.no}`;
  await cut(tx, businessId, level, { from, until: next ?? ends[level], most: null });
}

/** From one place up to another, without it. */
interface Range {
  readonly from: Place;
  /** null: to the end of the ledger. The last block or group stays open then: more may come. */
  readonly until: Place | null;
  /** How many entries or blocks at most; null: all. */
  readonly most: number | null;
}

/**
 * Cuts a range of entries into blocks, or of blocks into groups. The range has no counts at that level.
 * @returns where the last block or group of the range begins, and how many entries are in those before it
 */
async function cut(
  tx: Connection,
  businessId: number,
  level: Level,
  { from, until, most }: Range,
): Promise<{ entries: number; end: Place }> {
  const within = (place: string) => fragment`(${raw(place)}) >= (${from.at}::timestamptz, ${from.no})
    ${until ? fragment`AND (${raw(place)}) < (${until.at}::timestamptz, ${until.no})` : fragment``}`;
  const items =
    level === block
      ? fragment`SELECT created_at AS at, entry_no AS no, coalesce(location_id, 0) AS location_id, event_type, 1 AS entries
          FROM ledger_entry WHERE business_id = ${businessId} AND ${within("created_at, entry_no")}
          ORDER BY created_at, entry_no LIMIT ${most === null ? null : most + 1}::bigint`
      : fragment`SELECT from_at AS at, from_no AS no, location_id, event_type, entries
          FROM entry_count WHERE business_id = ${businessId} AND level = ${block} AND location_id <> ${allLocations}
            AND ${within("from_at, from_no")}`;
  const [made] = await tx<{ entries: number; at: string; no: number }[]>`
    WITH item AS MATERIALIZED (
      SELECT *, (dense_rank() OVER (ORDER BY at, no) - 1) / ${raw(String(sizes[level]))} AS nth FROM (${items}) AS found
    ), start AS MATERIALIZED (
      SELECT DISTINCT ON (nth) nth, at, no FROM item ORDER BY nth, at, no
    ), part AS MATERIALIZED (
      SELECT nth, CASE WHEN nth = 0 THEN ${from.at} ELSE at END AS from_at,
        CASE WHEN nth = 0 THEN ${from.no} ELSE no END AS from_no
      FROM start ${until ? fragment`` : fragment`WHERE nth < (SELECT max(nth) FROM start)`}
    ), counted AS MATERIALIZED (
      SELECT nth, coalesce(location_id, ${allLocations}) AS location_id, event_type, sum(entries)::integer AS entries
      FROM item GROUP BY GROUPING SETS ((nth, location_id, event_type), (nth, event_type))
    ), kept AS (
      INSERT INTO entry_count (business_id, level, from_at, from_no, location_id, event_type, entries)
      SELECT l.business_id, ${level}, from_at, from_no, location_id, event_type, entries
      FROM ledger l, part JOIN counted USING (nth) WHERE l.business_id = ${businessId}
    )
    SELECT at, no, (
      SELECT coalesce(sum(entries), 0)::bigint FROM counted
      WHERE nth < start.nth AND location_id = ${allLocations}
    ) AS entries
    FROM start ORDER BY nth DESC LIMIT 1`;
  return made ? { entries: made.entries, end: { at: made.at, no: made.no } } : { entries: 0, end: from };
}
