/** Topping up, paying from the wallet, and reversing either, over HTTP. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let location_id: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  location_id = shop.locationId;
});

const entriesOf = async (contact_id: number) => {
  const entries = await shop.ask("/sp/transactions/list", { contact_id, per_page: 100 });
  return entries
    .reverse()
    .map((entry: Body) => [entry.event_type, entry.amount, entry.balance_after, entry.reference_id]);
};
const makeBenefit = async (more: Body = {}) => {
  const benefit = { title: "Top up 50, get 5", amount: 5000, promo_amount: 500, location_id, ...more };
  return (await shop.write("/sp/wallet/topup-benefits/create", benefit)).benefit_id as number;
};

describe("a top-up", () => {
  it("by a benefit adds the amount and the bonus, as two entries with one reference", async () => {
    const contact_id = await shop.member();
    const benefit_id = await makeBenefit();
    const topup = await shop.write("/sp/wallet/topup", { contact_id, location_id, benefit_id });
    const { movement_id, reference_id, ...rest } = topup;
    expect(rest).toEqual({ amount: 5000, promo_amount: 500, balance_after: 5500 });
    expect(reference_id).toBe(`WT-${movement_id}`);
    expect(await entriesOf(contact_id)).toEqual([
      ["wallet_topup", 5000, 5000, reference_id],
      ["wallet_topup", 500, 5500, reference_id],
    ]);
    const [entry] = await shop.ask("/sp/transactions/list", { contact_id });
    expect(entry).toMatchObject({ event_type: "wallet_topup" });
  });

  it("by an amount gets no bonus, also if a benefit has this amount", async () => {
    const contact_id = await shop.member();
    await makeBenefit({ amount: 700 });
    const sent = { contact_id, location_id, amount: 700, reference_id: "cash-1" };
    expect(await shop.write("/sp/wallet/topup", sent)).toMatchObject({ promo_amount: 0, balance_after: 700 });
    expect(await entriesOf(contact_id)).toEqual([["wallet_topup", 700, 700, "cash-1"]]);
  });

  it("is sold only at the location of its benefit", async () => {
    const contact_id = await shop.member();
    const other = await operatorWrite(world, "/op/locations/create", {
      business_id: shop.businessId,
      name: "Other",
    });
    const benefit_id = await makeBenefit({ location_id: other.location_id });
    const { code, details } = await shop.rejected("/sp/wallet/topup", {
      contact_id,
      location_id,
      benefit_id,
    });
    const message = `location_id must be ${other.location_id}, where this top-up benefit is sold.`;
    expect([code, details]).toEqual([
      "validation_failed",
      { errors: [{ field: "location_id", code: "not_allowed_value", message }] },
    ]);
  });

  it("names a benefit or an amount, and not both", async () => {
    const contact_id = await shop.member();
    const neither = await shop.rejected("/sp/wallet/topup", { contact_id, location_id });
    expect(neither.details).toMatchObject({ errors: [{ field: "amount", code: "required" }] });
    const both = await shop.rejected("/sp/wallet/topup", {
      contact_id,
      location_id,
      amount: 1,
      benefit_id: 1,
    });
    expect(both.details).toMatchObject({ errors: [{ field: "benefit_id", code: "not_allowed_value" }] });
  });
});

describe("a payment", () => {
  it("takes money from the wallet, earns nothing and counts for no total of sales", async () => {
    const contact_id = await shop.member();
    await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 1000 });
    const paid = await shop.write("/sp/wallet/pay", {
      contact_id,
      location_id,
      amount: 300,
      reason: "Locker",
    });
    expect(paid).toMatchObject({ amount: 300, balance_after: 700, reference_id: `WP-${paid.movement_id}` });
    expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({
      wallet: 700,
      points: 0,
      sales: 0,
    });
  });
});

describe("a reversal", () => {
  it("takes back the whole top-up with its bonus, once", async () => {
    const contact_id = await shop.member();
    const benefit_id = await makeBenefit();
    const { movement_id } = await shop.write("/sp/wallet/topup", { contact_id, location_id, benefit_id });
    const reversal = { movement_id, location_id, reason: "Wrong member" };
    expect(await shop.write("/sp/wallet/reverse", reversal)).toEqual({
      movement_id,
      amount: 5000,
      promo_amount: 500,
      money_back: 5000,
      member_erased: false,
      balance_after: 0,
    });
    expect((await shop.rejected("/sp/wallet/reverse", reversal)).code).toBe("already_reversed");
    expect((await entriesOf(contact_id)).slice(2)).toEqual([
      ["wallet_topup", -5000, 500, `WT-${movement_id}`],
      ["wallet_topup", -500, 0, `WT-${movement_id}`],
    ]);
  });

  it("takes nothing of a top-up of which a part was spent", async () => {
    const contact_id = await shop.member();
    const { movement_id } = await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 100 });
    await shop.write("/sp/wallet/pay", { contact_id, location_id, amount: 1 });
    const { code, details } = await shop.rejected("/sp/wallet/reverse", { movement_id, location_id });
    expect([code, details]).toEqual(["insufficient_balance", { account: "wallet", balance: 99 }]);
  });

  it("gives a payment back once, however many tills ask for it at the same time", async () => {
    const contact_id = await shop.member();
    await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 100 });
    const { movement_id } = await shop.write("/sp/wallet/pay", { contact_id, location_id, amount: 40 });
    const asked = Array.from({ length: 32 }, () =>
      world.write("/sp/wallet/reverse", { movement_id, location_id }, shop.credentials),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({ wallet: 100 });
  });

  it("of a payment is allowed for an inactive member, and is money for an erased one", async () => {
    const { businessId: business_id } = shop;
    const contact_id = await shop.member();
    await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 100 });
    const pay = async () =>
      (await shop.write("/sp/wallet/pay", { contact_id, location_id, amount: 30 })).movement_id;
    const [first, second] = [await pay(), await pay()];
    await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
    const given = await shop.write("/sp/wallet/reverse", { movement_id: first, location_id });
    expect(given).toMatchObject({ money_back: 0, member_erased: false, balance_after: 70 });
    await operatorWrite(world, "/op/members/erase", { business_id, contact_id, reason: "Asked for it" });
    const paid = await shop.write("/sp/wallet/reverse", { movement_id: second, location_id });
    expect(paid).toMatchObject({ money_back: 30, member_erased: true, balance_after: 0 });
    await expectValidLedger({ businessId: business_id } as never);
  });
});

describe("the ledger of operators", () => {
  it("says to which sale an entry belongs, and which entries can be taken back", async () => {
    const contact_id = await shop.member();
    const at = { contact_id, location_id };
    const benefit_id = await makeBenefit();
    const topup = await shop.write("/sp/wallet/topup", { ...at, benefit_id });
    const reference_id = "same";
    const payment = await shop.write("/sp/wallet/pay", { ...at, amount: 300, reference_id });
    const { sale_id } = await shop.write("/sp/sales/record", {
      ...at,
      amount: 5000,
      use_wallet: 1000,
      reference_id,
    });
    const redemption = await shop.write("/sp/reward-points/redeem", { ...at, points: 5, reference_id });
    const originsOf = async () => {
      const { body } = await asOperator(world, "/op/transactions/list", {
        business_id: shop.businessId,
        contact_id,
        per_page: 100,
      });
      return body.data
        .reverse()
        .map(({ event_type, entry_no, sale_id: sale, reversal }: Body) =>
          reversal === null ? [event_type, sale, null] : [event_type, sale, reversal, entry_no],
        );
    };
    const ofSale = [
      ["wallet_payment", sale_id, null],
      ["sale", sale_id, null],
      ["reward_points_earned", sale_id, null],
    ];
    expect(await originsOf()).toEqual([
      ["wallet_topup", null, "wallet", topup.movement_id],
      ["wallet_topup", null, null],
      ["wallet_payment", null, "wallet", payment.movement_id],
      ...ofSale,
      ["reward_points_redeemed", null, "reward_points", redemption.redemption_id],
    ]);
    await shop.write("/sp/wallet/reverse", { movement_id: payment.movement_id, location_id });
    await shop.write("/sp/reward-points/reverse", { redemption_id: redemption.redemption_id });
    const after = await originsOf();
    expect(after.slice(2, 3)).toEqual([["wallet_payment", null, null]]);
    expect(after.slice(3, 6)).toEqual(ofSale);
    expect(after.slice(6).every(([, , reversal]: unknown[]) => reversal === null)).toBe(true);
  });

  it("says what is in the way of a reversal", async () => {
    const contact_id = await shop.member();
    const at = { contact_id, location_id };
    const obstacles = async () => {
      const { body } = await asOperator(world, "/op/transactions/list", {
        business_id: shop.businessId,
        contact_id,
        per_page: 100,
      });
      return body.data
        .filter(({ reversal }: Body) => reversal !== null)
        .map(({ entry_no, reversal_obstacle }: Body) => [entry_no, reversal_obstacle]);
    };
    const benefit_id = await makeBenefit();
    const { movement_id } = await shop.write("/sp/wallet/topup", { ...at, benefit_id });
    expect(await obstacles()).toEqual([[movement_id, null]]);
    // A part of the bonus is enough.
    const payment = await shop.write("/sp/wallet/pay", { ...at, amount: 300 });
    const spent = [movement_id, "insufficient_balance"];
    expect(await obstacles()).toEqual([[payment.movement_id, null], spent]);
    const { code } = await shop.rejected("/sp/wallet/reverse", { movement_id, location_id });
    expect(code).toBe("insufficient_balance");
    await shop.write("/sp/wallet/reverse", { movement_id: payment.movement_id, location_id });
    expect(await obstacles()).toEqual([[movement_id, null]]);
    const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, points_price: 5 };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
      business_id: shop.businessId,
      ...voucher,
      validity: 1,
      validity_period: "month",
    });
    await shop.write("/sp/sales/record", { ...at, amount: 5000 });
    const used = await shop.write("/sp/reward-points/redeem", { ...at, voucher_id });
    const held = await shop.write("/sp/reward-points/redeem", { ...at, voucher_id });
    const gift = await shop.write("/sp/reward-points/redeem", { ...at, points: 5 });
    await shop.write("/sp/vouchers/redeem", { ...at, held_voucher_id: used.held_voucher_id });
    const redemptions = [
      [gift.redemption_id, null],
      [held.redemption_id, null],
      [used.redemption_id, "voucher_not_usable"],
    ];
    expect((await obstacles()).slice(0, 3)).toEqual(redemptions);
    const { code: ofVoucher } = await shop.rejected("/sp/reward-points/reverse", {
      redemption_id: used.redemption_id,
    });
    expect(ofVoucher).toBe("voucher_not_usable");
    // A voucher whose last day has passed is gone before the nightly run has recorded that.
    await world.sql`
      UPDATE held_voucher SET lapses_on = lapses_on - 100
      WHERE business_id = ${shop.businessId} AND held_voucher_id = ${held.held_voucher_id}`;
    expect((await obstacles())[1]).toEqual([held.redemption_id, "voucher_not_usable"]);
  });
});
