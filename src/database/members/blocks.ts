/**
 * How many members, and active members, each range of 1,024 member_ids has. The member list takes its totals from these
 * counts, and finds any page by them, without counting members.
 */
import type { Connection } from "../connection.ts";

/** How many member_ids a block spans. */
export const memberIdsInBlock = 1024;

/** What an operation changed: +1, 0 or -1 each, or more for many members at once. */
export interface MemberCountChange {
  readonly members: number;
  readonly active: number;
}

/**
 * Counts a change. Last in its transaction: everyone who changes a member nearby waits for it to end.
 * @param memberId of the member made or changed
 */
export async function countMember(
  tx: Connection,
  businessId: number,
  memberId: number,
  { members, active }: MemberCountChange,
): Promise<void> {
  await tx`
    INSERT INTO member_block AS known (business_id, block, members, active)
    VALUES (${businessId}, ${Math.floor(memberId / memberIdsInBlock)}, ${members}, ${active})
    ON CONFLICT (business_id, block) DO UPDATE SET members = known.members + excluded.members,
      active = known.active + excluded.active`;
}

/** Counts an active member that was just created. */
export async function countNewMember(tx: Connection, businessId: number, phoneNumber: string): Promise<void> {
  await tx`
    INSERT INTO member_block AS known (business_id, block, members, active)
    SELECT business_id, member_id / ${memberIdsInBlock}, 1, 1 FROM member
    WHERE business_id = ${businessId} AND phone_number = ${phoneNumber}
    ON CONFLICT (business_id, block) DO UPDATE SET members = known.members + excluded.members,
      active = known.active + excluded.active`;
}

/** Counts active members that were made together, in ascending blocks. */
export async function countNewMembers(
  tx: Connection,
  businessId: number,
  memberIds: readonly number[],
): Promise<void> {
  await tx`
    INSERT INTO member_block AS known (business_id, block, members, active)
    SELECT l.business_id, made.block, made.members, made.members
    FROM ledger l, (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*)::integer AS members
      FROM unnest(${memberIds}::bigint[]) AS member_id GROUP BY 1 ORDER BY 1
    ) AS made
    WHERE l.business_id = ${businessId}
    ON CONFLICT (business_id, block) DO UPDATE SET members = known.members + excluded.members,
      active = known.active + excluded.active`;
}

/** How many members there are, inactive ones included. */
export async function sumMembers(tx: Connection, businessId: number): Promise<number> {
  const [row] = await tx<{ members: number }[]>`
    SELECT coalesce(sum(members), 0)::bigint AS members FROM member_block WHERE business_id = ${businessId}`;
  return row?.members ?? 0;
}

/** Counts all members again; for a database that was filled by other means than the service. */
export async function recountMembers(tx: Connection, businessId: number): Promise<void> {
  await tx`DELETE FROM member_block WHERE business_id = ${businessId}`;
  await tx`
    INSERT INTO member_block (business_id, block, members, active)
    SELECT l.business_id, counted.block, counted.members, counted.active
    FROM ledger l, (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*) AS members,
        count(*) FILTER (WHERE active) AS active
      FROM member WHERE business_id = ${businessId} GROUP BY 1
    ) AS counted
    WHERE l.business_id = ${businessId}`;
}
