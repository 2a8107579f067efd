/** The rules of a business: the settings as they stand, and every version of them that the engine has used. */
import { inertRules, type Rules } from "../../domain/engine/rules.ts";
import type { Connection } from "../connection.ts";
import { fragment } from "../sql.ts";

/** What operators set, besides the contract's settings. */
export interface RuleSettings extends Omit<Rules, "enable_rp" | "rp_name" | "program"> {
  readonly default_program_id: number | null;
}

const settings = fragment`
  SELECT rules_version AS version, default_program_id, earn_on, value_points, value_amount, redeem_minimum_points,
    points_validity, points_validity_period, points_expiry_rounding, pending_days, clawback_shortfall,
    restored_points_valid_days
  FROM reward_settings`;

/** The rules as they stand, locked to the end of the transaction. */
export function lockRuleSettings(tx: Connection, businessId: number): Promise<RuleSettings> {
  return only(tx<RuleSettings[]>`${settings} WHERE business_id = ${businessId} FOR NO KEY UPDATE`);
}

/** The rules as they stand. */
export function findRuleSettings(sql: Connection, businessId: number): Promise<RuleSettings> {
  return only(sql<RuleSettings[]>`${settings} WHERE business_id = ${businessId}`);
}

async function only(rows: Promise<RuleSettings[]>): Promise<RuleSettings> {
  const [row] = await rows;
  if (row === undefined) throw new Error("a business has no reward settings");
  return row;
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
  return tx`
    UPDATE reward_settings SET default_program_id = ${rules.default_program_id}, earn_on = ${rules.earn_on},
      value_points = ${rules.value_points}, value_amount = ${rules.value_amount},
      redeem_minimum_points = ${rules.redeem_minimum_points}, points_validity = ${rules.points_validity},
      points_validity_period = ${rules.points_validity_period},
      points_expiry_rounding = ${rules.points_expiry_rounding}, pending_days = ${rules.pending_days},
      clawback_shortfall = ${rules.clawback_shortfall},
      restored_points_valid_days = ${rules.restored_points_valid_days}
    WHERE business_id = ${businessId}`;
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
export async function insertRules(tx: Connection, businessId: number, from: "ever" | "today"): Promise<void> {
  await tx`
    INSERT INTO reward_rules (business_id, version, valid_from, rules)
    SELECT s.business_id, s.rules_version,
      CASE WHEN ${from === "ever"}::boolean THEN '0001-01-01'
        ELSE (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date END,
      jsonb_build_object('version', s.rules_version, 'enable_rp', s.enable_rp, 'rp_name', s.rp_name, 'program',
        CASE WHEN p.program_id IS NOT NULL THEN jsonb_build_object('program_id', p.program_id, 'membership_name',
          p.membership_name, 'earn_points', p.earn_points, 'earn_amount', p.earn_amount,
          'earn_minimum_amount', p.earn_minimum_amount, 'maximum_points_per_order', p.maximum_points_per_order)
        END,
        'earn_on', s.earn_on, 'value_points', s.value_points, 'value_amount', s.value_amount,
        'redeem_minimum_points', s.redeem_minimum_points, 'points_validity', s.points_validity,
        'points_validity_period', s.points_validity_period, 'points_expiry_rounding', s.points_expiry_rounding,
        'pending_days', s.pending_days, 'clawback_shortfall', s.clawback_shortfall,
        'restored_points_valid_days', s.restored_points_valid_days)
    FROM reward_settings s
    JOIN business b ON b.business_id = s.business_id
    JOIN ledger l ON l.business_id = s.business_id
    LEFT JOIN reward_program p ON p.business_id = s.business_id AND p.program_id = s.default_program_id
    WHERE s.business_id = ${businessId}`;
}
