\set contact_id random(1, :members)
SELECT balance FROM account WHERE contact_id = :contact_id AND account = 'wallet';
