/** Makes the events of decisions. Only businesses that have switched events on have any. */
import type { EmittedEvent, WriteOperation } from "../../contract/operation.ts";
import type { Connection } from "../../database/connection.ts";
import { insertEvents } from "../../database/events.ts";
import type { EntryRow, LockedLedger } from "../../database/ledger/ledger.ts";
import { withoutPersonalData } from "../../database/personal.ts";
import { addDays } from "../../domain/dates.ts";
import type { Decision, EntryDraft } from "../../domain/decision.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import { cardValidThrough } from "../../domain/engine/stamps/cards.ts";
import { type CardChange, eventsOfCard } from "../../domain/engine/stamps/events.ts";
import { tierMove, tierValidThrough } from "../../domain/engine/tiers/progress.ts";
import { voucherValidThrough } from "../../domain/engine/vouchers/voucher.ts";
import {
  type EventEntry,
  type EventName,
  inRfc3339,
  mostMembersInEvent,
  type NewEvent,
} from "../../domain/events.ts";
import type { EventType } from "../../domain/ledger.ts";
import type { HeldVoucher, MemberStampCard, TierStanding } from "../../domain/records.ts";
import { type GroupMember, standingIn, versionsFor } from "./group-member.ts";

/** What the settlement of a member changed. */
interface Settlement {
  readonly drafts: readonly EntryDraft[];
  /** The entries of the drafts, in the same order. */
  readonly entries: readonly EntryRow[];
  readonly lapsed: readonly HeldVoucher[];
  /** The cards whose stamps lapsed, as they were before. */
  readonly cards: readonly MemberStampCard[];
}

/** Of a decision that changed cards. */
interface OfCards {
  readonly emits: EventName | undefined;
  readonly sale_id: number | undefined;
}

/** The events of a group, in the order of their effects. */
export class GroupEvents {
  readonly whole: NewEvent[] = [];
  /** What follows from decisions in the transaction of a write. It comes after the event of the write. */
  readonly following: NewEvent[] = [];
  /** Entries of decisions in the transaction of a write. They belong to the event of the write. */
  readonly entries: EntryRow[] = [];
  /** By business: the event about expired points to which further members can be added. */
  readonly #expired = new Map<
    number,
    NewEvent & { contact_ids: number[]; data: { points: number }; entries: EventEntry[] }
  >();

  addDecision(
    ledger: LockedLedger,
    { contactId, balances }: GroupMember,
    { emits, follows = false }: { readonly emits: EventName | undefined; readonly follows?: boolean },
    { data, location_id = null, reference_id }: Decision,
    rows: readonly EntryRow[],
  ): void {
    if (emits === undefined) {
      this.entries.push(...rows);
      return;
    }
    const entries = rows.map(entryOfEvent);
    const all = {
      ...(data as object),
      ...(location_id !== null && { location_id }),
      reference_id,
      balances: { ...balances },
    };
    (follows ? this.following : this.whole).push(
      newEvent(ledger, { type: emits, contact_ids: [contactId], location_id, data: all, entries }),
    );
  }

  addSettlement(ledger: LockedLedger, { contactId, balances }: GroupMember, settlement: Settlement): void {
    const { drafts, entries, lapsed, cards } = settlement;
    const ofType = (type: EventType) =>
      entries.flatMap((row, index) => {
        const entry = { ...entryOfEvent(row), ...drafts[index]?.facts };
        return row.event_type === type ? { location_id: row.location_id, entry } : [];
      });
    const contact_ids = [contactId];
    const expired = ofType("reward_points_expired").map(({ entry }) => entry);
    if (expired.length > 0) this.#addExpired(ledger, contactId, expired);
    for (const [location_id, earned] of byLocation(ofType("reward_points_earned"))) {
      const events = earned.map(({ entry }) => entry);
      // The other ones pay what the member owes.
      const matured = events.filter(({ lot_id }) => lot_id !== undefined);
      const points = matured.reduce((sum, { amount }) => sum + amount, 0);
      const data = { points, balances: { ...balances } };
      const of = { type: "reward_points.matured", contact_ids, location_id } as const;
      this.whole.push(newEvent(ledger, { ...of, data, entries: events }));
    }
    const values = ofType("voucher_issued").map(({ entry }) => entry);
    for (const voucher of lapsed) {
      const { held_voucher_id, voucher_id, coupon_value, location_id } = voucher;
      const data = { held_voucher_id, voucher_id, coupon_value, valid_through: voucherValidThrough(voucher) };
      const entry = coupon_value === 0 ? [] : values.splice(0, 1);
      const of = { type: "voucher.lapsed", contact_ids, location_id } as const;
      this.whole.push(newEvent(ledger, { ...of, data, entries: entry }));
    }
    for (const card of cards) {
      const { stamp_card_id, stamps } = card;
      const data = { stamp_card_id, lapsed: stamps, valid_through: cardValidThrough(card) };
      this.whole.push(
        newEvent(ledger, { type: "stamp_card.lapsed", contact_ids, location_id: null, data, entries: [] }),
      );
    }
  }

  /** Adds the event of the money of a gift card that has lapsed. @param lapsesOn the first day on which it could not be used */
  addLapsedMoney(
    ledger: LockedLedger,
    { contactId, balances }: GroupMember,
    lapsesOn: string,
    entries: readonly EntryRow[],
  ): void {
    const amount = entries.reduce((sum, entry) => sum - entry.amount, 0);
    const data = { amount, valid_through: addDays(lapsesOn, -1), balances: { ...balances } };
    const of = { type: "wallet.lapsed", contact_ids: [contactId], location_id: null } as const;
    this.whole.push(newEvent(ledger, { ...of, data, entries: entries.map(entryOfEvent) }));
  }

  /** Adds the events of cards that a decision changed. Its own event can be one of them. @param emits the type of its own event */
  addCards(
    events: NewEvent[],
    ledger: LockedLedger,
    { contactId }: Pick<GroupMember, "contactId">,
    changes: readonly CardChange[],
    { emits, sale_id, location_id = null }: Pick<Decision, "location_id"> & OfCards,
  ): void {
    const of = { contact_ids: [contactId], location_id, entries: [] };
    for (const { type, data } of changes.flatMap((change) => eventsOfCard(change, sale_id))) {
      if (type !== emits) events.push(newEvent(ledger, { type, ...of, data }));
    }
  }

  /** Adds the event of a member's tier to some events, if it is another one than before. */
  addTier(
    events: NewEvent[],
    ledger: LockedLedger,
    member: GroupMember,
    before: TierStanding | undefined,
    rules: Rules | undefined,
  ): void {
    const after = standingIn(member);
    if (after === undefined || after === before) return;
    const move = tierMove(before, after, versionsFor(member, rules));
    if (move === undefined) return;
    const { tier_id: to, since, by_hand, cause_sale_id } = after;
    const data = { from: before?.tier_id ?? null, to, since, valid_through: tierValidThrough(after) };
    const of = { contact_ids: [member.contactId], location_id: null, entries: [] };
    events.push(newEvent(ledger, { type: `tier.${move}`, ...of, data: { ...data, by_hand, cause_sale_id } }));
  }

  /** Many members' points expire on one day, so they share events. A member's later events of the group come after it. */
  #addExpired(ledger: LockedLedger, contactId: number, entries: readonly EventEntry[]): void {
    let event = this.#expired.get(ledger.business_id);
    if (event === undefined || event.contact_ids.length >= mostMembersInEvent) {
      const none = {
        contact_ids: [] as number[],
        location_id: null,
        data: { points: 0 },
        entries: [] as EventEntry[],
      };
      event = newEvent(ledger, { type: "reward_points.expired", ...none });
      this.#expired.set(ledger.business_id, event);
      this.whole.push(event);
    }
    event.contact_ids.push(contactId);
    event.entries.push(...entries);
    event.data.points -= entries.reduce((sum, { amount }) => sum + amount, 0);
  }
}

function newEvent<Rest extends Omit<NewEvent, "business_id" | "occurred_at">>(
  ledger: LockedLedger,
  rest: Rest,
) {
  return { business_id: ledger.business_id, occurred_at: ledger.now, ...rest };
}

function entryOfEvent({
  entry_no,
  contact_id,
  event_type,
  amount,
  balance_after,
  created_at,
}: EntryRow): EventEntry {
  return { entry_no, contact_id, event_type, amount, balance_after, created_at: inRfc3339(created_at) };
}

/** Divides what happened by the location, because a caller may see only what happened at some of them. */
function byLocation<Item extends { readonly location_id: number | null }>(items: readonly Item[]) {
  const parts = new Map<number | null, Item[]>();
  for (const item of items) {
    const part = parts.get(item.location_id);
    if (part === undefined) parts.set(item.location_id, [item]);
    else part.push(item);
  }
  return parts;
}

/** The events of transactions that are under way. A write can save several groups. */
const pending = new WeakMap<Connection, GroupEvents[]>();

/** Keeps the events of a group that was saved, until its transaction is complete. */
export function keepEvents(tx: Connection, events: GroupEvents): void {
  pending.set(tx, [...(pending.get(tx) ?? []), events]);
}

/** The events of the groups that were saved in a transaction, which are kept no longer. */
function takeEvents(tx: Connection): Pick<GroupEvents, "whole" | "following" | "entries"> {
  const groups = pending.get(tx) ?? [];
  pending.delete(tx);
  return {
    whole: groups.flatMap(({ whole }) => whole),
    following: groups.flatMap(({ following }) => following),
    entries: groups.flatMap(({ entries }) => entries),
  };
}

/**
 * The events of a write. Each of its entries belongs to its event about the entry's member, or else to its last one. Such an event is
 * divided by the locations of its entries.
 */
function eventsOfWrite(
  of: Pick<NewEvent, "business_id" | "type">,
  emitted: readonly EmittedEvent[],
  entries: readonly EntryRow[],
): NewEvent[] {
  const entriesOf = emitted.map((): EntryRow[] => []);
  for (const row of entries) {
    const index = emitted.findIndex(({ contact_ids }) => contact_ids.includes(row.contact_id));
    entriesOf.at(index)?.push(row);
  }
  return emitted.flatMap(({ contact_ids, data = {} }, index) => {
    const parts = [...byLocation(entriesOf[index] as EntryRow[])];
    if (parts.length === 0) parts.push([null, []]);
    return parts.map(([location_id, rows]) => {
      const members =
        parts.length === 1 ? contact_ids : [...new Set(rows.map(({ contact_id }) => contact_id))];
      const event = { ...of, occurred_at: null, contact_ids: members, location_id, data };
      return { ...event, entries: rows.map(entryOfEvent) };
    });
  });
}

/** Records the events of a group of postings. */
export async function recordGroupEvents(tx: Connection): Promise<void> {
  const { whole, following } = takeEvents(tx);
  const events = [...whole, ...following];
  if (events.length > 0) await insertEvents(tx, events);
}

/** The events of a write, and of what was due when it happened. @param isEnabled whether the business records events */
export function eventsToRecord(
  tx: Connection,
  { path, emits: type }: Pick<WriteOperation, "path" | "emits">,
  {
    businessId,
    emitted,
    isEnabled,
  }: { businessId: number; emitted: readonly EmittedEvent[]; isEnabled: boolean },
): NewEvent[] {
  const { whole, following, entries } = takeEvents(tx);
  if (!isEnabled && whole.length + following.length + entries.length === 0) return [];
  if (entries.length > 0 && emitted.length === 0)
    throw new Error(`${path} added entries, but emitted no event`);
  if (emitted.length > 0 && type === undefined) throw new Error(`${path} declares no type of event`);
  const of = { business_id: businessId, type: type as EventName };
  return [...whole, ...eventsOfWrite(of, withoutPersonalData(emitted), entries), ...following];
}
