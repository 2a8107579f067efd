/** What stamps by hand count for the limit of an operator, and for the report. */
import { describe, expect, it } from "vitest";
import { coffeeCard, freeCoffee, heldVoucher } from "../../../../test/support/vouchers.ts";
import type { Member, StampHolder } from "../../decision.ts";
import { balanceLimit } from "../../ledger.ts";
import type { MemberStampCard } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { happeningsOf } from "../happenings.ts";
import type { StampCard } from "../rules.ts";
import { decideStamping } from "./by-hand.ts";
import { newCard } from "./cards.ts";

const definition = (stamps_needed: number, more: Partial<StampCard["voucher"]> = {}): StampCard => ({
  ...coffeeCard,
  stamps_needed,
  voucher: { ...freeCoffee, ...more },
});
const card = (stamps: number): MemberStampCard => ({ ...newCard(1), stamps, begun_on: "2026-01-31" });
const moment = { today: "2026-01-31", voucherNo: 1 };
const decide = (stamps: number, change: number, of: StampCard, more: Partial<Member> = {}) => {
  const member = { active: true, balances: { vouchers: 1000 }, cards: [card(stamps)], vouchers: [], ...more };
  const input = { contact_id: 1, stamps: change, reason: "Paper" };
  return decideStamping(member as unknown as Member & StampHolder, of, input, moment);
};
const stamp = (...of: Parameters<typeof decide>) => {
  const decision = decide(...of);
  if (decision instanceof Rejection) throw new Error(decision.code);
  return decision;
};

/** How many cards a change begins. */
const begun = (before: MemberStampCard, after: MemberStampCard) => {
  const happened = happeningsOf("member_stamp_card", before, after, moment.today);
  return happened.find(({ what }) => what === "stamps_given 1")?.items ?? 0;
};

describe("stamps by hand", () => {
  it("count as their part of the voucher, or as the vouchers that they give", () => {
    expect(stamp(0, 1, definition(10)).corrected).toBe(35);
    expect(stamp(0, -3, definition(10)).corrected).toBe(105);
    // Fewer stamps are needed than before: one more gives four vouchers.
    expect(stamp(8, 1, definition(2)).corrected).toBe(1400);
    const item = definition(10, { kind: "item", coupon_value: 0, most_amount: 500 });
    expect(stamp(0, 2, item).corrected).toBe(100);
    expect(stamp(0, 1, definition(9)).corrected).toBe(39);
    expect(stamp(0, 1, definition(10, { kind: "item", coupon_value: 0 })).corrected).toBe(0);
  });

  it("that fill a card and begin another one on the same day are a card that was begun", () => {
    const begunBy = (before: number, change: number) => {
      const [after] = stamp(before, change, definition(10)).changes.member_stamp_card;
      return begun(card(before), after as MemberStampCard);
    };
    expect([begunBy(8, 4), begunBy(8, 1), begunBy(8, 2)]).toEqual([1, 0, 0]);
  });

  it("are added to a card, and fill it", () => {
    const { entries, changes, data } = stamp(8, 13, definition(10));
    const issued = { event_type: "voucher_issued", amount: 350 };
    expect([entries, changes.member_stamp_card]).toMatchObject([
      [issued, issued],
      [{ stamps: 1, by_hand: 13, completed: 2 }],
    ]);
    expect(changes.held_voucher).toMatchObject([{ held_voucher_id: 1 }, { held_voucher_id: 2 }]);
    expect(data).toMatchObject({
      ...{ change: 13, stamps: 1, stamps_owed: 0, vouchers_taken: [], balance_after: 1700 },
      ...{
        vouchers_granted: [{ held_voucher_id: 1 }, { held_voucher_id: 2 }],
        text: "Card full 2 times: Free coffee",
      },
    });
  });

  it("are worth their part of what the voucher pays at most", () => {
    const worth = (voucher: object) => {
      const card = definition(10);
      return stamp(0, 5, { ...card, voucher: { ...card.voucher, coupon_value: 0, ...voucher } }).corrected;
    };
    expect(worth({ kind: "percent", percent: 100, most_amount: 1000 })).toBe(500);
    expect(worth({ kind: "percent", percent: 100, most_amount: null })).toBeGreaterThan(2 ** 51);
    expect(worth({ kind: "item", most_amount: null })).toBe(0);
  });

  it("are taken off, with vouchers for those that are missing", () => {
    const held = heldVoucher({ held_voucher_id: 5, stamp_card_id: 1, stamps_used: 10, coupon_value: 350 });
    const { entries, changes, corrected, data } = stamp(2, -5, definition(100), { vouchers: [held] });
    expect(entries).toMatchObject([{ event_type: "voucher_issued", amount: -350 }]);
    expect(changes).toMatchObject({
      member_stamp_card: [{ stamps: 7, by_hand: -5, begun_on: held.issued_on }],
      held_voucher: [{ held_voucher_id: 5, status: "returned" }],
    });
    expect(corrected).toBe(350);
    expect(data).toMatchObject({
      ...{ stamps: 7, vouchers_taken: [5], balance_after: 650, vouchers_granted: [] },
    });
    expect(stamp(2, -5, definition(10)).data).toMatchObject({
      stamps: 0,
      stamps_owed: 3,
      balance_after: 1000,
    });
    // No voucher appears because stamps are taken off a card that needs fewer than it has.
    expect(stamp(8, -1, definition(5)).data).toMatchObject({ stamps: 7, vouchers_granted: [] });
  });

  it("need an active member, and room for the vouchers", () => {
    expect(decide(0, 1, definition(10), { active: false })).toMatchObject({ code: "member_inactive" });
    const full = { balances: { vouchers: balanceLimit } } as unknown as Partial<Member>;
    expect(decide(9, 1, definition(10), full)).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("begin a card with the first one, and a merge and a voucher that is taken back begin none", () => {
    const empty = newCard(1);
    const since = { ...empty, stamps: 3, begun_on: "2026-01-20" };
    expect([begun(empty, card(1)), begun(since, { ...since, stamps: 4 })]).toEqual([1, 0]);
    // The card of the other member, and the rest of a voucher.
    expect([begun(empty, since), begun({ ...empty, stamps: -3 }, since)]).toEqual([0, 0]);
    expect(begun(since, { ...card(2), completed: 1 })).toBe(1);
  });
});
