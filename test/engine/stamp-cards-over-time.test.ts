/** Stamp cards over time and between members: lapsing, events, many tills at once, merging, erasure, and a fault that verify finds. */
import { beforeEach, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { followEvents, type ListedEvent } from "../support/events.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, startService, untilServed, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let card: number;
const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
  const coffee = { campaign_name: "Free coffee", coupon_code: "TENTH", coupon_value: 500 };
  const { voucher_id } = await operator("/op/vouchers/create", coffee);
  const units = { name: "Coffee card", stamps_needed: 4, counts: "unit", voucher_id };
  const validity = { validity: 2, validity_period: "month" };
  card = (await operator("/op/stamp-cards/create", { ...units, ...validity })).stamp_card_id as number;
});

const sell = (contact_id: number, quantity: number, more: Body = {}) => {
  const amount = quantity * 500;
  const lines = [{ category: "coffee", quantity, amount }];
  return shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, lines, ...more });
};
const refund = (sale: Body) =>
  shop.write("/sp/sales/refund", { sale_id: sale.sale_id, location_id: shop.locationId });
const cardOf = async (contact_id: number) =>
  ((await shop.ask("/sp/stamp-cards/list", { contact_id })) as unknown as Body[]).find(
    (one) => one.stamp_card_id === card,
  );
const eventsOf = async (contact_id: number) => {
  const events = await followEvents((body) => shop.ask("/sp/events/list", body), 0, {
    types: ["stamp_card.*"],
  });
  return events.filter(({ data }) => [null, contact_id].includes(data.contact_id));
};
const brief = ({ type, timestamp, data }: ListedEvent) => {
  const { change, stamps, completed, lapsed, cards } = data;
  return [timestamp.slice(0, 10), type, change ?? completed ?? lapsed ?? cards.length, stamps].join(" ");
};
const isValid = () => expectValidLedger(shop);

it("lapses with its own notice, and a refund asks nothing back for stamps that lapsed", async () => {
  const contact_id = await shop.member();
  const sale = await sell(contact_id, 5);
  expect(await cardOf(contact_id)).toMatchObject({
    stamps: 1,
    begun_on: "2026-01-13",
    valid_through: "2026-03-13",
  });
  await shop.advance("2026-02-01 09:00:00");
  const other = await sell(contact_id, 2);
  expect(await cardOf(contact_id)).toMatchObject({ stamps: 3, valid_through: "2026-03-13" });
  await shop.advance("2026-03-13 09:00:00");
  expect(await cardOf(contact_id)).toMatchObject({ stamps: 3 });
  await shop.advance("2026-03-14 09:00:00");
  expect(await cardOf(contact_id)).toMatchObject({ stamps: 0, begun_on: null, valid_through: null });
  const last = await sell(contact_id, 1);
  expect(await refund(other)).toMatchObject({ stamps_taken: [{ taken: 2, stamps: 1, stamps_owed: 0 }] });
  expect((await eventsOf(contact_id)).map(brief)).toEqual([
    "2026-01-13 stamp_card.stamped 5 1",
    "2026-01-13 stamp_card.completed 1 1",
    "2026-02-01 stamp_card.stamped 2 3",
    "2026-02-10 stamp_card.expiring 1 ",
    "2026-03-13 stamp_card.lapsed 3 ",
    "2026-03-14 stamp_card.stamped 1 1",
  ]);
  expect(await operator("/op/stamp-cards/report", { stamp_card_id: card, from: "2026-01-01" })).toMatchObject(
    {
      ...{ status: "active", members_with_stamps: 1, stamps_on_cards: 1, times_full: 1 },
      days: [
        { day: "2026-01-13", stamps: 5, begun: 1, full: 1, lapsed: 0 },
        { day: "2026-02-01", stamps: 2, begun: 0, full: 0, lapsed: 0 },
        { day: "2026-03-14", stamps: -1, begun: 1, full: 0, lapsed: 1 },
      ],
    },
  );
  const activity = { by: "month", from: "2026-01-01", through: "2026-03-14" };
  const months = (await operator("/op/reports/activity", activity)) as unknown as Body[];
  expect(months.map((one) => [one.stamps_collected, one.stamp_cards_full])).toEqual([
    ...[
      [5, 1],
      [2, 0],
      [-1, 0],
    ],
  ]);
  // The voucher of the first four stamps was not used.
  expect(await refund(sale)).toMatchObject({ vouchers_taken: [expect.any(Number)] });
  await refund(last);
  expect(await cardOf(contact_id)).toMatchObject({ stamps: 0, stamps_owed: 0, times_full: 0 });
  await isValid();
});

it("gives no more stamps on a day than it may, and a voucher for each full card, with many tills and two processes", async () => {
  const visits = { name: "Visits", stamps_needed: 3, counts: "visit", most_per_day: 2 };
  const { voucher_id } = await operator("/op/vouchers/create", {
    ...{ campaign_name: "Cake", coupon_code: "CAKE", coupon_value: 300 },
  });
  const { stamp_card_id } = await operator("/op/stamp-cards/create", { ...visits, voucher_id });
  const contact_id = await shop.member();
  const second = await startService(world, {});
  const token = await world.token(shop.credentials);
  const services = [world.baseUrl, second.baseUrl];
  const send = async (path: string, body: Body, nth: number) => {
    const sent = { idempotency_key: nextKey(), location_id: shop.locationId, ...body };
    const baseUrl = services[nth % services.length] as string;
    const reply = await untilServed(() => world.call(path, sent, { token, baseUrl }));
    expect(reply.body.success, reply.text).toBe(true);
    return reply.body.data;
  };
  const one = { contact_id, amount: 500, lines: [{ category: "coffee", quantity: 1, amount: 500 }] };
  const sellMany = (length: number) =>
    Promise.all(Array.from({ length }, (_, nth) => send("/sp/sales/record", one, nth)));
  const sales = await sellMany(64);
  const addedTo = (id: number) =>
    sales
      .flatMap(({ stamp_cards }) => stamp_cards as Body[])
      .reduce((sum, one) => sum + (one.stamp_card_id === id ? Number(one.stamps_added) : 0), 0);
  expect([addedTo(card), addedTo(stamp_card_id as number)]).toEqual([64, 2]);
  const issued = sales.flatMap(({ vouchers_granted }) => vouchers_granted as Body[]);
  expect(new Set(issued.map((one) => one.held_voucher_id)).size).toBe(16);
  await Promise.all(sales.slice(0, 40).map(({ sale_id }, nth) => send("/sp/sales/refund", { sale_id }, nth)));
  const of = async () => (await shop.ask("/sp/stamp-cards/list", { contact_id })) as unknown as Body[];
  expect(await of()).toMatchObject([{ stamps: 0, stamps_owed: 0, times_full: 6 }, { stamps_owed: 0 }]);
  // What refunds gave back can be given again, and no more.
  const [, before] = await of();
  const again = await sellMany(8);
  await second.close();
  const [, after] = await of();
  expect([Number(after?.stamps), again.length]).toEqual([2, 8]);
  expect(Number(before?.stamps)).toBeLessThanOrEqual(2);
  await isValid();
});

it("is one card after a merge: it can be full then, or pay what the other member owes", async () => {
  const [contact_id, other] = [await shop.member(), await shop.member()];
  await sell(contact_id, 3);
  const sale = await sell(other, 2);
  const merge = { from_contact_id: other, contact_id };
  expect(await shop.write("/sp/members/merge", merge)).toMatchObject({ balances: { vouchers: 500 } });
  expect(await cardOf(contact_id)).toMatchObject({ stamps: 1, times_full: 1 });
  expect((await eventsOf(contact_id)).map(brief)).toContain("2026-01-13 stamp_card.completed 1 1");
  expect(await refund(sale)).toMatchObject({
    stamps_taken: [{ taken: 2, stamps: 3 }],
    balances: { vouchers: 0 },
  });
  await isValid();

  const [owing, holding] = [await shop.member(), await shop.member()];
  const used = await sell(owing, 4);
  const [{ held_voucher_id }] = used.vouchers_granted as [{ held_voucher_id: number }];
  await shop.write("/sp/vouchers/redeem", {
    contact_id: owing,
    location_id: shop.locationId,
    held_voucher_id,
  });
  await refund(used);
  expect(await cardOf(owing)).toMatchObject({ stamps: 0, stamps_owed: 4 });
  await sell(holding, 5);
  await shop.write("/sp/members/merge", { from_contact_id: owing, contact_id: holding });
  expect(await cardOf(holding)).toMatchObject({ stamps: 1, stamps_owed: 0, times_full: 1 });
  expect(await shop.ask("/sp/members/balances", { contact_id: holding })).toMatchObject({ vouchers: 0 });
  await isValid();
});

it("is empty after an erasure, and a later refund changes it no more", async () => {
  const contact_id = await shop.member();
  const sale = await sell(contact_id, 7);
  await operator("/op/members/erase", { contact_id, reason: "Asked for it" });
  expect(await refund(sale)).toMatchObject({ member_erased: true, stamps_taken: [], vouchers_taken: [] });
  await isValid();
});

it("has stamps that verify recomputes", async () => {
  const contact_id = await shop.member();
  await sell(contact_id, 5);
  await isValid();
  const set = (stamps: number) => world.sql`
    UPDATE member_stamp_card SET stamps = ${stamps} WHERE business_id = ${shop.businessId} AND contact_id = ${contact_id}`;
  await set(2);
  const points = { business_id: shop.businessId, part: "points", limit: 1000 };
  expect((await asOperator(world, "/op/ledger/verify", points)).body.data.mismatches).toMatchObject([
    { kind: "stamps", contact_id, entry_no: card, expected: "1, 1", found: "2, 1" },
  ]);
  await set(1);
  await isValid();
});
