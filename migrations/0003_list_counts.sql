-- Counts that make every page and total of a list cost the same whatever its length.

-- The ledger in list order (created_at, entry_no), cut into blocks of about a thousand entries (level 0) and
-- groups of about 64 blocks (level 1). Each covers [from, until) and follows the one before without a gap; the
-- first begins at -infinity. Entries after ledger.counted_through are in no block yet: they are the newest.
CREATE TABLE ledger_block (
  business_id bigint NOT NULL,
  level smallint NOT NULL,
  from_at timestamptz NOT NULL,
  from_no bigint NOT NULL,
  until_at timestamptz NOT NULL,
  until_no bigint NOT NULL,
  entries integer NOT NULL,
  PRIMARY KEY (business_id, level, from_at, from_no)
);

-- How many entries of a block are at a location (0: at none; -1: all together) and of each event type, in the
-- order of the type event_type.
CREATE TABLE ledger_block_count (
  business_id bigint NOT NULL,
  level smallint NOT NULL,
  location_id bigint NOT NULL,
  from_at timestamptz NOT NULL,
  from_no bigint NOT NULL,
  entries integer NOT NULL,
  by_event_type integer[] NOT NULL,
  PRIMARY KEY (business_id, level, location_id, from_at, from_no)
);

ALTER TABLE ledger ADD COLUMN counted_through bigint NOT NULL DEFAULT 0;

-- Members by ranges of 1,024 member_ids: how many there are, and how many of them are active.
CREATE TABLE member_block (
  business_id bigint NOT NULL,
  block bigint NOT NULL,
  members integer NOT NULL,
  active_members integer NOT NULL,
  PRIMARY KEY (business_id, block)
) WITH (fillfactor = 50);

INSERT INTO member_block (business_id, block, members, active_members)
SELECT business_id, member_id / 1024, count(*), count(*) FILTER (WHERE active)
FROM member GROUP BY business_id, member_id / 1024;
