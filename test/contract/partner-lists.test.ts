/** The lists of what a till shows: locations, programs, benefits and vouchers. */

import { LoyaltyClient } from "loyalty-sdk";
import { expect, it } from "vitest";
import { insertBusiness, readBusiness } from "../../src/database/access/businesses.ts";
import { noLineRules } from "../../src/domain/engine/rules.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { type Business, type Credentials, useWorld } from "../support/world.ts";

const world = useWorld();

/** A business with records of its own, the first of each kind at the first location, and so on. */
async function makeShop() {
  const shop = await world.business("Shop", "Europe/Madrid");
  const business_id = shop.businessId;
  const benefits: number[] = [];
  for (const [index, location_id] of shop.locationIds.entries()) {
    const benefit = { title: `Benefit ${index}`, amount: 5000, promo_amount: 500, location_id };
    const status = index === 1 ? "inactive" : "active";
    const made = await operatorWrite(world, "/op/topup-benefits/create", { business_id, ...benefit, status });
    benefits.push(made.benefit_id);
  }
  const rate = { earn_points: 1, maximum_points_per_order: 50 };
  const second = { business_id, membership_name: "Second", ...rate };
  const { program_id } = await operatorWrite(world, "/op/programs/create", second);
  return { shop, benefits, programs: [program_id, shop.programId] };
}

/** The ids of a list, newest first, after a look at its pagination. */
async function idsOf(path: string, id: string, as: Credentials, body = {}): Promise<number[]> {
  const reply = await world.ask(path, { ...body, per_page: 2 }, as);
  const { data, meta } = reply.body;
  const ids = data.map((row: Record<string, number>) => row[id]);
  const { total, last_page } = meta.pagination;
  for (let page = 2; page <= last_page; page += 1) {
    const next = await world.ask(path, { ...body, per_page: 2, page }, as);
    ids.push(...next.body.data.map((row: Record<string, number>) => row[id]));
  }
  expect(ids).toHaveLength(total);
  return ids;
}

const newestFirst = (ids: readonly number[]) => ids.toSorted((one, other) => other - one);

it("shows an integration its locations, newest first, and no others", async () => {
  const { shop } = await makeShop();
  const list = (as: Credentials) => idsOf("/sp/locations/list", "location_id", as);
  expect(await list(shop.everywhere)).toEqual(newestFirst(shop.locationIds));
  expect(await list(shop.limited)).toEqual(newestFirst(shop.locationIds.slice(0, 2)));
  const { body } = await world.ask("/sp/locations/list", { per_page: 1 }, shop.everywhere);
  expect(body.data).toEqual([{ location_id: shop.locationIds[2], name: "Third" }]);
});

it("shows the business of the token, with the day on its clock", async () => {
  const shop = await world.business("Corner shop", "Pacific/Kiritimati");
  const { businessId: business_id } = shop;
  await operatorWrite(world, "/op/businesses/update", { business_id, currency: "JPY", country: "JP" });
  const { body } = await world.ask("/sp/business/get", {}, shop.limited);
  const { today, ...facts } = body.data;
  expect(facts).toEqual({
    business_id,
    name: "Corner shop",
    time_zone: "Pacific/Kiritimati",
    currency: "JPY",
    currency_decimals: 0,
    country: "JP",
    sandbox: false,
  });
  // A sale of today is accepted, and none of the day after tomorrow.
  const location_id = shop.locationIds[0];
  const sale = { contact_id: await world.member({}, shop.everywhere), location_id, amount: 1000 };
  const quote = (sold_on: string) => world.ask("/sp/sales/quote", { ...sale, sold_on }, shop.everywhere);
  expect((await quote(today)).status).toBe(200);
  const later = new Date(Date.parse(`${today}T00:00Z`) + 2 * 86_400_000).toISOString().slice(0, 10);
  expect((await quote(later)).body.error.code).toBe("validation_failed");
  const sandbox = { name: "Sandbox", time_zone: "Asia/Tokyo", currency: "EUR" };
  const sandboxId = await insertBusiness(world.sql, sandbox, { clock_at: "2020-02-29 23:59:00" });
  expect(await readBusiness(world.sql, sandboxId)).toMatchObject({ today: "2020-02-29", sandbox: true });
});

it("shows the programs, without the rates that only operators see", async () => {
  const { shop, programs } = await makeShop();
  expect(await idsOf("/sp/reward-programs/list", "program_id", shop.limited)).toEqual(programs);
  const { body } = await world.ask("/sp/reward-programs/list", {}, shop.everywhere);
  expect(body.data[0]).toEqual({
    program_id: programs[0],
    membership_name: "Second",
    maximum_points_per_order: 50,
  });
});

it("shows the benefits that are offered at the locations of an integration", async () => {
  const { shop, benefits } = await makeShop();
  const list = (as: Credentials, body = {}) =>
    idsOf("/sp/wallet/topup-benefits/list", "benefit_id", as, body);
  const [first, second, third] = benefits as [number, number, number];
  expect(await list(shop.everywhere)).toEqual([third, first]);
  expect(await list(shop.everywhere, { include_inactive: true })).toEqual([third, second, first]);
  expect(await list(shop.limited)).toEqual([first]);
  expect(await list(shop.limited, { include_inactive: true })).toEqual([second, first]);
  const { body } = await world.ask("/sp/wallet/topup-benefits/list", {}, shop.limited);
  expect(body.data).toEqual([
    {
      benefit_id: first,
      title: "Benefit 0",
      amount: 5000,
      promo_amount: 500,
      status: "active",
      location_id: shop.locationIds[0],
    },
  ]);
});

it("shows the vouchers of the locations of an integration, and those that are valid everywhere", async () => {
  const { shop } = await makeShop();
  const { everywhere, archived, first, third } = shop.vouchers;
  const list = (as: Credentials, body = {}) => idsOf("/sp/vouchers/definitions/list", "voucher_id", as, body);
  expect(await list(shop.everywhere)).toEqual([third, first, everywhere]);
  expect(await list(shop.everywhere, { include_archived: true })).toEqual([
    third,
    first,
    archived,
    everywhere,
  ]);
  expect(await list(shop.limited)).toEqual([first, everywhere]);
  const { body } = await world.ask("/sp/vouchers/definitions/list", { per_page: 1 }, shop.limited);
  expect(body.data).toEqual([
    {
      voucher_id: first,
      campaign_name: "First",
      coupon_code: "FIRST",
      coupon_value: 700,
      archived: false,
      location_id: shop.locationIds[0],
      points_price: null,
      validity: null,
      validity_period: null,
      ...{ voucher_kind: "value", percent: null, most_amount: null, minimum_sale: 0 },
    },
  ]);
});

it("shows the reward settings as their update returns them, with the rate and the value that apply", async () => {
  const { shop } = await makeShop();
  const updated = await world.write("/sp/reward-settings/update", { rp_name: "Beans" }, shop.everywhere);
  const { body } = await world.ask("/sp/reward-settings/get", {}, shop.limited);
  expect(body.data).toEqual({
    ...updated.body.data,
    default_program: null,
    earn_on: "paid",
    value_points: 10,
    value_amount: 50,
    redeem_minimum_points: 10,
    pending_days: 0,
    points_validity: null,
    points_validity_period: null,
    points_expiry_rounding: "month_end",
  });
  expect(body.data.rp_name).toBe("Beans");
  const business = { business_id: shop.businessId };
  const rate = { earn_points: 3, earn_amount: 200, earn_minimum_amount: 1000 };
  const program = { membership_name: "Regulars", maximum_points_per_order: 90, ...rate };
  const { program_id } = await operatorWrite(world, "/op/programs/create", { ...business, ...program });
  const change = { ...business, default_program_id: program_id, redeem_minimum_points: 40, pending_days: 2 };
  await operatorWrite(world, "/op/reward-settings/rules/update", change);
  const { body: after } = await world.ask("/sp/reward-settings/get", {}, shop.limited);
  expect(after.data).toMatchObject({
    default_program: { program_id, ...program, ...noLineRules },
    redeem_minimum_points: 40,
    pending_days: 2,
  });
});

it("is gone through by the client, while records are added", async () => {
  const { shop } = await makeShop();
  const add = (name: string) =>
    operatorWrite(world, "/op/locations/create", { business_id: shop.businessId, name });
  const { client_id: clientId, client_secret: clientSecret } = shop.everywhere;
  const client = new LoyaltyClient({ baseUrl: world.baseUrl, clientId, clientSecret });
  const names: string[] = [];
  for await (const { name } of client.locations.list({ per_page: 1 })) {
    names.push(name);
    if (names.length === 1) await add("Fourth");
  }
  expect(names).toEqual(["Third", "Second", "First"]);
  const { data } = await client.vouchers.definitions.list();
  expect(data.map(({ coupon_code }) => coupon_code)).toEqual(["THIRD", "FIRST", "SUMMER"]);
  expect((await client.rewardSettings.get()).enable_rp).toBe(true);
  expect((await client.rewardPrograms.list()).data).toHaveLength(2);
  expect((await client.wallet.topupBenefits.list()).data).toHaveLength(2);
});

it("shows nothing of another business, and an empty list where there is nothing", async () => {
  const { business_id } = await operatorWrite(world, "/op/businesses/create", {
    name: "New",
    currency: "EUR",
  });
  const none = await world.integration({ businessId: business_id } as Business);
  for (const path of [
    ...["/sp/locations/list", "/sp/reward-programs/list", "/sp/wallet/topup-benefits/list"],
    "/sp/vouchers/definitions/list",
  ]) {
    const { body } = await world.ask(path, {}, none);
    expect([path, body.data, body.meta.pagination.total]).toEqual([path, [], 0]);
  }
});
