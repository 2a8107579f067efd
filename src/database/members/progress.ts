/** Reads a member with its tier, settled in memory, the way to the next tier, and what keeps it. */
import type { Rules } from "../../domain/engine/rules.ts";
import { settleTier, tierProgress } from "../../domain/engine/tier.ts";
import type { Connection } from "../connection.ts";
import { completeRules } from "../engine/rules.ts";
import { joinTier, storedTier, type TierRow, tierColumns } from "../engine/tiers.ts";
import { ledgerTime } from "../ledger/ledger.ts";
import { firstRow } from "../rows.ts";
import { type MemberKey, type MemberRow, matchesKey, memberColumns } from "./members.ts";

interface ReadRow extends MemberRow, TierRow {
  readonly rules: Rules | null;
  readonly today: string;
  readonly merged_into: number | null;
}

/** Finds a member, or the one into which it was merged. @returns undefined when there is no such member */
export async function findMemberWithTier(sql: Connection, businessId: number, key: MemberKey) {
  const row = await readMember(sql, businessId, key);
  // A member that was merged costs a second statement, and no other does.
  const target = row?.merged_into ?? undefined;
  const present = target === undefined ? row : await readMember(sql, businessId, { contact_id: target });
  return present && withProgress(present);
}

function readMember(sql: Connection, businessId: number, key: MemberKey): Promise<ReadRow | undefined> {
  return firstRow(sql<ReadRow[]>`
    SELECT ${memberColumns}, wanted.merged_into, clock.today, ${tierColumns}, reward.rules
    FROM (SELECT * FROM member WHERE business_id = ${businessId} AND ${matchesKey(key)}) AS wanted
    JOIN business b ON b.business_id = wanted.business_id
    JOIN ledger l ON l.business_id = wanted.business_id
    CROSS JOIN LATERAL (
      SELECT (${ledgerTime("clock_timestamp()")} AT TIME ZONE b.time_zone)::date AS today
    ) AS clock
    ${joinTier("by day")}
    LEFT JOIN LATERAL (
      SELECT r.rules FROM reward_rules r WHERE r.business_id = wanted.business_id
      ORDER BY r.business_id DESC, r.valid_from DESC, r.version DESC LIMIT 1
    ) AS reward ON true`);
}

function withProgress(row: ReadRow) {
  const { rules, today } = row;
  const stored = storedTier(row);
  const settled = { standing: settleTier(stored, today), sales: stored.sales, rules: completeRules(rules) };
  return { ...row, ...tierProgress(settled, today) };
}
