/**
 * The counts of the transaction list (transaction-list.ts). With them, all pages and exact totals take about the same time, in a
 * ledger of any length.
 *
 * The ledger in list order (created_at, entry_no) is cut into blocks of 1,024 entries, and the blocks into groups of 64.
 * A block covers the entries from its first place up to that of the next block. Groups cover blocks in the same way.
 * `entry_count` stores the number of entries in each block and group, by location and event type. The newest entries are in
 * no block, and the newest blocks are in no group. `ledger_count` stores where the blocks and the groups end, and the number of
 * entries in blocks.
 *
 * New entries usually follow all others in list order, so a background job adds blocks at the end. It locks the business's row
 * in `ledger_count`, but not the ledger. Imported entries can precede others in list order. They are added to their blocks and
 * groups in the transaction that records them. It locks the ledger first, and the counts second.
 *
 * Entries that are put into blocks are also added to the totals of their days (day-totals.ts).
 *
 * Without groups, a page that sums several locations would read ten times as many counts at ten million entries. Larger blocks
 * would mean fewer counts, but also slower pages of a rare event type, because each row may be in another block.
 */
import type { Connection, Share } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { fragment, raw } from "../sql.ts";
import { addEntriesToDays, everywhere } from "./day-totals.ts";

const block = 0;
const group = 1;
type Level = typeof block | typeof group;

/** How many entries are in a new block, and how many blocks in a new group. */
const sizes = [1024, 64] as const;
/** A block or a group with more entries of one event type is cut again. Imported entries make them grow. */
const largest = [2 * 1024, 2 * 64 * 1024] as const;
/** New entries are counted when there are this many. */
export const countAfterEntries = 2 * sizes[block];
/** The most entries that are put into blocks in one transaction. */
const entriesAtOnce = 8 * sizes[block];

/** The `location_id` of the counts of all locations together. Entries without a location count as at location 0. */
export const allLocations = raw(String(everywhere));

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

/** Puts new entries into blocks, in its own transactions. Returns when all are in blocks, or another transaction is counting. */
export async function countNewEntries(sql: Share, businessId: number): Promise<void> {
  for (let added = entriesAtOnce; added === entriesAtOnce; ) {
    added = await sql.begin(async (tx) => {
      // Waiting for another transaction that counts would only occupy a connection.
      const counts = await lockCounts(tx, businessId, "skip");
      return counts === undefined ? 0 : extend(tx, businessId, counts, { placed: 0, most: entriesAtOnce });
    });
  }
}

/**
 * Counts entries that may precede others in list order, in the transaction that records them. The caller holds the ledger's
 * lock.
 * @param after the last entry_no before them
 * @param through the last entry_no of them, which is the last of the ledger
 */
export async function countRecorded(tx: Connection, businessId: number, after: number, through: number) {
  const counts = await lockCounts(tx, businessId, "wait");
  if (counts === undefined) throw new Error(`business ${businessId} has no counts`);
  const { placed, grown } = await addToParts(tx, businessId, counts, after, through);
  if (placed > 0) {
    const end = placeInSql(counts.ends[0]);
    await addEntriesToDays(tx, businessId, {
      are: fragment`e.entry_no > ${after} AND e.entry_no <= ${through} AND (e.created_at, e.entry_no) < ${end}`,
      known: fragment`(p.entry_no <= ${after} OR p.entry_no > ${through}) AND (p.created_at, p.entry_no) < ${end}`,
    });
  }
  for (const part of grown) await cutAgain(tx, businessId, counts, part);
  const most = through - counts.entries >= countAfterEntries ? null : 0;
  await extend(tx, businessId, counts, { placed, most });
}

/** Puts all entries that fill a block into blocks, in the caller's transaction, which holds the ledger's lock. */
export async function countAll(tx: Connection, businessId: number): Promise<void> {
  const counts = await lockCounts(tx, businessId, "wait");
  if (counts !== undefined) await extend(tx, businessId, counts, { placed: 0, most: null });
}

/**
 * Locks the counts of a ledger to the end of the transaction.
 * @param whenLocked what to do when another transaction has locked them
 * @returns undefined when they are locked, or there is no such business
 */
async function lockCounts(
  tx: Connection,
  businessId: number,
  whenLocked: "wait" | "skip",
): Promise<Counts | undefined> {
  const row = await firstRow(tx<
    { entries: number; at: string; no: number; groups_at: string; groups_no: number }[]
  >`
    SELECT counted_entries AS entries, blocks_end_at AS at, blocks_end_no AS no, groups_end_at AS groups_at,
      groups_end_no AS groups_no
    FROM ledger_count WHERE business_id = ${businessId} FOR UPDATE ${raw(whenLocked === "skip" ? "SKIP LOCKED" : "")}`);
  return row && { entries: row.entries, ends: [row, { at: row.groups_at, no: row.groups_no }] };
}

/**
 * Puts entries that are in no block into blocks, and blocks into groups if there are enough for another group. Saves the ends of
 * both.
 * @param placed how many entries this transaction has added to existing blocks
 * @param most the most entries to put into blocks; null: all
 * @returns how many entries were put into blocks
 */
async function extend(
  tx: Connection,
  businessId: number,
  { entries: before, ends: [blocksEnd, groupsEnd] }: Counts,
  { placed, most }: { readonly placed: number; readonly most: number | null },
): Promise<number> {
  const none = { entries: 0, end: blocksEnd };
  const added = most === 0 ? none : await cut(tx, businessId, block, { from: blocksEnd, until: null, most });
  if (added.entries > 0) {
    const [from, until] = [placeInSql(blocksEnd), placeInSql(added.end)];
    await addEntriesToDays(tx, businessId, {
      are: fragment`(e.created_at, e.entry_no) >= ${from} AND (e.created_at, e.entry_no) < ${until}`,
      known: fragment`(p.created_at, p.entry_no) < ${from}`,
    });
  }
  const entries = before + placed + added.entries;
  const entriesInGroup = sizes[block] * sizes[group];
  const isGroupDue = Math.floor(entries / entriesInGroup) > Math.floor(before / entriesInGroup);
  const blocks = { from: groupsEnd, until: null, most: null };
  const { end } = isGroupDue ? await cut(tx, businessId, group, blocks) : { end: groupsEnd };
  await tx`
    UPDATE ledger_count SET counted_entries = ${entries}, blocks_end_at = ${added.end.at},
      blocks_end_no = ${added.end.no}, groups_end_at = ${end.at}, groups_end_no = ${end.no}
    WHERE business_id = ${businessId}`;
  return added.entries;
}

const placeInSql = ({ at, no }: Place) => fragment`(${at}::timestamptz, ${no}::bigint)`;

/** A block or a group, by the place where it begins. */
interface Part extends Place {
  readonly level: Level;
}

/**
 * Adds the entries before the end of the blocks to the counts of their blocks and groups. An upsert finds each count by its key.
 * An update from a list might compare each row with each other row.
 * @returns the number of these entries, and the blocks and groups that grew too large
 */
async function addToParts(
  tx: Connection,
  businessId: number,
  { ends: [blocksEnd, groupsEnd] }: Counts,
  after: number,
  through: number,
): Promise<{ placed: number; grown: Part[] }> {
  const rows = await tx<(Part & { location_id: number; entries: number; placed: number })[]>`
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
    RETURNING level, from_at AS at, from_no AS no, location_id, entries, (SELECT count(*) FROM entry) AS placed`;
  const grown = rows.filter(({ level, location_id, entries }) => location_id < 0 && entries > largest[level]);
  return { placed: rows[0]?.placed ?? 0, grown };
}

/** Cuts a block or a group that grew too large into several. */
async function cutAgain(tx: Connection, businessId: number, { ends }: Counts, { level, ...from }: Part) {
  const next = await firstRow(tx<Place[]>`
    SELECT from_at AS at, from_no AS no FROM entry_count
    WHERE business_id = ${businessId} AND level = ${level}
      AND (from_at, from_no) > (${from.at}::timestamptz, ${from.no})
    ORDER BY from_at, from_no LIMIT 1`);
  await tx`
    DELETE FROM entry_count
    WHERE business_id = ${businessId} AND level = ${level} AND from_at = ${from.at} AND from_no = ${from.no}`;
  await cut(tx, businessId, level, { from, until: next ?? ends[level], most: null });
}

interface Range {
  readonly from: Place;
  /** Exclusive. Null: to the end of the ledger; the last block or group gets no counts then, because it may grow. */
  readonly until: Place | null;
  /** How many entries or blocks at most; null: all. */
  readonly most: number | null;
}

/**
 * Cuts a range of entries into blocks, or of blocks into groups. The range must have no counts at that level.
 * @returns the start of the last block or group of the range, and the number of entries before it
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
  const last = await firstRow(tx<{ nth: number; entries: number; at: string; no: number }[]>`
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
    SELECT nth, at, no, (
      SELECT coalesce(sum(entries), 0)::bigint FROM counted
      WHERE nth < start.nth AND location_id = ${allLocations}
    ) AS entries
    FROM start ORDER BY nth DESC LIMIT 1`);
  // The first part begins where the range begins, which precedes its first item: other items may come between them later.
  if (last === undefined || last.nth === 0) return { entries: 0, end: from };
  return { entries: last.entries, end: { at: last.at, no: last.no } };
}
