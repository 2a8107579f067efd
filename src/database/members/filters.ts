/** What members have in common: the conditions of a list, or of an export. */
import { isIndexed, todayOf } from "../engine/due.ts";
import { type BusinessTime, firstInstant } from "../rows.ts";
import { type Fragment, fragment, list } from "../sql.ts";

/** Each condition narrows the members; without any, all are meant. Days are those of the business, and inclusive. */
export interface MemberConditions {
  readonly tier_id?: number | undefined;
  readonly joined_from?: string | undefined;
  readonly joined_through?: string | undefined;
  /** The day of the member's last sale. */
  readonly last_sale_from?: string | undefined;
  readonly last_sale_through?: string | undefined;
  /** The sales that the next four count; without days, all. */
  readonly sales_from?: string | undefined;
  readonly sales_through?: string | undefined;
  readonly least_visits?: number | undefined;
  readonly most_visits?: number | undefined;
  readonly least_sales?: number | undefined;
  readonly most_sales?: number | undefined;
  readonly points_expire_by?: string | undefined;
  readonly birthday_month?: number | undefined;
  readonly has_email?: boolean | undefined;
}

/** The conditions for a member `m`; undefined without any. */
export function meetsConditions(
  { businessId, timeZone }: BusinessTime,
  conditions: MemberConditions,
): Fragment | undefined {
  const { tier_id, joined_from, joined_through, points_expire_by, birthday_month, has_email } = conditions;
  const wanted: (Fragment | false)[] = [
    has_email !== undefined && fragment`(m.email IS NOT NULL) = ${has_email}::boolean`,
    joined_from !== undefined &&
      fragment`m.joined_at >= ${firstInstant(fragment`${joined_from}::date`, fragment`${timeZone}`)}`,
    joined_through !== undefined &&
      fragment`m.joined_at < ${firstInstant(fragment`(${joined_through}::date + 1)`, fragment`${timeZone}`)}`,
    // As the index of birthdays has it.
    birthday_month !== undefined &&
      fragment`(extract(month FROM m.date_of_birth) * 100 + extract(day FROM m.date_of_birth))
        BETWEEN ${birthday_month}::integer * 100 AND ${birthday_month}::integer * 100 + 99`,
    tier_id !== undefined &&
      fragment`EXISTS (
        SELECT FROM tier_standing t WHERE t.business_id = ${businessId} AND t.contact_id = m.contact_id AND t.tier_id = ${tier_id}
      )`,
    // Those of earlier days have expired, whether or not the job has settled the member.
    points_expire_by !== undefined &&
      fragment`m.contact_id IN (
        SELECT d.contact_id FROM member_due d
        WHERE d.business_id = ${businessId} AND d.event = 'points_expire' AND d.amount > 0
          AND ${isIndexed("d")} AND d.day > ${todayOf(businessId)} AND d.day <= ${points_expire_by}::date + 1
      )`,
    ofSales(businessId, conditions),
  ];
  const all = wanted.filter((one) => one !== false);
  return all.length === 0 ? undefined : list(all, " AND ");
}

/** One look at the sales of a member decides all conditions about them. */
function ofSales(businessId: number, conditions: MemberConditions): Fragment | false {
  const { last_sale_from, last_sale_through, sales_from, sales_through } = conditions;
  const { least_visits, most_visits, least_sales, most_sales } = conditions;
  const inPeriod = fragment`d.day BETWEEN ${sales_from ?? "-infinity"}::date AND ${sales_through ?? "infinity"}::date`;
  const visits = fragment`coalesce(sum(d.sales) FILTER (WHERE ${inPeriod}), 0)`;
  const net = fragment`coalesce(sum(d.net) FILTER (WHERE ${inPeriod}), 0)`;
  const lastSale = fragment`max(d.day) FILTER (WHERE d.sales > 0)`;
  const having = [
    last_sale_from !== undefined && fragment`${lastSale} >= ${last_sale_from}::date`,
    last_sale_through !== undefined && fragment`${lastSale} <= ${last_sale_through}::date`,
    least_visits !== undefined && fragment`${visits} >= ${least_visits}::bigint`,
    most_visits !== undefined && fragment`${visits} <= ${most_visits}::bigint`,
    least_sales !== undefined && fragment`${net} >= ${least_sales}::bigint`,
    most_sales !== undefined && fragment`${net} <= ${most_sales}::bigint`,
  ].filter((one) => one !== false);
  if (having.length === 0) return false;
  return fragment`EXISTS (
        SELECT FROM sales_day d WHERE d.business_id = ${businessId} AND d.contact_id = m.contact_id HAVING ${list(having, " AND ")}
      )`;
}
