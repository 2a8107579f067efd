/** What an operator does for members and sales from day to day. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

const businessIn = async (country: string) =>
  (await operatorWrite(world, "/op/businesses/create", { name: "Boutique", currency: "EUR", country }))
    .business_id as number;
const person = { first_name: "Zoé", last_name: "Petit" };

it("creates and changes members, whose numbers may be in the national form of the business's country", async () => {
  const business_id = await businessIn("FR");
  const create = (fields: object) =>
    asOperator(world, "/op/members/create", {
      idempotency_key: nextKey(),
      business_id,
      ...person,
      ...fields,
    });
  const made = await create({
    phone_number: "06 12 34 56 78",
    external_ref: "C-1",
    email: "zoe@example.com",
  });
  expect(made.status).toBe(201);
  const { contact_id } = made.body.data;
  expect(made.body.data).toEqual({
    member_id: expect.any(Number),
    contact_id,
    ...person,
    phone_number: "+33612345678",
    email: "zoe@example.com",
    date_of_birth: null,
    external_ref: "C-1",
  });
  const taken = await create({
    phone_number: "+33 6 12 34 56 78",
    email: "ZOE@example.com",
    external_ref: "C-1",
  });
  const fields = ["phone_number", "email", "external_ref"];
  expect(taken.body.error).toEqual({
    code: "member_already_exists",
    details: { field: "phone_number", fields },
  });
  const other = (await create({ phone_number: "06 12 34 56 79" })).body.data.contact_id;
  const update = (change: object) =>
    asOperator(world, "/op/members/update", { idempotency_key: nextKey(), business_id, ...change });
  const clash = await update({ contact_id: other, phone_number: "0612345678" });
  expect(clash.body.error.details).toEqual({ field: "phone_number", fields: ["phone_number"] });
  const changed = await update({ contact_id, phone_number: "07 00 00 00 01", email: null });
  expect(changed.body.data).toMatchObject({ phone_number: "+33700000001", email: null, external_ref: "C-1" });
  for (const found of [{ external_ref: "C-1" }, { phone_number: "07 00 00 00 01" }]) {
    const { body } = await asOperator(world, "/op/members/find", { business_id, ...found });
    expect(body.data).toMatchObject({ contact_id, phone_number: "+33700000001" });
  }
  for (const wrong of [
    { phone_number: "61234" },
    { date_of_birth: "2999-01-01" },
    { phone_number: "12", date_of_birth: "1800-01-01" },
  ]) {
    for (const reply of [await update({ contact_id, ...wrong }), await create({ ...wrong })]) {
      const rejected = reply.body.error.details.errors.map(({ field }: { field: string }) => field);
      expect(rejected).toEqual(expect.arrayContaining(Object.keys(wrong)));
    }
  }
});

it("erases what it stored for retries under an operator's key", async () => {
  const business_id = await businessIn("FR");
  const key = nextKey();
  const body = {
    idempotency_key: key,
    business_id,
    ...person,
    phone_number: "+33612345678",
    date_of_birth: "1990-04-17",
    external_ref: "C-1",
  };
  const { contact_id } = (await asOperator(world, "/op/members/create", body)).body.data;
  await operatorWrite(world, "/op/members/erase", { business_id, contact_id });
  const replay = await asOperator(world, "/op/members/create", body);
  expect(replay.headers.get("idempotent-replayed")).toBe("true");
  expect(replay.body.data).toMatchObject({ contact_id, date_of_birth: null, external_ref: null });
  expect(replay.text).not.toMatch(/Zoé|Petit|612345678|1990|C-1/);
});

it("lists and refunds a sale, at its location, with a reason", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const contact_id = await shop.member();
  await shop.write("/sp/wallet/adjust", { contact_id, location_id, amount: 500, adjustment_type: "credit" });
  const sale = { contact_id, location_id, amount: 2500, use_wallet: 500, reference_id: "receipt-1" };
  const { sale_id } = await shop.write("/sp/sales/record", sale);
  const ask = async (path: string, body: object = {}) =>
    (await asOperator(world, path, { business_id, ...body })).body.data;
  expect(await ask("/op/sales/list", { reference_id: "receipt-1" })).toMatchObject([
    { sale_id, amount: 2500 },
  ]);
  expect(await ask("/op/sales/get", { sale_id })).toMatchObject({
    full_refund: { money_back: 2000, wallet_back: 500, points_clawed: 25 },
  });
  expect(await ask("/op/reward-points/list", { contact_id })).toMatchObject([
    { sale_id, reference_id: "receipt-1", left: 25, valid_through: "2026-07-31" },
  ]);
  expect(await ask("/op/members/balances", { contact_id })).toMatchObject({
    wallet: 0,
    points_expiring: [{ valid_through: "2026-07-31", points: 25 }],
  });
  const refund = { business_id, sale_id, amount: 1000, reason: "Scratched" };
  const refunded = await operatorWrite(world, "/op/sales/refund", refund);
  expect(refunded).toMatchObject({ refunded: 1000, money_back: 800, wallet_back: 200, points_clawed: 10 });
  const { refunds } = await shop.ask("/sp/sales/get", { sale_id });
  expect(refunds).toMatchObject([{ amount: 1000, location_id, reason: "Scratched" }]);
  const [entry] = await ask("/op/transactions/list", { contact_id, event_types: ["sale_refund"] });
  expect(entry).toMatchObject({ amount: -1000, location_id, reason: "Scratched" });
  const originsOf = async () => {
    const entries = await ask("/op/transactions/list", { contact_id, per_page: 100 });
    return new Map(entries.map((one: Body) => [one.amount, one.sale_id]));
  };
  // All entries of the sale and of its refund lead to the sale.
  for (const amount of [2500, -500, 25, -1000, 200, -10])
    expect((await originsOf()).get(amount)).toBe(sale_id);
  const audited = await asOperator(world, "/op/audit/list", { contact_id });
  expect(audited.body.data).toMatchObject([
    { event: "sale.refunded", contact_id, after: { contact_id, sale_id, reason: "Scratched" } },
  ]);
  const again = { idempotency_key: nextKey(), ...refund, amount: 1501 };
  expect((await asOperator(world, "/op/sales/refund", again)).body.error).toEqual({
    code: "refund_exceeds_sale",
    details: { refundable: 1500 },
  });
});

it("leads from the entry of a refund to no sale if two have its reference, or if the sale is of another member", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const [contact_id, other] = [await shop.member(), await shop.member()];
  const sell = async (to: number) =>
    (await shop.write("/sp/sales/record", { contact_id: to, location_id, amount: 2000 })).sale_id;
  const refund = (sale_id: number, reference_id: string) =>
    shop.write("/sp/sales/refund", { sale_id, location_id, amount: 700, reference_id });
  const saleOf = async (of: number) => {
    const request = { business_id, contact_id: of, event_types: ["sale_refund"] };
    return (await asOperator(world, "/op/transactions/list", request)).body.data[0].sale_id;
  };
  const [first, second, others] = [await sell(contact_id), await sell(contact_id), await sell(other)];
  await refund(first, "R");
  await refund(others, "R");
  expect([await saleOf(contact_id), await saleOf(other)]).toEqual([first, others]);
  await refund(second, "R");
  expect([await saleOf(contact_id), await saleOf(other)]).toEqual([null, others]);
});

it("names members by their numbers, active or not, and none of another business", async () => {
  const { businessId: business_id } = world.home;
  const [one, other] = [await world.member(newPerson()), await world.member(newPerson())];
  await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id: other });
  const foreign = await businessIn("FR");
  const ask = async (business: number) => {
    const request = { business_id: business, contact_ids: [other, one, 999_999_999] };
    return (await asOperator(world, "/op/members/names", request)).body.data.members;
  };
  expect((await ask(business_id)).map(({ contact_id }: Body) => contact_id)).toEqual([one, other]);
  expect(await ask(foreign)).toEqual([]);
});

it("finds the audit entries of a member, in one business or in all", async () => {
  const { businessId: business_id } = world.home;
  const contact_id = await world.member(newPerson());
  const other = await world.member(newPerson());
  const adjust = (of: number) =>
    operatorWrite(world, "/op/members/adjust-points", {
      business_id,
      contact_id: of,
      points: 5,
      adjustment_type: "credit",
      reason: "Goodwill",
    });
  await adjust(contact_id);
  await adjust(other);
  await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id });
  const events = async (filter: Body) => {
    const { body } = await asOperator(world, "/op/audit/list", filter);
    expect(body.data.every((entry: { contact_id: number }) => entry.contact_id === contact_id)).toBe(true);
    return body.data.map(({ event }: { event: string }) => event);
  };
  const expected = ["member.deactivated", "member.points_adjusted"];
  expect(await events({ contact_id })).toEqual(expected);
  expect(await events({ contact_id, business_id })).toEqual(expected);
  expect(await events({ contact_id, business_id: world.away.businessId })).toEqual([]);
});

it("says in the message of a dry run that nothing was changed", async () => {
  const body = { business_id: world.home.businessId, due_before: "2099-12-31", valid_through: "2099-12-31" };
  const extend = async (dry_run: boolean) =>
    (await asOperator(world, "/op/reward-points/extend", { idempotency_key: nextKey(), ...body, dry_run }))
      .body.message;
  expect(await extend(true)).toBe("Dry run: nothing was changed.");
  expect(await extend(false)).toBe("Points extended.");
});
