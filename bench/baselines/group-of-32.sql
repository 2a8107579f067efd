-- The work of 32 adjustments, each with its key, entry and balance, in one transaction.
\set first random(1, :members)
\set amount random(1, 100000)
BEGIN;
WITH wanted AS MATERIALIZED (
  SELECT (:first + nth * 7919) % :members + 1 AS contact_id, 1 + nth % 20 AS location_id, gen_random_uuid()::text AS key
  FROM generate_series(1, 32) AS nth
), moved AS (
  UPDATE account a SET balance = balance + :amount FROM wanted
  WHERE a.contact_id = wanted.contact_id AND account = 'wallet' AND active RETURNING a.contact_id, balance, location_id, key
), kept AS (
  INSERT INTO idempotency_key (integration_id, idempotency_key, fingerprint, status, response)
  SELECT 1, 'receipt-' || key, '\x5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03', 200,
    '{"success": true,"message":"Wallet adjusted.","data":{"contact_id":' || contact_id || ',"amount":' || :amount
      || ',"adjustment_type":"credit","balance_after":' || balance || '},"meta":{}}'
  FROM moved
)
INSERT INTO ledger_entry (contact_id, account, event_type, amount, balance_after, location_id, integration_id, reason)
SELECT contact_id, 'wallet', 'wallet_adjustment', :amount, balance, location_id, 1, 'Goodwill after a late delivery'
FROM moved;
COMMIT;
