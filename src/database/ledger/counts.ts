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
 * Entries that are put into blocks are also added to the totals of their days (day-totals.ts), and the sums that were recorded with them
 * are put together (sums.ts).
 *
 * Without groups, a page that sums several locations would read ten times as many counts at ten million entries. Larger blocks
 * would mean fewer counts, but also slower pages of a rare event type, because each row may be in another block.
 *
 * The entries of a member with more than `fewRows` of them are counted in the same way. They are all over the ledger, so a row of
 * the list may read a page of the table for each entry of its block, and the blocks are smaller. When entries of the ledger are
 * counted, one in 64 of them, picked by a hash, tells whether its member has entries that should be counted.
 */
import type { Connection, Share } from "../connection.ts";
import { fewRows, firstRow } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { addEntriesToDays, allMembers, everywhere } from "./day-totals.ts";
import { mergeParts } from "./sums.ts";

const block = 0;
const group = 1;
type Level = typeof block | typeof group;

/** How many entries of the ledger, and of a member, are in a new block. */
const entriesInBlock = { ledger: 1024, member: 256 } as const;
/** How many blocks are in a new group. */
const blocksInGroup = 64;
/** New entries of the ledger are counted when there are this many. */
export const countAfterEntries = 2 * entriesInBlock.ledger;
/** The most entries that are put into blocks in one transaction, of the ledger and of each member. */
const entriesAtOnce = 8 * entriesInBlock.ledger;
/** One in so many entries tells whether its member has entries that should be counted. */
const entriesPerLook = 64;

/** Whose entries are counted. */
interface Counted {
  readonly businessId: number;
  /** A member, or `allMembers`. */
  readonly contactId: number;
}

const blockSizeOf = ({ contactId }: Counted) =>
  contactId === allMembers ? entriesInBlock.ledger : entriesInBlock.member;

/** The condition that a row of `entry_count` or `ledger_count` is about these entries. */
export const countsOf = ({ businessId, contactId }: Counted) =>
  fragment`business_id = ${businessId} AND contact_id = ${contactId}`;

/** The condition that a row of `ledger_entry` is one of these entries. */
export const entriesOf = (counted: Counted): Fragment =>
  counted.contactId === allMembers ? fragment`business_id = ${counted.businessId}` : countsOf(counted);

/** The `location_id` of the counts of all locations together. Entries without a location count as at location 0. */
export const allLocations = raw(String(everywhere));

/** A place in list order: an entry's created_at and entry_no. */
interface Place {
  readonly at: string;
  readonly no: number;
}

interface Counts extends Counted {
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
      return counts === undefined ? 0 : extendLedger(tx, counts, { placed: 0, most: entriesAtOnce });
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
  const recorded = fragment`e.entry_no > ${after} AND e.entry_no <= ${through}`;
  const { placed, grown } = await addToParts(tx, businessId, recorded);
  if (placed.has(allMembers)) {
    const end = placeInSql(counts.ends[0]);
    await addEntriesToDays(tx, businessId, fragment`${recorded} AND (e.created_at, e.entry_no) < ${end}`);
  }
  for (const part of grown) await cutAgain(tx, part);
  const most = through - counts.entries >= countAfterEntries ? null : 0;
  await extendLedger(tx, counts, { placed: placed.get(allMembers) ?? 0, most });
  await extendMembers(tx, businessId, recorded, { placed, most: null });
}

/** Puts all entries that fill a block into blocks, in the caller's transaction, which holds the ledger's lock. */
export async function countAll(tx: Connection, businessId: number): Promise<void> {
  const counts = await lockCounts(tx, businessId, "wait");
  if (counts !== undefined) await extendLedger(tx, counts, { placed: 0, most: null });
}

interface CountsRow {
  readonly contact_id: number;
  readonly entries: number;
  readonly at: string;
  readonly no: number;
  readonly groups_at: string;
  readonly groups_no: number;
}

const countsColumns = raw(`contact_id, counted_entries AS entries, blocks_end_at AS at, blocks_end_no AS no,
  groups_end_at AS groups_at, groups_end_no AS groups_no`);

const countsIn = (businessId: number, row: CountsRow): Counts => ({
  businessId,
  contactId: row.contact_id,
  entries: row.entries,
  ends: [row, { at: row.groups_at, no: row.groups_no }],
});

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
  const row = await firstRow(tx<CountsRow[]>`
    SELECT ${countsColumns} FROM ledger_count WHERE ${countsOf({ businessId, contactId: allMembers })}
    FOR UPDATE ${raw(whenLocked === "skip" ? "SKIP LOCKED" : "")}`);
  return row && countsIn(businessId, row);
}

/** Which entries are put into blocks. */
interface Extension {
  /** How many entries this transaction has added to existing blocks. */
  readonly placed: number;
  /** The most entries to put into blocks; null: all. */
  readonly most: number | null;
}

/** Puts entries of the ledger into blocks, and then those of their members. @returns how many of the ledger were put into blocks */
async function extendLedger(tx: Connection, counts: Counts, extension: Extension): Promise<number> {
  const { businessId, ends } = counts;
  const added = await extend(tx, counts, extension);
  if (added.entries === 0) return 0;
  const [from, until] = [placeInSql(ends[0]), placeInSql(added.end)];
  const are = fragment`(e.created_at, e.entry_no) >= ${from} AND (e.created_at, e.entry_no) < ${until}`;
  await addEntriesToDays(tx, businessId, are);
  await mergeParts(tx, businessId, ends[0].no, added.end.no);
  await extendMembers(tx, businessId, are, { placed: new Map(), most: extension.most });
  return added.entries;
}

/**
 * Puts entries of members into blocks, if they have enough. The caller holds the lock of the ledger's counts.
 * @param are a condition on entries `e`, of whose members some are looked at
 * @param placed how many entries of each member this transaction has added to existing blocks
 * @param most the most entries of each member to put into blocks; null: all
 */
async function extendMembers(
  tx: Connection,
  businessId: number,
  are: Fragment,
  { placed, most }: { readonly placed: ReadonlyMap<number, number>; readonly most: number | null },
): Promise<void> {
  const rows = await tx<(CountsRow & { readonly is_due: boolean })[]>`
    WITH seen AS MATERIALIZED (
      SELECT e.contact_id FROM ledger_entry e
      WHERE e.business_id = ${businessId} AND ${are} AND hashint8(e.entry_no) % ${raw(String(entriesPerLook))} = 0
      UNION
      SELECT unnest(${[...placed.keys()]}::bigint[])
    ), look AS MATERIALIZED (
      SELECT seen.contact_id, stored.entries, c.counted_entries
      FROM seen CROSS JOIN LATERAL (
        SELECT coalesce(sum(entries), 0) AS entries FROM account
        WHERE business_id = ${businessId} AND contact_id = seen.contact_id OFFSET 0
      ) AS stored
      LEFT JOIN LATERAL (
        SELECT counted_entries FROM ledger_count WHERE business_id = ${businessId} AND contact_id = seen.contact_id OFFSET 0
      ) AS c ON true
      WHERE seen.contact_id <> ${allMembers}
    ), made AS (
      INSERT INTO ledger_count (business_id, contact_id)
      SELECT l.business_id, look.contact_id FROM ledger l, look
      WHERE l.business_id = ${businessId} AND look.counted_entries IS NULL AND look.entries > ${fewRows}
      RETURNING *
    )
    SELECT ${countsColumns}, true AS is_due FROM made
    UNION ALL
    SELECT known.*, look.entries - look.counted_entries >= ${2 * entriesInBlock.member} FROM look CROSS JOIN LATERAL (
      SELECT ${countsColumns} FROM ledger_count WHERE business_id = ${businessId} AND contact_id = look.contact_id OFFSET 0
    ) AS known`;
  for (const { is_due, ...row } of rows) {
    const added = placed.get(row.contact_id) ?? 0;
    if (is_due || added > 0)
      await extend(tx, countsIn(businessId, row), { placed: added, most: is_due ? most : 0 });
  }
}

/**
 * Puts entries that are in no block into blocks, and blocks into groups if there are enough for another group. Saves the ends of
 * both.
 * @returns how many entries were put into blocks, and where the blocks end
 */
async function extend(tx: Connection, counts: Counts, { placed, most }: Extension): Promise<Cut> {
  const {
    entries: before,
    ends: [blocksEnd, groupsEnd],
  } = counts;
  const none = { entries: 0, end: blocksEnd };
  const added = most === 0 ? none : await cut(tx, counts, block, { from: blocksEnd, until: null, most });
  const entries = before + placed + added.entries;
  const entriesInGroup = blockSizeOf(counts) * blocksInGroup;
  const isGroupDue = Math.floor(entries / entriesInGroup) > Math.floor(before / entriesInGroup);
  const blocks = { from: groupsEnd, until: null, most: null };
  const { end } = isGroupDue ? await cut(tx, counts, group, blocks) : { end: groupsEnd };
  await tx`
    UPDATE ledger_count SET counted_entries = ${entries}, blocks_end_at = ${added.end.at},
      blocks_end_no = ${added.end.no}, groups_end_at = ${end.at}, groups_end_no = ${end.no}
    WHERE ${countsOf(counts)}`;
  return added;
}

const placeInSql = ({ at, no }: Place) => fragment`(${at}::timestamptz, ${no}::bigint)`;

/** A block or a group, by the place where it begins. */
interface Part extends Place, Counted {
  readonly level: Level;
}

/**
 * Adds entries before the end of the blocks to the counts of their blocks and groups. An upsert finds each count by its key.
 * An update from a list might compare each row with each other row.
 * @param are a condition on entries `e`
 * @returns the number of these entries by member, and the blocks and groups that grew too large
 */
async function addToParts(tx: Connection, businessId: number, are: Fragment) {
  type Row = Place & { readonly contact_id: number; readonly level: Level | null; readonly entries: number };
  const rows = await tx<Row[]>`
    WITH entry AS MATERIALIZED (
      SELECT k.contact_id, e.created_at, e.entry_no, coalesce(e.location_id, 0) AS location_id, e.event_type,
        (e.created_at, e.entry_no) < (k.groups_end_at, k.groups_end_no) AS is_in_group
      FROM ledger_entry e CROSS JOIN LATERAL (
        SELECT * FROM ledger_count
        WHERE business_id = ${businessId} AND contact_id = ANY (ARRAY[${allMembers}, e.contact_id]) OFFSET 0
      ) AS k
      WHERE e.business_id = ${businessId} AND ${are} AND (e.created_at, e.entry_no) < (k.blocks_end_at, k.blocks_end_no)
    ), placed AS (
      SELECT entry.contact_id, part.*, location_id, event_type
      FROM entry CROSS JOIN (VALUES (${block}::smallint), (${group}::smallint)) AS each (level)
      CROSS JOIN LATERAL (
        SELECT level, from_at, from_no FROM entry_count c
        WHERE c.business_id = ${businessId} AND c.contact_id = entry.contact_id AND c.level = each.level
          AND (c.from_at, c.from_no) <= (entry.created_at, entry.entry_no)
        ORDER BY c.from_at DESC, c.from_no DESC LIMIT 1
      ) AS part
      WHERE part.level = ${block} OR is_in_group
    ), known AS (
      INSERT INTO entry_count AS known (business_id, contact_id, level, from_at, from_no, location_id, event_type, entries)
      SELECT l.business_id, p.*
      FROM ledger l, (
        SELECT contact_id, level, from_at, from_no, coalesce(location_id, ${allLocations}), event_type, count(*)::integer
        FROM placed
        GROUP BY contact_id, level, from_at, from_no, event_type, GROUPING SETS ((location_id), ())
      ) AS p
      WHERE l.business_id = ${businessId}
      ON CONFLICT (business_id, contact_id, level, from_at, from_no, location_id, event_type)
        DO UPDATE SET entries = known.entries + excluded.entries
      RETURNING *
    )
    SELECT contact_id, level, from_at AS at, from_no AS no, max(entries) AS entries FROM known
    WHERE location_id = ${allLocations} GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT contact_id, NULL, NULL, NULL, count(*) FROM entry GROUP BY 1`;
  const counts = rows.filter(({ level }) => level === null);
  const grown = rows.flatMap(({ contact_id: contactId, level, entries, at, no }): Part[] => {
    if (level === null) return [];
    const largest = 2 * blockSizeOf({ businessId, contactId }) * (level === block ? 1 : blocksInGroup);
    return entries > largest ? [{ businessId, contactId, level, at, no }] : [];
  });
  return { placed: new Map(counts.map(({ contact_id, entries }) => [contact_id, entries])), grown };
}

/** Cuts a block or a group with very many entries of one event type again. Imported entries make them grow. */
async function cutAgain(tx: Connection, { level, at, no, ...counted }: Part) {
  const ends = raw(
    level === block ? "blocks_end_at AS at, blocks_end_no AS no" : "groups_end_at, groups_end_no",
  );
  const until = await firstRow(tx<Place[]>`
    (SELECT from_at AS at, from_no AS no FROM entry_count
      WHERE ${countsOf(counted)} AND level = ${level} AND (from_at, from_no) > (${at}::timestamptz, ${no})
      ORDER BY from_at, from_no LIMIT 1)
    UNION ALL SELECT ${ends} FROM ledger_count WHERE ${countsOf(counted)} ORDER BY at, no LIMIT 1`);
  await tx`
    DELETE FROM entry_count
    WHERE ${countsOf(counted)} AND level = ${level} AND from_at = ${at} AND from_no = ${no}`;
  await cut(tx, counted, level, { from: { at, no }, until: until as Place, most: null });
}

interface Cut {
  readonly entries: number;
  readonly end: Place;
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
  counted: Counted,
  level: Level,
  { from, until, most }: Range,
): Promise<Cut> {
  const { businessId, contactId } = counted;
  const size = level === block ? blockSizeOf(counted) : blocksInGroup;
  const within = (place: string) => fragment`(${raw(place)}) >= (${from.at}::timestamptz, ${from.no})
    ${until ? fragment`AND (${raw(place)}) < (${until.at}::timestamptz, ${until.no})` : fragment``}`;
  const items =
    level === block
      ? fragment`SELECT created_at AS at, entry_no AS no, coalesce(location_id, 0) AS location_id, event_type, 1 AS entries
          FROM ledger_entry WHERE ${entriesOf(counted)} AND ${within("created_at, entry_no")}
          ORDER BY created_at, entry_no LIMIT ${most === null ? null : most + 1}::bigint`
      : fragment`SELECT from_at AS at, from_no AS no, location_id, event_type, entries
          FROM entry_count WHERE ${countsOf(counted)} AND level = ${block} AND location_id <> ${allLocations}
            AND ${within("from_at, from_no")}`;
  const last = await firstRow(tx<{ nth: number; entries: number; at: string; no: number }[]>`
    WITH item AS MATERIALIZED (
      SELECT *, (dense_rank() OVER (ORDER BY at, no) - 1) / ${raw(String(size))} AS nth FROM (${items}) AS found
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
      INSERT INTO entry_count (business_id, contact_id, level, from_at, from_no, location_id, event_type, entries)
      SELECT l.business_id, ${contactId}, ${level}, from_at, from_no, location_id, event_type, entries
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
