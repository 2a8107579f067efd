/** The stamps on a card: adding, taking off, lapsing, what is owed, and joining two cards. */
import { describe, expect, it } from "vitest";
import { heldVoucher } from "../../../../test/support/vouchers.ts";
import type { HeldVoucher, MemberStampCard } from "../../records.ts";
import {
  addStamps,
  addVisit,
  cardValidThrough,
  closeCard,
  excuseOwed,
  joinCards,
  lapseCards,
  newCard,
  payWithVouchers,
  stampsOwed,
  takeStamps,
  visitsOn,
} from "./cards.ts";

const today = "2026-01-31";
const forever = { validity: null, validity_period: null };
const ofTen = { stamps_needed: 10, ...forever };
const month = { stamps_needed: 10, validity: 1, validity_period: "month" } as const;
const card = (more: Partial<MemberStampCard> = {}): MemberStampCard => ({ ...newCard(1), ...more });
const begun = (stamps: number, more: Partial<MemberStampCard> = {}) =>
  card({ stamps, begun_on: "2026-01-10", lapses_on: "2026-02-11", ...more });
const voucher = (held_voucher_id: number, more: Partial<HeldVoucher> = {}) =>
  heldVoucher({ held_voucher_id, stamp_card_id: 1, stamps_used: 10, lapses_on: "2026-04-11", ...more });

describe("stamps", () => {
  it.each([
    [0, 9, 9, 0],
    [9, 1, 0, 1],
    [9, 3, 2, 1],
    [9, 21, 0, 3],
    [-4, 13, 9, 0],
    [-4, 14, 0, 1],
    [-14, 3, -11, 0],
    [12, 0, 2, 1],
  ])("on a card with %i, %i more make %i, and the card full %i times", (before, added, stamps, times) => {
    const result = addStamps(card({ stamps: before, completed: 5 }), added, ofTen, today);
    expect(result).toMatchObject({ times, card: { stamps, completed: 5 + times } });
  });

  it("begin a card with the first one, and the next one with the rest", () => {
    const first = addStamps(card(), 1, month, today).card;
    expect(first).toMatchObject({ begun_on: today, lapses_on: "2026-03-01" });
    expect([cardValidThrough(first), cardValidThrough(card())]).toEqual(["2026-02-28", null]);
    expect(addStamps(first, 2, month, "2026-02-20").card).toMatchObject({
      begun_on: today,
      lapses_on: "2026-03-01",
    });
    expect(addStamps(first, 10, month, "2026-02-20").card).toMatchObject({
      begun_on: "2026-02-20",
      lapses_on: "2026-03-21",
    });
    expect(addStamps(first, 9, month, "2026-02-20").card).toMatchObject({ begun_on: null, lapses_on: null });
    expect(addStamps(card({ stamps: -2 }), 2, month, today).card).toMatchObject({ begun_on: null });
    expect(addStamps(card({ stamps: -2 }), 3, ofTen, today).card).toMatchObject({
      begun_on: today,
      lapses_on: null,
    });
  });

  it("that are taken off leave a card that is not begun, or owe some", () => {
    expect(takeStamps(begun(5), 2, 0)).toMatchObject({ stamps: 3, begun_on: "2026-01-10" });
    expect(takeStamps(begun(5), 5, 0)).toMatchObject({ stamps: 0, begun_on: null, lapses_on: null });
    expect(takeStamps(begun(5), 4, 0)).toMatchObject({ stamps: 1, begun_on: "2026-01-10" });
    const owing = takeStamps(begun(5), 7, 0);
    expect([owing.stamps, stampsOwed(owing), stampsOwed(begun(5))]).toEqual([-2, 2, 0]);
  });

  it("that lapsed are excused, if the sale is so old", () => {
    const [lapsed] = lapseCards([begun(5, { lapsed: 1 })], "2026-02-11") as [MemberStampCard];
    expect(lapsed).toMatchObject({ stamps: 0, lapsed: 6, begun_on: null, lapses_on: null });
    const again = { ...lapsed, stamps: 3 };
    expect(takeStamps(again, 4, 4)).toMatchObject({ stamps: 3, lapsed: 2 });
    expect(takeStamps(again, 4, 1)).toMatchObject({ stamps: 0, lapsed: 5 });
    expect(takeStamps(again, 8, 8)).toMatchObject({ stamps: 1, lapsed: 0 });
    expect(takeStamps(again, 2, 0)).toMatchObject({ stamps: 1, lapsed: 6 });
  });

  it("lapse on the day after the last one, and not before", () => {
    const cards = [begun(5), card({ stamps: 3, begun_on: "2026-01-01" })];
    expect(lapseCards(cards, "2026-02-10")).toEqual(cards);
    expect(lapseCards(cards, "2026-02-11").map(({ stamps }) => stamps)).toEqual([0, 3]);
  });
});

describe("vouchers of a card", () => {
  it("pay what is owed: the last ones that were not used, as many as needed", () => {
    const held = [
      ...[voucher(1), voucher(2, { status: "lapsed" }), voucher(3, { status: "redeemed" })],
      ...[voucher(4, { stamp_card_id: 2 }), voucher(5, { status: "returned" })],
    ];
    const one = payWithVouchers(card({ stamps: -4, completed: 3 }), held, forever);
    const changed = ({ changes }: typeof one) =>
      changes.map(({ after: { held_voucher_id, status, stamps_used } }) => [
        held_voucher_id,
        status,
        stamps_used,
      ]);
    expect(changed(one)).toEqual([[2, "lapsed", 6]]);
    expect(one.card).toMatchObject({ stamps: 0, completed: 3, begun_on: null, lapses_on: null });
    const all = payWithVouchers(card({ stamps: -24, completed: 3 }), held, month);
    expect(changed(all)).toEqual([
      [2, "returned", 10],
      [1, "returned", 10],
    ]);
    expect(all.card).toMatchObject({ stamps: -4, completed: 1, begun_on: null });
    const further = payWithVouchers(card({ stamps: -14, completed: 3 }), held, month);
    expect(changed(further)).toEqual(changed(all));
    // The rest is valid as long as the voucher was, if stamps of the card lapse.
    const since = { stamps: 6, completed: 1, begun_on: "2026-01-10" };
    expect(further.card).toMatchObject({ ...since, lapses_on: "2026-04-11" });
    const last = payWithVouchers(card({ stamps: -9 }), [voucher(1)], month);
    expect(last.card).toMatchObject({ stamps: 1, begun_on: "2026-01-10" });
    const unlimited = payWithVouchers(card({ stamps: -14, completed: 3 }), held, forever);
    expect(unlimited.card).toMatchObject({ ...since, lapses_on: null });
  });

  it("are taken from a card that collects none only if all of their stamps are owed", () => {
    const held = [voucher(1), voucher(2, { stamps_used: 4 })];
    const before = card({ stamps: -3, completed: 2 });
    expect(payWithVouchers(before, held, undefined)).toEqual({ card: before, changes: [] });
    const { card: after, changes } = payWithVouchers({ ...before, stamps: -9 }, held, undefined);
    expect(changes.map((one) => one.after.held_voucher_id)).toEqual([2]);
    expect(after).toMatchObject({ stamps: -5, completed: 1, begun_on: null });
    const lapsed = [voucher(3, { status: "lapsed" })];
    expect(payWithVouchers(before, lapsed, undefined)).toMatchObject({
      ...{ card: { stamps: 0, completed: 2 }, changes: [{ after: { status: "lapsed", stamps_used: 7 } }] },
    });
  });

  it("are why stamps are owed: without one, only stamps that lapsed can be missing", () => {
    const owing = card({ stamps: -3, lapsed: 5 });
    expect(excuseOwed(owing)).toMatchObject({ stamps: 0, lapsed: 2 });
    expect(excuseOwed({ ...owing, lapsed: 2 })).toEqual({ ...owing, stamps: -1, lapsed: 0 });
    expect(excuseOwed({ ...owing, completed: 1 })).toMatchObject({ stamps: -3, lapsed: 5 });
    expect(excuseOwed(begun(2, { lapsed: 5 }))).toMatchObject({ stamps: 2, lapsed: 5 });
  });

  it("stay when nothing is owed", () => {
    for (const before of [begun(0), begun(3)])
      expect(payWithVouchers(before, [voucher(1)], forever)).toEqual({ card: before, changes: [] });
  });
});

describe("visits", () => {
  it("are counted by day, as long as sales of the day can be recorded", () => {
    const one = addVisit(addVisit(card(), today, 1, today), today, 1, today);
    const two = addVisit(one, "2026-01-02", 1, today);
    expect(two.visits).toEqual([
      { day: "2026-01-02", given: 1 },
      { day: today, given: 2 },
    ]);
    expect([visitsOn(two, today), visitsOn(two, "2026-01-03")]).toEqual([2, 0]);
    expect(addVisit(two, "2026-01-02", -1, today).visits).toEqual([{ day: today, given: 2 }]);
    expect(addVisit(two, "2026-02-02", 1, "2026-02-02").visits.map(({ day }) => day)).toEqual([
      "2026-01-02",
      today,
      "2026-02-02",
    ]);
    expect(addVisit(two, "2026-02-03", 1, "2026-02-03").visits.map(({ day }) => day)).toEqual([
      today,
      "2026-02-03",
    ]);
    expect(addVisit(two, "2026-01-01", -1, today).visits).toEqual(two.visits);
  });
});

describe("two cards", () => {
  it("become one, which is valid as long as either was", () => {
    const own = begun(4, { completed: 1, by_hand: 2, lapsed: 3, visits: [{ day: today, given: 1 }] });
    const other = begun(5, {
      begun_on: "2026-01-01",
      lapses_on: "2026-02-20",
      completed: 2,
      by_hand: -1,
      lapsed: 1,
      visits: [{ day: today, given: 1 }],
    });
    expect(joinCards(own, other, today)).toEqual({
      ...{ stamp_card_id: 1, stamps: 9, begun_on: "2026-01-01", lapses_on: "2026-02-20" },
      ...{ completed: 3, by_hand: 1, lapsed: 4, visits: [{ day: today, given: 2 }] },
    });
    expect(joinCards(other, own, today)).toMatchObject({ begun_on: "2026-01-01", lapses_on: "2026-02-20" });
    expect(joinCards(own, { ...other, lapses_on: null }, today).lapses_on).toBeNull();
    expect(joinCards(begun(5), card({ stamps: -4 }), today)).toMatchObject({
      stamps: 1,
      begun_on: "2026-01-10",
    });
    expect(joinCards(own, card(), today)).toEqual(own);
    expect(joinCards(card(), other, today)).toEqual(other);
    expect(joinCards(own, card({ stamps: -4 }), today)).toMatchObject({
      stamps: 0,
      begun_on: null,
      lapses_on: null,
    });
  });

  it("are empty when the accounts of their member are closed", () => {
    expect(closeCard(begun(4, { by_hand: 1, lapsed: 2 }))).toEqual(card({ by_hand: -3, lapsed: 2 }));
    expect(closeCard(card({ stamps: -4 }))).toMatchObject({ stamps: 0, by_hand: 4 });
  });
});
