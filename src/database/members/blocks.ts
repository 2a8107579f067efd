/**
 * How many members, and active members, each range of 1,024 member_ids has. The member list takes its totals from these
 * counts, and finds any page by them, without counting members.
 */
import type { Connection } from "../connection.ts";
import { only } from "../rows.ts";
import type { Fragment } from "../sql.ts";

/** How many member_ids a block spans. */
export const memberIdsInBlock = 1024;

/**
 * Updates the counts for members that were made or changed. It comes last in its transaction, because others
 * that change members of the same block wait for it.
 * @param memberIds a statement whose rows are their member_ids
 * @param each what changed by each of them
 */
export function countMembers(
  tx: Connection,
  businessId: number,
  memberIds: Fragment,
  each: { readonly members: 0 | 1; readonly active: -1 | 1 },
) {
  // In ascending blocks, so that two transactions can't deadlock.
  return tx`
    INSERT INTO member_block AS known (business_id, block, members, active)
    SELECT l.business_id, changed.block, ${each.members} * changed.members, ${each.active} * changed.members
    FROM ledger l, (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*)::integer AS members
      FROM (${memberIds}) AS changed (member_id) GROUP BY 1 ORDER BY 1
    ) AS changed
    WHERE l.business_id = ${businessId}
    ON CONFLICT (business_id, block) DO UPDATE SET members = known.members + excluded.members,
      active = known.active + excluded.active`;
}

/** How many members there are, inactive ones included. */
export async function sumMembers(sql: Connection, businessId: number): Promise<number> {
  const { members } = await only(sql<{ members: number }[]>`
    SELECT coalesce(sum(members), 0)::bigint AS members FROM member_block WHERE business_id = ${businessId}`);
  return members;
}
