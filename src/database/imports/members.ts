/** Members from a file, with the day they joined and their opening balances. */
import { searchTextOf } from "../../domain/text.ts";
import type { Connection } from "../connection.ts";
import { countAfterEntries, countRecorded } from "../ledger/counts.ts";
import type { LockedLedger } from "../ledger/ledger.ts";
import type { EntryRow } from "../ledger/recording.ts";
import { countMembers, sumMembers } from "../members/blocks.ts";
import type { NewMember } from "../members/members.ts";
import { learnOfGrowth, plannedFor } from "../plans.ts";
import type { BusinessTime } from "../rows.ts";
import { fragment, tableOf } from "../sql.ts";
import { instantOf, lookUp } from "./lines.ts";

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
  { businessId, timeZone }: BusinessTime,
  members: readonly MemberToFind[],
): Promise<FoundMember[]> {
  const columns = `digest uuid, phone_number text, email text, external_ref text, joined_at text, has_offset boolean`;
  return tx<FoundMember[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id)
    SELECT i.found IS NOT NULL AS imported, i.amount AS wallet, i.points, p.found IS NOT NULL AS phone_taken,
      e.found IS NOT NULL AS email_taken, r.found IS NOT NULL AS external_ref_taken, moment.joined_at,
      moment.joined_at > clock_timestamp() AS future
    FROM own CROSS JOIN ${tableOf("made", members, columns)}
    CROSS JOIN LATERAL (
      SELECT coalesce(${instantOf("made", "joined_at", timeZone)}, now()) AS joined_at
    ) AS moment
    ${lookUp("i", "true AS found, amount, points FROM imported_line", "digest = made.digest")}
    ${lookUp("p", "true AS found FROM member", "phone_number = made.phone_number")}
    ${lookUp("e", "true AS found FROM member", "lower(email) = lower(made.email)")}
    ${lookUp("r", "true AS found FROM member", "external_ref = made.external_ref")}
    ORDER BY made.nth`;
}

export interface MemberToRecord extends Omit<NewMember, "password_hash"> {
  readonly digest: string;
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
  // The numbers are assigned beforehand, so that they follow the order of the lines.
  const ids = await tx<{ member_id: number; contact_id: number }[]>`
    WITH sequence AS MATERIALIZED (
      SELECT pg_get_serial_sequence('member', 'member_id')::regclass AS member_id,
        pg_get_serial_sequence('member', 'contact_id')::regclass AS contact_id
    )
    SELECT nextval(sequence.member_id) AS member_id, nextval(sequence.contact_id) AS contact_id
    FROM sequence, generate_series(1, ${members.length}::integer)`;
  const rows = members.map((member, index) => ({
    ...member,
    ...(ids[index] as { member_id: number; contact_id: number }),
    searchable_text: searchTextOf(member),
  }));
  const columns = `member_id bigint, contact_id bigint, first_name text, last_name text, phone_number text, email text,
    date_of_birth date, external_ref text, searchable_text text, joined_at timestamptz`;
  const balances = "contact_id bigint, wallet_balance bigint, points_balance bigint";
  const lines = "digest uuid, external_ref text, wallet_balance bigint, points_balance bigint";
  // The statements are sent together: the next one is prepared while the server works on the one before.
  await Promise.all([
    tx`
      INSERT INTO member (business_id, member_id, contact_id, first_name, last_name, phone_number, email,
        date_of_birth, external_ref, searchable_text, joined_at)
      SELECT l.business_id, m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number, m.email,
        m.date_of_birth, m.external_ref, m.searchable_text, m.joined_at
      FROM ledger l, ${tableOf("m", rows, columns)} WHERE l.business_id = ${businessId}`,
    tx`
      INSERT INTO account (business_id, contact_id, account, balance)
      SELECT l.business_id, m.contact_id, a.account,
        CASE a.account WHEN 'wallet' THEN m.wallet_balance WHEN 'points' THEN m.points_balance ELSE 0 END
      FROM ledger l, ${tableOf("m", rows, balances)}, unnest(enum_range(NULL::account_name)) AS a (account)
      WHERE l.business_id = ${businessId}`,
    tx`
      INSERT INTO imported_line (business_id, digest, amount, points)
      SELECT l.business_id, m.digest, CASE WHEN m.external_ref IS NOT NULL THEN m.wallet_balance END,
        CASE WHEN m.external_ref IS NOT NULL THEN m.points_balance END
      FROM ledger l, ${tableOf("m", rows, lines)} WHERE l.business_id = ${businessId}`,
  ]);
  return {
    memberIds: ids.map(({ member_id }) => member_id),
    contactIds: ids.map(({ contact_id }) => contact_id),
  };
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

export type OpeningBalance = Pick<EntryRow, "contact_id" | "account" | "event_type" | "amount">;

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
  const columns = "contact_id bigint, account account_name, event_type event_type, amount bigint";
  const lastEntryNo = head.last_entry_no + openings.length;
  const [recorded] = await tx<{ entries: number }[]>`
    WITH entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        reference_id, created_at)
      SELECT l.business_id, ${head.last_entry_no} + o.nth, o.contact_id, o.account, o.event_type, o.amount,
        o.amount, 'opening-balance', ${head.now}::timestamptz
      FROM ledger l, ${tableOf("o", openings, columns)}
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
