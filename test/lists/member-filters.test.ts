/** The filters of the list and of the export of members. */
import { beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

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
  expect(await found({ tier_id: 9_007_199_254_740_000 })).toEqual([]);
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
