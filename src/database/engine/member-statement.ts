/**
 * The statement that reads members, from top to bottom. It has only those parts that at least one of the members needs.
 *
 * Each ORDER BY matches the index that the statement must use. Without it, a plan that was made while a table was almost empty
 * may use any index of the business, and read all its sales or all lots of a member.
 */
import type { NamedKind } from "../../domain/decision.ts";
import { pointsOfSales } from "../../domain/engine/earning/limits.ts";
import { latestRecordingDays } from "../../domain/idempotency.ts";
import { everywhere } from "../ledger/day-totals.ts";
import { type Fragment, fragment, inSequence, list, raw } from "../sql.ts";
import { isRead, recordColumns, storageOf } from "./kinds.ts";
import { joinTier, sharedSettings, tierColumns, tierColumnsWithPast } from "./tiers.ts";

/** The most due lots that are read and settled at once. */
export const mostDueLots = 1000;

/** The columns of the table `wanted`, without those of named records, which are arrays of numbers. */
export const wantedColumns = `business_id bigint, contact_id bigint, spends bigint, due_lots integer, rules_on date,
  lapsed_since date, voucher_ids bigint[], voucher_codes text[], usable_vouchers integer, promoted_on date[],
  off_cards bigint[], stamps_off integer[]`;

export interface MemberParts {
  readonly businessIds: readonly number[];
  /** The table of the members. */
  readonly wanted: Fragment;
  /** What is due. */
  readonly due: boolean;
  /** The lots that will be spent. */
  readonly spends: boolean;
  /** Points that have lapsed since the day of a late sale, and vouchers of any code. */
  readonly late: boolean;
  /** Vouchers of some codes, those that can be used of any code, and those of some numbers. */
  readonly codes: boolean;
  readonly anyCode: boolean;
  readonly ids: boolean;
  /** Vouchers of stamp cards from which stamps are taken off by hand. */
  readonly stampsOff: boolean;
  /** The kinds of named records. With sales, the sales by day are read. */
  readonly kinds: readonly NamedKind[];
  readonly tiers: boolean;
  /** Stamps, what promotions ask of members, and what those with a budget have given. The first two need tiers as well. */
  readonly cards: boolean;
  readonly buying: boolean;
  readonly budgets: boolean;
  /** The rules of today, or also those of another day. */
  readonly rules: "none" | "today" | "of a day";
}

const when = (is: boolean, part: Fragment) => (is ? part : fragment``);

export function memberStatement(parts: MemberParts): Fragment {
  const { businessIds, wanted, due, kinds, tiers, cards, buying, budgets, rules } = parts;
  const withPast = due || kinds.includes("sale");
  return fragment`
    WITH ${sharedSettings(businessIds, tiers)}
    SELECT wanted.nth AS position, member.active, member.anonymous, member.lapses_on, member.balances, settings.today, sums.due,
      ${raw(tiers ? "sums.is_due OR coalesce(ends.day <= settings.today, false)" : "sums.is_due")} AS is_due,
      (SELECT json_agg(d) FROM (
        SELECT ${recordColumns("debt", "d")} FROM points_debt d
        WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND ${isRead("debt", "d")}
      ) AS d) AS debts
      ${lots(parts)}
      ${vouchers(parts)}
      ${when(
        kinds.length > 0,
        fragment`, (
          SELECT erased_at IS NOT NULL FROM member m
          WHERE m.business_id = wanted.business_id AND m.contact_id = wanted.contact_id
        ) AS erased, json_build_object(${list(kinds.map((kind) => raw(`'${kind}', ${kind}.records`)))}) AS named`,
      )}
      ${when(rules !== "none", fragment`, reward.*, settings.local_time, settings.currency, settings.currency_decimals`)}
      ${when(rules === "of a day", fragment`, reward_today.rules AS rules_today`)}
      ${when(tiers, fragment`, ${withPast ? tierColumnsWithPast : tierColumns}, settings.reads_stamps, settings.reads_buying`)}
      ${when(cards, fragment`, ${stampCards} AS cards`)}
      ${when(buying, fragment`, ${asked} AS buying`)}
    FROM ${wanted}
    CROSS JOIN LATERAL (
      SELECT bool_and(active) AS active, max(anonymous) AS anonymous, max(lapses_on)::text AS lapses_on, json_object_agg(account, balance) AS balances
      FROM account a WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id
      HAVING count(*) > 0
    ) AS member
    JOIN settings ON settings.business_id = wanted.business_id
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('event', event, 'day', nullif(day, 'infinity'), 'points', amount)) AS due,
        coalesce(bool_or(day <= settings.today), false) AS is_due
      FROM member_due d
      WHERE d.business_id = wanted.business_id AND d.contact_id = wanted.contact_id AND d.amount <> 0
    ) AS sums
    ${inSequence(kinds.map(namedRecords))}
    ${when(tiers, joinTier(kinds.includes("sale") ? "by day since the tiers" : "sum", due))}
    ${when(rules !== "none", joinRules(budgets))}
    ${when(
      rules === "of a day",
      fragment`
    LEFT JOIN LATERAL (
      SELECT r.rules FROM reward_rules r WHERE r.business_id = wanted.business_id AND r.valid_from <= 'infinity'
      ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
    ) AS reward_today ON true`,
    )}`;
}

/** Pairs of a promotion_id and the points that it has given. @param ids an array of their numbers */
const pointsGiven = (ids: string) =>
  raw(`(
        SELECT json_agg(json_build_array(id, given.points)) FROM unnest(${ids}) AS id CROSS JOIN LATERAL (
          SELECT sum(t.amount)::bigint AS points FROM day_total t
          WHERE t.business_id = wanted.business_id AND t.location_id = ${everywhere} AND t.day = 'infinity'
            AND t.what = 'promotion_points ' || id
        ) AS given WHERE given.points <> 0
      )`);

/** Joins `reward`: the rules of the wanted day, or the latest. @param budgets whether it has the points that their promotions have given */
export const joinRules = (budgets: boolean) => fragment`
    LEFT JOIN LATERAL (
      SELECT r.rules, r.budgeted <> '{}' AS reads_budgets ${when(budgets, fragment`, ${pointsGiven("r.budgeted")} AS given`)}
      FROM reward_rules r
      WHERE r.business_id = wanted.business_id AND r.valid_from <= coalesce(wanted.rules_on, 'infinity')
      ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
    ) AS reward ON true`;

/** What decides about the promotions of a member; null if no promotion of the business has ever asked for it. */
const asked = raw(`CASE WHEN settings.reads_buying THEN (
        SELECT json_build_object('facts', (
          SELECT json_build_object(
            'joined_on', (m.joined_at AT TIME ZONE settings.time_zone)::date, 'born_on', m.date_of_birth,
            'bought_on', greatest((
              SELECT d.day FROM sales_day d
              WHERE d.business_id = m.business_id AND d.contact_id = m.contact_id AND d.net > 0
              ORDER BY d.business_id DESC, d.contact_id DESC, d.day DESC LIMIT 1
            ), (
              SELECT s.sold_on FROM sale s
              WHERE s.business_id = m.business_id AND s.contact_id = m.contact_id AND s.refunded < s.amount
              ORDER BY s.business_id DESC, s.contact_id DESC, s.sold_on DESC, s.sale_id DESC LIMIT 1
            )))
          FROM member m WHERE promoting.asks_of_members AND m.business_id = wanted.business_id AND m.contact_id = wanted.contact_id
        ), 'counts', (
          SELECT coalesce(json_agg(json_build_object('promotion_id', id, 'day', g.day, 'given', g.given)), '[]')
          FROM unnest(promoting.limited) AS id CROSS JOIN LATERAL (
            SELECT each.day, sum(g.given) AS given FROM grant_count g CROSS JOIN LATERAL (
              SELECT CASE WHEN id = ${pointsOfSales} OR g.day = settings.today OR g.day = ANY (wanted.promoted_on::date[]) THEN g.day ELSE '0001-01-01' END AS day
            ) AS each
            WHERE g.business_id = wanted.business_id AND g.contact_id = wanted.contact_id AND g.promotion_id = id
              AND g.day >= CASE WHEN id = ${pointsOfSales} THEN date_trunc('month', settings.today - ${latestRecordingDays})::date ELSE '-infinity' END
            GROUP BY each.day
          ) AS g
        )) FROM (
          SELECT bool_or(r.asks_of_members) AS asks_of_members, array_agg(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS limited
          FROM unnest(wanted.promoted_on::date[]) AS day CROSS JOIN LATERAL (
            SELECT r.asks_of_members, r.limited FROM reward_rules r
            WHERE r.business_id = wanted.business_id AND r.valid_from <= coalesce(day, 'infinity')
            ORDER BY r.valid_from DESC, r.version DESC LIMIT 1
          ) AS r LEFT JOIN LATERAL unnest(r.limited) AS id ON true
        ) AS promoting
      ) END`);

/** The stamps of a member; null if the business has never had a stamp card. */
const stampCards = fragment`CASE WHEN settings.reads_stamps THEN (
        SELECT json_agg(c) FROM (
          SELECT ${recordColumns("member_stamp_card", "c")} FROM member_stamp_card c
          WHERE c.business_id = wanted.business_id AND c.contact_id = wanted.contact_id
        ) AS c
      ) END`;

/** The named records of a kind. Each is found as the first record from its number on. */
function namedRecords(kind: NamedKind): Fragment {
  const [table, id] = [raw(storageOf(kind).table), raw(`${kind}_id`)];
  return fragment`
    CROSS JOIN LATERAL (
      SELECT json_agg(r) AS records FROM unnest(${raw(`wanted.${kind}`)}::bigint[]) AS named (id)
      CROSS JOIN LATERAL (
        SELECT ${recordColumns(kind, "t")} FROM ${table} t
        WHERE t.business_id = wanted.business_id AND t.${id} >= named.id ORDER BY t.business_id, t.${id} LIMIT 1
      ) AS r WHERE r.${id} = named.id AND r.contact_id = wanted.contact_id
    ) AS ${raw(kind)}`;
}

/** A column with a list of what several queries find; none without queries. */
function listed(column: "lots" | "vouchers", queries: readonly (Fragment | false)[]): Fragment {
  const found = queries.filter((query) => query !== false);
  if (found.length === 0) return fragment``;
  return fragment`, (SELECT json_agg(each) FROM (${list(found, " UNION ALL ")}) AS each) AS ${raw(column)}`;
}

const lotColumns = recordColumns("lot", "l");

function lots({ due, spends, late, kinds }: MemberParts): Fragment {
  const hasSales = kinds.includes("sale");
  // Those that named sales earned are taken back, too.
  const spent = hasSales
    ? fragment`(wanted.spends + coalesce((SELECT sum((record->>'points_earned')::bigint) FROM json_array_elements(sale.records) AS record), 0))`
    : fragment`wanted.spends`;
  return listed("lots", [
    // Lots that are due, in the order in which they are settled.
    due &&
      fragment`
    (SELECT ${lotColumns} FROM (
      (SELECT * FROM points_lot l
      WHERE sums.is_due AND l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
        AND l.matured AND l.is_open AND l.next_on <= settings.today
      ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, coalesce(l.expires_on, 'infinity'::date), l.lot_id
      LIMIT wanted.due_lots + 1)
      UNION ALL
      (SELECT * FROM points_lot l
      WHERE sums.is_due AND l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
        AND NOT l.matured AND l.is_open AND l.next_on <= settings.today
      ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, coalesce(l.expires_on, 'infinity'::date), l.lot_id
      LIMIT wanted.due_lots + 1)
    ) AS l
    ORDER BY l.next_on, NOT l.matured, coalesce(l.expires_on, 'infinity'::date), l.lot_id LIMIT wanted.due_lots + 1)`,
    // Lots in the order of spending, until they have the points that will be spent.
    spends &&
      fragment`
    (WITH RECURSIVE l AS (
      SELECT first.*, first.left_over AS through FROM (
        SELECT ${lotColumns}, l.next_on, l.points - l.clawed - l.used - l.expired AS left_over FROM points_lot l
        WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
          AND l.matured AND l.is_open AND l.next_on > settings.today
        ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, coalesce(l.expires_on, 'infinity'::date), l.lot_id
        LIMIT 1
      ) AS first WHERE ${spent} > 0
      UNION ALL
      SELECT following.*, before.through + following.left_over FROM l AS before CROSS JOIN LATERAL (
        SELECT ${lotColumns}, l.next_on, l.points - l.clawed - l.used - l.expired AS left_over FROM points_lot l
        WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id AND l.matured AND l.is_open
          AND (l.next_on, coalesce(l.expires_on, 'infinity'::date), l.lot_id)
            > (before.next_on, before.next_on, before.lot_id)
        ORDER BY l.business_id, l.contact_id, l.matured, l.next_on, coalesce(l.expires_on, 'infinity'::date), l.lot_id
        LIMIT 1
      ) AS following WHERE before.through < ${spent}
    ) SELECT ${lotColumns} FROM l)`,
    // Lots with points that have lapsed since a day.
    late &&
      fragment`
    (SELECT ${lotColumns} FROM points_lot l
    WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id
      AND l.lapsed > 0 AND l.expires_on > wanted.lapsed_since
    ORDER BY l.business_id, l.contact_id, l.expires_on, l.lot_id LIMIT ${raw(`${mostDueLots}`)})`,
    ...kinds.filter((kind) => storageOf(kind).columns.includes("uses")).map(lotsOfRecords),
  ]);
}

/** The lots that named records used, and those that named sales earned. */
function lotsOfRecords(kind: NamedKind): Fragment {
  const records = raw(`${kind}.records`);
  const earned = fragment`
      SELECT (record->>'sale_id')::bigint AS lot_id FROM json_array_elements(${records}) AS record UNION ALL`;
  return fragment`
    (SELECT ${lotColumns} FROM (
      ${when(kind === "sale", earned)} SELECT (used->>'lot_id')::bigint AS lot_id
      FROM json_array_elements(${records}) AS record, json_array_elements(record->'uses') AS used
    ) AS named CROSS JOIN LATERAL (
      SELECT * FROM points_lot l
      WHERE l.business_id = wanted.business_id AND l.contact_id = wanted.contact_id AND l.lot_id = named.lot_id OFFSET 0
    ) AS l)`;
}

const voucherColumns = recordColumns("held_voucher", "v");

function vouchers({ due, late, codes, anyCode, ids, stampsOff, kinds }: MemberParts): Fragment {
  return listed("vouchers", [
    // Vouchers that are due.
    due &&
      fragment`
    (SELECT ${voucherColumns} FROM held_voucher v
    WHERE sums.is_due AND v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id
      AND v.status = 'held' AND coalesce(v.lapses_on, 'infinity'::date) <= settings.today
    ORDER BY v.business_id, v.contact_id, coalesce(v.lapses_on, 'infinity'::date), v.held_voucher_id
    LIMIT wanted.due_lots + 1)`,
    // Vouchers that can be used, those that lapse first before the others: of each of the codes, or of any code.
    codes &&
      fragment`
    (SELECT v.* FROM unnest(wanted.voucher_codes::text[]) AS code CROSS JOIN LATERAL (
      SELECT ${voucherColumns} FROM held_voucher v
      WHERE v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id
        AND v.status = 'held' AND coalesce(v.lapses_on, 'infinity'::date) > settings.today AND v.coupon_key = code
      ORDER BY v.business_id, v.contact_id, coalesce(v.lapses_on, 'infinity'::date), v.held_voucher_id
      LIMIT wanted.usable_vouchers
    ) AS v)`,
    anyCode &&
      fragment`
    (SELECT ${voucherColumns} FROM held_voucher v
    WHERE v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id
      AND v.status = 'held' AND coalesce(v.lapses_on, 'infinity'::date) > settings.today AND wanted.voucher_codes = '{}'
    ORDER BY v.business_id, v.contact_id, coalesce(v.lapses_on, 'infinity'::date), v.held_voucher_id
    LIMIT wanted.usable_vouchers)`,
    // Vouchers that have lapsed since a day.
    late &&
      anyCode &&
      fragment`
    (SELECT ${voucherColumns} FROM held_voucher v
    WHERE v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id
      AND v.status = 'lapsed' AND v.lapses_on > wanted.lapsed_since
    ORDER BY v.business_id, v.contact_id, v.lapses_on, v.held_voucher_id LIMIT wanted.usable_vouchers)`,
    ids && vouchersById(raw("SELECT unnest(wanted.voucher_ids::bigint[])")),
    // The vouchers that named sales used, those that their promotions and stamp cards gave, and those that named redemptions bought.
    // The rules have a column `given`, which would be taken for a table of this name.
    kinds.includes("sale") &&
      vouchersById(fragment`
      SELECT id::bigint FROM json_array_elements(sale.records) AS record,
        json_array_elements_text(record->'held_voucher_ids') AS id
      UNION ALL
      SELECT (one->>'held_voucher_id')::bigint FROM json_array_elements(sale.records) AS record,
        json_array_elements(CASE json_typeof(record->'grants') WHEN 'array' THEN record->'grants' END) AS granted (one)
      UNION ALL
      SELECT id::bigint FROM json_array_elements(sale.records) AS record,
        json_array_elements(CASE json_typeof(record->'stamps') WHEN 'array' THEN record->'stamps' END) AS stamped (one),
        json_array_elements_text(one->'held_voucher_ids') AS id`),
    kinds.includes("sale") &&
      vouchersOfCards(fragment`
      SELECT (one->>'stamp_card_id')::bigint AS id, (one->>'left')::integer AS stamps
      FROM json_array_elements(sale.records) AS record,
        json_array_elements(CASE json_typeof(record->'stamps') WHEN 'array' THEN record->'stamps' END) AS stamped (one)`),
    stampsOff &&
      vouchersOfCards(
        raw(
          "SELECT * FROM unnest(wanted.off_cards::bigint[], wanted.stamps_off::integer[]) AS card (id, stamps)",
        ),
      ),
    kinds.includes("redemption") &&
      vouchersById(fragment`
      SELECT (record->>'held_voucher_id')::bigint FROM json_array_elements(redemption.records) AS record`),
  ]);
}

/**
 * Vouchers that stamp cards gave and that can be taken back: as many as the stamps that are taken off have paid for at most, besides those
 * that commands before may use.
 */
const vouchersOfCards = (off: Fragment) => fragment`
    (SELECT v.* FROM (SELECT id, sum(stamps) AS stamps FROM (${off}) AS off GROUP BY id) AS card CROSS JOIN LATERAL (
      SELECT ${voucherColumns} FROM held_voucher v
      WHERE v.business_id = wanted.business_id AND v.contact_id = wanted.contact_id AND v.stamp_card_id = card.id
        AND v.status IN ('held', 'lapsed')
      ORDER BY v.business_id DESC, v.contact_id DESC, v.stamp_card_id DESC, v.held_voucher_id DESC
      LIMIT card.stamps / 2 + 1 + cardinality(wanted.voucher_ids::bigint[]) + wanted.usable_vouchers
    ) AS v)`;

/** Vouchers by their numbers, each found as the first from its number on. */
const vouchersById = (ids: Fragment) => fragment`
    (SELECT v.* FROM (${ids}) AS named (id) CROSS JOIN LATERAL (
      SELECT ${voucherColumns} FROM held_voucher v
      WHERE v.business_id = wanted.business_id AND v.held_voucher_id >= named.id
      ORDER BY v.business_id, v.held_voucher_id LIMIT 1
    ) AS v WHERE v.held_voucher_id = named.id AND v.contact_id = wanted.contact_id)`;
