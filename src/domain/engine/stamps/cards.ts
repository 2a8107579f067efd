/**
 * The stamps of a member on a card: they are added, complete the card, are taken off, and lapse. Stamps below 0 are owed. Whenever
 * some are owed on a card that collects stamps, its vouchers that were not used are taken back, so that the order of refunds does not
 * matter.
 */
import { addDays, endOfValidity } from "../../dates.ts";
import { latestRecordingDays } from "../../idempotency.ts";
import type { HeldVoucher, MemberStampCard } from "../../records.ts";
import type { StampCard } from "../rules.ts";

export const newCard = (stamp_card_id: number): MemberStampCard => ({
  stamp_card_id,
  stamps: 0,
  begun_on: null,
  lapses_on: null,
  completed: 0,
  by_hand: 0,
  lapsed: 0,
  visits: [],
});

export const cardIn = (cards: readonly MemberStampCard[], id: number) =>
  cards.find(({ stamp_card_id }) => stamp_card_id === id) ?? newCard(id);

/** The stamps that vouchers of cards have taken. */
export const stampsIn = (vouchers: readonly HeldVoucher[]) =>
  vouchers.reduce((sum, { stamps_used }) => sum + (stamps_used ?? 0), 0);

export const stampsOwed = ({ stamps }: Pick<MemberStampCard, "stamps">) => Math.max(0, -stamps);

/** The last day of the stamps on a card; null: they don't lapse. */
export const cardValidThrough = ({ lapses_on }: Pick<MemberStampCard, "lapses_on">) =>
  lapses_on === null ? null : addDays(lapses_on, -1);

/** A voucher that pays for stamps that are owed. */
export interface VoucherChange {
  readonly before: HeldVoucher;
  readonly after: HeldVoucher;
}

type Validity = Pick<StampCard, "validity" | "validity_period">;
const notBegun = { begun_on: null, lapses_on: null } as const;

const begin = (today: string, { validity, validity_period }: Validity) => ({
  begun_on: today,
  lapses_on: endOfValidity(today, validity, validity_period),
});

/**
 * Adds stamps. Each time the card is full, it gives a voucher, and the rest begins the next card.
 * @returns the card, and how often it was full
 */
export function addStamps(
  card: MemberStampCard,
  added: number,
  { stamps_needed: needed, ...validity }: Validity & Pick<StampCard, "stamps_needed">,
  today: string,
) {
  const all = card.stamps + added;
  const times = Math.max(0, Math.floor(all / needed));
  const stamps = all - times * needed;
  const isSame = times === 0 && card.begun_on !== null;
  const dates = stamps <= 0 ? notBegun : isSame ? {} : begin(today, validity);
  return { card: { ...card, ...dates, stamps, completed: card.completed + times }, times };
}

/** Takes stamps off a card by hand. */
export const setStamps = (card: MemberStampCard, stamps: number): MemberStampCard => ({
  ...card,
  ...(stamps <= 0 && notBegun),
  stamps,
});

/**
 * Takes off stamps of a sale.
 * @param lapsing how many of them have lapsed at most, which are excused
 */
export function takeStamps(card: MemberStampCard, taken: number, lapsing: number): MemberStampCard {
  const excused = Math.min(lapsing, card.lapsed);
  return { ...setStamps(card, card.stamps - taken + excused), lapsed: card.lapsed - excused };
}

/** Excuses stamps that are owed by a member that has no voucher of the card any more: only stamps that lapsed can be missing. */
export function excuseOwed(card: MemberStampCard): MemberStampCard {
  const excused = card.completed === 0 ? Math.min(stampsOwed(card), card.lapsed) : 0;
  return { ...card, stamps: card.stamps + excused, lapsed: card.lapsed - excused };
}

/**
 * Takes vouchers back for stamps that are owed, the last one first. The rest of its stamps is on the card, as long as the voucher was valid.
 * One that has lapsed was of no use: it excuses as many of its stamps as are owed, and the others stay in it.
 * @param vouchers of the member; those of other cards are left alone
 * @param definition undefined for a card that collects no stamps now. Then a voucher is taken only if all of its stamps are owed,
 *   because nothing could be done with the rest.
 * @returns the vouchers that were taken or have fewer stamps, before and after
 */
export function payWithVouchers(
  before: MemberStampCard,
  vouchers: readonly HeldVoucher[],
  definition: Pick<StampCard, "validity"> | undefined,
) {
  const changes: VoucherChange[] = [];
  let card = before;
  const own = vouchers.filter((one) => one.stamp_card_id === card.stamp_card_id);
  for (const voucher of own.sort((one, other) => other.held_voucher_id - one.held_voucher_id)) {
    const { status, issued_on, lapses_on } = voucher;
    if (card.stamps >= 0) break;
    if (status !== "held" && status !== "lapsed") continue;
    const all = stampsIn([voucher]);
    const isLapsed = status === "lapsed";
    if (!isLapsed && definition === undefined && all > stampsOwed(card)) break;
    const back = isLapsed ? Math.min(all, stampsOwed(card)) : all;
    const isTaken = back === all;
    const after = isTaken ? { status: "returned" as const } : { stamps_used: all - back };
    changes.push({ before: voucher, after: { ...voucher, ...after } });
    const stamps = card.stamps + back;
    const dates = { begun_on: issued_on, lapses_on: definition?.validity ? lapses_on : null };
    card = { ...card, ...(stamps > 0 && dates), stamps, completed: card.completed - Number(isTaken) };
  }
  return { card, changes };
}

/** Lets the stamps of cards lapse whose last day has passed. Cards that don't lapse are the same objects. */
export const lapseCards = (cards: readonly MemberStampCard[], today: string) =>
  cards.map((card) =>
    card.lapses_on === null || card.lapses_on > today
      ? card
      : { ...card, ...notBegun, stamps: 0, lapsed: card.lapsed + card.stamps },
  );

/** The cards of a member that is merged into another one. */
export const leaveCard = ({ stamp_card_id }: MemberStampCard) => newCard(stamp_card_id);

/** The card of a member whose accounts are closed. */
export const closeCard = (card: MemberStampCard): MemberStampCard => ({
  ...card,
  ...notBegun,
  stamps: 0,
  by_hand: card.by_hand - card.stamps,
});

/** How many sales of a day gave a stamp. */
export const visitsOn = ({ visits }: MemberStampCard, day: string) =>
  visits.find((one) => one.day === day)?.given ?? 0;

/** Adds to the sales of a day that gave a stamp. Days on which no sale can be recorded any more are left out. */
export function addVisit(card: MemberStampCard, day: string, given: number, today: string): MemberStampCard {
  const others = card.visits.filter((one) => one.day !== day);
  const visits = [...others, { day, given: visitsOn(card, day) + given }]
    .filter((one) => one.given > 0 && one.day >= addDays(today, -latestRecordingDays))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
  return { ...card, visits };
}

/** One card of those of two members. Its stamps are valid as long as those of either. */
export function joinCards(own: MemberStampCard, other: MemberStampCard, today: string): MemberStampCard {
  const begun = [own, other].filter(({ begun_on }) => begun_on !== null);
  const [first = null] = begun.map(({ begun_on }) => begun_on).sort();
  const ends = begun.map(({ lapses_on }) => lapses_on);
  const last = ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
  const stamps = own.stamps + other.stamps;
  const joined = {
    ...own,
    ...(stamps > 0 ? { begun_on: first, lapses_on: last } : notBegun),
    stamps,
    completed: own.completed + other.completed,
    by_hand: own.by_hand + other.by_hand,
    lapsed: own.lapsed + other.lapsed,
  };
  return other.visits.reduce((card, { day, given }) => addVisit(card, day, given, today), joined);
}
