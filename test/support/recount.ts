/** Counts entries and members again, in a business that was filled by other means than the service. */
import type { Connection } from "../../src/database/connection.ts";
import { countRecorded } from "../../src/database/ledger/counts.ts";
import { memberIdsInBlock } from "../../src/database/members/list.ts";

export async function recountLedger(tx: Connection, businessId: number): Promise<void> {
  const [ledger] = await tx<{ last_entry_no: number }[]>`
    SELECT last_entry_no FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
  await tx`DELETE FROM entry_count WHERE business_id = ${businessId}`;
  await tx`
    UPDATE ledger_count SET counted_entries = DEFAULT, blocks_end_at = DEFAULT, blocks_end_no = DEFAULT,
      groups_end_at = DEFAULT, groups_end_no = DEFAULT
    WHERE business_id = ${businessId}`;
  const { last_entry_no } = ledger as { last_entry_no: number };
  await countRecorded(tx, businessId, last_entry_no, last_entry_no);
}

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
