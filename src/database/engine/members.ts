/**
 * Reads what the engine needs of members before it decides: accounts, open lots, debts, the sale or
 * redemption that the decision is about, and the rules. A single read has the rules in the same statement. A
 * group of postings reads them once for each business and day.
 *
 * Each ORDER BY matches the index that must serve the statement: open lots in the order of spending, a sale as the first from
 * its number on. Without it, a plan that was made while a table was almost empty may use any index of the business, and
 * read all its sales or all lots of a member.
 */
import type { Rules } from "../../domain/engine/rules.ts";
import type { Balances, Debt, Lot, Member, Redemption, Sale, Use } from "../../domain/posting.ts";
import type { Connection } from "../connection.ts";
import { fragment, raw, tableOf } from "../sql.ts";

export interface WantedMember {
  readonly businessId: number;
  readonly contactId: number;
  readonly saleId?: number | undefined;
  readonly redemptionId?: number | undefined;
}

export interface WantedRules {
  readonly businessId: number;
  /** The day whose rules are wanted; the latest when absent. */
  readonly rulesOn?: string | undefined;
}

/** The rules of a business on a wanted day, and today in its time zone. */
export interface RulesRow {
  readonly rules: Rules;
  readonly today: string;
}

interface ReadRow {
  readonly position: number;
  readonly active: boolean;
  readonly balances: Balances;
  readonly lots: readonly Lot[] | null;
  readonly debts: readonly Debt[] | null;
  readonly sale: (Sale & StoredUses) | null;
  readonly redemption: (Redemption & StoredUses) | null;
  readonly rules: Rules | null;
  readonly today: string | null;
}

interface StoredUses {
  readonly use_lots: readonly number[];
  readonly use_points: readonly number[];
}

const lotColumns = raw(
  "l.lot_id, l.reference_id, l.earned_on, l.matures_on, l.expires_on, l.matured, l.points, l.clawed, l.used, l.expired",
);

/** The rules that apply on the wanted day, or the latest, and the day of the business. */
const rules = {
  columns: fragment`reward.rules,
    to_char(coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS today`,
  joins: fragment`
    JOIN business b ON b.business_id = wanted.business_id
    JOIN ledger l ON l.business_id = wanted.business_id
    LEFT JOIN LATERAL (
      SELECT r.rules FROM reward_rules r
      WHERE r.business_id = wanted.business_id AND r.valid_from <= coalesce(wanted.rules_on, 'infinity')
      ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
    ) AS reward ON true`,
};
const noRules: typeof rules = { columns: fragment`NULL AS rules, NULL AS today`, joins: fragment`` };

/** Each wanted member, in the order wanted; undefined where one does not exist. */
export async function findEngineMembers(
  sql: Connection,
  wanted: readonly WantedMember[],
): Promise<(Member | undefined)[]> {
  const rows = await readMembers(sql, wanted, noRules);
  const found = new Map(rows.map((row) => [row.position, memberOfRow(row)]));
  return wanted.map((_, index) => found.get(index + 1));
}

/** One member and the rules, for a read. @returns undefined when there is no such member */
export async function findEngineMember(
  sql: Connection,
  wanted: WantedMember & WantedRules,
): Promise<(Member & RulesRow) | undefined> {
  const [row] = await readMembers(sql, [wanted], rules);
  return row && { ...memberOfRow(row), rules: row.rules as Rules, today: row.today as string };
}

/** Reads open lots, and closed ones that the wanted sale or redemption names. */
function readMembers(
  sql: Connection,
  wanted: readonly (WantedMember & Partial<WantedRules>)[],
  rules: typeof noRules,
): Promise<ReadRow[]> {
  const rows = wanted.map((one) => ({
    business_id: one.businessId,
    contact_id: one.contactId,
    sale_id: one.saleId ?? null,
    redemption_id: one.redemptionId ?? null,
    rules_on: one.rulesOn ?? null,
  }));
  const wantedColumns =
    "business_id bigint, contact_id bigint, sale_id bigint, redemption_id bigint, rules_on date";
  return sql<ReadRow[]>`
    SELECT wanted.nth AS position, member.active, member.balances, sale.sale, redemption.redemption, open.lots,
      debt.debts, ${rules.columns}
    FROM ${tableOf("wanted", rows, wantedColumns)}
    CROSS JOIN LATERAL (
      SELECT bool_and(active) AS active, json_object_agg(account, balance) AS balances
      FROM account a WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id
      HAVING count(*) > 0
    ) AS member
    LEFT JOIN LATERAL (
      SELECT sale_id, contact_id, to_json(s) AS sale, s.sale_id || s.use_lots AS lot_ids FROM sale s
      WHERE s.business_id = wanted.business_id AND s.sale_id >= wanted.sale_id
      ORDER BY s.business_id, s.sale_id LIMIT 1
    ) AS sale ON sale.sale_id = wanted.sale_id AND sale.contact_id = wanted.contact_id
    LEFT JOIN LATERAL (
      SELECT redemption_id, contact_id, to_json(r) AS redemption, r.use_lots AS lot_ids FROM points_redemption r
      WHERE r.business_id = wanted.business_id AND r.redemption_id >= wanted.redemption_id
      ORDER BY r.business_id, r.redemption_id LIMIT 1
    ) AS redemption ON redemption.redemption_id = wanted.redemption_id
      AND redemption.contact_id = wanted.contact_id
    CROSS JOIN LATERAL (SELECT json_agg(l) AS lots FROM (
      (SELECT ${lotColumns} FROM points_lot l
      WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
        AND l.points > l.clawed + l.used + l.expired
      ORDER BY l.business_id, l.contact_id, l.expires_on, l.lot_id)
      UNION ALL
      SELECT ${lotColumns} FROM unnest(sale.lot_ids || redemption.lot_ids) AS named (lot_id)
      CROSS JOIN LATERAL (
        SELECT * FROM points_lot p
        WHERE p.business_id = wanted.business_id AND p.contact_id = wanted.contact_id AND p.lot_id = named.lot_id
          AND p.points = p.clawed + p.used + p.expired
        OFFSET 0
      ) AS l
    ) AS l) AS open
    CROSS JOIN LATERAL (
      SELECT json_agg(d ORDER BY d.sale_id) AS debts FROM points_debt d
      WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND d.owed > 0
    ) AS debt
    ${rules.joins}`;
}

/** The rules that apply on each wanted day, in the order wanted. */
export async function findRules(sql: Connection, wanted: readonly WantedRules[]): Promise<RulesRow[]> {
  const days = wanted.map((one) => ({ business_id: one.businessId, rules_on: one.rulesOn ?? null }));
  const rows = await sql<RulesRow[]>`
    SELECT ${rules.columns}
    FROM ${tableOf("wanted", days, "business_id bigint, rules_on date")}
    ${rules.joins}
    ORDER BY wanted.nth`;
  return rows;
}

/** All lots of a member, also those that are used up; the newest ten thousand. */
export function listLots(sql: Connection, businessId: number, contactId: number) {
  return sql<Lot[]>`
    SELECT ${lotColumns} FROM points_lot l WHERE l.business_id = ${businessId} AND l.contact_id = ${contactId}
    ORDER BY l.lot_id DESC LIMIT 10000`;
}

function memberOfRow({ sale, redemption, lots, debts, active, balances }: ReadRow): Member {
  return {
    active,
    balances,
    points: { balance: balances.points, lots: lots ?? [], debts: debts ?? [] },
    sale: sale === null ? undefined : { ...sale, uses: usesOf(sale) },
    redemption: redemption === null ? undefined : { ...redemption, uses: usesOf(redemption) },
  };
}

function usesOf({ use_lots, use_points }: StoredUses): Use[] {
  return use_lots.map((lot_id, index) => ({ lot_id, points: use_points[index] as number }));
}
