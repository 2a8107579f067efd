-- Searches remember nothing any more, so the transaction that changed a member last is not needed.
DROP INDEX member_changed_last;
ALTER TABLE member DROP COLUMN changed_in;

-- Searches find letters by their plain twins (src/domain/text.ts): stored texts are folded in the same way.
UPDATE member SET searchable_text = translate(
  replace(replace(replace(replace(searchable_text, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  'łøđðħŧı', 'loddhti')
WHERE searchable_text ~ '[ßæœþłøđðħŧı]';
