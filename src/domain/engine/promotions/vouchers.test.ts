/** The vouchers that promotions give for a sale, what refunds take back of them, and what grants count for limits. */
import { describe, expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import { freeCoffee, heldVoucher } from "../../../../test/support/vouchers.ts";
import { balanceLimit } from "../../ledger.ts";
import type { HeldVoucher, Sale, SaleGrant } from "../../records.ts";
import { grantChanges } from "./totals.ts";
import { giveVouchers, loseVouchers } from "./vouchers.ts";

const grant = (promotion_id: number, more: Partial<SaleGrant> = {}): SaleGrant => ({
  ...{ promotion_id, lines: null, points: 0, left: 0, multiply: null, fixed: null, counts: false },
  ...{ held_voucher_id: null, keeps_voucher: true, excuses_voucher: false },
  ...{ stamp_card_id: null, stamps: 0, keeps_stamps: false },
  ...more,
});
const sale = (...grants: SaleGrant[]) => ({ grants }) as unknown as Sale;

describe("vouchers of promotions", () => {
  const giving = (promotion_id: number) => ({ ...doubling, promotion_id, voucher: freeCoffee });
  const promotions = [doubling, giving(2), giving(3)];
  const moment = { today: "2026-01-15", voucherNo: 7 };
  const give = (given: SaleGrant[] | null, balance = 0) =>
    giveVouchers(balance, { contact_id: 4, grants: given }, { promotions }, moment);

  it("are one for each grant of such a promotion, with numbers in turn", () => {
    const made = give([grant(1), grant(2, { points: 3 }), grant(3)]);
    expect(made).toMatchObject({
      vouchers: [
        { held_voucher_id: 7, contact_id: 4, coupon_value: 350 },
        { held_voucher_id: 8, coupon_value: 350 },
      ],
      grants: [
        { promotion_id: 1, held_voucher_id: null },
        { promotion_id: 2, points: 3, held_voucher_id: 7 },
        { promotion_id: 3, held_voucher_id: 8 },
      ],
    });
    expect(give(null)).toEqual({ vouchers: [], grants: null });
  });

  it("need room in the balance, each beside those before it", () => {
    const both = [grant(2), grant(3)];
    expect(give(both, balanceLimit - 700)).toMatchObject({ vouchers: [{}, {}] });
    expect(give(both, balanceLimit - 699)).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("are taken back when too little is left for them, and excused if they were used", () => {
    const numbered = [1, 2, 3, 4].map((id) => grant(id, { held_voucher_id: id }));
    const lost = numbered.map((one) => ({ ...one, keeps_voucher: one.promotion_id === 4 }));
    const held = [
      heldVoucher({ held_voucher_id: 4 }),
      heldVoucher({ held_voucher_id: 1 }),
      heldVoucher({ held_voucher_id: 2, status: "redeemed" }),
      heldVoucher({ held_voucher_id: 3, status: "lapsed" }),
    ];
    const result = loseVouchers(sale(...numbered), sale(...lost), held);
    const idsOf = (vouchers: readonly HeldVoucher[]) => vouchers.map((one) => one.held_voucher_id);
    expect(result.taken).toEqual(
      [held[1], held[3]].map((one) => ({ ...one, status: "returned" }) as HeldVoucher),
    );
    expect(idsOf(result.valued)).toEqual([1]);
    expect(result.excused).toEqual([{ ...held[2], excused: true }]);
    expect(result.grants).toEqual(lost.map((one) => ({ ...one, excuses_voucher: one.promotion_id === 2 })));
  });

  it("are lost once, and are not looked for if they were not read", () => {
    const lost = grant(1, { held_voucher_id: 1, keeps_voucher: false, excuses_voucher: true });
    const again = loseVouchers(sale(lost), sale(lost), [heldVoucher({ status: "redeemed" })]);
    expect(again).toEqual({ grants: [lost], taken: [], valued: [], excused: [] });
    const kept = sale(grant(1, { held_voucher_id: 1 }));
    const unread = loseVouchers(kept, sale({ ...lost, excuses_voucher: false }), []);
    expect(unread).toMatchObject({ taken: [], excused: [], grants: [{ excuses_voucher: false }] });
    const none = { grants: null } as unknown as Sale;
    expect(loseVouchers(none, none, []).grants).toBeNull();
  });
});

describe("what a grant counts", () => {
  const plain = grant(1, { keeps_voucher: false });
  const change = (before: Partial<SaleGrant> | undefined, after: Partial<SaleGrant>) =>
    grantChanges(before && sale({ ...plain, ...before }), sale({ ...plain, ...after }))[0];

  it("is one sale as long as it gives points, a voucher, a used one, or stamps", () => {
    const gifts = [{ left: 5 }, { keeps_voucher: true }, { excuses_voucher: true }, { keeps_stamps: true }];
    for (const gift of gifts) {
      const points = gift.left ?? 0;
      expect(change(undefined, gift)).toMatchObject({ given: 1, points, gave: false, gives: true });
      expect(change(gift, { left: 0 })).toMatchObject({
        given: -1,
        points: 0 - points,
        gave: true,
        gives: false,
      });
      expect(change(gift, gift)).toMatchObject({ given: 0, points: 0, gave: true, gives: true });
    }
    expect(change(undefined, {})).toMatchObject({ given: 0, gave: false, gives: false });
    expect(change({ left: 9 }, { left: 1, counts: true })).toEqual({
      ...{ promotion_id: 1, given: 0, points: -8, gave: true, gives: true, counts: true },
    });
    expect(grantChanges(undefined, { grants: null } as unknown as Sale)).toEqual([]);
  });
});
