-- A member whose personal data was erased keeps its row, which the ledger needs.
ALTER TABLE member ADD COLUMN erased_at timestamptz;

-- Finds the kept responses that hold personal data of a member. They are the responses of writes to members.
CREATE INDEX idempotency_key_of_member
  ON idempotency_key (business_id, (substring(answer FROM '"contact_id":(\d+)')::bigint))
  WHERE answer LIKE '%"first_name"%';
