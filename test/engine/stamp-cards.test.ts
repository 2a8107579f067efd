/** Stamp cards over HTTP: what sales and refunds do to them, what a till is told, and what makes one impossible. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let free: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  const coffee = { campaign_name: "Free coffee", coupon_code: "TENTH", coupon_value: 500 };
  const definition = { business_id: shop.businessId, ...coffee };
  free = (await operatorWrite(world, "/op/vouchers/create", definition)).voucher_id as number;
});

let made: number[] = [];
const create = async (body: Body = {}) => {
  const units = { name: `Card ${Math.random()}`, stamps_needed: 9, counts: "unit", categories: ["coffee"] };
  const card = { business_id: shop.businessId, voucher_id: free, ...units, ...body };
  const { stamp_card_id } = await operatorWrite(world, "/op/stamp-cards/create", card);
  made.push(stamp_card_id as number);
  return stamp_card_id as number;
};
afterEach(async () => {
  for (const id of made) await step("end", id).catch(() => undefined);
  made = [];
});
const step = (what: string, stamp_card_id: number, more: Body = {}) =>
  operatorWrite(world, `/op/stamp-cards/${what}`, { business_id: shop.businessId, stamp_card_id, ...more });
const coffee = (quantity: number) => ({ category: "Coffee", quantity, amount: quantity * 500 });
const cake = { category: "cake", amount: 700 };
const saleOf = (contact_id: number, lines: readonly Body[], more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, lines },
  amount: lines.reduce((sum, { amount }) => sum + Number(amount), 0),
  ...more,
});
const sell = (contact_id: number, lines: readonly Body[], more: Body = {}) =>
  shop.write("/sp/sales/record", saleOf(contact_id, lines, more));
const refund = (sale: Body, more: Body = {}) =>
  shop.write("/sp/sales/refund", { sale_id: sale.sale_id, location_id: shop.locationId, ...more });
const cardsOf = async (contact_id: number) =>
  (await shop.ask("/sp/stamp-cards/list", { contact_id })) as unknown as Body[];
const stampsOf = async (contact_id: number, id: number) => {
  const { stamps, stamps_owed, times_full } =
    (await cardsOf(contact_id)).find((one) => one.stamp_card_id === id) ?? {};
  return [stamps, stamps_owed, times_full];
};
const idOf = (sale: Body) =>
  ((sale.vouchers_granted ?? []) as { held_voucher_id: number }[]).map((one) => one.held_voucher_id);
const problemsOf = async (body: Body, path = "create") => {
  const sent = { business_id: shop.businessId, idempotency_key: `k${Math.random()}`, ...body };
  const { body: reply } = await asOperator(
    world,
    path.startsWith("/") ? path : `/op/stamp-cards/${path}`,
    sent,
  );
  const { errors = [] } = reply.error.details as { errors?: { message: string }[] };
  return [reply.error.code, ...errors.map(({ message }) => message)];
};
const isValid = () => expectValidLedger(shop);

describe("a stamp card", () => {
  it("adds the units of a sale as its quote said, and gives vouchers and the rest of the stamps", async () => {
    const contact_id = await shop.member();
    const id = await create({ name: "Coffee card" });
    const quoted = await shop.ask("/sp/sales/quote", saleOf(contact_id, [coffee(7), cake]));
    expect(quoted.stamp_cards).toEqual([
      {
        ...{ stamp_card_id: id, name: "Coffee card", stamps_added: 7, stamps: 7, stamps_needed: 9 },
        ...{ stamps_owed: 0, completed: 0, text: "2 stamps left for Free coffee" },
      },
    ]);
    const first = await sell(contact_id, [coffee(7), cake]);
    expect(first.stamp_cards).toEqual(quoted.stamp_cards);
    const sale = await sell(contact_id, [coffee(12)]);
    expect(sale).toMatchObject({
      stamp_cards: [{ stamps_added: 12, stamps: 1, completed: 2, text: "Card full 2 times: Free coffee" }],
      balances: { vouchers: 1000 },
    });
    expect(idOf(sale)).toHaveLength(2);
    expect(await stampsOf(contact_id, id)).toEqual([1, 0, 2]);
    const { full_refund } = await shop.ask("/sp/sales/get", { sale_id: first.sale_id });
    expect(full_refund.vouchers_taken).toEqual([idOf(sale)[1]]);
    // Of the first sale, a coffee comes back: one of the vouchers was given for it.
    expect(await refund(first, { lines: [{ line_no: 1, quantity: 2 }] })).toMatchObject({
      stamps_taken: [{ stamp_card_id: id, taken: 2, stamps: 8, stamps_owed: 0 }],
      vouchers_taken: [idOf(sale)[1]],
      balances: { vouchers: 500 },
    });
    expect(await refund(first, { lines: [{ line_no: 2 }] })).toMatchObject({ stamps_taken: [] });
    expect(await shop.ask("/sp/sales/get", { sale_id: first.sale_id })).toMatchObject({
      stamp_cards_given: [{ stamp_card_id: id, line_nos: [1], stamps_given: 7, stamps_left: 5 }],
      refunds: [{ vouchers_taken: [idOf(sale)[1]] }, { vouchers_taken: [] }],
    });
    await isValid();
  });

  it("counts free lines if it says so, without units that came back", async () => {
    const contact_id = await shop.member();
    const id = await create({ counts_free_lines: true });
    const sale = await sell(contact_id, [cake, { category: "coffee", quantity: 3, amount: 0 }]);
    expect(sale.stamp_cards).toMatchObject([{ stamps_added: 3, stamps: 3 }]);
    const lines = [
      { line_no: 1, amount: 1 },
      { line_no: 2, quantity: 1 },
    ];
    expect(await refund(sale, { lines })).toMatchObject({ stamps_taken: [{ taken: 1, stamps: 2 }] });
    expect(await refund(sale)).toMatchObject({ stamps_taken: [{ taken: 2, stamps: 0 }] });
    expect(await stampsOf(contact_id, id)).toEqual([0, 0, 0]);
    await isValid();
  });

  it("says what is owed for a voucher that was used, until it is paid or comes back", async () => {
    const contact_id = await shop.member();
    const id = await create();
    const sale = await sell(contact_id, [coffee(9)]);
    const [voucher] = idOf(sale);
    const used = await sell(contact_id, [cake], { use_vouchers: [voucher] });
    expect(await refund(sale, { lines: [{ line_no: 1, quantity: 4 }] })).toMatchObject({
      stamps_taken: [{ taken: 4, stamps: 0, stamps_owed: 4 }],
      vouchers_taken: [],
      vouchers_excused: [],
    });
    const quoted = await shop.ask("/sp/sales/quote", saleOf(contact_id, [coffee(1)]));
    expect(quoted.stamp_cards).toMatchObject([
      { stamps: 0, stamps_owed: 3, text: "3 stamps owed for Free coffee" },
    ]);
    await sell(contact_id, [coffee(1)]);
    // The voucher comes back, and pays for what is owed at once.
    expect(await refund(used)).toMatchObject({
      stamps_taken: [{ taken: 0, stamps: 6, stamps_owed: 0 }],
      vouchers_back: [],
      vouchers_taken: [voucher],
      balances: { vouchers: 0 },
    });
    expect(await stampsOf(contact_id, id)).toEqual([6, 0, 0]);
    await refund(sale);
    expect(await stampsOf(contact_id, id)).toEqual([1, 0, 0]);
    await isValid();
  });

  it("takes a voucher back that was used without a sale, when its use is reversed", async () => {
    const contact_id = await shop.member();
    const id = await create();
    const sale = await sell(contact_id, [coffee(9)]);
    const [held_voucher_id] = idOf(sale);
    await shop.write("/sp/vouchers/redeem", { contact_id, location_id: shop.locationId, held_voucher_id });
    await refund(sale);
    expect(await stampsOf(contact_id, id)).toEqual([0, 9, 1]);
    expect(await shop.write("/sp/vouchers/reverse", { held_voucher_id })).toMatchObject({
      vouchers_taken: [held_voucher_id],
      balance_after: 0,
    });
    expect(await stampsOf(contact_id, id)).toEqual([0, 0, 0]);
    await isValid();
  });

  it("counts a visit for each sale that reaches the minimum, as often on a day as it may", async () => {
    const contact_id = await shop.member();
    await create({ counts: "visit", categories: [], minimum_amount: 500, stamps_needed: 3 });
    const visit = async (more: Body = {}) => {
      const { amount = 700, ...rest } = more;
      const body = { contact_id, location_id: shop.locationId, amount, ...rest };
      return (await shop.ask("/sp/sales/quote", body)).stamp_cards as Body[];
    };
    expect(await visit({ amount: 499 })).toEqual([]);
    expect(await visit()).toMatchObject([{ stamps_added: 1 }]);
    const record = (more: Body = {}) =>
      shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 700, ...more });
    // The rules of a day are those of its sales, also if they are recorded later.
    expect(await visit({ sold_on: "2026-01-12" })).toEqual([]);
    await shop.advance("2026-01-15 09:00:00");
    const first = await record();
    expect(await visit()).toMatchObject([
      { stamps_added: 0, stamps: 1, text: "2 stamps left for Free coffee" },
    ]);
    const second = await record();
    expect(second.stamp_cards).toMatchObject([{ stamps_added: 0 }]);
    expect(await visit({ sold_on: "2026-01-14" })).toMatchObject([{ stamps_added: 1, stamps: 2 }]);
    // A visit that comes back makes room for another one.
    await refund(first, { amount: 300 });
    expect(await visit()).toMatchObject([{ stamps_added: 1, stamps: 1 }]);
    await refund(second);
    await record({ sold_on: "2026-01-14" });
    await record();
    expect((await record({ sold_on: "2026-01-13" })).stamp_cards).toMatchObject([
      { completed: 1, stamps: 0 },
    ]);
    await isValid();
  });

  it("counts no free lines, and nothing that vouchers paid", async () => {
    const contact_id = await shop.member();
    await create({ stamps_needed: 2 });
    const given = await sell(contact_id, [coffee(2), { category: "coffee", quantity: 5, amount: 0 }]);
    expect(given.stamp_cards).toMatchObject([{ stamps_added: 2, completed: 1 }]);
    const free = saleOf(contact_id, [coffee(1)], { use_vouchers: idOf(given) });
    expect((await shop.ask("/sp/sales/quote", free)).stamp_cards).toEqual([]);
    expect((await shop.ask("/sp/sales/quote", { ...free, lines: undefined })).stamp_cards).toEqual([]);
  });

  it("gives a free coffee, which counts for no stamp and comes back", async () => {
    const contact_id = await shop.member();
    const item = {
      campaign_name: "Free coffee",
      coupon_code: "ANY",
      kind: "item",
      categories: ["coffee"],
      coupon_value: 0,
    };
    const definition = await operatorWrite(world, "/op/vouchers/create", {
      business_id: shop.businessId,
      ...item,
    });
    const id = await create({ stamps_needed: 2, voucher_id: definition.voucher_id });
    const first = await sell(contact_id, [coffee(2)]);
    const [voucher] = idOf(first);
    const used = await sell(contact_id, [coffee(3), cake], { use_vouchers: [voucher] });
    expect(used).toMatchObject({ voucher_amount: 500, stamp_cards: [{ stamps_added: 2, completed: 1 }] });
    await isValid();
    expect(await refund(first)).toMatchObject({
      vouchers_taken: idOf(used),
      stamps_taken: [{ taken: 2, stamps: 0 }],
    });
    expect(await refund(used)).toMatchObject({
      vouchers_taken: [voucher],
      stamps_taken: [{ taken: 2, stamps: 0 }],
    });
    expect(await stampsOf(contact_id, id)).toEqual([0, 0, 0]);
    await isValid();
  });

  it("collects stamps only where it does, and not while it is paused", async () => {
    const contact_id = await shop.member();
    const { businessId: business_id } = shop;
    const away = await operatorWrite(world, "/op/locations/create", { business_id, name: "Away" });
    const id = await create({ location_ids: [away.location_id] });
    const twoMore = { business_id, name: "Two more", stamp_card_id: id, stamps: 2 };
    const { promotion_id } = await operatorWrite(world, "/op/promotions/create", twoMore);
    expect(await shop.ask("/sp/promotions/list", { location_id: away.location_id })).toMatchObject([
      { promotion_id },
    ]);
    expect(await shop.ask("/sp/promotions/list", { location_id: shop.locationId })).toEqual([]);
    expect(await sell(contact_id, [coffee(1)])).toMatchObject({
      stamp_cards: [],
      why: [{ code: "earned" }],
    });
    const there = await sell(contact_id, [coffee(1)], { location_id: away.location_id });
    expect(there.stamp_cards).toMatchObject([{ stamps_added: 3, stamps: 3 }]);
    // A till of another location does not see the card.
    expect((await sell(contact_id, [cake])).stamp_cards).toEqual([]);
    expect(
      await problemsOf({ promotion_id, location_ids: [shop.locationId] }, "/op/promotions/update"),
    ).toEqual([
      "validation_failed",
      "location_ids must contain a location where the stamp card collects stamps.",
    ]);
    await operatorWrite(world, "/op/promotions/end", { business_id, promotion_id });
    await refund(there);
    await step("update", id, { location_ids: [] });
    await step("pause", id);
    expect((await sell(contact_id, [coffee(1)])).stamp_cards).toEqual([]);
    expect(await cardsOf(contact_id)).toEqual([]);
    await step("resume", id);
    expect((await sell(contact_id, [coffee(1)])).stamp_cards).toMatchObject([{ stamps: 1 }]);
    await step("end", id);
    expect(await cardsOf(contact_id)).toMatchObject([{ stamp_card_id: id, stamps: 1 }]);
    expect(await problemsOf({ stamp_card_id: id, name: "New" }, "update")).toEqual(["stamp_card_ended"]);
  });

  it("keeps stamps when fewer are needed: the next one fills the card", async () => {
    const contact_id = await shop.member();
    const id = await create();
    await sell(contact_id, [coffee(8)]);
    await step("update", id, { stamps_needed: 5 });
    expect(await stampsOf(contact_id, id)).toEqual([8, 0, 0]);
    expect((await sell(contact_id, [coffee(1)])).stamp_cards).toMatchObject([{ stamps: 4, completed: 1 }]);
    await isValid();
  });

  it("gets stamps by promotions, which a refund takes off", async () => {
    const contact_id = await shop.member();
    const id = await create();
    const extra = {
      business_id: shop.businessId,
      name: "Two more",
      stamp_card_id: id,
      stamps: 2,
      minimum_amount: 1000,
      most_per_member: 3,
    };
    const { promotion_id } = await operatorWrite(world, "/op/promotions/create", extra);
    expect(await shop.ask("/sp/promotions/list", {})).toMatchObject([{ promotion_id, gives_stamps: 2 }]);
    const sale = await sell(contact_id, [coffee(3)]);
    const report = { business_id: shop.businessId, promotion_id };
    expect(await operatorWrite(world, "/op/promotions/report", report)).toMatchObject({ stamps_kept: 2 });
    // The report would count the sales of the past with the new number.
    const more = { ...report, stamps: 5, idempotency_key: "more stamps" };
    const { body: rejected } = await asOperator(world, "/op/promotions/update", more);
    expect(rejected.error.details.errors).toMatchObject([
      { field: "stamps", message: expect.stringContaining("end it and create another one") },
    ]);
    expect(sale).toMatchObject({
      stamp_cards: [{ stamps_added: 5, stamps: 5 }],
      why: [{ code: "earned" }, { code: "promotion", points: 0, text: "2 more stamps: Two more" }],
    });
    await isValid();
    expect(await refund(sale, { lines: [{ line_no: 1, quantity: 2 }] })).toMatchObject({
      stamps_taken: [{ taken: 4, stamps: 1 }],
    });
    await operatorWrite(world, "/op/promotions/end", { business_id: shop.businessId, promotion_id });
    await isValid();
  });
});

describe("stamps by hand", () => {
  it("fill cards, and are taken off again", async () => {
    const contact_id = await shop.member();
    const id = await create();
    const stamp = (stamps: number) => step("stamp", id, { contact_id, stamps, reason: "A paper card" });
    expect(await stamp(11)).toMatchObject({
      stamps: 2,
      vouchers_granted: [{ coupon_value: 500 }],
      balance_after: 500,
    });
    expect(await stamp(-3)).toMatchObject({
      stamps: 8,
      vouchers_taken: [expect.any(Number)],
      balance_after: 0,
    });
    expect(await stampsOf(contact_id, id)).toEqual([8, 0, 0]);
    const nothing = { contact_id, stamp_card_id: id, reason: "x", stamps: 0 };
    expect(await problemsOf({ ...nothing, stamps: -50 }, "stamp")).toEqual([
      "validation_failed",
      "stamps can take off at most 8: the member has no more.",
    ]);
    expect(await problemsOf(nothing, "stamp")).toEqual([
      "validation_failed",
      "stamps must not be 0: there is nothing to change.",
    ]);
    await step("end", id);
    expect(await problemsOf({ ...nothing, stamps: 1 }, "stamp")).toEqual(["stamp_card_ended"]);
    await isValid();
  });
});

describe("an impossible stamp card", () => {
  const card = { name: "X", stamps_needed: 9, counts: "visit" };

  it.each([
    [{ stamps_needed: 0 }, expect.stringContaining("stamps_needed must be")],
    [
      { counts: "unit", most_per_day: 1 },
      "most_per_day must be null with counts unit, which counts units and not sales.",
    ],
    [{ validity: 3 }, "validity_period must be sent together with validity."],
    [
      { counts_free_lines: true },
      "counts_free_lines must be false with counts visit and no skus or categories, which counts no lines.",
    ],
  ])("is rejected: %j", async (more, message) => {
    const problems = await problemsOf({ ...card, voucher_id: free, ...more });
    expect(problems).toEqual(["validation_failed", message]);
  });

  it("has a voucher that is archived, or has no value, or the name of another one", async () => {
    const { businessId: business_id } = shop;
    const definition = { business_id, campaign_name: "Nothing", coupon_code: "ZERO", coupon_value: 0 };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", definition);
    expect(await problemsOf({ ...card, voucher_id })).toEqual([
      "validation_failed",
      "voucher_id must be a voucher that pays something: its kind is value, and its coupon_value is 0.",
    ]);
    await operatorWrite(world, "/op/vouchers/archive", { business_id, voucher_id, archived: true });
    expect(await problemsOf({ ...card, voucher_id })).toEqual([
      "validation_failed",
      "voucher_id must be a voucher that is not archived.",
    ]);
    const far = await operatorWrite(world, "/op/locations/create", { business_id, name: "Far" });
    const local = { ...definition, campaign_name: "Far", coupon_code: "FAR", coupon_value: 300 };
    const ofFar = { ...local, location_id: far.location_id };
    const { voucher_id: farVoucher } = await operatorWrite(world, "/op/vouchers/create", ofFar);
    const elsewhere = { ...card, voucher_id: farVoucher, location_ids: [shop.locationId] };
    expect(await problemsOf(elsewhere)).toEqual([
      "validation_failed",
      `location_ids must contain location ${far.location_id}: the voucher of the card can be used only there.`,
    ]);
    const { location_id } = far;
    const atFar = await create({ name: "Far", location_ids: [location_id], status: "draft" });
    await operatorWrite(world, "/op/locations/update", { business_id, location_id, closed: true });
    expect(await problemsOf({ stamp_card_id: atFar }, "resume")).toEqual([
      "validation_failed",
      "location_ids must contain a location that is not closed.",
    ]);
    await step("end", atFar);
    const id = await create({ name: "Twins" });
    expect(await problemsOf({ stamp_card_id: id, counts: "visit" }, "update")).toEqual([
      "validation_failed",
      "most_per_day must be sent when a card counts visits from now on; null: any number.",
    ]);
    const both = { stamp_card_id: id, location_ids: [shop.locationId], voucher_id: farVoucher };
    expect(await problemsOf(both, "update")).toHaveLength(2);
    expect(await problemsOf({ ...card, voucher_id: free, name: " twins" })).toEqual([
      "validation_failed",
      `name must differ from that of stamp card ${id}.`,
    ]);
    await step("end", id);
  });
});
