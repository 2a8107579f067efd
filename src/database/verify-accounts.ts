import { eventTypeNames, eventTypes } from "../domain/ledger.ts";
import type { Connection, Database } from "./connection.ts";
import { inSlice, mostMismatches, type VerifiedSlice } from "./verify-slice.ts";

const accountOfEventType = eventTypeNames
  .map((name) => `WHEN '${name}' THEN '${eventTypes[name].account}'::account_name`)
  .join(" ");

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
    WHERE ${within(tx, { businessId, afterContactId, lastContactId: last })}
    ORDER BY contact_id, created_at, entry_no OFFSET ${entries - 1} LIMIT 1`;
  return byEntries?.contact_id ?? last;
}

/**
 * Recomputes the accounts of a range of members from the ledger: that each member has its four and nobody else any,
 * that each balance is the sum of its entries, that each entry's balance_after is the one before it plus the amount,
 * and that it is in the account of its event type. What follows from these, such as that the last balance_after is the
 * balance, needs no look. Only where something is not as it must be, a second statement tells what: writes beside it
 * raise no false alarm as long as both see one snapshot.
 */
async function verifyAccounts(tx: Connection, range: MemberRange): Promise<VerifiedSlice> {
  const { sound, ...sums } = await sumUp(tx, range);
  if (!sound) return findMismatches(tx, range);
  return { ...sums, blocks: 0, mismatch_count: 0, mismatches: [], next: range.lastContactId };
}

type Sums = Pick<VerifiedSlice, "members" | "accounts" | "entries"> & { readonly sound: boolean };

/** Each account has a member and each member four of them, and all are as their entries say: then nothing is wrong. */
async function sumUp(tx: Connection, range: MemberRange): Promise<Sums> {
  const [row] = await tx<Sums[]>`
    SELECT members, accounts, entries, sound AND accounts = cardinality(enum_range(NULL::account_name)) * members AS sound
    FROM (
      SELECT (SELECT count(*) FROM member WHERE ${within(tx, range)}) AS members,
        count(p.contact_id) AS accounts, coalesce(sum(s.entries), 0)::bigint AS entries, coalesce(bool_and(
          (p.balance = coalesce(s.balance, 0) AND p.active = m.active AND coalesce(s.sound, true)) IS TRUE
        ), true) AS sound
      FROM (${present(tx, range)}) AS p
      FULL JOIN (${summed(tx, range)}) AS s USING (contact_id, account)
      LEFT JOIN (${membersOf(tx, range)}) AS m ON m.contact_id = p.contact_id
    ) AS joined`;
  return row as Sums;
}

const within = (tx: Connection, { businessId, afterContactId, lastContactId }: MemberRange) => tx`
  business_id = ${businessId} AND contact_id > ${afterContactId}
  ${lastContactId === null ? tx`` : tx`AND contact_id <= ${lastContactId}`}`;

const membersOf = (tx: Connection, range: MemberRange) =>
  tx`SELECT contact_id, active FROM member WHERE ${within(tx, range)}`;

const present = (tx: Connection, range: MemberRange) =>
  tx`SELECT contact_id, account, active, balance FROM account WHERE ${within(tx, range)}`;

/** What the entries say of each account. */
const summed = (tx: Connection, range: MemberRange) => tx`
  SELECT contact_id, account, count(*) AS entries, sum(amount) AS balance,
    bool_and(balance_after - before = amount AND account = should) AS sound
  FROM (
    SELECT contact_id, account, amount, balance_after, CASE event_type ${tx.unsafe(accountOfEventType)} END AS should,
      lag(balance_after, 1, 0::bigint) OVER (PARTITION BY contact_id, account ORDER BY entry_no) AS before
    FROM ledger_entry WHERE ${within(tx, range)}
  ) AS entry
  GROUP BY contact_id, account`;

async function findMismatches(tx: Connection, range: MemberRange): Promise<VerifiedSlice> {
  const [row] = await tx<Omit<VerifiedSlice, "next">[]>`
    WITH slice AS MATERIALIZED (
      ${membersOf(tx, range)}
    ), summed AS MATERIALIZED (
      ${summed(tx, range)}
    ), present AS MATERIALIZED (
      ${present(tx, range)}
    ), detail AS (
      SELECT e.contact_id, e.account, e.entry_no, e.amount, e.balance_after,
        CASE e.event_type ${tx.unsafe(accountOfEventType)} END AS should,
        lag(e.balance_after, 1, 0::bigint) OVER (PARTITION BY e.contact_id, e.account ORDER BY e.entry_no) AS before
      FROM summed s JOIN ledger_entry e ON e.business_id = ${range.businessId} AND e.contact_id = s.contact_id
        AND e.account = s.account
      WHERE NOT s.sound
    ), mismatch AS MATERIALIZED (
      SELECT 'balance' AS kind, p.contact_id, p.account::text, NULL::bigint AS entry_no,
        coalesce(s.balance, 0)::text AS expected, p.balance::text AS found
      FROM present p LEFT JOIN summed s USING (contact_id, account) WHERE p.balance <> coalesce(s.balance, 0)
      UNION ALL
      SELECT 'balance_after', contact_id, account::text, entry_no, (before::numeric + amount)::text,
        balance_after::text
      FROM detail WHERE balance_after - before <> amount
      UNION ALL
      SELECT 'account_of_entry', contact_id, account::text, entry_no, should::text, account::text
      FROM detail WHERE account <> should
      UNION ALL
      SELECT 'account_missing', m.contact_id, a.account::text, NULL, '0', NULL
      FROM slice m CROSS JOIN unnest(enum_range(NULL::account_name)) AS a (account)
      LEFT JOIN present p USING (contact_id, account) WHERE p.contact_id IS NULL
      UNION ALL
      SELECT 'entries_without_account', contact_id, account::text, NULL, NULL, s.entries::text
      FROM summed s LEFT JOIN present p USING (contact_id, account) WHERE p.contact_id IS NULL
      UNION ALL
      SELECT 'account_without_member', p.contact_id, p.account::text, NULL, NULL, p.balance::text
      FROM present p LEFT JOIN slice m USING (contact_id) WHERE m.contact_id IS NULL
      UNION ALL
      SELECT 'account_active', contact_id, p.account::text, NULL, m.active::text, p.active::text
      FROM present p JOIN slice m USING (contact_id) WHERE p.active <> m.active
    )
    SELECT (SELECT count(*) FROM slice) AS members, (SELECT count(*) FROM present) AS accounts,
      (SELECT coalesce(sum(entries), 0)::bigint FROM summed) AS entries, 0 AS blocks,
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
