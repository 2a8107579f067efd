-- Tells whether anybody wrote since: drawn anew, at random, by whoever changes a business's accounts. A process
-- decides postings on balances that it remembers, and records them only if the version is still the one that it knows.
ALTER TABLE ledger ADD COLUMN version bigint NOT NULL DEFAULT 0;
