/** The settings of a business for its points and tiers, and the versions of the rules that are made from them. */
import { pointsOfSales } from "../../domain/engine/earning/limits.ts";
import { type EarningParts, inertRules, type Rules } from "../../domain/engine/rules.ts";
import type { Connection } from "../connection.ts";
import { lockLedger } from "../ledger/ledger.ts";
import { requiredRow } from "../rows.ts";
import { assignmentsOf, type ChangeOf, type Fragment, fragment, list, nameInSql, raw } from "../sql.ts";
import { todayOf } from "./due.ts";
import { expectNotices } from "./notices.ts";

/** The rules that are not columns of the settings. */
const ofOtherTables = ["version", "program", "tiers", "promotions", "stamp_cards", "occasions"] as const;
type OfOtherTables = (typeof ofOtherTables)[number];

/** The settings that partners and operators can change. */
export interface Settings extends Omit<Rules, Exclude<OfOtherTables, "version">> {
  readonly default_program_id: number | null;
}

const ruleColumns = (Object.keys(inertRules) as (keyof Rules)[]).filter(
  (name): name is Exclude<keyof Rules, OfOtherTables> => !(ofOtherTables as readonly string[]).includes(name),
);
const columns: (keyof Settings)[] = ["default_program_id", ...ruleColumns];

export function findSettings(sql: Connection, businessId: number, lock = fragment``) {
  return requiredRow(sql<Settings[]>`
    SELECT rules_version AS version, ${list(columns.map(nameInSql))} FROM reward_settings
    WHERE business_id = ${businessId} ${lock}`);
}

export function lockSettings(tx: Connection, businessId: number) {
  return findSettings(tx, businessId, fragment`FOR NO KEY UPDATE`);
}

/** Changes some settings, at least one, and records the rules. @param from when they begin to apply */
export async function updateSettings(
  tx: Connection,
  businessId: number,
  change: ChangeOf<Settings>,
  from?: RulesBegin,
) {
  const before = await lockSettings(tx, businessId);
  await tx`UPDATE reward_settings SET ${assignmentsOf(columns, change)} WHERE business_id = ${businessId}`;
  await recordRules(tx, businessId, from);
  if (change.expiring_notice_days !== undefined) await expectNotices(tx, businessId);
  return { before, after: await findSettings(tx, businessId) };
}

/** Finds the rules that apply to sales of today. */
export async function findCurrentRules(sql: Connection, businessId: number): Promise<Rules> {
  const { rules } = await requiredRow(sql<{ rules: Rules }[]>`
    SELECT rules FROM reward_rules WHERE business_id = ${businessId}
    ORDER BY valid_from DESC, version DESC LIMIT 1`);
  return completeRules(rules);
}

/** Finds a version of the rules, such as that of a sale. */
export async function findRulesVersion(sql: Connection, businessId: number, version: number): Promise<Rules> {
  const { rules } = await requiredRow(sql<{ rules: Rules }[]>`
    SELECT rules FROM reward_rules WHERE business_id = ${businessId} AND version = ${version}`);
  return completeRules(rules);
}

/**
 * Finds the rules of imported sales, by the day of the sale. For a sale before the day on which points were first switched on,
 * the rules of that day apply.
 */
export async function findImportRules(
  tx: Connection,
  businessId: number,
  days: readonly string[],
): Promise<Map<string, Rules>> {
  const rows = await tx<{ day: string; rules: Rules }[]>`
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
  return new Map(rows.map(({ day, rules }) => [day, completeRules(rules)]));
}

/** Whether members reach tiers of a business by their sales. */
export async function haveTiersBySales(sql: Connection, businessId: number): Promise<boolean> {
  const { tiers_by_sales } = await requiredRow(sql<{ tiers_by_sales: boolean }[]>`
    SELECT tiers_by_sales FROM reward_settings WHERE business_id = ${businessId}`);
  return tiers_by_sales;
}

/** The rules of a row; inert ones without a row. Rows that an earlier release recorded lack the fields that were added since. */
export function completeRules(stored: Rules | null): Rules {
  return { ...inertRules, ...stored };
}

/** When a version of the rules begins to apply. */
type RulesBegin = "ever" | "today";

/** Lets the stamps of members be read from now on. The caller has locked the settings. */
export function readStamps(tx: Connection, businessId: number) {
  return tx`UPDATE reward_settings SET reads_stamps = true WHERE business_id = ${businessId} AND NOT reads_stamps`;
}

/**
 * Records the current settings, program, tiers, promotions, stamp cards and occasions as a new version of the rules. The ledger is locked, so that the
 * rules don't change while a group of postings is decided. Concurrent changes wait for each other, so each gets its own version.
 * All of them lock the settings first, so that they can't deadlock.
 */
export async function recordRules(
  tx: Connection,
  businessId: number,
  from: RulesBegin = "today",
): Promise<void> {
  await lockSettings(tx, businessId);
  await lockLedger(tx, businessId);
  await tx`
    UPDATE reward_settings SET rules_version = rules_version + 1, tiers_by_sales = EXISTS (
      SELECT FROM member_tier
      WHERE business_id = ${businessId} AND deleted_on IS NULL AND qualifying_sales IS NOT NULL
    ), reads_buying = reads_buying OR EXISTS (
      SELECT FROM promotion WHERE business_id = ${businessId} AND status = 'active'
        AND (member <> 'any' OR most_per_member IS NOT NULL OR most_per_member_day IS NOT NULL)
    ) OR ${limitsMembers(fragment`${businessId}`)} WHERE business_id = ${businessId}`;
  await insertRules(tx, businessId, from);
}

/** Whether a program limits the points of a member. */
const limitsMembers = (businessId: Fragment) => fragment`EXISTS (
      SELECT FROM reward_program WHERE business_id = ${businessId}
        AND (maximum_points_per_day IS NOT NULL OR maximum_points_per_month IS NOT NULL)
    )`;

/** The columns of a voucher's definition. */
export const definitionColumns =
  raw(`voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id, points_price,
            validity, validity_period, kind, percent, most_amount, skus, categories, minimum_amount`);

const program = (id: string) => fragment`
  SELECT program_id, membership_name, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order,
    excluded_categories, excluded_skus, excluded_from_payment, rates,
    maximum_points_per_day, maximum_points_per_month
  FROM reward_program WHERE business_id = s.business_id AND program_id = ${raw(id)}`;

/** Whether a stamp card c with a voucher v collects stamps: none for a voucher that is no longer issued. */
const collects = raw("c.status = 'active' AND NOT v.archived");

/** The voucher that a definition of a table gives. */
const voucherOf = (table: string) => fragment`(
          SELECT to_jsonb(v) FROM (
            SELECT ${definitionColumns} FROM voucher
            WHERE business_id = ${raw(`${table}.business_id`)} AND voucher_id = ${raw(`${table}.voucher_id`)}
          ) AS v
        ) AS voucher`;

/**
 * Inserts a version of the rules, made from the current settings.
 * @param from "ever" for the first version, so that earlier days have rules, too
 */
export function insertRules(tx: Connection, businessId: number, from: RulesBegin) {
  return tx`
    INSERT INTO reward_rules (business_id, version, valid_from, rules, asks_of_members, limited, budgeted)
    SELECT s.business_id, s.rules_version,
      CASE WHEN ${from === "ever"}::boolean THEN '0001-01-01'
        ELSE (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date END,
      (SELECT to_jsonb(r) FROM (
        SELECT s.rules_version AS version, to_jsonb(p) AS program,
          ${list(ruleColumns.map(nameInSql))}, tiers.tiers, promotions.promotions,
          stamp_cards.stamp_cards, occasions.occasions
      ) AS r), reads.asks_of_members, reads.limited, reads.budgeted
    FROM reward_settings s
    JOIN business b ON b.business_id = s.business_id
    JOIN ledger l ON l.business_id = s.business_id
    LEFT JOIN LATERAL (${program("s.default_program_id")}) AS p ON true
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(tier ORDER BY tier_id), '[]') AS tiers FROM (
        SELECT tier_id, name, qualifying_sales, expiry, expiry_period, to_jsonb(p) AS program
        FROM member_tier t LEFT JOIN LATERAL (${program("t.program_id")}) AS p ON true
        WHERE t.business_id = s.business_id AND t.deleted_on IS NULL
      ) AS tier
    ) AS tiers
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(to_jsonb(promotion) ORDER BY promotion_id), '[]') AS promotions FROM (
        SELECT promotion_id, name, first_day, last_day, weekdays, from_time, until_time, location_ids, tier_ids, skus,
          categories, minimum_amount, minimum_quantity, multiply, points, voucher_id, ${voucherOf("promotion")},
          stamp_card_id, stamps, per, exclusive, member, member_days, most_per_member, most_per_member_day, budget_points
        FROM promotion WHERE business_id = s.business_id AND status = 'active' AND (stamp_card_id IS NULL OR EXISTS (
          SELECT FROM stamp_card c JOIN voucher v ON v.business_id = c.business_id AND v.voucher_id = c.voucher_id
          WHERE c.business_id = s.business_id AND c.stamp_card_id = promotion.stamp_card_id AND ${collects}
        ))
      ) AS promotion
    ) AS promotions
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(to_jsonb(card) ORDER BY stamp_card_id), '[]') AS stamp_cards FROM (
        SELECT c.stamp_card_id, c.name, c.stamps_needed, c.voucher_id, ${voucherOf("c")}, c.counts, c.most_per_day, c.skus,
          c.categories, c.counts_free_lines, c.minimum_amount, c.location_ids, c.validity, c.validity_period
        FROM stamp_card c JOIN voucher v ON v.business_id = c.business_id AND v.voucher_id = c.voucher_id
        WHERE c.business_id = s.business_id AND ${collects}
      ) AS card
    ) AS stamp_cards
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(to_jsonb(o) ORDER BY occasion_id), '[]') AS occasions FROM (
        SELECT o.occasion_id, o.name, o.kind, o.days_before, o.inactive_days, o.minimum_membership_days, o.first_day,
          o.last_day, o.points, o.validity, o.validity_period, o.voucher_id, ${voucherOf("o")}
        FROM occasion o LEFT JOIN voucher v ON v.business_id = o.business_id AND v.voucher_id = o.voucher_id
        WHERE o.business_id = s.business_id AND o.status = 'active' AND v.archived IS NOT TRUE
      ) AS o
    ) AS occasions
    CROSS JOIN LATERAL (
      SELECT coalesce(bool_or(member <> 'any'), false) AS asks_of_members,
        coalesce(array_agg(promotion_id) FILTER (WHERE most_per_member IS NOT NULL OR most_per_member_day IS NOT NULL), '{}')
          || CASE WHEN ${limitsMembers(fragment`s.business_id`)} THEN ARRAY[${pointsOfSales}::bigint] ELSE '{}' END AS limited,
        coalesce(array_agg(promotion_id) FILTER (WHERE budget_points IS NOT NULL), '{}') AS budgeted
      FROM promotion WHERE business_id = s.business_id AND status = 'active'
    ) AS reads
    WHERE s.business_id = ${businessId}`;
}

/** What a business has of what its sales need to earn. The newest sales say whether one has earned, so that all need not be read. */
export function findEarningParts(sql: Connection, businessId: number) {
  return requiredRow(sql<EarningParts[]>`
    SELECT s.enable_rp, to_jsonb(p) AS program,
      EXISTS (SELECT FROM location WHERE business_id = s.business_id) AS has_location,
      EXISTS (
        SELECT FROM integration WHERE business_id = s.business_id AND enabled AND 'wa.sales.write' = ANY (scopes)
      ) AS has_integration,
      EXISTS (
        SELECT FROM (
          SELECT points_earned FROM sale WHERE business_id = s.business_id ORDER BY sold_on DESC, sale_id DESC LIMIT 1000
        ) AS newest
        WHERE points_earned > 0
      ) AS has_earned
    FROM reward_settings s LEFT JOIN LATERAL (${program("s.default_program_id")}) AS p ON true
    WHERE s.business_id = ${businessId}`);
}

/**
 * Lets all versions of the rules begin today at the latest, after the time zone has changed: it may be the day before there. A
 * version that begins tomorrow would remain in force when the rules change again.
 */
export function beginRulesByToday(tx: Connection, businessId: number) {
  return tx`
    UPDATE reward_rules SET valid_from = ${todayOf(businessId)}
    WHERE business_id = ${businessId} AND valid_from > ${todayOf(businessId)}`;
}
