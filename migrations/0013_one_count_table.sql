-- One table has the counts of blocks and of groups (0003), with a row for each location and event type. Where a block
-- ends is where the next one begins. Processes of the version before fail from here on: the tables that they count in
-- are gone.
LOCK TABLE ledger_count IN ACCESS EXCLUSIVE MODE;

CREATE TABLE entry_count (
  business_id bigint NOT NULL,
  -- 0: a block; 1: a group of blocks.
  level smallint NOT NULL,
  -- The first place in list order (created_at, entry_no) that the block or group covers.
  from_at timestamptz NOT NULL,
  from_no bigint NOT NULL,
  -- 0: entries at no location; -1: entries of all locations together.
  location_id bigint NOT NULL,
  event_type event_type NOT NULL,
  entries integer NOT NULL,
  PRIMARY KEY (business_id, level, from_at, from_no, location_id, event_type)
);

INSERT INTO entry_count (business_id, level, from_at, from_no, location_id, event_type, entries)
SELECT business_id, level, from_at, from_no, location_id, event_type, counted.entries
FROM ledger_block_count,
  unnest(enum_range(NULL::event_type), by_event_type) AS counted (event_type, entries)
WHERE counted.entries <> 0;

CREATE INDEX entry_count_of_location ON entry_count
  (business_id, level, location_id, event_type, from_at, from_no) INCLUDE (entries);

-- Entries from the end of the blocks on are in no block, and blocks from the end of the groups on in no group.
ALTER TABLE ledger_count RENAME COLUMN counted_through TO counted_entries;
ALTER TABLE ledger_count
  ADD COLUMN blocks_end_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN blocks_end_no bigint NOT NULL DEFAULT 0,
  ADD COLUMN groups_end_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN groups_end_no bigint NOT NULL DEFAULT 0;

UPDATE ledger_count k SET blocks_end_at = b.until_at, blocks_end_no = b.until_no
FROM (
  SELECT DISTINCT ON (business_id) business_id, until_at, until_no FROM ledger_block WHERE level = 0
  ORDER BY business_id, from_at DESC, from_no DESC
) AS b
WHERE k.business_id = b.business_id;

UPDATE ledger_count k SET groups_end_at = b.until_at, groups_end_no = b.until_no
FROM (
  SELECT DISTINCT ON (business_id) business_id, until_at, until_no FROM ledger_block WHERE level = 1
  ORDER BY business_id, from_at DESC, from_no DESC
) AS b
WHERE k.business_id = b.business_id;

DROP TABLE ledger_block, ledger_block_count;
