/** The rules of a business: the settings as they stand, and every version of them that the engine has used. */
import { inertRules, type Rules } from "../../domain/engine/rules.ts";
import type { Connection } from "../connection.ts";
import { only } from "../rows.ts";
import { fragment, identifier, list } from "../sql.ts";

/** What operators set, besides the contract's settings. */
export interface RuleSettings extends Omit<Rules, "enable_rp" | "rp_name" | "program"> {
  readonly default_program_id: number | null;
}

/** The settings by which points are earned, spent and expire. */
const columns = [
  "default_program_id",
  "earn_on",
  "value_points",
  "value_amount",
  "redeem_minimum_points",
  "points_validity",
  "points_validity_period",
  "points_expiry_rounding",
  "pending_days",
  "clawback_shortfall",
  "restored_points_valid_days",
] as const satisfies readonly (keyof RuleSettings)[];

const settings = fragment`SELECT rules_version AS version, ${list(columns.map(identifier))} FROM reward_settings`;

/** The rules as they stand, locked to the end of the transaction. */
export function lockRuleSettings(tx: Connection, businessId: number) {
  return only(tx<RuleSettings[]>`${settings} WHERE business_id = ${businessId} FOR NO KEY UPDATE`);
}

export function findRuleSettings(sql: Connection, businessId: number) {
  return only(sql<RuleSettings[]>`${settings} WHERE business_id = ${businessId}`);
}

/**
 * The rules that imported sales earn by, by the day of the sale. A sale before the day on which rewards were first switched
 * on earns by the rules of that day.
 */
export async function findImportRules(
  tx: Connection,
  businessId: number,
  days: readonly string[],
): Promise<Map<string, Rules>> {
  const rows = await tx<{ day: string; rules: Rules | null }[]>`
    SELECT sold.day::text AS day, reward.rules
    FROM unnest(${days}::date[]) AS sold (day)
    CROSS JOIN (
      SELECT min(valid_from) AS day FROM reward_rules
      WHERE business_id = ${businessId} AND (rules->>'enable_rp')::boolean
    ) AS first
    LEFT JOIN LATERAL (
      SELECT rules FROM reward_rules
      WHERE business_id = ${businessId} AND valid_from <= greatest(sold.day, first.day)
      ORDER BY valid_from DESC, version DESC LIMIT 1
    ) AS reward ON true`;
  return new Map(rows.map(({ day, rules }) => [day, rules ?? inertRules]));
}

/** Sets the rules. The caller holds the lock on them, and records the new version. */
export function updateRuleSettings(tx: Connection, businessId: number, rules: Omit<RuleSettings, "version">) {
  const set = columns.map((column) => fragment`${identifier(column)} = ${rules[column]}`);
  return tx`UPDATE reward_settings SET ${list(set)} WHERE business_id = ${businessId}`;
}

/** Records the settings and the program as they stand now as a version, which applies from today. */
export async function recordRules(tx: Connection, businessId: number): Promise<void> {
  // Concurrent changes wait for each other here, so each gets a version of its own.
  await tx`UPDATE reward_settings SET rules_version = rules_version + 1 WHERE business_id = ${businessId}`;
  await insertRules(tx, businessId, "today");
}

/**
 * Inserts the version that stands in the settings.
 * @param from from when it applies; "ever" for the first, so that also sales of days before have rules
 */
export function insertRules(tx: Connection, businessId: number, from: "ever" | "today") {
  return tx`
    INSERT INTO reward_rules (business_id, version, valid_from, rules)
    SELECT s.business_id, s.rules_version,
      CASE WHEN ${from === "ever"}::boolean THEN '0001-01-01'
        ELSE (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date END,
      (SELECT to_jsonb(r) - 'default_program_id' FROM (
        SELECT s.rules_version AS version, s.enable_rp, s.rp_name, to_jsonb(p) AS program, ${list(columns.map(identifier))}
      ) AS r)
    FROM reward_settings s
    JOIN business b ON b.business_id = s.business_id
    JOIN ledger l ON l.business_id = s.business_id
    LEFT JOIN LATERAL (
      SELECT program_id, membership_name, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order
      FROM reward_program WHERE business_id = s.business_id AND program_id = s.default_program_id
    ) AS p ON true
    WHERE s.business_id = ${businessId}`;
}
