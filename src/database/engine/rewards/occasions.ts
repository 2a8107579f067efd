/** Occasions: whose day has come, who has got something for it, and how far the job has come. */
import { type DayOccasion, occasionPause } from "../../../domain/engine/occasions.ts";
import { dayKinds, type Occasion } from "../../../domain/engine/rules.ts";
import { type Connection, withCustomPlans } from "../../connection.ts";
import { firstInstant, firstRow, requiredRow } from "../../rows.ts";
import { type Fragment, fragment, list, raw, tableOf } from "../../sql.ts";
import { firstHour, lastDayAt, todayOf } from "../due.ts";

/** Lets an occasion begin today, so that it gives nothing for earlier days. The job does nothing for one without days. */
export function beginOccasion(tx: Connection, businessId: number, occasionId: number) {
  return tx`
    UPDATE occasion SET granted_through =
      CASE WHEN kind = ANY (${dayKinds}) THEN greatest(granted_through, ${todayOf(businessId)} - 1) ELSE 'infinity' END
    WHERE business_id = ${businessId} AND occasion_id = ${occasionId}`;
}

/** For how many days before today members get what a job that was down has not given. */
const mostDaysBack = 7;

/** A day of an occasion, such as that of birthdays, and when members get something for it. */
export interface OccasionDay {
  readonly occasion_id: number;
  readonly day: string;
}

/** Finds the first day for which an occasion is not complete, up to as many days ahead as members get it before. */
export function findOccasionDay(sql: Connection, businessId: number) {
  return firstRow(sql<OccasionDay[]>`
    SELECT o.occasion_id, greatest(o.granted_through + 1, until.day - ${mostDaysBack}::integer)::text AS day
    FROM occasion o JOIN business b ON b.business_id = o.business_id JOIN ledger l ON l.business_id = o.business_id
    CROSS JOIN LATERAL (
      SELECT ${lastDayAt(raw("(coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)"))} AS day
    ) AS until
    WHERE o.business_id = ${businessId} AND o.status = 'active' AND o.granted_through < until.day + o.days_before
    ORDER BY 2, o.occasion_id LIMIT 1`);
}

/**
 * Keeps that all members have got what an occasion gives for a day, unless it was paused meanwhile: then some may have got nothing. The
 * caller holds the ledger's lock.
 */
export function recordOccasionDay(tx: Connection, businessId: number, { occasion_id, day }: OccasionDay) {
  return tx`
    UPDATE occasion SET granted_through = greatest(granted_through, ${day}::date)
    WHERE business_id = ${businessId} AND occasion_id = ${occasion_id} AND status = 'active'`;
}

/** A member who is to get something. */
interface OccasionMember {
  readonly contact_id: number;
  readonly occurrence: string;
}

/** The month and day of a date, in the form of the index. */
const monthAndDay = (date: string) => raw(`(extract(month FROM ${date}) * 100 + extract(day FROM ${date}))`);

/** The members of a day of each kind of occasion: contact_id and joined_at of `one`, by due.day and zone.name. */
const membersOf: Readonly<Record<DayOccasion["kind"], (businessId: number, of: DayOccasion) => Fragment>> = {
  // Those born on 29 February are found with those of the 28th.
  birthday: (businessId) => fragment`(
      SELECT contact_id, joined_at, date_of_birth FROM member
      WHERE business_id = ${businessId} AND active AND date_of_birth IS NOT NULL
        AND ${monthAndDay("date_of_birth")} = ANY (
          CASE ${monthAndDay("due.day")} WHEN 228 THEN ARRAY[228, 229] ELSE ARRAY[${monthAndDay("due.day")}] END
        ) OFFSET 0
    ) AS one
    WHERE one.date_of_birth < due.day AND due.day = (
      one.date_of_birth + make_interval(years => (extract(year FROM due.day) - extract(year FROM one.date_of_birth))::integer)
    )::date`,
  anniversary: (businessId) => fragment`generate_series(1, extract(year FROM due.day)::integer - (
      SELECT extract(year FROM joined_at)::integer - 1 FROM member
      WHERE business_id = ${businessId} AND joined_at > '-infinity' ORDER BY business_id, joined_at LIMIT 1
    )) AS years CROSS JOIN LATERAL (
      SELECT contact_id, joined_at FROM member WHERE business_id = ${businessId} AND active AND anonymous IS NULL
        AND joined_at >= ${firstInstant(raw("(due.day - make_interval(years => years))"), raw("zone.name"))}
        AND joined_at < (due.day - make_interval(years => years) + interval '2 days') AT TIME ZONE zone.name OFFSET 0
    ) AS one
    WHERE due.day = ((one.joined_at AT TIME ZONE zone.name)::date + make_interval(years => years))::date`,
  inactive: (businessId, { inactive_days }) => fragment`(
      SELECT DISTINCT contact_id FROM sale
      WHERE business_id = ${businessId} AND sold_on = due.day - ${inactive_days}::integer
    ) AS sold CROSS JOIN LATERAL (
      SELECT contact_id, joined_at FROM member
      WHERE business_id = ${businessId} AND contact_id = sold.contact_id AND active AND anonymous IS NULL OFFSET 0
    ) AS one
    WHERE NOT EXISTS (
      SELECT FROM sales_day d WHERE d.business_id = ${businessId} AND d.contact_id = one.contact_id
        AND d.day > due.day - ${inactive_days}::integer AND (d.sales > 0 OR d.net <> 0) OFFSET 0
    )`,
};

/**
 * Whether a member m has got it, for its day and occurrence. A changed birth date gives nothing for some time, also if another
 * birthday that is no longer active gave it before. With OFFSET 0, each member is one index probe.
 */
const isGranted = (
  businessId: number,
  { kind, occasion_id, days_before }: Pick<Occasion, "kind" | "occasion_id" | "days_before">,
) => fragment`EXISTS (
      SELECT FROM occasion_grant g
      WHERE g.business_id = ${businessId} AND g.contact_id = m.contact_id AND g.occasion_id = ANY (ARRAY(
        SELECT o.occasion_id FROM occasion o WHERE o.business_id = ${businessId} AND (
          o.occasion_id = ${occasion_id} OR ${kind === "birthday"}::boolean AND o.kind = 'birthday' AND o.status <> 'active'
        )
      )) AND (g.occurrence = m.occurrence
          OR ${kind === "birthday"}::boolean AND g.granted_on > m.day - ${days_before + occasionPause}::integer) OFFSET 0
    )`;

/** Who is to get something on an occasion: contact_id, day and occurrence of m. @param days the first and the last one, as dates */
const dueMembers = (businessId: number, of: DayOccasion, days: readonly [Fragment, Fragment]) => fragment`(
      SELECT one.contact_id, due.day, extract(year FROM due.day)::integer::text AS occurrence
      FROM (SELECT time_zone AS name FROM business WHERE business_id = ${businessId}) AS zone CROSS JOIN (
        SELECT ${days[0]} + n AS day FROM generate_series(0, ${days[1]} - ${days[0]}) AS n
      ) AS due CROSS JOIN LATERAL ${membersOf[of.kind](businessId, of)}
        AND due.day BETWEEN coalesce(${of.first_day}::date, '-infinity') AND coalesce(${of.last_day}::date, 'infinity')
        AND (one.joined_at AT TIME ZONE zone.name)::date <= due.day - ${of.days_before + of.minimum_membership_days}::integer
    ) AS m WHERE NOT ${isGranted(businessId, of)}`;

/**
 * Finds the members who are to get something on a day of an occasion, in the order of their numbers: all at once, because page by page,
 * members of an import who joined on the same day would be read again for each page. Its plan is made for the tables as they are: a plan
 * from when they were empty would read all members.
 */
export async function findOccasionMembers(
  tx: Connection,
  businessId: number,
  occasion: DayOccasion,
  day: string,
): Promise<readonly number[]> {
  const date = fragment`${day}::date`;
  const { contact_ids } = await withCustomPlans(tx, () =>
    requiredRow(tx<{ contact_ids: number[] }[]>`
      SELECT coalesce(array_agg(m.contact_id ORDER BY m.contact_id), '{}') AS contact_ids
      FROM ${dueMembers(businessId, occasion, [date, date])}`),
  );
  return contact_ids;
}

/** What a member gets for a day once: it is named by the year. */
export const occurrenceOf = (day: string) => day.slice(0, 4);

/** Which of some members have got it. The caller holds the ledger's lock, so nobody else gets it meanwhile. */
export async function listGranted(
  tx: Connection,
  businessId: number,
  {
    occasion,
    members,
  }: {
    readonly occasion: Pick<Occasion, "kind" | "occasion_id" | "days_before">;
    /** With the day of a birthday. */
    readonly members: readonly (OccasionMember & { readonly day?: string })[];
  },
): Promise<Set<number>> {
  const granted = await tx<{ contact_id: number }[]>`
    SELECT m.contact_id FROM ${tableOf("m", members, "contact_id bigint, occurrence text, day date", null)}
    WHERE ${isGranted(businessId, occasion)}`;
  return new Set(granted.map(({ contact_id }) => contact_id));
}

/** What a member is to get for a tier that it has reached. */
export interface WantedForTier {
  readonly business_id: number;
  readonly contact_id: number;
  readonly occasion_id: number;
  /** Today. */
  readonly day: string;
  readonly tier_id: number;
}

/**
 * Leaves out what members have got on the same day, or for the same tier some time ago, also from one that is no longer active: a refund
 * can take a tier away that is reached again. The caller holds the ledgers' locks.
 * @returns the others by their place, from 1 on
 */
export function withoutGranted(tx: Connection, wanted: readonly WantedForTier[]) {
  const columns = "business_id bigint, contact_id bigint, occasion_id bigint, day date, tier_id bigint";
  return tx<{ readonly nth: number }[]>`
    SELECT m.nth FROM ${tableOf("m", wanted, columns)}
    WHERE NOT EXISTS (
      SELECT FROM occasion_grant g
      WHERE g.business_id = m.business_id AND g.contact_id = m.contact_id AND (
        g.occasion_id = m.occasion_id AND g.occurrence = m.day::text
        OR g.tier_id = m.tier_id AND g.granted_on > m.day - ${occasionPause}::integer AND (g.occasion_id = m.occasion_id OR EXISTS (
          SELECT FROM occasion o WHERE o.business_id = m.business_id AND o.occasion_id = g.occasion_id AND o.status <> 'active'
        ))
      ) OFFSET 0
    ) ORDER BY m.nth`;
}

/** The days of a sandbox on which occasions give something, up to `by`: one row for each member. */
export const occasionsDue = (businessId: number, occasions: readonly DayOccasion[], by: Fragment) =>
  list(
    occasions.map((occasion) => {
      const { occasion_id, days_before } = occasion;
      const from = fragment`greatest((
        SELECT granted_through + 1 FROM occasion WHERE business_id = ${businessId} AND occasion_id = ${occasion_id}
      ), ${todayOf(businessId)} - ${mostDaysBack}::integer)`;
      const days = [from, fragment`(${by} + ${days_before}::integer)`] as const;
      return fragment`
      SELECT greatest(m.day - ${days_before}::integer, ${todayOf(businessId)}) AS day FROM ${dueMembers(businessId, occasion, days)}`;
    }),
    " UNION ALL ",
  );

/** Lists the days of a sandbox on which occasions give something. @param to the last time, YYYY-MM-DD HH:MM:SS or a day */
export async function listOccasionDays(
  tx: Connection,
  businessId: number,
  occasions: readonly DayOccasion[],
  to: string,
): Promise<string[]> {
  if (occasions.length === 0) return [];
  const by = lastDayAt(fragment`${to}::timestamp`);
  const rows = await withCustomPlans(
    tx,
    () => tx<{ day: string }[]>`
      SELECT DISTINCT day::text FROM (${occasionsDue(businessId, occasions, by)}) AS due WHERE day <= ${by} ORDER BY day`,
  );
  return rows.map(({ day }) => day);
}

/** Keeps that occasions give nothing more for the days of a sandbox up to a time, which may be a day for its beginning. */
export function passOccasionDays(tx: Connection, businessId: number, time: string) {
  return tx`
    UPDATE occasion SET granted_through = greatest(granted_through, ${lastDayAt(fragment`${time}::timestamp`)} + days_before)
    WHERE business_id = ${businessId} AND status = 'active'`;
}

/** The time of a day from which members get what is due. */
export const occasionTime = (day: string) => `${day} 0${firstHour}:00:00`;
