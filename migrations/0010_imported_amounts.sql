-- The amounts of imported lines that have a reference. A later line with the same reference and another amount is
-- rejected. NULL for lines without a reference, and for lines that an earlier version imported: those are not compared.
ALTER TABLE imported_line
  -- Of a sale, or of a member's wallet.
  ADD COLUMN amount bigint,
  -- Of a member's points.
  ADD COLUMN points bigint;
