/** Members as their operator sees them: with their accounts, tier and standing. */
import type { Page, PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";
import { listMembers, type MemberFilter, type MemberSource } from "./member-list.ts";
import type { MemberRow } from "./members.ts";

export interface MemberStanding extends MemberRow {
  readonly tier_id: number | null;
  readonly tier_name: string | null;
  readonly wallet_balance: number;
  readonly points_balance: number;
  readonly vouchers_balance: number;
  readonly sales_balance: number;
}

export interface MemberRecord extends MemberStanding {
  readonly date_of_birth: string | null;
  readonly external_ref: string | null;
  readonly has_password: boolean;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly joined_at: string;
}

const balanceOf = (sql: Connection, account: string, name: string) => sql`
  max(a.balance) FILTER (WHERE a.account = ${account}::account_name) AS ${sql(name)}`;

/** A member's four balances, from its accounts as `a`. */
const balances = (sql: Connection) => sql`
  ${balanceOf(sql, "wallet", "wallet_balance")}, ${balanceOf(sql, "points", "points_balance")},
  ${balanceOf(sql, "vouchers", "vouchers_balance")}, ${balanceOf(sql, "sales", "sales_balance")}`;

/** A page of members with their standing, newest first, with the total. */
export async function listMemberStandings(
  source: MemberSource,
  businessId: number,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberStanding>> {
  const { sql } = source;
  const { total, rows } = await listMembers(source, businessId, filter, page);
  const contactIds = rows.map((row) => row.contact_id);
  const standings = await sql<MemberStanding[]>`
    SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number, m.email, m.active, t.tier_id,
      t.name AS tier_name, balance.*
    FROM member m
    LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = m.tier_id AND NOT t.deleted
    CROSS JOIN LATERAL (
      SELECT ${balances(sql)} FROM account a
      WHERE a.business_id = ${businessId} AND a.contact_id = m.contact_id
    ) AS balance
    WHERE m.business_id = ${businessId} AND m.contact_id = ANY (${contactIds}::bigint[])
    ORDER BY m.member_id DESC`;
  return { total, rows: standings };
}

/** Whose members, and the clock by which their times are told. */
export interface MembersOf {
  readonly businessId: number;
  readonly timeZone: string;
}

const record = (sql: Connection, { businessId, timeZone }: MembersOf) => sql`
  SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number, m.email,
    to_char(m.date_of_birth, 'YYYY-MM-DD') AS date_of_birth, m.external_ref, m.active, t.tier_id,
    t.name AS tier_name, balance.*, m.password_hash IS NOT NULL AS has_password,
    to_char(m.joined_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS joined_at
  FROM member m
  LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = m.tier_id AND NOT t.deleted
  CROSS JOIN LATERAL (
    SELECT ${balances(sql)} FROM account a
    WHERE a.business_id = ${businessId} AND a.contact_id = m.contact_id
  ) AS balance
  WHERE m.business_id = ${businessId}`;

/** A member in full. */
export async function findMemberRecord(
  sql: Connection,
  of: MembersOf,
  contactId: number,
): Promise<MemberRecord | undefined> {
  const [row] = await sql<MemberRecord[]>`${record(sql, of)} AND m.contact_id = ${contactId}`;
  return row;
}

/** Up to `limit` members in full, in the order of member_id, after one. */
export function exportMembers(
  sql: Connection,
  of: MembersOf,
  afterMemberId: number,
  limit: number,
): Promise<MemberRecord[]> {
  return sql<MemberRecord[]>`
    ${record(sql, of)} AND m.member_id > ${afterMemberId} ORDER BY m.member_id LIMIT ${limit}`;
}
