/** Members with their accounts and tiers, as operators see them. */
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import type { ExportPage } from "../ledger/transaction-list.ts";
import { type BusinessTime, firstRow, type ListSource, requiredRow, wallClock } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { type MemberConditions, meetsConditions } from "./filters.ts";
import { listMembers, type MemberFilter } from "./list.ts";
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
  readonly remarks: string | null;
  /** The last day of the tier. */
  readonly tier_until: string | null;
  readonly has_password: boolean;
  readonly merged_into: number | null;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly joined_at: string;
}

/** Joins the tier and the four balances of a member `m`. */
const withTierAndBalances = (businessId: number) => fragment`
  LEFT JOIN tier_standing s ON s.business_id = ${businessId} AND s.contact_id = m.contact_id
  LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = s.tier_id AND t.deleted_on IS NULL
  CROSS JOIN LATERAL (
    SELECT max(balance) FILTER (WHERE account = 'wallet') AS wallet_balance,
      max(balance) FILTER (WHERE account = 'points') AS points_balance,
      max(balance) FILTER (WHERE account = 'vouchers') AS vouchers_balance,
      max(balance) FILTER (WHERE account = 'sales') AS sales_balance
    FROM account WHERE business_id = ${businessId} AND contact_id = m.contact_id
  ) AS balance`;

/** A page of members with their standing, newest first, with the total. */
export async function listMemberStandings(
  source: ListSource,
  of: BusinessTime,
  filter: MemberFilter & MemberConditions,
  page: PageRequest,
): Promise<Page<MemberStanding>> {
  const { businessId } = of;
  const listed = await listMembers(
    source,
    businessId,
    { ...filter, also: meetsConditions(of, filter) },
    page,
  );
  const contactIds = listed.rows.map((row) => row.contact_id);
  // OFFSET 0 makes each member one look-up by its key, also in a business that is missing from the statistics.
  const standings = await source.sql<MemberStanding[]>`
    SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number, m.email, m.active, t.tier_id,
      t.name AS tier_name, balance.*
    FROM unnest(${contactIds}::bigint[]) AS wanted (contact_id)
    CROSS JOIN LATERAL (
      SELECT * FROM member WHERE business_id = ${businessId} AND contact_id = wanted.contact_id OFFSET 0
    ) AS m
    ${withTierAndBalances(businessId)}
    ORDER BY m.member_id DESC`;
  return { ...listed, rows: standings };
}

export type MemberName = Pick<MemberRow, "contact_id" | "first_name" | "last_name">;

/** The names of members, in the order of contact_id. */
export function findMemberNames(sql: Connection, businessId: number, contactIds: readonly number[]) {
  return sql<MemberName[]>`
    SELECT m.contact_id, m.first_name, m.last_name
    FROM unnest(${contactIds}::bigint[]) AS wanted (contact_id)
    CROSS JOIN LATERAL (
      SELECT * FROM member WHERE business_id = ${businessId} AND contact_id = wanted.contact_id OFFSET 0
    ) AS m
    ORDER BY m.contact_id`;
}

/** A statement that reads members in full. @param members a statement that selects them from `member` */
const membersInFull = ({ businessId, timeZone }: BusinessTime, members: Fragment) => fragment`
  SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number, m.email,
    to_char(m.date_of_birth, 'YYYY-MM-DD') AS date_of_birth, m.external_ref, m.remarks, m.active,
    t.tier_id,
    t.name AS tier_name, CASE WHEN t.tier_id IS NOT NULL THEN (s.ends_on - 1)::text END AS tier_until, balance.*,
    m.password_hash IS NOT NULL AS has_password, m.merged_into,
    ${wallClock("m.joined_at", timeZone)} AS joined_at
  FROM (${members}) AS m
  ${withTierAndBalances(businessId)}
  ORDER BY m.member_id`;

export function findMemberRecord(sql: Connection, of: BusinessTime, contactId: number) {
  const member = fragment`SELECT * FROM member WHERE business_id = ${of.businessId} AND contact_id = ${contactId}`;
  return firstRow(sql<MemberRecord[]>`${membersInFull(of, member)}`);
}

export interface Visits {
  readonly visits: number;
  readonly last_visit_on: string | null;
  readonly average_sale: number | null;
}

/** The recorded sales of a member, after refunds. */
export function findVisits(sql: Connection, businessId: number, contactId: number) {
  return requiredRow(sql<Visits[]>`
    SELECT count(*) AS visits, max(sold_on)::text AS last_visit_on, round(avg(amount - refunded))::bigint AS average_sale
    FROM sale WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
}

/** Members in full, in the order of member_id, without anonymous cards. */
export function exportMembers(
  sql: Connection,
  of: BusinessTime,
  { after, limit, ...conditions }: ExportPage & MemberConditions,
) {
  const members = fragment`
    SELECT * FROM member m WHERE business_id = ${of.businessId} AND member_id > ${after} AND anonymous IS NULL
      AND ${meetsConditions(of, conditions) ?? raw("true")}
    ORDER BY member_id LIMIT ${limit}`;
  return sql<MemberRecord[]>`${membersInFull(of, members)}`;
}
