/** Exports: everything, once, in order, whatever the size of the pages and whatever is written meanwhile. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite, validMemberLine, validSaleLine } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, importLines } = importTools(world);

type Kind = "members" | "sales" | "transactions";
const keys = { members: "member_id", sales: "sale_id", transactions: "entry_no" } as const;

/** Goes through an export to its end. */
async function everyRow(kind: Kind, { businessId }: Business, limit?: number): Promise<Body[]> {
  const key = `after_${keys[kind]}`;
  const rows: Body[] = [];
  for (let after: number | null | undefined; after !== null; ) {
    const { body } = await asOperator(world, `/op/exports/${kind}`, {
      business_id: businessId,
      ...(limit === undefined ? {} : { limit }),
      ...(after === undefined ? {} : { [key]: after }),
    });
    rows.push(...body.data[kind]);
    after = body.data[`next_${key}`];
  }
  return rows;
}

async function filledBusiness(members: number): Promise<Business> {
  const { business } = await businessWithMember();
  const people = Array.from({ length: members }, (_, n) => validMemberLine(n + 1, { external_ref: `M${n}` }));
  await importLines("members", business, people);
  const sales = people.map(({ external_ref }, n) =>
    validSaleLine(n + 1, {
      external_ref,
      sold_at: `2024-0${1 + (n % 9)}-01`,
      location_id: business.locationIds[0],
    }),
  );
  await importLines("sales", business, sales, { earn: true });
  return business;
}

it("give the same rows in pages of every size", async () => {
  const business = await filledBusiness(10);
  for (const [kind, length] of [
    ["members", 11],
    ["sales", 10],
    ["transactions", 30],
  ] as const) {
    const rows = await everyRow(kind, business);
    expect(rows).toHaveLength(length);
    const found = rows.map((row) => Number(row[keys[kind]]));
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    for (const limit of [1, 3, length - 1, length, length + 1, 5000]) {
      expect(await everyRow(kind, business, limit)).toEqual(rows);
    }
  }
});

it("give the ledger in the order of recording, in full", async () => {
  const { business, contact_id } = await businessWithMember();
  const [location_id] = business.locationIds;
  const adjustment = { contact_id, location_id, amount: 500, adjustment_type: "credit", reason: "Goodwill" };
  await world.write("/sp/wallet/adjust", adjustment, business.everywhere);
  const sale = validSaleLine(1, { contact_id, sold_at: "2024-07-01 10:00", reference_id: "till-1" });
  await importLines("sales", business, [sale]);
  expect(await everyRow("transactions", business)).toEqual([
    {
      entry_no: 1,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      account: "wallet",
      event_type: "wallet_adjustment",
      contact_id,
      reference_id: "WA-1",
      amount: 500,
      balance_after: 500,
      sale_id: null,
      sold_on: null,
      location_id,
      integration_id: business.everywhere.integrationId,
      reason: "Goodwill",
    },
    {
      entry_no: 2,
      created_at: "2024-07-01 10:00:00",
      account: "sales",
      event_type: "sale",
      contact_id,
      reference_id: "till-1",
      amount: 700,
      balance_after: 700,
      // An imported sale can't be refunded.
      sale_id: null,
      sold_on: null,
      location_id: null,
      integration_id: null,
      reason: null,
    },
  ]);
});

it("give members as they are, inactive ones too", async () => {
  const { business, contact_id } = await businessWithMember();
  const { businessId: business_id, tierIds } = business;
  await operatorWrite(world, "/op/members/assign-tier", { business_id, contact_id, tier_id: tierIds[1] });
  await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
  const [row] = await everyRow("members", business);
  const { body } = await asOperator(world, "/op/members/get", { business_id, contact_id });
  const {
    tier: _,
    next_tier: __,
    keep_tier: ___,
    visits,
    last_visit_on,
    average_sale,
    ...exported
  } = body.data;
  expect([visits, last_visit_on, average_sale]).toEqual([0, null, null]);
  expect(row).toEqual(exported);
  expect(row).toMatchObject({ active: false, tier_id: tierIds[1], tier_name: "Gold" });
});

it("miss nothing that was there and double nothing, beside live writes", async () => {
  const business = await filledBusiness(60);
  const before = await everyRow("transactions", business);
  const contact_id = before[0]!.contact_id;
  let writing = true;
  const writer = (async () => {
    for (; writing; ) {
      const adjustment = { contact_id, points: 1, adjustment_type: "credit" };
      await world.write("/sp/reward-points/adjust", adjustment, business.everywhere);
      await importLines("members", business, [validMemberLine(1)]);
    }
  })();
  const during = await everyRow("transactions", business, 7);
  const people = await everyRow("members", business, 7);
  writing = false;
  await writer;
  expect(during.slice(0, before.length)).toEqual(before);
  expect(during.map(({ entry_no }) => entry_no)).toEqual(during.map((_, index) => index + 1));
  expect(new Set(people.map(({ member_id }) => member_id)).size).toBe(people.length);
  expect(people.length).toBeGreaterThanOrEqual(61);
});

it("what was exported of members can be imported elsewhere", async () => {
  const business = await filledBusiness(5);
  const exported = (await everyRow("members", business)).slice(1);
  const { business: other } = await businessWithMember();
  const lines = exported.map((row, n) => {
    const { first_name, last_name, phone_number, email, date_of_birth, external_ref, joined_at } = row;
    const { wallet_balance, points_balance } = row;
    const kept = { first_name, last_name, phone_number, email, date_of_birth, external_ref, joined_at };
    return validMemberLine(n + 1, { ...kept, wallet_balance, points_balance });
  });
  expect((await importLines("members", other, lines)).imported).toBe(5);
  const ids = { member_id: 0, contact_id: 0, sales_balance: 0 };
  const again = (await everyRow("members", other)).slice(1);
  expect(again.map((row) => ({ ...row, ...ids }))).toEqual(exported.map((row) => ({ ...row, ...ids })));
});

it("give each sale with its points", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const contact_id = await shop.member();
  const { locationId: location_id, businessId } = shop;
  const { sale_id } = await shop.write("/sp/sales/record", { contact_id, location_id, amount: 3000 });
  await shop.write("/sp/reward-points/redeem", { contact_id, points: 4 });
  await shop.write("/sp/sales/refund", { sale_id, location_id, amount: 1000 });
  const none = await shop.write("/sp/sales/record", { contact_id, location_id, amount: 99 });
  expect(await everyRow("sales", { businessId } as Business)).toEqual([
    {
      sale_id,
      created_at: "2026-01-10 09:00:00",
      sold_on: "2026-01-10",
      contact_id,
      location_id,
      reference_id: `SA-${sale_id}`,
      amount: 3000,
      eligible_amount: 3000,
      voucher_amount: 0,
      points_used: 0,
      points_amount: 0,
      wallet_used: 0,
      amount_due: 3000,
      refunded: 1000,
      points_earned: 30,
      points_clawed: 10,
      points_spent: 4,
      points_expired: 0,
      points_left: 16,
      matures_on: "2026-01-10",
      valid_through: "2026-07-31",
      sold_at: null,
      earning_base: 3000,
      rate: { earn_points: 1, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 50 },
      lines: [],
      promotions: [],
      stamp_cards_given: [],
    },
    expect.objectContaining({ sale_id: none.sale_id, points_earned: 0, points_left: 0, matures_on: null }),
  ]);
});

it("give each sale with its time, its lines, and what promotions gave", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const contact_id = await shop.member();
  const { locationId: location_id, businessId: business_id } = shop;
  const tea = { business_id, name: "Tea", categories: ["tea"], multiply: 200 };
  const { promotion_id } = await operatorWrite(world, "/op/promotions/create", tea);
  const lines = [
    { category: "tea", quantity: 2, amount: 1000 },
    { sku: "CUP", amount: 500 },
  ];
  const sale = { contact_id, location_id, amount: 1500, sold_at: "08:30", lines };
  const { sale_id } = await shop.write("/sp/sales/record", sale);
  await shop.write("/sp/sales/refund", { sale_id, location_id, lines: [{ line_no: 1, quantity: 1 }] });
  const promotions = [{ promotion_id, line_nos: [1], points: 10, points_left: 5, held_voucher_id: null }];
  const shown = {
    ...{ sale_id, sold_at: "08:30", points_earned: 25, promotions },
    lines: [
      {
        line_no: 1,
        sku: null,
        category: "tea",
        quantity: 2,
        amount: 1000,
        returned: 1,
        free: 0,
        refundable: 500,
      },
      {
        line_no: 2,
        sku: "CUP",
        category: null,
        quantity: 1,
        amount: 500,
        returned: 0,
        free: 0,
        refundable: 500,
      },
    ],
  };
  expect(await everyRow("sales", { businessId: business_id } as Business)).toMatchObject([shown]);
  expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject(shown);
});
