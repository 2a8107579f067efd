/** Records imported lines and members, and counts imported entries. */
import { searchTextOf } from "../../domain/text.ts";
import { type Connection, withCustomPlans } from "../connection.ts";
import { countRecorded } from "../ledger/counts.ts";
import { countNewMembers, sumMembers } from "../members/list.ts";
import type { NewMember } from "../members/members.ts";
import { fragment, insertOf } from "../sql.ts";
import { analyze, rowsToAnalyze } from "../statistics.ts";

/** A line to record. Its numbers are those of a sale's entry, of a voucher, or of a member and its opening balances. */
export interface LineToRecord {
  readonly business_id: number;
  readonly digest: string;
  /** A digest of the other values of a line with a reference. */
  readonly content: string | null;
  readonly entry_no?: number;
  readonly contact_id?: number;
  readonly held_voucher_id?: number;
  readonly amount?: number | null;
  readonly points?: number | null;
}

/** Records that lines are imported. @throws unique_violation when another transaction has imported one meanwhile */
export function recordLines(tx: Connection, lines: readonly LineToRecord[]) {
  return tx`${insertOf("imported_line", lines, "business_id bigint, digest uuid, entry_no bigint, contact_id bigint, held_voucher_id bigint, content uuid, amount bigint, points bigint", null)}`;
}

export interface MemberIds {
  readonly member_id: number;
  readonly contact_id: number;
}

export interface MemberToRecord extends Omit<NewMember, "password_hash"> {
  readonly joined_at: string;
}

/**
 * Makes active members, and records their lines. It takes no lock on the ledger, so several chunks of a file can be recorded at
 * once. `completeMembers` must follow at the end of the transaction.
 * @param lineOf the line of a member; without it, no lines are recorded
 * @returns their ids, in their order
 * @throws unique_violation when another transaction has taken one of their values since they were looked up
 */
export async function recordMembers(
  tx: Connection,
  business_id: number,
  members: readonly MemberToRecord[],
  lineOf?: (ids: MemberIds, index: number) => LineToRecord,
): Promise<MemberIds[]> {
  // The ids are assigned beforehand, so that they follow the order of the lines.
  const ids = await tx<MemberIds[]>`
    WITH sequence AS MATERIALIZED (
      SELECT pg_get_serial_sequence('member', 'member_id')::regclass AS member_id,
        pg_get_serial_sequence('member', 'contact_id')::regclass AS contact_id
    )
    SELECT nextval(sequence.member_id) AS member_id, nextval(sequence.contact_id) AS contact_id
    FROM sequence, generate_series(1, ${members.length}::integer)`;
  const rows = members.map((member, index) => {
    const { member_id, contact_id } = ids[index] as MemberIds;
    // With a spread, this would take 2 µs.
    return {
      business_id,
      member_id,
      contact_id,
      first_name: member.first_name,
      last_name: member.last_name,
      phone_number: member.phone_number,
      email: member.email,
      date_of_birth: member.date_of_birth,
      external_ref: member.external_ref,
      searchable_text: searchTextOf(member),
      joined_at: member.joined_at,
    };
  });
  const columns = `business_id bigint, member_id bigint, contact_id bigint, first_name text, last_name text,
    phone_number text, email text, date_of_birth date, external_ref text, searchable_text text, joined_at timestamptz`;
  const inserted = tx`${insertOf("member", rows, columns, null)}`;
  await Promise.all([inserted, lineOf && recordLines(tx, ids.map(lineOf))]);
  return ids;
}

/**
 * Makes the accounts of imported members that have no entries yet, and counts the members. It is at the end of the transaction, because
 * transactions that create members wait for its end. An account that was made before its entry would be changed in the transaction
 * that made it, for which PostgreSQL checks the foreign key again, in 60 µs.
 */
export async function completeMembers(tx: Connection, businessId: number, ids: readonly MemberIds[]) {
  await tx`
    INSERT INTO account (business_id, contact_id, account)
    SELECT ${businessId}, m.contact_id, a.account
    FROM unnest(${ids.map(({ contact_id }) => contact_id)}::bigint[]) AS m (contact_id),
      unnest(enum_range(NULL::account_name)) AS a (account)
    ON CONFLICT DO NOTHING`;
  const before = await sumMembers(tx, businessId);
  await learnOfGrowth(tx, before, before + ids.length);
  const memberIds = fragment`SELECT unnest(${ids.map(({ member_id }) => member_id)}::bigint[])`;
  await countNewMembers(tx, businessId, memberIds);
}

/**
 * Counts imported entries, which can be earlier than others, and checks whether the tables have grown. The caller holds the
 * ledger's lock.
 * @param before the number of the last entry before them
 */
export async function countImportedEntries(
  tx: Connection,
  businessId: number,
  before: number,
  lastEntryNo: number,
): Promise<void> {
  await withCustomPlans(tx, () => countRecorded(tx, businessId, before, lastEntryNo));
  await learnOfGrowth(tx, before, lastEntryNo);
}

/** The planner chooses the same plans for estimates within this factor. */
const growthBetweenLooks = 4;

/**
 * Analyzes the tables when a business has several times as many rows as before. Autovacuum is too late for the growth by an import.
 * @param before how many rows the business had
 * @param after how many it has now
 */
async function learnOfGrowth(tx: Connection, before: number, after: number): Promise<void> {
  if (looks(after) === looks(before)) return;
  await analyze(tx, ["member", "account", "ledger_entry", "imported_line"]);
}

/** How many looks are due at a size. */
function looks(rows: number): number {
  return rows < rowsToAnalyze
    ? 0
    : 1 + Math.floor(Math.log(rows / rowsToAnalyze) / Math.log(growthBetweenLooks));
}
