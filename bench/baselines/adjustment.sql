\set contact_id random(1, :members)
\set location_id random(1, 20)
\set amount random(1, 100000)
\set key random(1, 9007199254740991)
BEGIN;
INSERT INTO idempotency_key (integration_id, idempotency_key, fingerprint, status, response)
  VALUES (1, 'receipt-' || :key, '\x5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03', 0, '')
  ON CONFLICT DO NOTHING;
UPDATE account SET balance = balance + :amount
  WHERE contact_id = :contact_id AND account = 'wallet' AND active RETURNING balance \gset
INSERT INTO ledger_entry (contact_id, account, event_type, amount, balance_after, location_id, integration_id, reason)
  VALUES (:contact_id, 'wallet', 'wallet_adjustment', :amount, :balance, :location_id, 1,
    'Goodwill after a late delivery');
UPDATE idempotency_key SET status = 200, response = '{"success": true,"message":"Wallet adjusted.","data":{"contact_id":'
    || :contact_id || ',"amount":' || :amount || ',"adjustment_type":"credit","balance_after":' || :balance
    || '},"meta":{}}'
  WHERE integration_id = 1 AND idempotency_key = 'receipt-' || :key;
COMMIT;
