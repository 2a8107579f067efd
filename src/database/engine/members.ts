/**
 * What the engine reads of members before it decides: accounts, open lots, debts, a sale or redemption that the decision
 * is about, and the rules. One statement reads all of it, for a group of postings and for a single read alike.
 */
import type { Redemption } from "../../domain/engine/exchange.ts";
import type { Debt, Lot, Use } from "../../domain/engine/lots.ts";
import { inertRules, type Rules } from "../../domain/engine/rules.ts";
import type { Sale } from "../../domain/engine/sale.ts";
import type { Account } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";

/** What to read. */
export interface WantedMember {
  readonly businessId: number;
  readonly contactId: number;
  readonly saleId?: number | undefined;
  readonly redemptionId?: number | undefined;
  /** The day whose rules are wanted; the latest when absent. */
  readonly rulesOn?: string | undefined;
}

/** What was read for one wanted member. */
export interface MemberRow {
  readonly active: boolean;
  readonly balances: Readonly<Record<Account, number>>;
  /** Open ones, and those that the sale or the redemption concerns. */
  readonly lots: readonly Lot[];
  readonly debts: readonly Debt[];
  readonly sale: Sale | undefined;
  readonly redemption: Redemption | undefined;
  readonly rules: Rules;
  /** The day of the business, when the statement began. */
  readonly today: string;
}

interface ReadRow {
  readonly position: number;
  readonly today: string;
  readonly active: boolean;
  readonly balances: Record<Account, number>;
  readonly lots: Lot[] | null;
  readonly debts: Debt[] | null;
  readonly sale: (Sale & KeptUses) | null;
  readonly redemption: (Redemption & KeptUses) | null;
  readonly rules: Rules | null;
}

interface KeptUses {
  readonly use_lots: readonly number[];
  readonly use_points: readonly number[];
}

/** Each wanted member, in the order wanted; undefined where there is none. */
export async function findEngineMembers(
  sql: Connection,
  wanted: readonly WantedMember[],
): Promise<(MemberRow | undefined)[]> {
  const rows = await sql<ReadRow[]>`
    SELECT wanted.position, member.active, member.balances, open.lots, debt.debts, sale.sale, redemption.redemption,
      reward.rules, to_char(coalesce(ledger.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS today
    FROM unnest(
      ${wanted.map(({ businessId }) => businessId)}::bigint[], ${wanted.map(({ contactId }) => contactId)}::bigint[],
      ${wanted.map(({ saleId }) => saleId ?? null)}::bigint[],
      ${wanted.map(({ redemptionId }) => redemptionId ?? null)}::bigint[],
      ${wanted.map(({ rulesOn }) => rulesOn ?? null)}::date[]
    ) WITH ORDINALITY AS wanted (business_id, contact_id, sale_id, redemption_id, rules_on, position)
    JOIN business b ON b.business_id = wanted.business_id
    JOIN ledger ON ledger.business_id = wanted.business_id
    CROSS JOIN LATERAL (
      SELECT bool_and(active) AS active, json_object_agg(account, balance) AS balances
      FROM account a WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id
      HAVING count(*) > 0
    ) AS member
    LEFT JOIN LATERAL (
      SELECT to_json(s) AS sale, s.sale_id || s.use_lots AS lot_ids FROM sale s
      WHERE s.business_id = wanted.business_id AND s.sale_id = wanted.sale_id AND s.contact_id = wanted.contact_id
      OFFSET 0
    ) AS sale ON true
    LEFT JOIN LATERAL (
      SELECT to_json(r) AS redemption, r.use_lots AS lot_ids FROM points_redemption r
      WHERE r.business_id = wanted.business_id AND r.redemption_id = wanted.redemption_id
        AND r.contact_id = wanted.contact_id
      OFFSET 0
    ) AS redemption ON true
    CROSS JOIN LATERAL (
      SELECT json_agg(lot) AS lots FROM (
        SELECT * FROM points_lot l
        WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
          AND l.points > l.clawed + l.used + l.expired
        UNION
        SELECT l.* FROM unnest(sale.lot_ids || redemption.lot_ids) AS named (lot_id)
        CROSS JOIN LATERAL (
          SELECT * FROM points_lot p
          WHERE p.business_id = wanted.business_id AND p.contact_id = wanted.contact_id AND p.lot_id = named.lot_id
          OFFSET 0
        ) AS l
      ) AS lot
    ) AS open
    CROSS JOIN LATERAL (
      SELECT json_agg(d ORDER BY d.sale_id) AS debts FROM points_debt d
      WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND d.owed > 0
    ) AS debt
    LEFT JOIN LATERAL (
      SELECT r.rules FROM reward_rules r
      WHERE r.business_id = wanted.business_id AND r.valid_from <= coalesce(wanted.rules_on, 'infinity')
      ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
    ) AS reward ON true`;
  const found = new Map(rows.map((row) => [row.position, memberOf(row)]));
  return wanted.map((_, index) => found.get(index + 1));
}

/** One member, for a read. @returns undefined when there is none */
export async function findEngineMember(
  sql: Connection,
  wanted: WantedMember,
): Promise<MemberRow | undefined> {
  const [member] = await findEngineMembers(sql, [wanted]);
  return member;
}

/** All lots of a member, also those that are used up; the newest ten thousand. */
export async function listLots(sql: Connection, businessId: number, contactId: number): Promise<Lot[]> {
  const rows = await sql<{ lot: Lot }[]>`
    SELECT to_json(l) AS lot FROM points_lot l
    WHERE l.business_id = ${businessId} AND l.contact_id = ${contactId}
    ORDER BY l.lot_id DESC LIMIT 10000`;
  return rows.map(({ lot }) => lot);
}

function memberOf({ sale, redemption, lots, debts, active, balances, rules, today }: ReadRow): MemberRow {
  return {
    active,
    balances,
    lots: lots ?? [],
    debts: debts ?? [],
    sale: sale === null ? undefined : { ...sale, uses: usesOf(sale) },
    redemption: redemption === null ? undefined : { ...redemption, uses: usesOf(redemption) },
    // A process of the version before may have made the business, while an upgrade was going on.
    rules: rules ?? inertRules,
    today,
  };
}

function usesOf({ use_lots, use_points }: KeptUses): Use[] {
  return use_lots.map((lot_id, index) => ({ lot_id, points: use_points[index] as number }));
}
