/** The filters of the list and of the export of members. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let members: Readonly<Record<"ana" | "ben" | "carl" | "dora", number>>;
let tier_id = 0;

const join = async (person: Body) =>
  (await shop.write("/sp/members/create", { ...newPerson(), ...person })).contact_id as number;
const sell = (contact_id: number, amount: number) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount });

beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 23:30:00");
  await shop.rules({ points_validity: 30, points_validity_period: "day" });
  const operator = (path: string, body: Body) =>
    operatorWrite(world, path, { business_id: shop.businessId, ...body });
  tier_id = (
    await operator("/op/tiers/create", {
      name: "Gold",
      qualifying_sales: null,
      expiry: 1,
      expiry_period: "year",
    })
  ).tier_id as number;
  const ana = await join({ email: "ana@filters.example", date_of_birth: "1990-02-28" });
  await sell(ana, 5000);
  await shop.advance("2026-01-14 00:10:00");
  const ben = await join({ date_of_birth: "1990-03-01" });
  await sell(ana, 3000);
  const { sale_id } = await sell(ben, 9000);
  await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, amount: 8000 });
  await shop.advance("2026-02-01 12:00:00");
  const carl = await join({ email: "carl@filters.example" });
  await sell(carl, 1000);
  await operator("/op/members/assign-tier", { contact_id: carl, tier_id });
  const dora = await join({ date_of_birth: "1980-02-01" });
  await operator("/op/members/deactivate", { contact_id: dora });
  members = { ana, ben, carl, dora };
});

const named = (ids: readonly unknown[]) =>
  Object.entries(members).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
const found = async (filter: Body) => {
  const of = { business_id: shop.businessId, ...filter };
  const list = await asOperator(world, "/op/members/list", of);
  expect(list.body.success, list.text).toBe(true);
  const rows = list.body.data as Body[];
  const meta = list.body.meta as { pagination: { total: number } };
  expect(meta.pagination.total).toBe(rows.length);
  const { search: _, ...alsoOfExport } = of as Body;
  const exported = await asOperator(world, "/op/exports/members", alsoOfExport);
  const active = (exported.body.data.members as Body[]).filter((one) => one.active);
  if (!("search" in filter))
    expect(active.map((one) => one.contact_id).toReversed()).toEqual(rows.map((one) => one.contact_id));
  return named(rows.map((one) => one.contact_id));
};

it("find the members that meet all of them, in the list and in the export", async () => {
  expect(await found({})).toEqual(["ana", "ben", "carl"]);
  expect(await found({ tier_id })).toEqual(["carl"]);
  expect(await found({ has_email: true })).toEqual(["ana", "carl"]);
  expect(await found({ has_email: false })).toEqual(["ben"]);
  expect(await found({ birthday_month: 2 })).toEqual(["ana"]);
  expect(await found({ birthday_month: 3 })).toEqual(["ben"]);
  // Days are those of the business.
  expect(await found({ joined_through: "2026-01-13" })).toEqual(["ana"]);
  expect(await found({ joined_from: "2026-01-14", joined_through: "2026-01-14" })).toEqual(["ben"]);
  expect(await found({ last_sale_through: "2026-01-13" })).toEqual([]);
  expect(await found({ last_sale_through: "2026-01-14" })).toEqual(["ana", "ben"]);
  expect(await found({ last_sale_from: "2026-01-15" })).toEqual(["carl"]);
  expect(await found({ least_visits: 2 })).toEqual(["ana"]);
  expect(await found({ most_visits: 1 })).toEqual(["ben", "carl"]);
  expect(await found({ most_visits: 0, sales_from: "2026-01-15" })).toEqual(["ana", "ben"]);
  expect(await found({ least_visits: 1, sales_from: "2026-01-13", sales_through: "2026-01-13" })).toEqual([
    "ana",
  ]);
  expect(await found({ least_sales: 1000, most_sales: 1000 })).toEqual(["ben", "carl"]);
  expect(await found({ least_sales: 8001 })).toEqual([]);
  expect(await found({ least_sales: 8000 })).toEqual(["ana"]);
  expect(await found({ least_sales: 1, sales_through: "2026-01-13" })).toEqual(["ana"]);
  expect(await found({ has_email: true, least_visits: 2, birthday_month: 2 })).toEqual(["ana"]);
  expect(await found({ has_email: true, birthday_month: 3 })).toEqual([]);
  const search = "filters.example";
  expect(await found({ search })).toEqual(["ana", "carl"]);
  expect(await found({ search, least_visits: 2 })).toEqual(["ana"]);
});

it("know whose points expire by a day", async () => {
  const rows = async (contact_id: number) =>
    ((await shop.ask("/sp/reward-points/list", { contact_id })) as Body[]).map((one) => one.valid_through);
  // They end with a month.
  expect(new Set(await rows(members.ana))).toEqual(new Set(["2026-02-28"]));
  expect(await found({ points_expire_by: "2026-02-27" })).toEqual([]);
  expect(await found({ points_expire_by: "2026-02-28" })).toEqual(["ana", "ben"]);
  expect(await found({ points_expire_by: "2026-12-31" })).toEqual(["ana", "ben", "carl"]);
});

it("are rejected if nobody can meet them, or nothing uses them", async () => {
  const problemOf = async (filter: Body) => {
    const { body } = await asOperator(world, "/op/members/list", { business_id: shop.businessId, ...filter });
    return (body.error?.details?.errors as { message: string }[])?.map(({ message }) => message);
  };
  expect(await problemOf({ joined_from: "2026-02-02", joined_through: "2026-02-01" })).toEqual([
    "joined_through must not be before joined_from.",
  ]);
  expect(await problemOf({ least_visits: 3, most_visits: 2 })).toEqual([
    "most_visits must not be below least_visits.",
  ]);
  expect(await problemOf({ sales_from: "2026-02-02" })).toEqual([
    "sales_from must be sent with one of least_visits, most_visits, least_sales, most_sales.",
  ]);
});

describe("a segment", () => {
  const operator = (path: string, body: Body) =>
    operatorWrite(world, path, { business_id: shop.businessId, ...body });
  const problemOf = async (path: string, body: Body) => {
    const sent = { business_id: shop.businessId, idempotency_key: nextKey(), ...body };
    const { error } = (await asOperator(world, path, sent)).body;
    return [error?.code, ...((error?.details?.errors ?? []) as Body[]).map(({ field }) => field)];
  };

  it("stands for its filters, as they are then", async () => {
    const made = await operator("/op/segments/create", { name: "Mail", has_email: true, least_visits: 1 });
    const { segment_id } = made;
    expect(made).toEqual({ segment_id, name: "Mail", filters: { has_email: true, least_visits: 1 } });
    expect(await found({ segment_id })).toEqual(["ana", "carl"]);
    expect(await found({ segment_id, search: "ana@filters" })).toEqual(["ana"]);
    const renamed = await operator("/op/segments/update", { segment_id, name: "February" });
    expect(renamed).toEqual({ ...made, name: "February" });
    await operator("/op/segments/update", { segment_id, birthday_month: 2 });
    expect(await found({ segment_id })).toEqual(["ana"]);
    const { body } = await asOperator(world, "/op/segments/list", { business_id: shop.businessId });
    expect(body.data).toEqual([{ segment_id, name: "February", filters: { birthday_month: 2 } }]);
    const grant = { business_id: shop.businessId, points: 10, segment_id };
    const preview = await asOperator(world, "/op/bulk-grants/preview", grant);
    expect(preview.body.data).toMatchObject({ members_found: 1 });
    const started = await operator("/op/bulk-grants/start", { ...grant, name: "Sorry" });
    expect(started).toMatchObject({ members_found: 1 });
    const { data } = (await asOperator(world, "/op/bulk-grants/list", { business_id: shop.businessId })).body;
    // What it was then, whatever becomes of the segment.
    expect(data).toMatchObject([{ filters: { birthday_month: 2 } }]);
    await operator("/op/segments/delete", { segment_id });
    expect(await problemOf("/op/members/list", { segment_id })).toEqual(["segment_not_found"]);
  });

  it("is rejected if it has the name of another one, no filter, or one that nobody can meet", async () => {
    const { segment_id } = await operator("/op/segments/create", { name: "Gold", tier_id });
    const create = (body: Body) => problemOf("/op/segments/create", { name: "Other", ...body });
    expect(await create({ name: " gold", has_email: true })).toEqual(["validation_failed", "name"]);
    expect(await create({})).toEqual(["validation_failed", ""]);
    expect(await create({ least_visits: 3, most_visits: 2 })).toEqual(["validation_failed", "most_visits"]);
    expect(await create({ tier_id: 9_007_199_254_740_000 })).toEqual(["tier_not_found"]);
    expect(await create({ segment_id })).toEqual(["validation_failed", "segment_id", ""]);
    expect(await problemOf("/op/members/list", { segment_id, has_email: true })).toEqual([
      "validation_failed",
      "has_email",
    ]);
    const other = await operator("/op/segments/create", { name: "Other", has_email: false });
    expect(await problemOf("/op/segments/update", { segment_id: other.segment_id, name: "GOLD" })).toEqual([
      "validation_failed",
      "name",
    ]);
    await operator("/op/segments/update", { segment_id, name: "gold" });
  });

  it("finds nobody when its tier is deleted, and says so", async () => {
    const silver = await operator("/op/tiers/create", { name: "Silver", expiry: 1, expiry_period: "year" });
    await operator("/op/members/assign-tier", { contact_id: members.ben, tier_id: silver.tier_id });
    const { segment_id } = await operator("/op/segments/create", { name: "Silver", tier_id: silver.tier_id });
    expect(await found({ segment_id })).toEqual(["ben"]);
    await operator("/op/tiers/delete", { tier_id: silver.tier_id });
    for (const path of ["/op/members/list", "/op/exports/members"])
      for (const filter of [{ segment_id }, { tier_id: silver.tier_id }])
        expect(await problemOf(path, filter)).toEqual(["tier_not_found"]);
  });
});
