/** What operators give to many members at once: which members, and how far the job has come. */
import type { Actor } from "../../domain/audit-events.ts";
import type { BulkGrantState, CountedVoucher } from "../../domain/bulk-grants.ts";
import type { Occasion } from "../../domain/engine/rules.ts";
import type { PageRequest } from "../../domain/pagination.ts";
import { type Connection, withCustomPlans } from "../connection.ts";
import { type MemberConditions, meetsConditions } from "../members/filters.ts";
import { type BusinessTime, firstRow, newestFirst, readPage, requiredRow, wallClock } from "../rows.ts";
import { fragment, raw } from "../sql.ts";
import { type JobLease, leaseExtended, leasesOf } from "./leases.ts";

/** Its key, which is that of its occasion. */
export interface BulkGrantKey {
  readonly business_id: number;
  readonly occasion_id: number;
}

export interface BulkGrantRow
  extends BulkGrantKey,
    Pick<Occasion, "name" | "points" | "validity" | "validity_period" | "voucher_id"> {
  readonly filters: MemberConditions;
  readonly state: BulkGrantState;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly members_found: number;
  readonly members_given: number;
  readonly members_skipped: number;
  readonly problem: string | null;
}

const one = ({ business_id, occasion_id }: BulkGrantKey) =>
  fragment`business_id = ${business_id} AND occasion_id = ${occasion_id}`;

/** The members who are chosen: persons that are active, and meet the conditions. */
const chosen = (of: BusinessTime, conditions: MemberConditions) =>
  fragment`FROM member m WHERE m.business_id = ${of.businessId} AND m.anonymous IS NULL AND m.active
    AND ${meetsConditions(of, conditions) ?? raw("true")}`;

/** How many members are chosen. */
export function countChosen(tx: Connection, of: BusinessTime, conditions: MemberConditions) {
  return withCustomPlans(tx, () =>
    requiredRow(tx<{ members_found: number }[]>`SELECT count(*) AS members_found ${chosen(of, conditions)}`),
  );
}

/** The members who are chosen, at most as many as the limit, as the text of an array: nothing but PostgreSQL reads it. */
export function findChosen(tx: Connection, of: BusinessTime, conditions: MemberConditions, limit: number) {
  return withCustomPlans(tx, () =>
    requiredRow(tx<{ members_found: number; members: string }[]>`
      SELECT count(*) AS members_found, coalesce(array_agg(contact_id ORDER BY contact_id), '{}')::text AS members
      FROM (SELECT m.contact_id ${chosen(of, conditions)} LIMIT ${limit}) found`),
  );
}

/** Members, or those into which they were merged, each once. */
export async function listRemaining(tx: Connection, businessId: number, contactIds: readonly number[]) {
  const rows = await tx<{ contact_id: number }[]>`
    SELECT DISTINCT coalesce(merged_into, contact_id) AS contact_id FROM member
    WHERE business_id = ${businessId} AND contact_id = ANY (${contactIds}::bigint[]) ORDER BY contact_id`;
  return rows.map(({ contact_id }) => contact_id);
}

export interface NewBulkGrant extends BulkGrantKey {
  readonly filters: MemberConditions;
  readonly members_found: number;
  /** Its voucher when it was counted; null: it gives points. */
  readonly counted: CountedVoucher | null;
  readonly actor: Actor;
}

/** @param members who get it, as findChosen returns them */
export async function insertBulkGrant(tx: Connection, grant: NewBulkGrant, members: string): Promise<void> {
  const { business_id, occasion_id, filters, members_found, counted, actor } = grant;
  await tx`
    INSERT INTO bulk_grant (business_id, occasion_id, filters, members, members_found, counted, actor)
    VALUES (${business_id}, ${occasion_id}, ${filters}, ${members}::text::bigint[], ${members_found}, ${counted}, ${actor})`;
}

/** The next members who get it. @param done how many of its members are done */
export async function listNext(sql: Connection, key: BulkGrantKey, done: number, limit: number) {
  const rows = await sql<{ contact_id: number }[]>`
    SELECT unnest(members[${done}::integer + 1 : ${done}::integer + ${limit}::integer]) AS contact_id FROM bulk_grant WHERE ${one(key)}`;
  return rows.map(({ contact_id }) => contact_id);
}

/** The state of a bulk grant, which stays as it is until the end of the transaction. */
export function lockBulkGrant(tx: Connection, key: BulkGrantKey) {
  return firstRow(tx<Pick<BulkGrantRow, "state" | "members_given">[]>`
    SELECT state, members_given FROM bulk_grant WHERE ${one(key)} FOR UPDATE`);
}

/** Stops a bulk grant, or lets it go on. The process that has it notices that at its next members. */
export async function setBulkGrantState(tx: Connection, key: BulkGrantKey, state: "cancelled" | "running") {
  await tx`
    UPDATE bulk_grant SET state = ${state}, problem = NULL, leased_by = NULL,
      ended_at = CASE WHEN ${state === "cancelled"}::boolean THEN now() END
    WHERE ${one(key)}`;
}

export function listBulkGrants(sql: Connection, { businessId, timeZone }: BusinessTime, page: PageRequest) {
  const columns = fragment`g.occasion_id, o.name, o.points, o.validity, o.validity_period, o.voucher_id, g.filters, g.state,
    g.members_found, g.members_given, g.members_skipped, g.problem, ${wallClock("g.created_at", timeZone)} AS created_at,
    ${wallClock("g.ended_at", timeZone)} AS ended_at`;
  const from = fragment`FROM bulk_grant g JOIN occasion o ON o.business_id = g.business_id AND o.occasion_id = g.occasion_id
    WHERE g.business_id = ${businessId}`;
  return readPage<BulkGrantRow>(sql, { columns, from, sort: newestFirst("g.occasion_id") }, page);
}

/** A bulk grant that this process runs. */
interface RunningBulkGrant extends NewBulkGrant, Pick<BulkGrantRow, "state"> {
  readonly members_given: number;
  readonly members_skipped: number;
}
export type LeasedBulkGrant = RunningBulkGrant & JobLease;

export const bulkGrantLeases = leasesOf<RunningBulkGrant>(
  "bulk_grant",
  "occasion_id",
  ["running"],
  raw(
    "business_id, occasion_id, filters, state, members_found, counted, members_given, members_skipped, actor",
  ),
);

/** What a step of the job changes. */
export interface BulkGrantProgress extends Pick<RunningBulkGrant, "members_given" | "members_skipped"> {
  /** The state in which the job ends. */
  readonly state?: "ended" | "failed";
  readonly problem?: string;
}

/**
 * Stores what a process has done, if it still has the job, and the job was not cancelled.
 * @returns false when nothing was stored: then nothing may be committed
 */
export async function saveBulkGrant(
  sql: Connection,
  leased: Pick<LeasedBulkGrant, "business_id" | "occasion_id" | "lease">,
  { members_given, members_skipped, state, problem }: BulkGrantProgress,
): Promise<boolean> {
  const rows = await sql`
    UPDATE bulk_grant SET members_given = ${members_given}, members_skipped = ${members_skipped},
      members = CASE WHEN ${state === "ended"}::boolean THEN '{}' ELSE members END,
      state = coalesce(${state ?? null}::text, state), problem = ${problem ?? null}::text,
      ended_at = CASE WHEN ${state !== undefined}::boolean THEN now() END, ${leaseExtended}
    WHERE ${one(leased)} AND leased_by = ${leased.lease} AND state = 'running' RETURNING occasion_id`;
  return rows.length > 0;
}
