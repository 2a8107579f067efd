import { describe, expect, it } from "vitest";
import { euros } from "../../../../test/support/vouchers.ts";
import { anyLocation } from "../../access/access.ts";
import { addDays } from "../../dates.ts";
import type { Moment } from "../../decision.ts";
import { balanceLimit } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import type { VoucherDefinition } from "../rules.ts";
import { plainVoucher } from "./terms.ts";
import {
  decideRedeemVoucher,
  decideReverseVoucher,
  giveVouchersBack,
  usableAt,
  usableVouchers,
} from "./use.ts";
import { isLapsing, lapse, makeVoucher, voucherValidThrough, worthAtMost } from "./voucher.ts";

const today = "2026-01-15";
const held = (more: Partial<HeldVoucher> = {}): HeldVoucher => ({
  ...{
    held_voucher_id: 1,
    contact_id: 1,
    voucher_id: 1,
    coupon_code: "A",
    coupon_key: "a",
    coupon_value: 500,
    excused: false,
  },
  ...{
    location_id: null,
    reference_id: "HV-1",
    issued_on: "2026-01-10",
    valid_from: "2026-01-10",
    lapses_on: null,
    status: "held",
  },
  ...{ redeemed_at: null, sale_id: null, covered: null, redemption_id: null, terms: null, code_id: null },
  ...{ stamp_card_id: null, stamps_used: null },
  ...more,
});
const definition: VoucherDefinition = {
  ...plainVoucher,
  ...{
    voucher_id: 1,
    campaign_name: "Spring",
    coupon_code: " Spring-10",
    coupon_value: 500,
    archived: false,
  },
  ...{ location_id: null, points_price: null, validity: 1, validity_period: "month" },
};
const moment: Moment = {
  ...{
    today,
    now: today,
    localTime: `${today} 09:00:00`,
    entryNo: 1,
    voucherNo: 7,
    locations: anyLocation,
    given: new Map(),
    codeUses: new Map(),
    currency: euros,
  },
};
const holder = (vouchers: readonly HeldVoucher[]) => ({
  active: true,
  balances: { vouchers: 500 },
  vouchers,
});
const reasonOf = (decision: unknown) => (decision instanceof Rejection ? decision.details : undefined);
const idsOf = (vouchers: readonly HeldVoucher[]) => vouchers.map(({ held_voucher_id: id }) => id);

describe("a voucher", () => {
  it("is valid through the last day of its validity, and lapses on the next", () => {
    const made = makeVoucher(holder([]), definition, { contact_id: 1 }, moment) as HeldVoucher;
    expect(made).toMatchObject({ held_voucher_id: 7, lapses_on: "2026-02-16", coupon_key: "spring-10" });
    expect(voucherValidThrough(made)).toBe("2026-02-15");
    expect([isLapsing(made, "2026-02-15"), isLapsing(made, "2026-02-16")]).toEqual([false, true]);
    const used = { ...made, status: "redeemed" as const };
    expect(lapse([used, made], "2026-02-16")).toMatchObject({
      ...{ due: [made], value: 500, vouchers: [used, { status: "lapsed" }] },
    });
    const all = [used, made];
    expect(lapse(all, "2026-02-15").vouchers).toBe(all);
    expect(voucherValidThrough(held())).toBeNull();
  });

  it("needs room in the balance for its value", () => {
    const of = (vouchers: number) =>
      makeVoucher({ ...holder([]), balances: { vouchers } }, definition, { contact_id: 1 }, moment);
    expect(of(balanceLimit - 500)).toMatchObject({ coupon_value: 500 });
    expect(of(balanceLimit - 499)).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("is worth at most its value or its maximum, and a share without one any amount", () => {
    const of = (more: Partial<VoucherDefinition>) => worthAtMost({ ...definition, ...more });
    const none = { coupon_value: 0, most_amount: null };
    expect(of({})).toBe(500);
    expect(of({ ...none, kind: "percent", most_amount: 300 })).toBe(300);
    expect(of({ ...none, kind: "percent" })).toBe(balanceLimit);
    expect(of({ ...none, kind: "item" })).toBe(0);
  });

  it("is found by its code in any spelling, that which lapses first, and of one day the older", () => {
    const vouchers = [
      held({ held_voucher_id: 1 }),
      held({ held_voucher_id: 3, lapses_on: "2026-03-01" }),
      held({ held_voucher_id: 2, lapses_on: "2026-03-01" }),
      held({ held_voucher_id: 4, lapses_on: "2026-02-01", status: "redeemed" }),
    ];
    const redeem = (coupon_code: string) =>
      decideRedeemVoucher(holder(vouchers), { location_id: 1, coupon_code }, moment);
    expect(redeem(" a ")).toMatchObject({ data: { held_voucher_id: 2 } });
    expect(redeem("b")).toMatchObject({ code: "voucher_not_held" });
  });

  it("of another location is for that one only", () => {
    const redeem = (location_id: number, locations = anyLocation) => {
      const input = { location_id, held_voucher_id: 1 };
      return decideRedeemVoucher(holder([held({ location_id: 2 })]), input, { ...moment, locations });
    };
    expect(reasonOf(redeem(1))).toEqual({ reason: "location", held_voucher_id: 1, location_id: 2 });
    expect(redeem(2)).toMatchObject({ data: { held_voucher_id: 1 } });
    const limited = { everywhere: false, ids: new Set([1]) } as const;
    expect(redeem(1, limited)).toMatchObject({ code: "sp_location_not_allowed" });
  });

  it("comes back for some more days if its date has passed, or lapses at once with its own date", () => {
    const used = held({ status: "redeemed", sale_id: 9, redeemed_at: today, lapses_on: today });
    const back = (days: number, lapses_on: string) => giveVouchersBack([{ ...used, lapses_on }], today, days);
    expect(back(30, today)).toMatchObject({
      ...{
        value: 500,
        vouchers: [{ status: "held", valid_from: today, lapses_on: addDays(today, 30), sale_id: null }],
      },
    });
    expect(back(30, addDays(today, 1)).vouchers).toMatchObject([
      { valid_from: used.valid_from, lapses_on: addDays(today, 1) },
    ]);
    const strict = back(0, today);
    expect(strict).toMatchObject({ value: 0, vouchers: [{ status: "lapsed", lapses_on: today }] });
    expect(strict.entries.map(({ event_type, amount }) => [event_type, amount])).toEqual([
      ["voucher_reversed", 500],
      ["voucher_issued", -500],
    ]);
  });

  it("is given back only if it was used, and without a sale", () => {
    const reverse = (voucher: HeldVoucher) =>
      decideReverseVoucher({ ...holder([voucher]), erased: false }, 1, {}, today, 30);
    expect(reasonOf(reverse(held()))).toMatchObject({ reason: "not_redeemed" });
    expect(reasonOf(reverse(held({ status: "redeemed", sale_id: 3 })))).toMatchObject({
      reason: "of_a_sale",
    });
    expect(reverse(held({ status: "returned" }))).toMatchObject({ code: "voucher_not_held" });
    expect(reverse(held({ status: "redeemed" }))).toMatchObject({ data: { balance_after: 1000 } });
  });
});

describe("vouchers of a sale", () => {
  const at = { location_id: 1, locations: anyLocation, given: new Map(), codeUses: new Map() };

  it("can be those that lapsed after the day of the sale, and that had been issued by then", () => {
    const lapsed = held({ status: "lapsed", valid_from: "2026-01-08", lapses_on: "2026-01-12" });
    const use = (sold_on?: string) => usableVouchers([lapsed], [1], { ...at, sold_on });
    for (const good of ["2026-01-08", "2026-01-11"]) expect(use(good)).toEqual([lapsed]);
    for (const bad of ["2026-01-07", "2026-01-12", undefined]) {
      expect(reasonOf(use(bad))).toMatchObject({ reason: "lapsed" });
    }
    expect(idsOf(usableAt([lapsed, held({ held_voucher_id: 2 })], { location_id: 1 }))).toEqual([2]);
    expect(usableAt([lapsed], { location_id: 1, sold_on: "2026-01-11" })).toEqual([lapsed]);
  });
});
