/**
 * The counts behind the transaction list. The ledger in list order is cut into blocks, and the blocks into
 * groups (migrations/0003): a total is a sum over groups, and a page is found by walking groups, then blocks.
 */
import { eventTypeNames } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

/** A place in list order: an entry's created_at and entry_no. */
interface Place {
  readonly at: string;
  readonly no: number;
}

/** From one place up to another, without it; without end if `until` is undefined. */
interface Range {
  readonly from: Place;
  readonly until: Place | undefined;
}

export const entriesInBlock = 1024;
const blocksInGroup = 64;
/** A block that grew beyond this, because history was imported into it, is cut again. */
const largestBlock = 4 * entriesInBlock;
/** A last block with fewer entries is taken up again, so that small imports don't leave small blocks. */
const smallestBlock = entriesInBlock / 2;

const beginning: Place = { at: "-infinity", no: 0 };
/** An array as `by_event_type` is one. @param count says how many there are of the type at a place, from 1 on */
const byEventType = (count: (name: string, place: number) => string) =>
  raw(`ARRAY[${eventTypeNames.map((name, index) => count(name, index + 1)).join(", ")}]::integer[]`);
const countedByEventType = byEventType((name) => `count(*) FILTER (WHERE event_type = '${name}')`);
// Counts from before an event type was added are shorter.
const summedByEventType = byEventType((_, place) => `coalesce(sum(by_event_type[${place}]), 0)`);
const addedByEventType = byEventType(
  (_, place) => `coalesce(known.by_event_type[${place}], 0) + excluded.by_event_type[${place}]`,
);

/** Adds entries to the blocks, those after `counted` and up to `through`. The caller has locked the counts. */
export async function addEntries(
  tx: Connection,
  businessId: number,
  counted: number,
  through: number,
): Promise<void> {
  const last = await findLastBlock(tx, businessId);
  const grown = last === undefined ? [] : await addToBlocks(tx, businessId, last.until, counted, through);
  const append: Range = {
    from: last === undefined ? beginning : last.entries < smallestBlock ? last.from : last.until,
    until: undefined,
  };
  for (const range of [...grown, append]) await cut(tx, businessId, range, through);
}

/** Cuts the whole ledger anew, up to an entry. The caller has locked the counts. */
export async function cutAnew(tx: Connection, businessId: number, through: number): Promise<void> {
  await cut(tx, businessId, { from: beginning, until: undefined }, through);
}

/** Cuts a range into blocks anew, and the groups that it touches. */
async function cut(tx: Connection, businessId: number, range: Range, through: number): Promise<void> {
  const [, groups] = await Promise.all([
    cutBlocks(tx, businessId, range, through),
    groupsTouching(tx, businessId, range),
  ]);
  await cutGroups(tx, businessId, groups);
}

interface BlockRow {
  readonly from_at: string;
  readonly from_no: number;
  readonly until_at: string;
  readonly until_no: number;
  readonly entries: number;
}

interface Block extends Range {
  readonly until: Place;
  readonly entries: number;
}

const blockOf = (row: BlockRow): Block => ({
  from: { at: row.from_at, no: row.from_no },
  until: { at: row.until_at, no: row.until_no },
  entries: row.entries,
});

async function findLastBlock(tx: Connection, businessId: number): Promise<Block | undefined> {
  const [row] = await tx<BlockRow[]>`
    SELECT from_at, from_no, until_at, until_no, entries FROM ledger_block
    WHERE business_id = ${businessId} AND level = 0
    ORDER BY from_at DESC, from_no DESC LIMIT 1`;
  return row && blockOf(row);
}

/**
 * Adds uncounted entries that lie before `end`, which are imported history, to the blocks and groups that they fall
 * into. The blocks exist. An upsert finds each by its key, where an update from a list may compare each with each.
 * @returns the blocks that grew too large
 */
async function addToBlocks(
  tx: Connection,
  businessId: number,
  end: Place,
  counted: number,
  through: number,
): Promise<Block[]> {
  const rows = await tx<(BlockRow & { readonly level: number })[]>`
    WITH entry AS MATERIALIZED (
      SELECT created_at, entry_no, coalesce(location_id, 0) AS location_id, event_type
      FROM ledger_entry
      WHERE business_id = ${businessId} AND entry_no > ${counted} AND entry_no <= ${through}
        AND (created_at, entry_no) < (${end.at}::timestamptz, ${end.no})
    ), placed AS (
      SELECT block.*, entry.location_id, entry.event_type
      FROM entry CROSS JOIN (VALUES (0::smallint), (1::smallint)) AS levels (level)
      CROSS JOIN LATERAL (
        SELECT level, from_at, from_no, until_at, until_no FROM ledger_block b
        WHERE b.business_id = ${businessId} AND b.level = levels.level
          AND (b.from_at, b.from_no) <= (entry.created_at, entry.entry_no)
        ORDER BY b.from_at DESC, b.from_no DESC LIMIT 1
      ) AS block
    ), counted AS (
      SELECT level, from_at, from_no, until_at, until_no, coalesce(location_id, -1) AS location_id,
        count(*)::integer AS entries, ${countedByEventType} AS by_event_type
      FROM placed
      GROUP BY GROUPING SETS ((level, from_at, from_no, until_at, until_no, location_id),
        (level, from_at, from_no, until_at, until_no))
    ), added AS (
      INSERT INTO ledger_block_count AS known
        (business_id, level, location_id, from_at, from_no, entries, by_event_type)
      SELECT l.business_id, c.level, c.location_id, c.from_at, c.from_no, c.entries, c.by_event_type
      FROM ledger l, counted c WHERE l.business_id = ${businessId}
      ON CONFLICT (business_id, level, location_id, from_at, from_no) DO UPDATE SET
        entries = known.entries + excluded.entries, by_event_type = ${addedByEventType}
    )
    INSERT INTO ledger_block AS known (business_id, level, from_at, from_no, until_at, until_no, entries)
    SELECT l.business_id, c.level, c.from_at, c.from_no, c.until_at, c.until_no, c.entries
    FROM ledger l, counted c WHERE l.business_id = ${businessId} AND c.location_id = -1
    ON CONFLICT (business_id, level, from_at, from_no) DO UPDATE SET entries = known.entries + excluded.entries
    RETURNING level, from_at, from_no, until_at, until_no, entries`;
  return rows.filter((row) => row.level === 0 && row.entries > largestBlock).map(blockOf);
}

/** Cuts the counted entries of a range into blocks anew, dropping the blocks that were there. */
function cutBlocks(
  tx: Connection,
  businessId: number,
  { from, until }: Range,
  through: number,
): Promise<unknown> {
  const dropped = dropBlocks(tx, businessId, 0, { from, until });
  const made = tx`
    WITH entry AS MATERIALIZED (
      SELECT created_at, entry_no, coalesce(location_id, 0) AS location_id, event_type,
        (row_number() OVER (ORDER BY created_at, entry_no) - 1) / ${entriesInBlock} AS nth
      FROM ledger_entry
      WHERE business_id = ${businessId} AND entry_no <= ${through}
        AND (created_at, entry_no) >= (${from.at}::timestamptz, ${from.no})
        ${until === undefined ? fragment`` : fragment`AND (created_at, entry_no) < (${until.at}::timestamptz, ${until.no})`}
    ), last AS (
      SELECT DISTINCT ON (nth) nth, created_at, entry_no FROM entry
      ORDER BY nth, created_at DESC, entry_no DESC
    ), block AS MATERIALIZED (
      SELECT nth,
        lag(created_at, 1, ${from.at}::timestamptz) OVER (ORDER BY nth) AS from_at,
        coalesce(lag(entry_no) OVER (ORDER BY nth) + 1, ${from.no}) AS from_no,
        CASE WHEN nth = max(nth) OVER () THEN coalesce(${until?.at ?? null}::timestamptz, created_at)
          ELSE created_at END AS until_at,
        CASE WHEN nth = max(nth) OVER () THEN coalesce(${until?.no ?? null}::bigint, entry_no + 1)
          ELSE entry_no + 1 END AS until_no
      FROM last
    ), counted AS MATERIALIZED (
      SELECT nth, coalesce(location_id, -1) AS location_id, count(*)::integer AS entries,
        ${countedByEventType} AS by_event_type
      FROM entry GROUP BY GROUPING SETS ((nth, location_id), (nth))
    ), made AS (
      INSERT INTO ledger_block (business_id, level, from_at, from_no, until_at, until_no, entries)
      SELECT l.business_id, 0, b.from_at, b.from_no, b.until_at, b.until_no, c.entries
      FROM ledger l, block b JOIN counted c USING (nth)
      WHERE l.business_id = ${businessId} AND c.location_id = -1
    )
    INSERT INTO ledger_block_count (business_id, level, location_id, from_at, from_no, entries, by_event_type)
    SELECT l.business_id, 0, c.location_id, b.from_at, b.from_no, c.entries, c.by_event_type
    FROM ledger l, block b JOIN counted c USING (nth)
    WHERE l.business_id = ${businessId}`;
  return Promise.all([dropped, made]);
}

/**
 * A recursive table expression `place`: the locations of the counts of blocks, found one after the other in the index,
 * and a last row of null. With the locations, the counts of a range are look-ups by the full key.
 */
export const countedLocations = (businessId: number) => fragment`place AS (
    (SELECT location_id FROM ledger_block_count WHERE business_id = ${businessId} AND level = 0
      ORDER BY location_id LIMIT 1)
    UNION ALL
    SELECT (SELECT location_id FROM ledger_block_count
      WHERE business_id = ${businessId} AND level = 0 AND location_id > place.location_id
      ORDER BY location_id LIMIT 1)
    FROM place WHERE place.location_id IS NOT NULL
  )`;

/** Cuts the blocks of a range, of whole groups, into groups anew. */
function cutGroups(tx: Connection, businessId: number, range: Range): Promise<unknown> {
  const dropped = dropBlocks(tx, businessId, 1, range);
  const made = tx`
    WITH RECURSIVE ${countedLocations(businessId)}, block AS (
      SELECT from_at, from_no, until_at, until_no, entries,
        (row_number() OVER (ORDER BY from_at, from_no) - 1) / ${blocksInGroup} AS nth
      FROM ledger_block WHERE ${blocksIn(businessId, 0, range)}
    ), ledger_group AS MATERIALIZED (
      SELECT DISTINCT ON (nth) from_at, from_no, last_value(until_at) OVER whole AS until_at,
        last_value(until_no) OVER whole AS until_no, sum(entries) OVER whole AS entries
      FROM block
      WINDOW whole AS (PARTITION BY nth ORDER BY from_at, from_no
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      ORDER BY nth, from_at, from_no
    ), made AS (
      INSERT INTO ledger_block (business_id, level, from_at, from_no, until_at, until_no, entries)
      SELECT l.business_id, 1, g.from_at, g.from_no, g.until_at, g.until_no, g.entries
      FROM ledger l, ledger_group g WHERE l.business_id = ${businessId}
    )
    INSERT INTO ledger_block_count (business_id, level, location_id, from_at, from_no, entries, by_event_type)
    SELECT l.business_id, 1, place.location_id, g.from_at, g.from_no, summed.entries, summed.by_event_type
    FROM ledger l, ledger_group g, place, LATERAL (
      SELECT sum(entries) AS entries, ${summedByEventType} AS by_event_type FROM ledger_block_count c
      WHERE c.business_id = ${businessId} AND c.level = 0 AND c.location_id = place.location_id
        AND (c.from_at, c.from_no) >= (g.from_at, g.from_no) AND (c.from_at, c.from_no) < (g.until_at, g.until_no)
    ) AS summed
    WHERE l.business_id = ${businessId} AND summed.entries IS NOT NULL`;
  return Promise.all([dropped, made]);
}

/** Widens a range to whole groups, so that cutting them leaves no gap. */
async function groupsTouching(tx: Connection, businessId: number, { from, until }: Range): Promise<Range> {
  const [first] = await tx<BlockRow[]>`
    SELECT from_at, from_no FROM ledger_block
    WHERE business_id = ${businessId} AND level = 1
      AND (from_at, from_no) <= (${from.at}::timestamptz, ${from.no})
    ORDER BY from_at DESC, from_no DESC LIMIT 1`;
  const start = first === undefined ? beginning : { at: first.from_at, no: first.from_no };
  if (until === undefined) return { from: start, until };
  const [last] = await tx<BlockRow[]>`
    SELECT until_at, until_no FROM ledger_block
    WHERE business_id = ${businessId} AND level = 1
      AND (from_at, from_no) < (${until.at}::timestamptz, ${until.no})
    ORDER BY from_at DESC, from_no DESC LIMIT 1`;
  return { from: start, until: last && { at: last.until_at, no: last.until_no } };
}

function dropBlocks(tx: Connection, businessId: number, level: 0 | 1, range: Range): Promise<unknown> {
  return Promise.all([
    tx`DELETE FROM ledger_block_count WHERE ${blocksIn(businessId, level, range)}`,
    tx`DELETE FROM ledger_block WHERE ${blocksIn(businessId, level, range)}`,
  ]);
}

/** The condition on the blocks of a range, and on their counts. */
function blocksIn(businessId: number, level: 0 | 1, { from, until }: Range): Fragment {
  return fragment`business_id = ${businessId} AND level = ${raw(String(level))}
    AND (from_at, from_no) >= (${from.at}::timestamptz, ${from.no})
    ${until === undefined ? fragment`` : fragment`AND (from_at, from_no) < (${until.at}::timestamptz, ${until.no})`}`;
}
