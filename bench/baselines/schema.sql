-- What a team would write by hand for the same work: one business, the same columns, the same indexes.

CREATE TABLE account (
  contact_id bigint NOT NULL,
  account text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  balance bigint NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
  PRIMARY KEY (contact_id, account)
) WITH (fillfactor = 80);

CREATE TABLE ledger_entry (
  entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contact_id bigint NOT NULL,
  account text NOT NULL,
  event_type text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  balance_after bigint NOT NULL,
  location_id bigint,
  integration_id bigint,
  reason text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ledger_entry_newest_first ON ledger_entry (created_at, entry_id);
CREATE INDEX ledger_entry_of_contact ON ledger_entry (contact_id, created_at, entry_id);

CREATE TABLE idempotency_key (
  integration_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  fingerprint bytea NOT NULL,
  status smallint NOT NULL,
  response text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (integration_id, idempotency_key)
);
CREATE INDEX idempotency_key_oldest_first ON idempotency_key (created_at);
