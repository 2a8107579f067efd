/** What is missing until a sale of a new business earns points. */
import { expect, it } from "vitest";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();

it("is fewer after each step, and nothing after the first sale that earned", async () => {
  const { business_id } = await operatorWrite(world, "/op/businesses/create", {
    name: "Bar",
    currency: "EUR",
  });
  const write = (path: string, body: object) => operatorWrite(world, path, { business_id, ...body });
  const check = async () => (await asOperator(world, "/op/reward-settings/check", { business_id })).body.data;
  const missing = async () => (await check()).missing;
  expect(await check()).toEqual({
    missing: ["no_location", "rewards_off", "no_program", "no_integration", "no_sale"],
    program: null,
  });
  const { location_id } = await write("/op/locations/create", { name: "Shop" });
  await write("/op/reward-settings/update", { enable_rp: true });
  const club = { membership_name: "Club", maximum_points_per_order: 0 };
  const { program_id } = await write("/op/programs/create", club);
  await write("/op/reward-settings/rules/update", { default_program_id: program_id });
  const state = await check();
  expect(state.missing).toEqual(["program_without_rate", "maximum_is_zero", "no_integration", "no_sale"]);
  expect(state.program).toMatchObject({ program_id, ...club });
  const rate = { earn_points: 1, earn_amount: 100, maximum_points_per_order: 500 };
  await write("/op/programs/update", { program_id, ...rate });
  const reader = { name: "Reports", scopes: ["wa.sales.read"], all_locations: true };
  await write("/op/integrations/create", reader);
  expect(await missing()).toEqual(["no_integration", "no_sale"]);
  const scopes = ["wa.members.write", "wa.sales.write"];
  const till = await write("/op/integrations/create", { name: "Till", scopes, all_locations: true });
  const contact_id = await world.member(newPerson(), till as never);
  const sell = (amount: number, reference_id: string) =>
    world.write("/sp/sales/record", { contact_id, location_id, amount, reference_id }, till as never);
  await sell(99, "too little");
  expect(await missing()).toEqual(["no_sale"]);
  await sell(100, "enough");
  expect(await missing()).toEqual([]);
});
