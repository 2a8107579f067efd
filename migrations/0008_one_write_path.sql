-- Every transaction that writes to a ledger locks the business's row in `ledger` and decides under that lock, so nothing
-- has to tell that the accounts have changed.
-- Processes of the version before read this column with each batch, and fail without it. Stop them first.
ALTER TABLE ledger DROP COLUMN version;
