-- The loyalty engine: rules by which sales earn points, the sales themselves, and the points of each sale by their dates.

-- A sandbox business has a clock of its own, which stands still until it is advanced. NULL: the real time. It lies beside
-- the last entry, so that the ledger's lock guards it: who waited for the lock reads it as it is now.
ALTER TABLE ledger ADD COLUMN clock_at timestamptz;

-- What operators set beyond the contract. The defaults earn nothing.
ALTER TABLE reward_program
  ADD COLUMN earn_points integer NOT NULL DEFAULT 0 CHECK (earn_points BETWEEN 0 AND 1000),
  ADD COLUMN earn_amount bigint NOT NULL DEFAULT 100 CHECK (earn_amount BETWEEN 1 AND 1000000000),
  ADD COLUMN earn_minimum_amount bigint NOT NULL DEFAULT 0
    CHECK (earn_minimum_amount BETWEEN 0 AND 1000000000000);

ALTER TABLE reward_settings
  ADD COLUMN rules_version integer NOT NULL DEFAULT 1,
  ADD COLUMN default_program_id bigint,
  ADD COLUMN earn_on text NOT NULL DEFAULT 'paid' CHECK (earn_on IN ('paid', 'total')),
  ADD COLUMN value_points integer NOT NULL DEFAULT 1 CHECK (value_points BETWEEN 1 AND 1000000),
  ADD COLUMN value_amount bigint NOT NULL DEFAULT 0 CHECK (value_amount BETWEEN 0 AND 1000000000),
  ADD COLUMN redeem_minimum_points bigint NOT NULL DEFAULT 0
    CHECK (redeem_minimum_points BETWEEN 0 AND 1000000000),
  ADD COLUMN points_validity integer CHECK (points_validity BETWEEN 1 AND 1200),
  ADD COLUMN points_validity_period text CHECK (points_validity_period IN ('day', 'week', 'month', 'year')),
  ADD COLUMN points_expiry_rounding text NOT NULL DEFAULT 'month_end'
    CHECK (points_expiry_rounding IN ('day', 'month_end')),
  ADD COLUMN pending_days integer NOT NULL DEFAULT 0 CHECK (pending_days BETWEEN 0 AND 365),
  ADD COLUMN clawback_shortfall text NOT NULL DEFAULT 'owe' CHECK (clawback_shortfall IN ('owe', 'forgive')),
  ADD COLUMN restored_points_valid_days integer NOT NULL DEFAULT 30
    CHECK (restored_points_valid_days BETWEEN 0 AND 365),
  ADD CHECK ((points_validity IS NULL) = (points_validity_period IS NULL)),
  ADD FOREIGN KEY (business_id, default_program_id) REFERENCES reward_program;

-- Every version of a business's rules, as the engine reads them. A row never changes.
CREATE TABLE reward_rules (
  business_id bigint NOT NULL REFERENCES business,
  version integer NOT NULL,
  valid_from date NOT NULL,
  rules jsonb NOT NULL,
  PRIMARY KEY (business_id, valid_from, version)
);

INSERT INTO reward_rules (business_id, version, valid_from, rules)
SELECT business_id, rules_version, '0001-01-01', jsonb_build_object('version', rules_version,
  'enable_rp', enable_rp, 'rp_name', rp_name, 'program', NULL, 'earn_on', earn_on, 'value_points', value_points,
  'value_amount', value_amount, 'redeem_minimum_points', redeem_minimum_points, 'points_validity', points_validity,
  'points_validity_period', points_validity_period, 'points_expiry_rounding', points_expiry_rounding,
  'pending_days', pending_days, 'clawback_shortfall', clawback_shortfall,
  'restored_points_valid_days', restored_points_valid_days)
FROM reward_settings;

-- The rows below are written with the accounts of their member, under the ledger's lock; the verification holds them
-- against the ledger. Foreign keys to the member would cost a twentieth of a sale.
CREATE TABLE sale (
  business_id bigint NOT NULL,
  -- The number of its first ledger entry.
  sale_id bigint NOT NULL,
  contact_id bigint NOT NULL,
  location_id bigint NOT NULL,
  reference_id text NOT NULL,
  sold_on date NOT NULL,
  created_at timestamptz NOT NULL,
  amount bigint NOT NULL,
  eligible_amount bigint NOT NULL,
  points_used bigint NOT NULL,
  points_amount bigint NOT NULL,
  wallet_used bigint NOT NULL,
  amount_due bigint NOT NULL,
  earning_base bigint NOT NULL,
  points_earned bigint NOT NULL,
  -- The rules of the sale, for its refunds.
  rules_version integer NOT NULL,
  earn_points integer NOT NULL,
  earn_amount bigint NOT NULL,
  earn_minimum_amount bigint NOT NULL,
  maximum_points_per_order bigint NOT NULL,
  refunded bigint NOT NULL,
  points_excused bigint NOT NULL,
  -- The lots that gave the points which paid and were not put back; lot 0 stands for points without a lot.
  use_lots bigint[] NOT NULL,
  use_points bigint[] NOT NULL,
  PRIMARY KEY (business_id, sale_id),
  CHECK (amount = points_amount + wallet_used + amount_due),
  CHECK (refunded BETWEEN 0 AND amount)
);
CREATE INDEX sale_newest_first ON sale (business_id, sold_on, sale_id);
CREATE INDEX sale_of_contact ON sale (business_id, contact_id, sold_on, sale_id);
CREATE INDEX sale_reference ON sale (business_id, reference_id);

-- How many sales a location had on a day: a page of the list and its total are found without counting sales.
CREATE TABLE sale_count (
  business_id bigint NOT NULL,
  sold_on date NOT NULL,
  location_id bigint NOT NULL,
  sales integer NOT NULL,
  PRIMARY KEY (business_id, sold_on, location_id)
);

CREATE TABLE sale_refund (
  business_id bigint NOT NULL,
  sale_id bigint NOT NULL,
  -- The total refunded of the sale, with this refund.
  refunded bigint NOT NULL,
  amount bigint NOT NULL,
  money_back bigint NOT NULL,
  wallet_back bigint NOT NULL,
  points_back bigint NOT NULL,
  points_clawed bigint NOT NULL,
  location_id bigint NOT NULL,
  reference_id text NOT NULL,
  reason text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (business_id, sale_id, refunded),
  FOREIGN KEY (business_id, sale_id) REFERENCES sale
);

-- The points that a sale earned. Each is left, clawed back, used or expired.
CREATE TABLE points_lot (
  business_id bigint NOT NULL,
  contact_id bigint NOT NULL,
  -- The sale that earned them.
  lot_id bigint NOT NULL,
  reference_id text NOT NULL,
  earned_on date NOT NULL,
  matures_on date NOT NULL,
  -- The first day on which they can no longer be spent.
  expires_on date,
  matured boolean NOT NULL,
  points bigint NOT NULL,
  clawed bigint NOT NULL,
  used bigint NOT NULL,
  expired bigint NOT NULL,
  -- When it matures or expires; NULL when nothing is due any more.
  due_on date,
  PRIMARY KEY (business_id, contact_id, lot_id),
  CHECK (clawed >= 0 AND used >= 0 AND expired >= 0 AND clawed + used + expired <= points)
);
-- In the order in which points are spent.
CREATE INDEX points_lot_open ON points_lot (business_id, contact_id, expires_on, lot_id)
  WHERE points > clawed + used + expired;
CREATE INDEX points_lot_due ON points_lot (business_id, due_on, contact_id) WHERE due_on IS NOT NULL;

-- Points that the refund of a sale could not take back. Later points pay them.
CREATE TABLE points_debt (
  business_id bigint NOT NULL,
  contact_id bigint NOT NULL,
  sale_id bigint NOT NULL,
  reference_id text NOT NULL,
  owed bigint NOT NULL CHECK (owed >= 0),
  PRIMARY KEY (business_id, contact_id, sale_id)
);

-- Points that were spent without a sale.
CREATE TABLE points_redemption (
  business_id bigint NOT NULL,
  -- The number of its ledger entry.
  redemption_id bigint NOT NULL,
  contact_id bigint NOT NULL,
  location_id bigint,
  reference_id text NOT NULL,
  points bigint NOT NULL CHECK (points > 0),
  reversed boolean NOT NULL,
  use_lots bigint[] NOT NULL,
  use_points bigint[] NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (business_id, redemption_id)
);
CREATE INDEX points_redemption_of_contact ON points_redemption (business_id, contact_id);
