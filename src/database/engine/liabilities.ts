/**
 * What a business owes its members: points by the day on which they expire, debts of points, and vouchers. `liability_change` has
 * the changes of each day, which are saved with the records. So the sums up to a day are what was owed at its end.
 *
 * What is due is settled in the background, sometimes a day late. A report does not depend on it: it takes what ends by its day as
 * ended, and what begins by its day as begun, whenever the ledger says so.
 */
import type { Debt, HeldVoucher, Lot } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { everywhere, totalsOfUncounted } from "../ledger/day-totals.ts";
import { lastEntryNo } from "../ledger/ledger.ts";
import { addToSums } from "../ledger/sums.ts";
import { requiredRow } from "../rows.ts";
import { type Fragment, fragment, raw, tableOf } from "../sql.ts";
import { giftMoney } from "./gift-cards.ts";

interface Change<Owed> {
  readonly business_id: number;
  readonly created_at: string;
  readonly before: Owed | undefined;
  readonly after: Owed;
}

/** What is owed because of one record. */
interface Liability {
  readonly kind: "points" | "debt" | "voucher";
  readonly ends_on: string | null;
  readonly begins_on?: string;
  readonly amount: number;
}

function liabilityOfLot({ points, clawed, used, expired, matured, ...lot }: Lot): Liability | undefined {
  const amount = points - clawed - used - expired;
  if (amount === 0) return undefined;
  return { kind: "points", ends_on: lot.expires_on, ...(!matured && { begins_on: lot.matures_on }), amount };
}

function liabilityOfDebt({ owed: amount }: Debt): Liability | undefined {
  return amount === 0 ? undefined : { kind: "debt", ends_on: null, amount };
}

function liabilityOfVoucher({ status, lapses_on, coupon_value }: HeldVoucher): Liability | undefined {
  return status === "held" ? { kind: "voucher", ends_on: lapses_on, amount: coupon_value } : undefined;
}

const columns = `business_id bigint, kind text, ends_on date, begins_on date, created_at timestamptz, items bigint,
  amount bigint`;

/** Adds what changed records change in what a business owes. The caller holds the ledger's lock. */
export async function addLiabilities(
  tx: Connection,
  changed: {
    readonly lot?: readonly Change<Lot>[];
    readonly debt?: readonly Change<Debt>[];
    readonly held_voucher?: readonly Change<HeldVoucher>[];
  },
): Promise<void> {
  const { lot = [], debt = [], held_voucher = [] } = changed;
  const rows = [
    ...liabilityRows(lot, liabilityOfLot),
    ...liabilityRows(debt, liabilityOfDebt),
    ...liabilityRows(held_voucher, liabilityOfVoucher),
  ];
  if (rows.length === 0) return;
  await tx`
    INSERT INTO liability_change (business_id, kind, ends_on, begins_on, changed_on, items, amount, part)
    SELECT b.business_id, c.kind, c.ends_on, c.begins_on, (c.created_at AT TIME ZONE b.time_zone)::date,
      sum(c.items)::bigint, sum(c.amount)::bigint, ${lastEntryNo(raw("b.business_id"))}
    FROM ${tableOf("c", rows, columns)} JOIN business b ON b.business_id = c.business_id
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(c.items) <> 0 OR sum(c.amount) <> 0
    ${addToSums("liability_change")}`;
}

/** For each change, what is no longer owed, and what is owed now. */
function liabilityRows<Owed>(
  changes: readonly Change<Owed>[],
  owedFor: (record: Owed) => Liability | undefined,
) {
  return changes.flatMap(({ business_id, created_at, before, after }) =>
    [
      { owed: before && owedFor(before), sign: -1 },
      { owed: owedFor(after), sign: 1 },
    ].flatMap(({ owed, sign }) => {
      if (owed === undefined) return [];
      const { kind, ends_on, begins_on = "-infinity", amount } = owed;
      const dates = { ends_on: ends_on ?? "infinity", begins_on, created_at };
      return [{ business_id, kind, ...dates, items: sign, amount: sign * amount }];
    }),
  );
}

export interface Liabilities {
  readonly points: number;
  readonly points_pending: number;
  readonly points_owed: number;
  readonly points_by_month: readonly { readonly month: string | null; readonly points: number }[];
  readonly wallet: number;
  /** The part of it that is on gift cards, and how many have some. */
  readonly wallet_gift_cards: number;
  readonly gift_cards: number;
  /** What top-ups and adjustments have added to wallets so far, and the bonuses in it. */
  readonly wallet_added: number;
  readonly bonuses_added: number;
  readonly vouchers: number;
  readonly vouchers_amount: number;
  readonly vouchers_by_month: readonly {
    readonly month: string | null;
    readonly vouchers: number;
    readonly amount: number;
  }[];
}

/** A list by month, in their order, without empty months; null is last. */
const byMonth = (columns: Fragment, rows: Fragment) => fragment`
  coalesce((SELECT json_agg(m ORDER BY month) FROM (
    SELECT to_char(nullif(ends_on, 'infinity') - 1, 'YYYY-MM') AS month, ${columns} FROM (${rows}) AS r GROUP BY 1
  ) AS m), '[]')`;

/**
 * What a business owed at the end of a day. Points that belong to no lot don't expire.
 * @param isToday whether the day is today: it has all changes. Some are of tomorrow if the time zone has changed since.
 */
export function findLiabilities(
  sql: Connection,
  businessId: number,
  { day, isToday }: { readonly day: string; readonly isToday: boolean },
): Promise<Liabilities> {
  const last = fragment`${isToday ? "infinity" : day}::date`;
  return requiredRow(sql<Liabilities[]>`
    WITH gift AS MATERIALIZED (${giftMoney(businessId, day)}), change AS MATERIALIZED (
      SELECT kind, ends_on, begins_on, sum(items)::bigint AS items, sum(amount)::bigint AS amount FROM liability_change
      WHERE business_id = ${businessId} AND changed_on <= ${last} GROUP BY kind, ends_on, begins_on
    ), open AS MATERIALIZED (
      SELECT *, kind = 'points' AND begins_on <= ${day}::date AS is_usable FROM change
      WHERE ends_on > ${day}::date AND (items <> 0 OR amount <> 0)
    ), entered AS MATERIALIZED (
      SELECT what, sum(amount)::bigint AS amount FROM (
        SELECT what, amount FROM day_total
        WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day <= ${last}
        UNION ALL
        SELECT what, amount FROM (${totalsOfUncounted(businessId, fragment`<= ${last}`, false)}) AS fresh
        WHERE location_id = ${everywhere}
      ) AS total GROUP BY what
    ), lotless AS MATERIALIZED (
      SELECT (SELECT coalesce(sum(amount), 0) FROM entered WHERE what LIKE 'reward_points_%')
        - (SELECT coalesce(sum(amount), 0) FROM change WHERE kind = 'points' AND begins_on = '-infinity') AS points
    ), usable AS MATERIALIZED (
      SELECT ends_on, amount FROM open WHERE is_usable
      UNION ALL SELECT 'infinity', points FROM lotless WHERE points <> 0
    )
    SELECT (SELECT coalesce(sum(amount), 0)::bigint FROM usable) AS points,
      ${sumOfOpen("amount", "kind = 'points' AND NOT is_usable")} AS points_pending,
      ${sumOfOpen("amount", "kind = 'debt'")} AS points_owed,
      ${byMonth(fragment`sum(amount)::bigint AS points`, fragment`TABLE usable`)} AS points_by_month,
      ${sumOfEntered("what IN ('wallet_adjustment', 'wallet_topup', 'wallet_payment')")} AS wallet,
      (SELECT coalesce(sum(amount), 0)::bigint FROM gift) AS wallet_gift_cards,
      (SELECT count(*) FROM gift) AS gift_cards,
      ${sumOfEntered("what IN ('wallet_adjustment', 'wallet_topup')")} AS wallet_added,
      ${sumOfEntered("what = 'bonus'")} AS bonuses_added,
      ${sumOfOpen("items", "kind = 'voucher'")} AS vouchers,
      ${sumOfOpen("amount", "kind = 'voucher'")} AS vouchers_amount,
      ${byMonth(
        fragment`sum(items)::bigint AS vouchers, sum(amount)::bigint AS amount`,
        fragment`SELECT * FROM open WHERE kind = 'voucher'`,
      )} AS vouchers_by_month`);
}

const sumOfOpen = (column: "items" | "amount", condition: string) =>
  raw(`(SELECT coalesce(sum(${column}), 0)::bigint FROM open WHERE ${condition})`);
const sumOfEntered = (condition: string) =>
  raw(`(SELECT coalesce(sum(amount), 0)::bigint FROM entered WHERE ${condition})`);
