/** What a list of transactions is asked for, and the conditions that it comes to. */
import type { LocationAccess } from "../domain/access.ts";
import type { EventType } from "../domain/ledger.ts";
import { plainArray } from "./array-text.ts";
import type { Parameters } from "./parameters.ts";

export interface TransactionFilter {
  readonly location_id?: number | undefined;
  readonly contact_id?: number | undefined;
  readonly event_types?: readonly EventType[] | undefined;
  /** Inclusive days, YYYY-MM-DD, in the business's time zone. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** What of a business's ledger the caller may see, and how it tells the time. */
export interface LedgerView {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locations: LocationAccess;
}

/** What a filter comes to for who asks, each as an expression of SQL; undefined where nothing is left out. */
export interface TransactionTerms {
  readonly businessId: string;
  readonly timeZone: string;
  /** An array; 0 in it stands for entries at no location. */
  readonly locationIds: string | undefined;
  readonly eventTypes: string | undefined;
  /** The first instant of the dates, and the first one after them: from `days`. */
  readonly begins: string | undefined;
  readonly ends: string | undefined;
  /** A table expression with one row of both instants, so that they are worked out once. */
  readonly days: string;
}

export function termsOf(
  { businessId, timeZone, locations }: LedgerView,
  { location_id, event_types, start_date, end_date }: TransactionFilter,
  parameters: Parameters,
): TransactionTerms {
  const visible =
    location_id !== undefined ? [location_id] : locations.everywhere ? undefined : [0, ...locations.ids];
  const zone = parameters.add(timeZone, "text");
  const begins = start_date && startOfDay(parameters.add(start_date, "date"), zone);
  const ends = end_date && startOfDay(`(${parameters.add(end_date, "date")} + 1)`, zone);
  return {
    businessId: parameters.add(businessId, "bigint"),
    timeZone: zone,
    locationIds: visible && parameters.add(plainArray(visible), "bigint[]"),
    eventTypes: event_types && parameters.add(plainArray(event_types), "event_type[]"),
    begins: begins && "(SELECT begins FROM days)",
    ends: ends && "(SELECT ends FROM days)",
    days: `days AS MATERIALIZED (SELECT ${begins ?? "NULL"} AS begins, ${ends ?? "NULL"} AS ends)`,
  };
}

/**
 * The first instant of a day. Where clocks are put back to midnight a day begins twice, and AT TIME ZONE takes the
 * second beginning; the offset of the day before leads to the first.
 */
function startOfDay(day: string, timeZone: string): string {
  const perhapsFirst = `((${day}::timestamp - interval '24 hours') AT TIME ZONE ${timeZone} + interval '24 hours')`;
  return `least(${day}::timestamp AT TIME ZONE ${timeZone},
    CASE WHEN ${perhapsFirst} AT TIME ZONE ${timeZone} = ${day}::timestamp THEN ${perhapsFirst} END)`;
}

/** The conditions on an entry itself, to follow others. */
export function matches({ locationIds, eventTypes, begins, ends }: TransactionTerms): string {
  return [
    locationIds && `AND coalesce(location_id, 0) = ANY (${locationIds})`,
    eventTypes && `AND event_type = ANY (${eventTypes})`,
    begins && `AND created_at >= ${begins}`,
    ends && `AND created_at < ${ends}`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Whether nothing of the ledger is left out. */
export function isWholeLedger(
  { locations }: LedgerView,
  { contact_id, location_id, event_types, start_date, end_date }: TransactionFilter,
): boolean {
  const limits = [contact_id, location_id, event_types, start_date, end_date];
  return locations.everywhere && limits.every((limit) => limit === undefined);
}
