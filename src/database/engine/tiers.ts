/** Reads the tiers of members, with the sales that decide about them. */
import type { Rules } from "../../domain/engine/rules.ts";
import type { StoredTier } from "../../domain/engine/tiers/tier.ts";
import type { SalesDay, TierStanding } from "../../domain/records.ts";
import { ledgerTime } from "../ledger/ledger.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { recordColumns } from "./kinds.ts";
import { completeRules } from "./rules.ts";

/** The sum of today's window, its sales by day, or also those since the window of the first day on which a tier was decided. */
type SalesRead = "sum" | "by day" | "by day since the tiers";

/** The tier of a row. */
export interface TierRow {
  readonly standing: TierStanding | null;
  readonly sales: readonly SalesDay[] | null;
  /** Undefined if it was not read. */
  readonly past?: readonly { readonly valid_from: string; readonly rules: Rules }[] | null;
}

export const tierColumns = raw(
  "CASE WHEN standing.since IS NOT NULL THEN to_json(standing) END AS standing, sold.sales",
);
export const tierColumnsWithPast = fragment`${tierColumns}, past.versions AS past`;

const ofMember = (table: string) =>
  raw(`${table}.business_id = wanted.business_id AND ${table}.contact_id = wanted.contact_id`);
const periodOf = (length: string, unit: string) => raw(`${length} * ('1 ' || ${unit})::interval`);
const byVersion = raw("r.business_id, r.valid_from, r.version");

/** The first day on which sales reached or renewed a tier that the member has or was promised, or had before refunds. */
const firstDecided = raw(
  "(SELECT min(day #>> '{}')::date FROM jsonb_path_query(to_jsonb(standing), '$.**.on') AS day)",
);

/** Whether a business has ever had a tier; null if not. @param businessId an expression */
export const hasTiers = (businessId: string) =>
  raw(`(
  SELECT true FROM member_tier t WHERE t.business_id = ${businessId} ORDER BY t.business_id, t.tier_id LIMIT 1
) AS has_tiers`);

/**
 * `settings`: what the members of a business share, read once for each business. It is a part of WITH.
 * @param withTiers whether tiers are joined
 */
export const sharedSettings = (businessIds: readonly number[], withTiers: boolean) => fragment`
  settings AS MATERIALIZED (
    SELECT b.business_id, b.time_zone, moment.now::date AS today, to_char(moment.now, 'YYYY-MM-DD HH24:MI:SS') AS local_time,
      b.currency, b.currency_decimals
      ${withTiers ? tierSettings : fragment``}
    FROM unnest(${businessIds}::bigint[]) AS each (business_id)
    JOIN business b ON b.business_id = each.business_id
    JOIN ledger l ON l.business_id = each.business_id
    CROSS JOIN LATERAL (SELECT ${ledgerTime} AT TIME ZONE b.time_zone AS now OFFSET 0) AS moment
    ${raw(withTiers ? "JOIN reward_settings s ON s.business_id = each.business_id" : "")}
  )`;

const tierSettings = fragment`, s.tiers_by_sales, s.reads_buying, s.reads_stamps,
  ${periodOf("s.rp_sales_calculation_period", "s.rp_sales_calculation_period_type")} AS period,
  ${hasTiers("b.business_id")}`;

/**
 * Joins the tier of a member to `wanted`, which names it, and `settings` of its business, which have the day. A standing is read
 * only if the business has ever had a tier, and sales of earlier days only if they decide about tiers.
 * @param withPast whether a tier that has ended is read with what decides about its end: the rules since, and the sales by day.
 *   Without it, read a row again if its `ends.day` has come. Sales "by day since the tiers" are always read with the rules since.
 */
export function joinTier(sales: SalesRead, withPast: boolean): Fragment {
  return (withPast ? joinsWithPast : joins)[sales];
}

function makeJoin(sales: SalesRead, withPast: boolean): Fragment {
  const readsPast = withPast || sales === "by day since the tiers";
  const isDecided = sales === "by day since the tiers" ? fragment`, ${firstDecided}` : fragment``;
  const hasPast = raw(readsPast ? "past.versions IS NOT NULL" : "false");
  return fragment`
    LEFT JOIN LATERAL (
      SELECT ${recordColumns("tier_standing", "s")} FROM tier_standing s WHERE settings.has_tiers AND ${ofMember("s")} OFFSET 0
    ) AS standing ON true
    LEFT JOIN LATERAL (
      SELECT t.deleted_on FROM member_tier t
      WHERE t.business_id = wanted.business_id AND t.tier_id = standing.tier_id OFFSET 0
    ) AS held ON true
    CROSS JOIN LATERAL (SELECT least(standing.ends_on, held.deleted_on) AS day) AS ends
    ${readsPast ? fragment`CROSS JOIN LATERAL (SELECT least(ends.day${isDecided}) AS day) AS since ${joinPast}` : fragment``}
    LEFT JOIN LATERAL (
      SELECT coalesce(
        ${sales === "sum" ? fragment`${salesByDay} FILTER (WHERE ${hasPast})` : salesByDay},
        json_build_array(json_build_object('day', settings.today, 'net', coalesce(sum(d.net), 0)))
      ) AS sales
      FROM sales_day d WHERE (settings.tiers_by_sales OR ${hasPast}) AND ${ofMember("d")}
        AND d.day > (least(${raw(readsPast ? "since" : "ends")}.day, settings.today) - ${raw(readsPast ? "greatest(settings.period, past.period)" : "settings.period")})::date
    ) AS sold ON true`;
}

const salesByDay = raw("json_agg(json_build_object('day', d.day, 'net', d.net))");

/** Tiers don't depend on promotions and stamp cards, which are the largest parts of rules. */
const joinPast = fragment`
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('valid_from', r.valid_from, 'rules', r.rules - '{promotions,stamp_cards}'::text[]) ORDER BY ${byVersion}) AS versions,
        max(${periodOf("(r.rules->>'rp_sales_calculation_period')::integer", "(r.rules->>'rp_sales_calculation_period_type')")}) AS period
      FROM reward_rules r WHERE since.day <= settings.today AND r.business_id = wanted.business_id
        AND (r.valid_from, r.version) >= (
          SELECT r.valid_from, r.version FROM reward_rules r
          WHERE r.business_id = wanted.business_id AND r.valid_from < since.day
          ORDER BY r.business_id DESC, r.valid_from DESC, r.version DESC LIMIT 1
        )
    ) AS past ON true`;

const makeJoins = (withPast: boolean): Readonly<Record<SalesRead, Fragment>> => ({
  sum: makeJoin("sum", withPast),
  "by day": makeJoin("by day", withPast),
  "by day since the tiers": makeJoin("by day since the tiers", withPast),
});
const [joins, joinsWithPast] = [makeJoins(false), makeJoins(true)];

export function storedTier({ standing, sales, past }: TierRow): StoredTier {
  return {
    standing: standing ?? undefined,
    sales: sales ?? [],
    past: (past ?? []).map(({ valid_from, rules }) => ({ valid_from, rules: completeRules(rules) })),
  };
}
