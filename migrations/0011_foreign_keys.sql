-- Each account belongs to a member, and each member to a business. The checks take about a third of an import of members.
ALTER TABLE account ADD CONSTRAINT account_business_id_contact_id_fkey
  FOREIGN KEY (business_id, contact_id) REFERENCES member NOT VALID;
ALTER TABLE member ADD CONSTRAINT member_business_id_fkey FOREIGN KEY (business_id) REFERENCES business NOT VALID;
ALTER TABLE account VALIDATE CONSTRAINT account_business_id_contact_id_fkey;
ALTER TABLE member VALIDATE CONSTRAINT member_business_id_fkey;
