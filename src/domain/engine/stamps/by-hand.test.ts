/** What stamps by hand count for the limit of an operator, and for the report. */
import { describe, expect, it } from "vitest";
import type { Member, StampHolder } from "../../decision.ts";
import type { MemberStampCard } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { happeningsOf } from "../happenings.ts";
import type { StampCard } from "../rules.ts";
import { plainVoucher } from "../vouchers/terms.ts";
import { decideStamping } from "./by-hand.ts";
import { newCard } from "./cards.ts";

const definition = (stamps_needed: number, more: Partial<StampCard["voucher"]> = {}): StampCard => ({
  ...{ stamp_card_id: 1, name: "Coffee card", stamps_needed, voucher_id: 1 },
  voucher: {
    ...plainVoucher,
    ...{ voucher_id: 1, campaign_name: "Free coffee", coupon_code: "TENTH", coupon_value: 350 },
    ...{ archived: false, location_id: null, points_price: null, validity: null, validity_period: null },
    ...more,
  },
  ...{ counts: "unit", most_per_day: null, skus: [], categories: [], minimum_amount: 0, location_ids: [] },
  ...{ validity: null, validity_period: null },
});
const card = (stamps: number): MemberStampCard => ({ ...newCard(1), stamps, begun_on: "2026-01-31" });
const moment = { today: "2026-01-31", voucherNo: 1 };
const stamp = (stamps: number, change: number, of: StampCard) => {
  const member = { active: true, balances: { vouchers: 0 }, cards: [card(stamps)], vouchers: [] };
  const input = { contact_id: 1, stamps: change, reason: "Paper" };
  const decision = decideStamping(member as unknown as Member & StampHolder, of, input, moment);
  if (decision instanceof Rejection) throw new Error(decision.code);
  return decision;
};

describe("stamps by hand", () => {
  it("count as their part of the voucher, or as the vouchers that they give", () => {
    expect(stamp(0, 1, definition(10)).corrected).toBe(35);
    expect(stamp(0, -3, definition(10)).corrected).toBe(105);
    // Fewer stamps are needed than before: one more gives four vouchers.
    expect(stamp(8, 1, definition(2)).corrected).toBe(1400);
    const item = definition(10, { kind: "item", coupon_value: 0, most_amount: 500 });
    expect(stamp(0, 2, item).corrected).toBe(100);
  });

  it("that fill a card and begin another one on the same day are a card that was begun", () => {
    const begunBy = (before: number, change: number) => {
      const [after] = stamp(before, change, definition(10)).changes.member_stamp_card;
      const happened = happeningsOf("member_stamp_card", card(before), after as MemberStampCard);
      return happened.find(({ what }) => what === "stamps_given 1")?.items;
    };
    expect([begunBy(8, 4), begunBy(8, 1), begunBy(8, 2)]).toEqual([1, 0, 0]);
  });
});
