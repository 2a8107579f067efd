import { eventTypeNames, eventTypes } from "../../domain/ledger.ts";
import type { Connection, Database } from "../connection.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { inSlice, mostMismatches, type VerifiedSlice } from "./slice.ts";

const accountOfEventType = raw(
  eventTypeNames.map((name) => `WHEN '${name}' THEN '${eventTypes[name].account}'::account_name`).join(" "),
);

/** Some of a business's members, and whatever has a contact_id between theirs. */
export interface MemberRange {
  readonly businessId: number;
  readonly afterContactId: number;
  /** The last; null: all that come after. */
  readonly lastContactId: number | null;
}

/**
 * Finds where a range of members ends.
 * @param members the most in it
 * @param entries about so many at most are theirs; one member may have more
 * @returns the last contact_id; null when the range goes to the end
 */
export async function findRangeEnd(
  tx: Connection,
  businessId: number,
  afterContactId: number,
  { members, entries }: { readonly members: number; readonly entries: number },
): Promise<number | null> {
  const [byMembers] = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND contact_id > ${afterContactId}
    ORDER BY contact_id OFFSET ${members - 1} LIMIT 1`;
  const last = byMembers?.contact_id ?? null;
  const [byEntries] = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM ledger_entry
    WHERE ${within({ businessId, afterContactId, lastContactId: last })}
    ORDER BY contact_id, created_at, entry_no OFFSET ${entries - 1} LIMIT 1`;
  return byEntries?.contact_id ?? last;
}

/**
 * Recomputes the accounts of a range of members from the ledger: that each member has its four accounts and nobody else
 * has any, that each balance is the sum of its entries, that each entry's balance_after is the previous one plus the
 * amount, and that it is in the account of its event type. If anything is wrong, a second statement finds out what:
 * both must see one snapshot.
 */
async function verifyAccounts(tx: Connection, range: MemberRange): Promise<VerifiedSlice> {
  const { valid, ...sums } = await sumUp(tx, range);
  if (!valid) return findMismatches(tx, range);
  return { ...sums, blocks: 0, mismatch_count: 0, mismatches: [], next: range.lastContactId };
}

type Sums = Pick<VerifiedSlice, "members" | "accounts" | "entries"> & { readonly valid: boolean };

/**
 * Nothing is wrong when each account has a member and each member four accounts, and all are as their entries say. Full
 * joins are by hash or merge: for a business that the statistics don't know, other joins compare each with each.
 */
async function sumUp(tx: Connection, range: MemberRange): Promise<Sums> {
  const [row] = await tx<Sums[]>`
    SELECT members, accounts, entries,
      valid AND accounts = cardinality(enum_range(NULL::account_name)) * members AS valid
    FROM (
      SELECT (SELECT count(*) FROM member WHERE ${within(range)}) AS members,
        count(p.contact_id) AS accounts, coalesce(sum(s.entries), 0)::bigint AS entries, coalesce(bool_and(
          (p.balance = coalesce(s.balance, 0) AND p.active = m.active AND coalesce(s.valid, true)) IS TRUE
        ), true) AS valid
      FROM (${present(range)}) AS p
      FULL JOIN (${summed(fragment`(${entries(range)}) AS entry`)}) AS s USING (contact_id, account)
      FULL JOIN (SELECT contact_id, active FROM member WHERE ${within(range)}) AS m USING (contact_id)
    ) AS joined`;
  return row as Sums;
}

const within = ({ businessId, afterContactId, lastContactId }: MemberRange) => fragment`
  business_id = ${businessId} AND contact_id > ${afterContactId}
  ${lastContactId === null ? fragment`` : fragment`AND contact_id <= ${lastContactId}`}`;

const present = (range: MemberRange) =>
  fragment`SELECT contact_id, account, active, balance FROM account WHERE ${within(range)}`;

/** Each entry, with the balance before it and the account that its event type belongs to. */
const entries = (range: MemberRange) => fragment`
  SELECT contact_id, account, entry_no, amount, balance_after, CASE event_type ${accountOfEventType} END AS should,
    lag(balance_after, 1, 0::bigint) OVER (PARTITION BY contact_id, account ORDER BY entry_no) AS before
  FROM ledger_entry WHERE ${within(range)}`;

/** What the entries say of each account. */
const summed = (entry: Fragment) => fragment`
  SELECT contact_id, account, count(*) AS entries, sum(amount) AS balance,
    bool_and(balance_after - before = amount AND account = should) AS valid
  FROM ${entry}
  GROUP BY contact_id, account`;

async function findMismatches(tx: Connection, range: MemberRange): Promise<VerifiedSlice> {
  const [row] = await tx<Omit<VerifiedSlice, "next">[]>`
    WITH entry AS MATERIALIZED (${entries(range)}), joined AS MATERIALIZED (
      SELECT contact_id, account, p.contact_id IS NOT NULL AS is_present, p.balance, p.active,
        s.entries, coalesce(s.balance, 0) AS summed, m.contact_id IS NOT NULL AS has_member, m.active AS member_active
      FROM (${present(range)}) AS p
      FULL JOIN (${summed(raw("entry"))}) AS s USING (contact_id, account)
      FULL JOIN (
        SELECT contact_id, account, active
        FROM member CROSS JOIN unnest(enum_range(NULL::account_name)) AS each (account) WHERE ${within(range)}
      ) AS m USING (contact_id, account)
    ), mismatch AS MATERIALIZED (
      SELECT 'balance' AS kind, contact_id, account::text, NULL::bigint AS entry_no, summed::text AS expected,
        balance::text AS found
      FROM joined WHERE balance <> summed
      UNION ALL
      SELECT 'balance_after', contact_id, account::text, entry_no, (before::numeric + amount)::text,
        balance_after::text
      FROM entry WHERE balance_after - before <> amount
      UNION ALL
      SELECT 'account_of_entry', contact_id, account::text, entry_no, should::text, account::text
      FROM entry WHERE account <> should
      UNION ALL
      SELECT 'account_missing', contact_id, account::text, NULL, '0', NULL
      FROM joined WHERE has_member AND NOT is_present
      UNION ALL
      SELECT 'entries_without_account', contact_id, account::text, NULL, NULL, entries::text
      FROM joined WHERE entries IS NOT NULL AND NOT is_present
      UNION ALL
      SELECT 'account_without_member', contact_id, account::text, NULL, NULL, balance::text
      FROM joined WHERE is_present AND NOT has_member
      UNION ALL
      SELECT 'account_active', contact_id, account::text, NULL, member_active::text, active::text
      FROM joined WHERE active <> member_active
    )
    SELECT (SELECT count(*) FROM member WHERE ${within(range)}) AS members,
      (SELECT count(*) FROM joined WHERE is_present) AS accounts,
      (SELECT coalesce(sum(entries), 0)::bigint FROM joined) AS entries, 0 AS blocks,
      (SELECT count(*) FROM mismatch) AS mismatch_count,
      (SELECT coalesce(jsonb_agg(m), '[]') FROM (
        SELECT *, NULL AS place FROM mismatch ORDER BY contact_id, account, entry_no, kind LIMIT ${mostMismatches}) AS m
      ) AS mismatches`;
  return { ...(row as Omit<VerifiedSlice, "next">), next: range.lastContactId };
}

/**
 * Entries that are verified together. A member's are all over the ledger: of so many, several are on each of its
 * pages, so that no page is read for one entry alone.
 */
const entriesAtOnce = 500_000;

/**
 * Verifies the accounts of up to `limit` members by `verifyAccounts`, one half of them beside the other: it is the
 * longest part, and the database has more than one processor. Each half is one snapshot, and no member is in both.
 */
export async function verifyAccountsByHalves(
  patient: Database,
  businessId: number,
  afterContactId: number,
  limit: number,
): Promise<VerifiedSlice> {
  const findEnd = (after: number, members: number) =>
    inSlice(patient, (tx) => findRangeEnd(tx, businessId, after, { members, entries: entriesAtOnce }));
  const verify = (after: number, last: number | null) =>
    inSlice(patient, (tx) => verifyAccounts(tx, { businessId, afterContactId: after, lastContactId: last }));
  const half = Math.ceil(limit / 2);
  const middle = await findEnd(afterContactId, half);
  const one = verify(afterContactId, middle);
  if (middle === null || half === limit) return one;
  const other = findEnd(middle, limit - half).then((last) => verify(middle, last));
  return addSlices(...(await Promise.all([one, other])));
}

function addSlices(one: VerifiedSlice, other: VerifiedSlice): VerifiedSlice {
  const sum = (name: "members" | "accounts" | "entries" | "blocks" | "mismatch_count") =>
    one[name] + other[name];
  return {
    members: sum("members"),
    accounts: sum("accounts"),
    entries: sum("entries"),
    blocks: sum("blocks"),
    mismatch_count: sum("mismatch_count"),
    mismatches: [...one.mismatches, ...other.mismatches].slice(0, mostMismatches),
    next: other.next,
  };
}
