/** The filter of a transaction list as conditions of SQL. */
import type { LocationAccess } from "../../domain/access.ts";
import type { EventType } from "../../domain/ledger.ts";
import { type Fragment, fragment } from "../sql.ts";

export interface TransactionFilter {
  readonly location_id?: number | undefined;
  readonly contact_id?: number | undefined;
  readonly event_types?: readonly EventType[] | undefined;
  /** Inclusive days, YYYY-MM-DD, in the business's time zone. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** The part of a ledger that the caller may see, and the time zone of the business. */
export interface LedgerView {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locations: LocationAccess;
}

/** A filter for a caller, each part as an expression; undefined where it excludes nothing. */
export interface TransactionTerms {
  readonly businessId: number;
  readonly timeZone: Fragment;
  /** An array; 0 in it stands for entries at no location. */
  readonly locationIds: Fragment | undefined;
  readonly eventTypes: Fragment | undefined;
  /** The first instant of the dates and the first one after them, from `days`. */
  readonly begins: Fragment | undefined;
  readonly ends: Fragment | undefined;
  /** A table expression with one row of both instants, so that they are computed once. */
  readonly days: Fragment;
}

export function termsOf(
  { businessId, timeZone, locations }: LedgerView,
  { location_id, event_types, start_date, end_date }: TransactionFilter,
): TransactionTerms {
  const visible =
    location_id !== undefined ? [location_id] : locations.everywhere ? undefined : [0, ...locations.ids];
  const zone = fragment`${timeZone}::text`;
  const begins = start_date === undefined ? undefined : startOfDay(fragment`${start_date}::date`, zone);
  const ends = end_date === undefined ? undefined : startOfDay(fragment`(${end_date}::date + 1)`, zone);
  const none = fragment`NULL::timestamptz`;
  return {
    businessId,
    timeZone: zone,
    locationIds: visible && fragment`${visible}::bigint[]`,
    eventTypes: event_types && fragment`${event_types}::event_type[]`,
    begins: begins && fragment`(SELECT begins FROM days)`,
    ends: ends && fragment`(SELECT ends FROM days)`,
    days: fragment`days AS MATERIALIZED (SELECT ${begins ?? none} AS begins, ${ends ?? none} AS ends)`,
  };
}

/**
 * The first instant of a day. Where clocks are set back to midnight, a day begins twice and AT TIME ZONE takes the
 * second beginning; the offset of the previous day leads to the first.
 */
function startOfDay(day: Fragment, zone: Fragment): Fragment {
  const perhapsFirst = fragment`((${day}::timestamp - interval '24 hours') AT TIME ZONE ${zone} + interval '24 hours')`;
  return fragment`least(${day}::timestamp AT TIME ZONE ${zone},
    CASE WHEN ${perhapsFirst} AT TIME ZONE ${zone} = ${day}::timestamp THEN ${perhapsFirst} END)`;
}

/** The conditions on an entry, to follow others. */
export function matches({ locationIds, eventTypes, begins, ends }: TransactionTerms): Fragment {
  return fragment`
    ${locationIds ? fragment`AND coalesce(location_id, 0) = ANY (${locationIds})` : fragment``}
    ${eventTypes ? fragment`AND event_type = ANY (${eventTypes})` : fragment``}
    ${begins ? fragment`AND created_at >= ${begins}` : fragment``}
    ${ends ? fragment`AND created_at < ${ends}` : fragment``}`;
}

/** Whether the filter excludes nothing. */
export function isWholeLedger(
  { locations }: LedgerView,
  { contact_id, location_id, event_types, start_date, end_date }: TransactionFilter,
): boolean {
  const limits = [contact_id, location_id, event_types, start_date, end_date];
  return locations.everywhere && limits.every((limit) => limit === undefined);
}
