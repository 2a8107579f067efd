-- The transaction that last changed whether a search finds a member: that made it, changed what searches look through,
-- or made it active or inactive. Whoever remembers what a search found in a snapshot finds what has changed since.
-- Whoever changes members by hand has to set it, too.
-- Processes of the version before would change members without saying so: two columns are renamed, for them to fail
-- instead. So stop them first; this one takes no longer than its index.
ALTER TABLE member ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE member ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id();
CREATE INDEX member_changed_last ON member (business_id, changed_in);
ALTER TABLE member RENAME COLUMN search_text TO searchable_text;
ALTER TABLE member_block RENAME COLUMN active_members TO active;
