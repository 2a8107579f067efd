/** Members from a file, with the day they joined and their opening balances. */
import type { Account, EventType } from "../../domain/ledger.ts";
import { searchTextOf } from "../../domain/text.ts";
import type { Connection } from "../connection.ts";
import { learnOfGrowth } from "../growth.ts";
import { countAfterEntries, countRecorded } from "../ledger/counts.ts";
import type { LockedLedger } from "../ledger/ledger.ts";
import { countMembers, sumMembers } from "../members/blocks.ts";
import { plannedFor } from "../planning.ts";
import { fragment } from "../sql.ts";

/** The unique values of a member, and when it joined. */
export interface MemberToFind {
  readonly digest: string;
  /** Null when it is wrong. */
  readonly phone_number: string | null;
  readonly email: string | null;
  readonly external_ref: string | null;
  /** ISO 8601; null for now. */
  readonly joined_at: string | null;
  /** Whether joined_at has an offset from UTC. Otherwise it is on the business's clock. */
  readonly has_offset: boolean;
}

/** What the database has about a member of a file. */
export interface FoundMember {
  /** Whether a line with this digest is already imported. */
  readonly imported: boolean;
  /** The opening balances of that line; null for a line without a reference. */
  readonly wallet: number | null;
  readonly points: number | null;
  readonly phone_taken: boolean;
  readonly email_taken: boolean;
  readonly external_ref_taken: boolean;
  readonly joined_at: string;
  readonly future: boolean;
}

/** Looks up whether members can be made, in their order. */
export function findTakenMembers(
  tx: Connection,
  { businessId, timeZone }: { readonly businessId: number; readonly timeZone: string },
  members: readonly MemberToFind[],
): Promise<FoundMember[]> {
  const column = (name: keyof MemberToFind) => members.map((member) => member[name]) as never[];
  // LATERAL with OFFSET 0 makes each a look-up by key. If the planner knew the business, it would expect one
  // row of a business that is missing from its statistics, and read all its rows for each look-up.
  return tx<FoundMember[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id)
    SELECT i.found IS NOT NULL AS imported, i.amount AS wallet, i.points, p.found IS NOT NULL AS phone_taken, e.found IS NOT NULL AS email_taken,
      r.found IS NOT NULL AS external_ref_taken, moment.joined_at, moment.joined_at > clock_timestamp() AS future
    FROM own CROSS JOIN unnest(
        ${column("digest")}::uuid[], ${column("phone_number")}::text[], ${column("email")}::text[],
        ${column("external_ref")}::text[], ${column("joined_at")}::text[], ${column("has_offset")}::boolean[]
      ) WITH ORDINALITY AS made (digest, phone_number, email, external_ref, joined_at, has_offset, nth)
    CROSS JOIN LATERAL (
      SELECT coalesce(CASE WHEN made.has_offset THEN made.joined_at::timestamptz
        ELSE made.joined_at::timestamp AT TIME ZONE ${timeZone} END, now()) AS joined_at
    ) AS moment
    LEFT JOIN LATERAL (
      SELECT true AS found, amount, points FROM imported_line
      WHERE business_id = own.business_id AND digest = made.digest OFFSET 0
    ) AS i ON true
    LEFT JOIN LATERAL (
      SELECT true AS found FROM member
      WHERE business_id = own.business_id AND phone_number = made.phone_number OFFSET 0
    ) AS p ON true
    LEFT JOIN LATERAL (
      SELECT true AS found FROM member
      WHERE business_id = own.business_id AND lower(email) = lower(made.email) OFFSET 0
    ) AS e ON true
    LEFT JOIN LATERAL (
      SELECT true AS found FROM member
      WHERE business_id = own.business_id AND external_ref = made.external_ref OFFSET 0
    ) AS r ON true
    ORDER BY made.nth`;
}

export interface MemberToRecord {
  readonly digest: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly date_of_birth: string | null;
  readonly external_ref: string | null;
  readonly joined_at: string;
  readonly wallet_balance: number;
  readonly points_balance: number;
}

/**
 * Makes active members with their accounts, together with the digests of their lines. It takes no lock on the
 * ledger, so chunks of a file are recorded side by side. A value that another transaction took meanwhile
 * fails with unique_violation. `countImportedMembers` comes last.
 * @returns their member_ids and contact_ids, in their order
 */
export async function recordMembers(
  tx: Connection,
  businessId: number,
  members: readonly MemberToRecord[],
): Promise<{ memberIds: number[]; contactIds: number[] }> {
  const column = (name: keyof MemberToRecord) => members.map((member) => member[name]) as never[];
  // The numbers are assigned beforehand, so that they follow the order of the lines.
  const ids = await tx<{ member_id: number; contact_id: number }[]>`
    WITH sequence AS MATERIALIZED (
      SELECT pg_get_serial_sequence('member', 'member_id')::regclass AS member_id,
        pg_get_serial_sequence('member', 'contact_id')::regclass AS contact_id
    )
    SELECT nextval(sequence.member_id) AS member_id, nextval(sequence.contact_id) AS contact_id
    FROM sequence, generate_series(1, ${members.length}::integer)`;
  const memberIds = ids.map((row) => row.member_id);
  const contactIds = ids.map((row) => row.contact_id);
  // The statements are sent together: the next one is prepared while the server works on the one before.
  await Promise.all([
    tx`
    INSERT INTO member (business_id, member_id, contact_id, first_name, last_name, phone_number, email,
      date_of_birth, external_ref, searchable_text, joined_at)
    SELECT l.business_id, m.*
    FROM ledger l, unnest(
      ${memberIds}::bigint[], ${contactIds}::bigint[], ${column("first_name")}::text[],
      ${column("last_name")}::text[], ${column("phone_number")}::text[], ${column("email")}::text[],
      ${column("date_of_birth")}::date[], ${column("external_ref")}::text[],
      ${members.map(searchTextOf)}::text[], ${column("joined_at")}::timestamptz[]
    ) AS m
    WHERE l.business_id = ${businessId}`,
    tx`
    INSERT INTO account (business_id, contact_id, account, balance)
    SELECT l.business_id, m.contact_id, a.account,
      CASE a.account WHEN 'wallet' THEN m.wallet WHEN 'points' THEN m.points ELSE 0 END
    FROM ledger l, unnest(
      ${contactIds}::bigint[], ${column("wallet_balance")}::bigint[], ${column("points_balance")}::bigint[]
    ) AS m (contact_id, wallet, points), unnest(enum_range(NULL::account_name)) AS a (account)
    WHERE l.business_id = ${businessId}`,
    tx`
    INSERT INTO imported_line (business_id, digest, amount, points)
    SELECT l.business_id, m.digest, CASE WHEN m.external_ref IS NOT NULL THEN m.wallet END,
      CASE WHEN m.external_ref IS NOT NULL THEN m.points END
    FROM ledger l, unnest(
      ${column("digest")}::uuid[], ${column("external_ref")}::text[], ${column("wallet_balance")}::bigint[],
      ${column("points_balance")}::bigint[]
    ) AS m (digest, external_ref, wallet, points)
    WHERE l.business_id = ${businessId}`,
  ]);
  return { memberIds, contactIds };
}

/** Counts members that were imported. Last in its transaction, because other transactions that create members wait for it. */
export async function countImportedMembers(
  tx: Connection,
  businessId: number,
  memberIds: readonly number[],
): Promise<void> {
  const before = await sumMembers(tx, businessId);
  await learnOfGrowth(tx, before, before + memberIds.length);
  await countMembers(tx, businessId, fragment`SELECT unnest(${memberIds}::bigint[])`, {
    members: 1,
    active: 1,
  });
}

export interface OpeningBalance {
  readonly contact_id: number;
  readonly account: Account;
  readonly event_type: EventType;
  readonly amount: number;
}

/**
 * Records the opening balances of new members as the next entries of the ledger. recordMembers has made their
 * accounts with these balances. The caller holds the ledger's lock.
 */
export async function recordOpeningBalances(
  tx: Connection,
  businessId: number,
  head: LockedLedger,
  openings: readonly OpeningBalance[],
): Promise<void> {
  const column = (name: keyof OpeningBalance) => openings.map((opening) => opening[name]) as never[];
  const lastEntryNo = head.last_entry_no + openings.length;
  const [recorded] = await tx<{ entries: number }[]>`
    WITH entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        reference_id, created_at)
      SELECT l.business_id, ${head.last_entry_no} + o.nth, o.contact_id, o.account, o.event_type, o.amount,
        o.amount, 'opening-balance', ${head.now}::timestamptz
      FROM ledger l, unnest(
        ${column("contact_id")}::bigint[], ${column("account")}::account_name[],
        ${column("event_type")}::event_type[], ${column("amount")}::bigint[]
      ) WITH ORDINALITY AS o (contact_id, account, event_type, amount, nth)
      WHERE l.business_id = ${businessId}
      RETURNING 1
    )
    UPDATE ledger SET last_entry_no = ${lastEntryNo},
      last_recorded_at = greatest(last_recorded_at, ${head.now}::timestamptz)
    WHERE business_id = ${businessId} AND last_entry_no = ${head.last_entry_no}
    RETURNING (SELECT count(*) FROM entry) AS entries`;
  if (recorded?.entries !== openings.length) {
    throw new Error(`${openings.length} opening balances were not recorded whole`);
  }
  // Entries dated before counted entries are counted at once.
  if (!head.behind && lastEntryNo - head.counted_entries < countAfterEntries) return;
  await plannedFor(tx, () => countRecorded(tx, businessId, head.last_entry_no, lastEntryNo));
}
