-- Up to which entry a ledger is counted in blocks (0003). A row of its own, which counting locks: postings lock the
-- ledger's, and so go on while entries before them are counted. Processes of the version before fail from here on: they
-- would count by a number that nobody keeps any more.
LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE;

CREATE TABLE ledger_count (
  business_id bigint PRIMARY KEY REFERENCES business,
  counted_through bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

INSERT INTO ledger_count (business_id, counted_through) SELECT business_id, counted_through FROM ledger;

ALTER TABLE ledger DROP COLUMN counted_through;
