/** A location that operators have closed: partners record nothing there, and read what is there. */
import { expect, it } from "vitest";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
/** What a process knows of an integration is some seconds old. */
const patience = { timeout: 100_000, interval: 1000 };

it("takes no writes of partners until it is opened again, and keeps what is there", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const { businessId: business_id, locationId: location_id } = shop;
  const contact_id = await shop.member();
  const sale = { contact_id, location_id, amount: 1000 };
  const { sale_id } = await shop.write("/sp/sales/record", sale);
  const change = (closed: boolean) =>
    operatorWrite(world, "/op/locations/update", { business_id, location_id, closed });
  expect(await change(true)).toMatchObject({ location_id, closed: true });
  const rejection = { code: "sp_location_not_allowed", details: { location_id } };
  await expect.poll(() => shop.rejected("/sp/sales/record", sale), patience).toEqual(rejection);
  expect(await shop.rejected("/sp/sales/record", sale)).toEqual(rejection);
  expect(await shop.rejected("/sp/wallet/topup", { contact_id, location_id, amount: 500 })).toEqual(
    rejection,
  );
  const till = { business_id, name: "Till", scopes: ["wa.locations.read"], all_locations: true };
  const made = await operatorWrite(world, "/op/integrations/create", till);
  const places = await world.ask("/sp/locations/list", {}, { ...made, integrationId: made.integration_id });
  expect(places.body.data).toEqual([]);
  expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({ sale_id, location_id });
  // Operators still correct there.
  const refund = { business_id, sale_id, amount: 400, reason: "The shop closed" };
  expect(await operatorWrite(world, "/op/sales/refund", refund)).toMatchObject({ sale_id });
  await change(false);
  const record = () => shop.write("/sp/sales/record", sale).then(() => "recorded", String);
  await expect.poll(record, patience).toBe("recorded");
});
