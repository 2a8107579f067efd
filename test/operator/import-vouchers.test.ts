/** Vouchers that members hold in another system. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

async function shop() {
  const made = await makeSandbox(world, "2026-01-10 09:00:00");
  const business_id = made.businessId;
  const define = async (fields: Body) =>
    (await operatorWrite(world, "/op/vouchers/create", { business_id, ...fields })).voucher_id as number;
  const voucher = { campaign_name: "Spring", coupon_code: "SPRING", coupon_value: 500 };
  const phone_number = newPerson().phone_number;
  const contact_id = await world.member({ phone_number }, made.credentials);
  return {
    ...made,
    contact_id,
    phone_number,
    define,
    voucher_id: await define(voucher),
    voucher,
    load: (lines: Body[], more: Body = {}) =>
      operatorWrite(world, "/op/imports/vouchers", { business_id, lines, ...more }),
    held: () => made.ask("/sp/vouchers/list", { contact_id, status: "held" }),
    balance: async () => (await made.ask("/sp/members/balances", { contact_id })).vouchers,
  };
}

it("are held as vouchers that were issued here: with entries, used at the till, and until their last day", async () => {
  const { load, held, balance, contact_id, phone_number, locationId, voucher_id, write, ...at } =
    await shop();
  const cup = await at.define({ campaign_name: "Cup", coupon_code: "CUP", coupon_value: 0 });
  const lines = [
    { line: 2, phone_number, coupon_code: "SPRING", issued_on: "2025-12-01", valid_through: "2026-02-01" },
    { line: 3, contact_id, voucher_id, coupon_code: "GIFT-7", coupon_value: 1200, reference_id: "old-7" },
    { line: 4, contact_id, coupon_code: "cup " },
  ];
  expect(await load(lines, { dry_run: true })).toMatchObject({ imported: 3, skipped: 0, rejected: [] });
  expect(await balance()).toBe(0);
  expect(await load(lines)).toEqual({ imported: 3, skipped: 0, rejected: [] });
  expect(await held()).toMatchObject([
    { voucher_id: cup, coupon_code: "cup ", coupon_value: 0, issued_on: "2026-01-10", valid_through: null },
    { voucher_id, coupon_code: "GIFT-7", coupon_value: 1200, valid_through: null },
    {
      voucher_id,
      coupon_code: "SPRING",
      coupon_value: 500,
      issued_on: "2025-12-01",
      valid_through: "2026-02-01",
    },
  ]);
  const entries = await at.ask("/sp/transactions/list", { contact_id });
  expect(entries).toMatchObject([
    { event_type: "voucher_issued", amount: 1200, reference_id: "old-7", balance_after: 1700 },
    { event_type: "voucher_issued", amount: 500, balance_after: 500 },
  ]);
  await write("/sp/vouchers/redeem", { contact_id, location_id: locationId, coupon_code: "GIFT-7" });
  await at.advance("2026-02-02");
  expect(await balance()).toBe(0);
  expect(await held()).toHaveLength(1);
  await expectValidLedger(at);
});

it("are recognised again by their reference or their values, and equal lines of a file are several", async () => {
  const { load, contact_id, phone_number, held } = await shop();
  const same = { contact_id, coupon_code: "SPRING", valid_through: "2026-05-01" };
  const lines = [
    { line: 2, ...same },
    { line: 3, ...same, equal_before: 1 },
    { line: 4, ...same, reference_id: "old-1" },
  ];
  expect(await load(lines)).toMatchObject({ imported: 3, skipped: 0 });
  expect(await load(lines)).toMatchObject({ imported: 0, skipped: 3 });
  const named = { line: 9, phone_number, coupon_code: "SPRING", reference_id: "old-1" };
  expect(await load([named])).toMatchObject({ imported: 0, skipped: 1, rejected: [] });
  const other = { ...named, coupon_value: 700, issued_on: "2025-01-01", valid_through: "2026-05-02" };
  const { rejected } = await load([
    other,
    { ...named, line: 10, reference_id: "old-2" },
    { ...other, line: 11, reference_id: "old-2" },
  ]);
  expect(rejected).toEqual([
    {
      line: 9,
      field: "coupon_value",
      code: "amount_differs",
      imported: 500,
      message: "coupon_value is 700, but reference_id old-1 was imported with 500.",
    },
    {
      line: 9,
      field: "issued_on",
      code: "differs",
      message: "issued_on is 2025-01-01, but reference_id old-1 was imported with 2026-01-10.",
    },
    {
      line: 9,
      field: "valid_through",
      code: "differs",
      message: "valid_through is 2026-05-02, but reference_id old-1 was imported with 2026-05-01.",
    },
    expect.objectContaining({
      line: 11,
      message: "coupon_value is 700, but reference_id old-2 is in line 10 with 500.",
    }),
    expect.objectContaining({ line: 11, field: "issued_on" }),
    expect.objectContaining({ line: 11, field: "valid_through" }),
  ]);
  expect(await held()).toHaveLength(4);
});

it("are rejected with every reason", async () => {
  const { load, contact_id, define, voucher, voucher_id, businessId } = await shop();
  const second = await define(voucher);
  const erased = await world.member(newPerson());
  const line = { contact_id, voucher_id };
  const { imported, rejected } = await load([
    { line: 2, coupon_code: "SPRING", contact_id },
    { line: 3, contact_id: erased, voucher_id: 9_007_199_254_740_000 },
    { line: 4, contact_id, phone_number: "+34600111222" },
    { line: 5, ...line, issued_on: "2026-01-11", valid_through: "2026-01-09" },
    { line: 6, ...line, valid_through: "9999-12-31", coupon_value: -1 },
    { line: 7, coupon_code: "NONE", contact_id },
    { line: 8, ...line, coupon_value: 9_007_199_254_740_991 },
    { line: 9, ...line },
  ]);
  expect(imported).toBe(1);
  expect(rejected.map(({ line, field, code }: Body) => [line, field, code])).toEqual([
    [2, "coupon_code", "not_allowed_value"],
    [3, "contact_id", "member_not_found"],
    [3, "voucher_id", "voucher_not_found"],
    [4, "", "not_allowed_value"],
    [4, "", "required"],
    [5, "issued_on", "out_of_range"],
    [5, "valid_through", "out_of_range"],
    [6, "coupon_value", "out_of_range"],
    [6, "valid_through", "out_of_range"],
    [7, "coupon_code", "voucher_not_found"],
    [8, "coupon_value", "out_of_range"],
  ]);
  expect(rejected[0].message).toBe(
    `coupon_code names several definitions: ${voucher_id}, ${second}; use voucher_id.`,
  );
  // An archived definition is named by its code only if no other has it.
  await operatorWrite(world, "/op/vouchers/archive", {
    business_id: businessId,
    voucher_id: second,
    archived: true,
  });
  expect(await load([{ line: 2, coupon_code: "SPRING", contact_id }])).toMatchObject({ imported: 1 });
});

it("a code in another case is the same voucher, and another code of its own is not", async () => {
  const { load, contact_id, voucher_id } = await shop();
  const own = { line: 3, contact_id, voucher_id, coupon_code: "GIFT-7", reference_id: "old-7" };
  const lines = [{ line: 2, contact_id, coupon_code: "SPRING" }, own];
  expect(await load(lines)).toEqual({ imported: 2, skipped: 0, rejected: [] });
  const lower = lines.map((line) => ({ ...line, coupon_code: `${line.coupon_code.toLowerCase()} ` }));
  expect(await load(lower)).toEqual({ imported: 0, skipped: 2, rejected: [] });
  expect(await load([{ ...own, coupon_code: "GIFT-8" }])).toMatchObject({
    rejected: [
      {
        ...{ line: 3, field: "coupon_code", code: "differs" },
        message: "coupon_code is GIFT-8, but reference_id old-7 was imported with GIFT-7.",
      },
    ],
  });
});

it("of a share or an article keep its terms, and have no value of their own", async () => {
  const { load, held, define, contact_id } = await shop();
  await define({
    campaign_name: "Fifth",
    coupon_code: "FIFTH",
    kind: "percent",
    percent: 20,
    most_amount: 900,
  });
  const { imported, rejected } = await load([
    { line: 2, contact_id, coupon_code: "fifth" },
    { line: 3, contact_id, coupon_code: "fifth", coupon_value: 100 },
  ]);
  expect([imported, rejected.length]).toEqual([1, 1]);
  expect(JSON.stringify(rejected)).toContain("coupon_value must be 0, because the definition pays a share");
  expect(await held()).toMatchObject([
    { voucher_kind: "percent", percent: 20, most_amount: 900, coupon_value: 0 },
  ]);
});
