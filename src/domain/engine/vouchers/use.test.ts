/** What the use of vouchers, their issue and their return enter into the ledger. */
import { describe, expect, it } from "vitest";
import { freeCoffee, heldVoucher, momentOn } from "../../../../test/support/vouchers.ts";
import { anyLocation } from "../../access/access.ts";
import { balanceLimit } from "../../ledger.ts";
import type { HeldVoucher } from "../../records.ts";
import { publicCode } from "./limits.ts";
import { plainVoucher } from "./terms.ts";
import {
  decideRedeemVoucher,
  decideReverseVoucher,
  entriesOfUse,
  giveVouchersBack,
  priceOf,
  returnOfCodes,
  takeBack,
  usableAt,
  usableVouchers,
} from "./use.ts";
import { decideIssue, importVoucher, inLapsingOrder, newVoucher } from "./voucher.ts";

const today = "2026-01-15";
const terms = { ...plainVoucher, kind: "item", categories: ["coffee"] } as const;
const item = (more: Partial<HeldVoucher> = {}) => heldVoucher({ coupon_value: 0, terms, ...more });
const ofCode = (more: Partial<HeldVoucher> = {}) => heldVoucher({ code_id: publicCode, ...more });
const briefly = (entries: readonly { event_type: string; amount: number }[]) =>
  entries.map(({ event_type, amount }) => `${event_type} ${amount}`);
const holder = (vouchers: readonly HeldVoucher[], more: object = {}) => ({
  ...{ active: true, erased: false, balances: { vouchers: 1000 }, vouchers },
  ...more,
});

describe("the use of vouchers in a sale", () => {
  const entries = (...used: { voucher: HeldVoucher; covered: number }[]) => {
    const { issued, redeemed } = entriesOfUse(used);
    return briefly([...issued, ...redeemed]);
  };

  it("takes a value off the account, whatever it covered", () => {
    const minimum = { ...plainVoucher, minimum_amount: 2000 };
    expect(entries({ voucher: heldVoucher(), covered: 300 })).toEqual(["voucher_redeemed -500"]);
    expect(entries({ voucher: heldVoucher({ terms: minimum }), covered: 300 })).toEqual([
      "voucher_redeemed -500",
    ]);
  });

  it("issues what a share or an article covers, a code, and one that has lapsed since", () => {
    expect(entries({ voucher: item(), covered: 350 })).toEqual([
      "voucher_issued 350",
      "voucher_redeemed -350",
    ]);
    const both = ["voucher_issued 500", "voucher_redeemed -500"];
    expect(entries({ voucher: ofCode(), covered: 1 })).toEqual(both);
    expect(entries({ voucher: heldVoucher({ status: "lapsed" }), covered: 1 })).toEqual(both);
  });

  it("takes held ones in the order in which they lapse, and no others", () => {
    const vouchers = [
      heldVoucher({ held_voucher_id: 1 }),
      heldVoucher({ held_voucher_id: 2, lapses_on: "2026-03-01" }),
      heldVoucher({ held_voucher_id: 3, lapses_on: "2026-02-01" }),
      heldVoucher({ held_voucher_id: 4, status: "redeemed" }),
      heldVoucher({ held_voucher_id: 5, location_id: 2 }),
    ];
    const ids = usableAt(vouchers, { location_id: 1, sold_on: today }).map((one) => one.held_voucher_id);
    expect(ids).toEqual([3, 2, 1]);
    expect(
      [vouchers[1], vouchers[2]].map((one) => inLapsingOrder(one as HeldVoucher, vouchers[0] as HeldVoucher)),
    ).toEqual([-1, -1]);
    const use = (voucher: HeldVoucher) => {
      return usableVouchers([voucher], [1], { location_id: 1, sold_on: today, locations: anyLocation });
    };
    expect(use(heldVoucher({ status: "returned" }))).toMatchObject({ code: "voucher_not_held" });
    const used = use(heldVoucher({ status: "redeemed", lapses_on: "2026-03-01" }));
    expect(used).toMatchObject({ details: { reason: "redeemed" } });
    expect(used).not.toHaveProperty("details.valid_through");
    expect(use(heldVoucher({ status: "lapsed", lapses_on: "2026-01-12" }))).toMatchObject({
      details: { reason: "lapsed", valid_through: "2026-01-11" },
    });
  });
});

describe("the use of a voucher without a sale", () => {
  const redeem = (voucher: HeldVoucher, more: object = {}, input: object = {}) =>
    decideRedeemVoucher(
      holder([voucher], more),
      { location_id: 1, held_voucher_id: 1, ...input },
      momentOn(today, { now: "now" }),
    );

  it("takes its value off the account", () => {
    expect(redeem(heldVoucher())).toMatchObject({
      ...{ entries: [{ event_type: "voucher_redeemed", amount: -500 }], reference_id: "HV-1" },
      changes: { held_voucher: [{ ...heldVoucher(), status: "redeemed", redeemed_at: "now" }] },
      data: { balance_after: 500 },
    });
    expect(redeem(heldVoucher(), {}, { reference_id: "R" })).toMatchObject({ reference_id: "R" });
    expect(redeem(item())).toMatchObject({ entries: [], data: { balance_after: 1000 } });
  });

  it("needs an active member, and no sale whose amount decides", () => {
    expect(redeem(heldVoucher(), { active: false })).toMatchObject({ code: "member_inactive" });
    const needing = [{ ...terms, kind: "percent" } as const, { ...plainVoucher, minimum_amount: 1 }];
    for (const one of needing)
      expect(redeem(heldVoucher({ terms: one }))).toMatchObject({ details: { reason: "needs_sale" } });
  });

  it("is reversed, also for an erased member, and if the balance has room", () => {
    const used = heldVoucher({ status: "redeemed", redeemed_at: today });
    const reverse = (voucher: HeldVoucher, more: object = {}) =>
      decideReverseVoucher(holder([voucher], more), 1, { reason: "Mistake" }, today, 30);
    expect(reverse(used)).toMatchObject({
      ...{ changes: { held_voucher: [{ status: "held", redeemed_at: null }] }, reason: "Mistake" },
      data: { balance_after: 1500 },
    });
    expect(reverse(used, { erased: true })).toMatchObject({
      ...{ entries: [], changes: { held_voucher: [{ ...used, status: "lapsed" }] } },
      data: { balance_after: 1000, member_erased: true },
    });
    const room = (more: number) => ({ balances: { vouchers: balanceLimit - 500 + more } });
    expect(reverse(used, room(0))).toMatchObject({ data: { balance_after: balanceLimit } });
    expect(reverse(used, room(1))).toMatchObject({ code: "balance_limit_exceeded" });
    const excused = reverse({ ...used, excused: true });
    expect(excused).toMatchObject({ changes: { held_voucher: [{ status: "returned" }] }, entries: [] });
    expect(decideReverseVoucher(holder([]), 1, {}, today, 30)).toMatchObject({ code: "voucher_not_held" });
  });
});

describe("vouchers that are given back", () => {
  const used = { status: "redeemed", redeemed_at: today, sale_id: 9, covered: 350 } as const;
  const unused = { redeemed_at: null, sale_id: null, covered: null };

  it("enter what they were worth, and those that are in no balance leave it again", () => {
    const { vouchers, returned, entries, value } = giveVouchersBack(
      [heldVoucher(used), item({ ...used, held_voucher_id: 2 }), ofCode({ ...used, held_voucher_id: 3 })],
      today,
      30,
    );
    expect(vouchers).toEqual([heldVoucher(unused), item({ ...unused, held_voucher_id: 2 })]);
    expect(returned).toEqual([ofCode({ ...unused, held_voucher_id: 3, status: "returned" })]);
    expect(briefly(entries)).toEqual([
      "voucher_reversed 500",
      ...["voucher_reversed 350", "voucher_issued -350"],
      ...["voucher_reversed 500", "voucher_issued -500"],
    ]);
    expect(value).toBe(500);
  });

  it("are returned and worth nothing if they were excused, and never lapse without a date", () => {
    const excused = heldVoucher({ ...used, excused: true, lapses_on: "2026-01-01" });
    expect(giveVouchersBack([excused], today, 0)).toEqual({
      ...{ vouchers: [], entries: [], value: 0 },
      returned: [{ ...excused, ...unused, status: "returned" }],
    });
    expect(giveVouchersBack([heldVoucher(used)], today, 0).value).toBe(500);
  });

  it("of an erased member are codes that can be used again", () => {
    const code = ofCode({ ...used, held_voucher_id: 3 });
    expect(returnOfCodes([heldVoucher(used), code])).toEqual([{ ...code, ...unused, status: "returned" }]);
  });

  it("and were bought for points are taken back only if they are held", () => {
    expect(takeBack(heldVoucher())).toEqual(heldVoucher({ status: "returned" }));
    for (const status of ["redeemed", "lapsed"] as const)
      expect(takeBack(heldVoucher({ status }))).toMatchObject({ details: { reason: status } });
    expect(() => takeBack(undefined)).toThrow("was not read");
    expect(priceOf({ ...freeCoffee, points_price: 40 })).toBe(40);
    expect(priceOf(freeCoffee)).toMatchObject({ details: { reason: "not_for_points" } });
  });
});

describe("a new voucher", () => {
  const moment = momentOn(today);
  const make = (more: object = {}, balance = 0) =>
    newVoucher(balance, { ...freeCoffee, ...more }, { contact_id: 4 }, moment);

  it("pays by the terms of its definition, if it has some", () => {
    expect(make()).toMatchObject({ terms: null, excused: false, lapses_on: "2026-04-16" });
    expect(make({ minimum_amount: 1 })).toMatchObject({ terms: { kind: "value", minimum_amount: 1 } });
    const { kind, categories } = terms;
    expect(make({ kind, categories })).toMatchObject({ terms: { kind: "item", categories: ["coffee"] } });
    expect(make({ validity: null, validity_period: null })).toMatchObject({ lapses_on: null });
  });

  it("needs room in the balance", () => {
    expect(make({}, balanceLimit - 350)).toMatchObject({ coupon_value: 350 });
    expect(make({}, balanceLimit - 349)).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("is issued with an entry of its value, to an active member, unless it is archived", () => {
    const issue = (more: object = {}, of: object = {}, input: object = {}) =>
      decideIssue(holder([], of), { ...freeCoffee, ...more }, { contact_id: 4, ...input }, moment);
    expect(issue({ location_id: 2 })).toMatchObject({
      ...{ entries: [{ event_type: "voucher_issued", amount: 350 }], location_id: 2 },
      data: { balance_after: 1350 },
    });
    expect(issue({}, {}, { location_id: 3 })).toMatchObject({ location_id: 3 });
    expect(issue({ archived: true })).toMatchObject({ code: "voucher_archived" });
    expect(issue({}, { active: false })).toMatchObject({ code: "member_inactive" });
    const full = { balances: { vouchers: balanceLimit } };
    expect(issue({}, full)).toMatchObject({ code: "balance_limit_exceeded" });
  });

  it("is imported with what another system says of it", () => {
    const given = {
      contact_id: 4,
      coupon_value: 200,
      issued_on: "2025-12-01",
      lapses_on: null,
      reference_id: "R",
    };
    expect(importVoucher(0, freeCoffee, given, moment)).toMatchObject({
      ...{ entries: [{ event_type: "voucher_issued", amount: 200 }], reference_id: "R" },
      changes: { held_voucher: [{ ...given, held_voucher_id: 7, valid_from: "2025-12-01" }] },
    });
    expect(importVoucher(balanceLimit, freeCoffee, given, moment)).toMatchObject({
      code: "balance_limit_exceeded",
    });
  });
});
