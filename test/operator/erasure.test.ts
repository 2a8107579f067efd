/** Erasing a member: nothing that names the person is left, and the ledger is whole. */
import { describe, expect, it } from "vitest";
import { afterErasure, hasPersonalData } from "../../src/contract/personal.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { tablesWith } from "../support/personal-values.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

const person = {
  first_name: "Quetzalli",
  last_name: "Ixchelsdottir",
  phone_number: "+34699123987",
  email: "quetzalli@erasure.example",
  date_of_birth: "1987-03-29",
};

const remarks = "Has a peacock";

async function shopWithMember() {
  const shop = await makeSandbox(world, "2026-01-10");
  const key = nextKey();
  const created = await world.ask(
    "/sp/members/create",
    { idempotency_key: key, ...person },
    shop.credentials,
  );
  return { shop, key, contact_id: created.body.data.contact_id as number };
}
const erase = (business_id: number, contact_id: number, more: Body = {}) =>
  operatorWrite(world, "/op/members/erase", { business_id, contact_id, ...more });

it("leaves nothing of the person in any table, and the ledger whole", async () => {
  const { shop, key, contact_id } = await shopWithMember();
  const { businessId, locationId: location_id, credentials } = shop;
  await shop.write("/sp/members/update", { contact_id, first_name: person.first_name, email: person.email });
  await operatorWrite(world, "/op/members/update", { business_id: businessId, contact_id, remarks });
  await shop.write("/sp/members/profile/update", { contact_id, date_of_birth: person.date_of_birth });
  const wallet = { contact_id, location_id, amount: 500, adjustment_type: "credit" };
  await shop.write("/sp/wallet/adjust", wallet);
  const { sale_id } = await shop.write("/sp/sales/record", { contact_id, location_id, amount: 2000 });
  await shop.rules({ pending_days: 10 });
  await shop.write("/sp/sales/record", { contact_id, location_id, amount: 3000 });
  const texts = [
    person.first_name,
    person.last_name,
    person.phone_number,
    person.email,
    person.date_of_birth,
    remarks,
  ];
  for (const text of texts) expect(await tablesWith(world.sql, text)).not.toEqual([]);

  const outcome = await erase(businessId, contact_id, { reason: "Request 17 of the member" });
  expect(outcome).toEqual({ contact_id, written_off: { wallet: 500, points: 20, vouchers: 0 } });
  for (const text of texts) expect(await tablesWith(world.sql, text)).toEqual([]);
  expect(await tablesWith(world.sql, person.first_name.toLowerCase())).toEqual([]);

  const transactions = await shop.ask("/sp/transactions/list", { contact_id });
  expect(transactions.map(({ event_type, amount }: Body) => `${event_type} ${amount}`)).toEqual([
    "reward_points_adjustment -20",
    "wallet_adjustment -500",
    "sale 3000",
    "reward_points_earned 20",
    "sale 2000",
    "wallet_adjustment 500",
  ]);
  await expectValidLedger({ businessId } as never);
  // Points that were pending do not mature for nobody.
  await shop.advance("2026-02-01");
  expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({
    points: 0,
    points_pending: [],
  });
  expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({ contact_id });

  // A request that is sent again makes no second member, and tells nothing of the first.
  const again = await world.ask("/sp/members/create", { idempotency_key: key, ...person }, credentials);
  expect(again.body.data).toMatchObject({
    contact_id,
    first_name: "Erased",
    last_name: "Member",
    email: null,
  });
  for (const text of texts) expect(again.text).not.toContain(text);
});

describe.each(
  [...partnerOperations, ...operatorOperations].filter(
    ({ kind, output }) => (kind === "write" || kind === "posting") && hasPersonalData(output),
  ),
)("the response of $path", ({ path, input, output }) => {
  it("and every table have nothing of the person after the erasure", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const values: Body = {
      ...person,
      external_ref: "C-Quetzalli-17",
      remarks: "Quetzalli calls on Fridays.",
      password: "Quetzalli's own password",
      business_id: shop.businessId,
    };
    const card_code = "Quetzalli 17";
    if (path.includes("/cards/"))
      Object.assign(values, {
        kind: "app",
        card_code,
        new_card_code: `${card_code} B`,
        location_id: shop.locationId,
      });
    if (/\/cards\/(?:replace|block)$/.test(path))
      await shop.write("/sp/cards/create", { contact_id: await shop.member(), kind: "app", card_code });
    const isNew = !("contact_id" in input.properties);
    if (!isNew) values.contact_id = await shop.member();
    if (path === "/sp/referrals/code")
      await world.sql`UPDATE member SET referral_code = 'QUETZALL' WHERE contact_id = ${values.contact_id as number}`;
    const names = Object.keys(input.properties).filter((name) => name in values);
    expect(
      input.required?.filter((name) => !names.includes(name)),
      `Add a value of these fields of ${path} to \`values\` in test/operator/erasure.test.ts.`,
    ).toEqual([]);
    const body = Object.fromEntries(names.map((name) => [name, values[name]]));
    const key = { idempotency_key: nextKey() };
    const send = () =>
      path.startsWith("/op/")
        ? asOperator(world, path, { ...body, ...key })
        : world.ask(path, { ...body, ...key }, shop.credentials);
    const first = await send();
    expect(first.body.success, first.text).toBe(true);
    expect((await send()).text).toBe(first.text);
    const contact_id = first.body.data.contact_id as number;
    const texts = [
      "Quetzalli",
      "quetzalli",
      "QUETZALL",
      person.last_name,
      person.phone_number.slice(1),
      person.date_of_birth,
      // The service makes it.
      ...[first.body.data.page_path].flatMap((found) => found ?? []),
    ];
    expect(
      texts.some((text) => first.text.includes(text)),
      `Let the value of a personal field of ${path} in \`values\` of test/operator/erasure.test.ts contain "Quetzalli".`,
    ).toBe(true);
    await erase(shop.businessId, contact_id);
    for (const text of texts) expect([text, await tablesWith(world.sql, text)]).toEqual([text, []]);
    const replayed = await send();
    for (const text of texts) expect(replayed.text).not.toContain(text);
    expect(replayed.body.data).toEqual(afterErasure(output, first.body.data));
    expect(replayed.status).toBe(first.status);
  });
});

it("leaves the responses of another business whose member has the same contact_id", async () => {
  const [shop, other] = [await shopWithMember(), await makeSandbox(world, "2026-01-10")];
  const named = { ...person, phone_number: "+34699123988", email: "other@erasure.example" };
  const key = { idempotency_key: nextKey() };
  const create = () =>
    asOperator(world, "/op/members/create", { ...key, business_id: other.businessId, ...named });
  const first = await create();
  const { contact_id } = first.body.data;
  // As after an import, which keeps the numbers of members.
  await world.sql`
    UPDATE idempotency_key SET contact_id = ${shop.contact_id} WHERE idempotency_key = ${key.idempotency_key}`;
  await erase(shop.shop.businessId, shop.contact_id);
  expect((await create()).text).toBe(first.text);
  await world.sql`
    UPDATE idempotency_key SET contact_id = ${contact_id} WHERE idempotency_key = ${key.idempotency_key}`;
  await erase(other.businessId, contact_id);
  expect((await create()).body.data).toMatchObject({ first_name: "Erased" });
});

it("frees phone number and e-mail address for a new member", async () => {
  const { shop, contact_id } = await shopWithMember();
  await erase(shop.businessId, contact_id);
  const created = await shop.write("/sp/members/create", person);
  expect(created.contact_id).not.toBe(contact_id);
  expect(await shop.ask("/sp/members/find", { phone_number: person.phone_number })).toMatchObject({
    contact_id: created.contact_id,
  });
  expect(await shop.ask("/sp/members/list", { search: "quetz", include_inactive: true })).toHaveLength(1);
});

it("export gives what is stored of a member", async () => {
  const { shop, contact_id } = await shopWithMember();
  const { businessId: business_id, locationId: location_id } = shop;
  await shop.write("/sp/sales/record", { contact_id, location_id, amount: 2000, reference_id: "shoes" });
  await shop.write("/sp/sales/refund", { sale_id: 1, location_id, amount: 500 });
  await shop.write("/sp/reward-points/redeem", { contact_id, points: 3 });
  const other = await shop.member();
  await shop.write("/sp/sales/record", { contact_id: other, location_id, amount: 100 });
  const exported = await asOperator(world, "/op/members/export", { business_id, contact_id });
  expect(exported.body.data).toMatchObject({
    member: { contact_id, ...person, points_balance: 12, has_password: false },
    transactions: [
      { event_type: "sale", amount: 2000 },
      { event_type: "reward_points_earned", amount: 20 },
      { event_type: "sale_refund", amount: -500 },
      { event_type: "reward_points_earned", amount: -5 },
      { event_type: "reward_points_redeemed", amount: -3 },
    ],
    records: {
      sale: [{ reference_id: "shoes", amount: 2000, refunded: 500, uses: [] }],
      refund: [{ amount: 500, points_clawed: 5 }],
      lot: [{ reference_id: "shoes", points: 20, clawed: 5, used: 3 }],
      redemption: [{ points: 3, uses: [{ lot_id: 1, points: 3 }] }],
      debt: [],
    },
    next_after_entry_no: null,
  });
});

it("takes nothing away without a reason", async () => {
  const { shop, contact_id } = await shopWithMember();
  await shop.write("/sp/reward-points/adjust", { contact_id, points: 3, adjustment_type: "credit" });
  const { businessId: business_id } = shop;
  const key = { idempotency_key: nextKey() };
  const rejected = await asOperator(world, "/op/members/erase", { ...key, business_id, contact_id });
  expect(rejected.body.error).toEqual({
    code: "balances_not_zero",
    details: { wallet: 0, points: 3, vouchers: 0 },
  });
  expect(await shop.ask("/sp/members/find", { phone_number: person.phone_number })).toMatchObject({
    contact_id,
  });
});

it("is for good: an erased member can't be changed, activated or erased again", async () => {
  const { shop, contact_id } = await shopWithMember();
  const { businessId: business_id } = shop;
  await erase(business_id, contact_id);
  for (const verb of ["activate", "erase"]) {
    const body = { idempotency_key: nextKey(), business_id, contact_id };
    expect((await asOperator(world, `/op/members/${verb}`, body)).body.error.code).toBe("member_not_found");
  }
  for (const [path, change] of [
    ["/sp/members/update", { first_name: "Ana" }],
    ["/sp/members/profile/update", { date_of_birth: "1990-01-01" }],
  ] as const) {
    expect((await shop.rejected(path, { contact_id, ...change })).code).toBe("member_not_found");
  }
  const credit = { contact_id, points: 1, adjustment_type: "credit" };
  expect((await shop.rejected("/sp/reward-points/adjust", credit)).code).toBe("member_inactive");
});
