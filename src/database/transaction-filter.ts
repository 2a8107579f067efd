/** What a list of transactions is asked for, and the conditions that it comes to. */
import type { Fragment } from "postgres";
import type { LocationAccess } from "../domain/access.ts";
import type { EventType } from "../domain/ledger.ts";
import type { Connection } from "./connection.ts";

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

/** A filter, with the locations that it and the caller's access come to. */
export interface TransactionQuery {
  readonly view: LedgerView;
  readonly filter: TransactionFilter;
  /** Undefined: all, and none; 0 stands for none. */
  readonly locationIds: readonly number[] | undefined;
}

export function queryOf(view: LedgerView, filter: TransactionFilter): TransactionQuery {
  return { view, filter, locationIds: visibleLocations(view, filter) };
}

function visibleLocations(
  { locations }: LedgerView,
  { location_id }: TransactionFilter,
): readonly number[] | undefined {
  if (location_id !== undefined) return [location_id];
  return locations.everywhere ? undefined : [0, ...locations.ids];
}

/** The first instant of the dates; as a subquery, which is run once and not for each row. */
export function firstInstant(tx: Connection, { view, filter }: TransactionQuery) {
  return tx`(SELECT ${startOfDay(tx, tx`${filter.start_date ?? null}::date`, view.timeZone)})`;
}

/** The first instant after the dates. */
export function endInstant(tx: Connection, { view, filter }: TransactionQuery) {
  return tx`(SELECT ${startOfDay(tx, tx`(${filter.end_date ?? null}::date + 1)`, view.timeZone)})`;
}

/**
 * The first instant of a day. Where clocks are put back to midnight a day begins twice, and AT TIME ZONE takes the
 * second beginning; the offset of the day before leads to the first.
 */
function startOfDay(tx: Connection, day: Fragment, timeZone: string) {
  const perhapsFirst = tx`((${day}::timestamp - interval '24 hours') AT TIME ZONE ${timeZone} + interval '24 hours')`;
  return tx`least(${day}::timestamp AT TIME ZONE ${timeZone},
    CASE WHEN ${perhapsFirst} AT TIME ZONE ${timeZone} = ${day}::timestamp THEN ${perhapsFirst} END)`;
}

/** The conditions on an entry itself. */
export function matches(tx: Connection, query: TransactionQuery) {
  const { event_types, start_date, end_date } = query.filter;
  const { locationIds } = query;
  return tx`
    ${locationIds === undefined ? tx`` : tx`AND coalesce(location_id, 0) = ANY (${locationIds as number[]}::bigint[])`}
    ${event_types === undefined ? tx`` : tx`AND event_type = ANY (${event_types as string[]}::event_type[])`}
    ${start_date === undefined ? tx`` : tx`AND created_at >= ${firstInstant(tx, query)}`}
    ${end_date === undefined ? tx`` : tx`AND created_at < ${endInstant(tx, query)}`}`;
}

/** Whether nothing of the ledger is left out. */
export function isWholeLedger({
  filter: { event_types, start_date, end_date },
  locationIds,
}: TransactionQuery): boolean {
  return [event_types, start_date, end_date, locationIds].every((limit) => limit === undefined);
}
