/** Reads the log of events, and compares it with the ledger. */

import { expect } from "vitest";
import type { Connection, Database } from "../../src/database/connection.ts";
import { lastEventNo } from "../../src/database/events.ts";

export interface ListedEntry {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly event_type: string;
  readonly amount: number;
  readonly balance_after: number;
}

export interface ListedEvent {
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own fields
  readonly data: any;
}

export interface EventPage {
  readonly events: readonly ListedEvent[];
  readonly next: number;
  readonly last: number;
}

/** Follows the events to the end. @param list sends a request, and returns its data */
export async function followEvents(
  list: (body: object) => Promise<EventPage>,
  after = 0,
  filter: object = {},
): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let page: EventPage = { events, next: after, last: -1 }; page.next !== page.last; ) {
    page = await list({ ...filter, after: page.next });
    events.push(...page.events);
  }
  return events;
}

/**
 * Checks that the events are numbered without gaps from a number on, that each is small, and that each ledger entry after
 * another one is in exactly one of them, as it is in the ledger.
 */
export async function expectSameAsLedger(
  sql: Database,
  businessId: number,
  events: readonly ListedEvent[],
  from: { readonly sequence: number; readonly entryNo: number },
): Promise<void> {
  expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_, index) => from.sequence + index));
  const entries: ListedEntry[] = events.flatMap(({ data }) => data.entries);
  const inEvents = entries
    .map(({ entry_no, contact_id, event_type, amount, balance_after }) => {
      return { entry_no, contact_id, event_type, amount, balance_after };
    })
    .sort((one, other) => one.entry_no - other.entry_no);
  const inLedger = await sql<ListedEntry[]>`
    SELECT entry_no, contact_id, event_type, amount, balance_after FROM ledger_entry
    WHERE business_id = ${businessId} AND entry_no > ${from.entryNo} ORDER BY entry_no`;
  expect(inEvents).toEqual([...inLedger]);
  for (const event of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(20_000);
}

/** The number of the last event of a business. */
export async function newestEventNo(sql: Connection, businessId: number): Promise<number> {
  const [row] = await sql<{ last: number }[]>`SELECT ${lastEventNo(businessId)} AS last`;
  return row?.last as number;
}
