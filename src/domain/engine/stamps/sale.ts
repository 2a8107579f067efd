/** The stamps that a sale gives on the cards of its member, and what a refund takes off. */
import type { Decision, Member, Moment, StampHolder } from "../../decision.ts";
import type { HeldVoucher, MemberStampCard, Sale, SaleStamps } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { lineFinder } from "../lines.ts";
import { collectsAt } from "../promotions/acting.ts";
import type { Rules, StampCard } from "../rules.ts";
import { counted, shortText } from "../till-texts.ts";
import { newVoucher, totalValue, valueEntry } from "../vouchers/voucher.ts";
import {
  addStamps,
  addVisit,
  cardIn,
  excuseOwed,
  joinCards,
  payWithVouchers,
  stampsIn,
  stampsOwed,
  takeStamps,
  type VoucherChange,
  visitsOn,
} from "./cards.ts";
import { countStamps, hasVisit, linesThatCount, stampCounter, stampsKept } from "./counting.ts";

type StampedSale = Pick<
  Sale,
  | ("amount" | "refunded" | "receipt_lines" | "voucher_amount" | "grants")
  | ("contact_id" | "location_id" | "sold_on")
>;

/** A card of a member, as a till shows it. */
export interface ShownCard extends Pick<StampCard, "stamp_card_id" | "name" | "stamps_needed"> {
  readonly stamps_added: number;
  readonly stamps: number;
  readonly stamps_owed: number;
  /** How often this was full now. */
  readonly completed: number;
  readonly text: string;
}

interface Stamping {
  readonly stamps: readonly SaleStamps[] | null;
  /** The cards that changed. */
  readonly cards: readonly MemberStampCard[];
  readonly vouchers: readonly HeldVoucher[];
  readonly shown: readonly ShownCard[];
}

const none: Stamping = { stamps: null, cards: [], vouchers: [], shown: [] };

/**
 * Decides the stamps of a new sale. A card that is full gives a voucher.
 * @param cards those of the member
 * @param balance of the member's vouchers
 * @returns a rejection when the balance has no room for the vouchers
 */
export function stampSale(
  cards: readonly MemberStampCard[],
  sale: StampedSale,
  { stamp_cards }: Pick<Rules, "stamp_cards">,
  balance: number,
  moment: Pick<Moment, "today" | "voucherNo">,
) {
  if (stamp_cards.length === 0) return none;
  const [find, count] = [lineFinder(sale.receipt_lines ?? []), stampCounter(sale)];
  const stamping = {
    stamps: [] as SaleStamps[],
    cards: [] as MemberStampCard[],
    vouchers: [] as HeldVoucher[],
    shown: [] as ShownCard[],
  };
  for (const definition of stamp_cards) {
    const { stamp_card_id } = definition;
    const before = cardIn(cards, stamp_card_id);
    if (!collectsAt(definition, sale.location_id)) continue;
    const own = ownOf(definition, sale, before, find);
    const added = countStamps(sale, stamp_card_id, own, count);
    const { card, times } = addStamps(before, added, definition, moment.today);
    if (added === 0) {
      if (before.stamps !== 0) stamping.shown.push(showCard(definition, before, 0, 0));
      continue;
    }
    const issued = fullCards(definition, times, sale, balance + totalValue(stamping.vouchers), {
      ...moment,
      voucherNo: moment.voucherNo + stamping.vouchers.length,
    });
    if (issued instanceof Rejection) return issued;
    const visits = hasVisit(count, own) ? 1 : 0;
    stamping.vouchers.push(...issued);
    stamping.cards.push(visits === 0 ? card : addVisit(card, sale.sold_on, visits, moment.today));
    stamping.stamps.push({
      stamp_card_id,
      own,
      added,
      on_card: Math.min(added, Math.max(0, card.stamps)),
      held_voucher_ids: issued.map(({ held_voucher_id }) => held_voucher_id),
      left: added,
      lapses_on: card.lapses_on,
    });
    stamping.shown.push(showCard(definition, card, added, times));
  }
  return { ...stamping, stamps: stamping.stamps.length === 0 ? null : stamping.stamps } satisfies Stamping;
}

/** What a card counts of a sale; null: nothing, such as a further visit of a day. */
function ownOf(
  definition: StampCard,
  { receipt_lines, sold_on }: StampedSale,
  card: MemberStampCard,
  find: ReturnType<typeof lineFinder>,
): SaleStamps["own"] {
  const { counts, minimum_amount, most_per_day } = definition;
  if (counts === "visit" && most_per_day !== null && visitsOn(card, sold_on) >= most_per_day) return null;
  const lines = linesThatCount(definition, receipt_lines, find);
  return lines === undefined ? null : { counts, lines, minimum_amount };
}

/** The vouchers of a card that was full so many times. */
export function fullCards(
  { stamp_card_id, stamps_needed, voucher: definition }: StampCard,
  times: number,
  { contact_id }: Pick<Sale, "contact_id">,
  balance: number,
  { today, voucherNo }: Pick<Moment, "today" | "voucherNo">,
) {
  const vouchers: HeldVoucher[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    const moment = { today, voucherNo: voucherNo + nth };
    const voucher = newVoucher(balance + totalValue(vouchers), definition, { contact_id }, moment);
    if (voucher instanceof Rejection) return voucher;
    vouchers.push({ ...voucher, stamp_card_id, stamps_used: stamps_needed });
  }
  return vouchers;
}

/** A card as a till shows it, with words for the cashier. */
export function showCard(
  {
    stamp_card_id,
    name,
    stamps_needed,
    voucher: { campaign_name },
  }: Pick<StampCard, "stamp_card_id" | "name" | "stamps_needed"> & {
    readonly voucher: Pick<StampCard["voucher"], "campaign_name">;
  },
  card: MemberStampCard,
  stamps_added: number,
  completed: number,
): ShownCard {
  const missing = stamps_needed - card.stamps;
  const owed = stampsOwed(card);
  const stampsFor = (count: number, how: string) => `${counted(count, "stamp")} ${how} for ${campaign_name}`;
  const full = completed === 1 ? "Card full" : `Card full ${completed} times`;
  const left =
    missing <= 0
      ? `Next stamp: ${campaign_name}`
      : owed > 0
        ? stampsFor(owed, "owed")
        : stampsFor(missing, "left");
  return {
    stamp_card_id,
    name,
    stamps_added,
    stamps: Math.max(0, card.stamps),
    stamps_needed,
    stamps_owed: owed,
    completed,
    text: shortText(completed === 0 ? left : `${full}: ${campaign_name}`),
  };
}

/** What a refund takes off a card, as a till shows it. */
export interface TakenStamps extends Pick<MemberStampCard, "stamp_card_id" | "stamps"> {
  readonly taken: number;
  readonly stamps_owed: number;
}

/**
 * Takes off the stamps of what was given back of a sale. Vouchers of cards that are not full any more are taken back, if the
 * member has not used them.
 * @param after the sale after the refund, with what is left of its grants
 * @param vouchers those of the member that were read, with those that the refund gave back
 */
export function takeStampsBack(
  member: { readonly cards: readonly MemberStampCard[]; readonly vouchers: readonly HeldVoucher[] },
  before: Sale,
  after: Sale,
  { stamp_cards }: Pick<Rules, "stamp_cards">,
  today: string,
) {
  const [had, has] = [stampCounter(before), stampCounter(after)];
  const stamps = stampsKept(after, has);
  const changes: VoucherChange[] = [];
  const changed: MemberStampCard[] = [];
  const shown: TakenStamps[] = [];
  for (const stamp_card_id of cardsOf(before, member.vouchers)) {
    const known = before.stamps?.find((one) => one.stamp_card_id === stamp_card_id);
    const left = stamps?.find((one) => one.stamp_card_id === stamp_card_id)?.left ?? 0;
    const off = (known?.left ?? 0) - left;
    const own = known?.own ?? null;
    const card = takeStamps(
      cardIn(member.cards, stamp_card_id),
      off,
      lapsingOf(known, left, member.vouchers, today),
    );
    const isVisitOver = hasVisit(had, own) && !hasVisit(has, own);
    const definition = stamp_cards.find((one) => one.stamp_card_id === stamp_card_id);
    const paid = payWithVouchers(
      isVisitOver ? addVisit(card, before.sold_on, -1, today) : card,
      member.vouchers,
      definition,
    );
    if (off === 0 && paid.changes.length === 0) continue;
    const there = excuseOwed(paid.card);
    changes.push(...paid.changes);
    changed.push(there);
    shown.push({
      stamp_card_id,
      taken: off,
      stamps: Math.max(0, there.stamps),
      stamps_owed: stampsOwed(there),
    });
  }
  return { stamps, cards: changed, shown, ...returnVouchers(changes) };
}

/**
 * How many stamps that a refund takes off may have lapsed: those that were on the card after their sale, or came back to it from a voucher
 * of the sale. They come off before the others.
 */
function lapsingOf(
  known: SaleStamps | undefined,
  left: number,
  vouchers: readonly HeldVoucher[],
  today: string,
): number {
  if (known === undefined) return 0;
  const isOver = ({ lapses_on }: Pick<SaleStamps, "lapses_on">) => lapses_on !== null && lapses_on <= today;
  const { added, on_card, held_voucher_ids: ids } = known;
  const back = vouchers.filter((one) => ids.includes(one.held_voucher_id) && one.status === "returned");
  const lapsed = (isOver(known) ? on_card : 0) + stampsIn(back.filter(isOver));
  return Math.min(added - left, lapsed) - Math.min(added - known.left, lapsed);
}

/**
 * Adds to a decision that gives a voucher back: it pays at once for stamps that are owed on its card.
 * @param cards those of the member
 */
export function payOwedStamps<
  Made extends Decision<{ readonly balance_after: number }> & {
    readonly changes: { readonly held_voucher: readonly HeldVoucher[] };
  },
>(decision: Made, cards: readonly MemberStampCard[], { stamp_cards }: Pick<Rules, "stamp_cards">) {
  const { held_voucher } = decision.changes;
  const paid = [...cardsOf({ stamps: null }, held_voucher)].map((id) => {
    const definition = stamp_cards.find(({ stamp_card_id }) => stamp_card_id === id);
    return payWithVouchers(cardIn(cards, id), held_voucher, definition);
  });
  const { changed, taken, valued } = returnVouchers(paid.flatMap((one) => one.changes));
  const vouchers_taken = taken.map(({ held_voucher_id: id }) => id);
  if (changed.length === 0) return { ...decision, data: { ...decision.data, vouchers_taken } };
  return {
    ...decision,
    entries: [...decision.entries, ...valued.flatMap((voucher) => valueEntry("voucher_issued", voucher, -1))],
    changes: { held_voucher: changed, member_stamp_card: paid.map(({ card }) => card) },
    data: {
      ...decision.data,
      vouchers_taken,
      balance_after: decision.data.balance_after - totalValue(valued),
    },
  };
}

/**
 * Makes one card of each of two members. One that is full now gives a voucher, and one on which stamps are owed loses some.
 * @param member with the vouchers of both
 * @param others the cards of the other member
 */
export function joinStamps(
  member: Pick<Member, "balances" | "vouchers"> & StampHolder,
  others: readonly MemberStampCard[],
  { stamp_cards }: Pick<Rules, "stamp_cards">,
  contact_id: number,
  { today, voucherNo }: Pick<Moment, "today" | "voucherNo">,
) {
  const [cards, issued, changes]: [MemberStampCard[], HeldVoucher[], VoucherChange[]] = [[], [], []];
  for (const other of others) {
    const { stamp_card_id } = other;
    const definition = stamp_cards.find((one) => one.stamp_card_id === stamp_card_id);
    const joined = joinCards(cardIn(member.cards, stamp_card_id), other, today);
    const { card, times } = definition ? addStamps(joined, 0, definition, today) : { card: joined, times: 0 };
    const balance = member.balances.vouchers + totalValue(issued);
    const next = { today, voucherNo: voucherNo + issued.length };
    const vouchers = definition ? fullCards(definition, times, { contact_id }, balance, next) : [];
    if (vouchers instanceof Rejection) return vouchers;
    const paid = payWithVouchers(card, member.vouchers, definition);
    cards.push(paid.card);
    issued.push(...vouchers);
    changes.push(...paid.changes);
  }
  const back = returnVouchers(changes);
  return {
    cards,
    vouchers: [...back.changed, ...issued],
    entries: [
      ...back.valued.flatMap((one) => valueEntry("voucher_issued", one, -1)),
      ...issued.flatMap((one) => valueEntry("voucher_issued", one, 1)),
    ],
  };
}

/** The cards on which a sale gave stamps, and those of vouchers that were read. */
const cardsOf = ({ stamps }: Pick<Sale, "stamps">, vouchers: readonly HeldVoucher[]) => {
  const ofSale = (stamps ?? []).map(({ stamp_card_id }) => stamp_card_id);
  return new Set([...ofSale, ...vouchers.flatMap(({ stamp_card_id: id }) => id ?? [])]);
};

/** Vouchers that pay for stamps: all of them, those that are taken back, and of these the ones that were in a balance. */
export function returnVouchers(changes: readonly VoucherChange[]) {
  const changed = changes.map(({ after }) => after);
  return {
    changed,
    taken: changed.filter(({ status }) => status === "returned"),
    valued: changes.flatMap(({ before }) => (before.status === "held" ? [before] : [])),
  };
}
