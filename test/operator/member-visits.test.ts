/** How often a member has bought, as operators see it. */
import { expect, it } from "vitest";
import { asOperator } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("counts the sales of a member, and averages what refunds left of them", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const { businessId: business_id, locationId: location_id } = shop;
  const [contact_id, other] = [await shop.member(), await shop.member()];
  const visitsOf = async (contact_id: number) => {
    const { body } = await asOperator(world, "/op/members/get", { business_id, contact_id });
    const { visits, last_visit_on, average_sale } = body.data;
    return { visits, last_visit_on, average_sale };
  };
  const sell = (amount: number) => shop.write("/sp/sales/record", { contact_id, location_id, amount });
  await sell(1000);
  await shop.advance("2026-02-03");
  const { sale_id } = await sell(2005);
  expect(await visitsOf(contact_id)).toEqual({
    visits: 2,
    last_visit_on: "2026-02-03",
    average_sale: 1503,
  });
  await shop.write("/sp/sales/refund", { sale_id, location_id, amount: 1005 });
  expect(await visitsOf(contact_id)).toMatchObject({ visits: 2, average_sale: 1000 });
  expect(await visitsOf(other)).toEqual({ visits: 0, last_visit_on: null, average_sale: null });
});
