import { expect, it } from "vitest";
import { useWorld } from "./support/world.ts";

const world = useWorld();

it("serves a partner from token to ledger", async () => {
  const contactId = await world.member({ email: "Ana@example.com", password: "a long enough one" });
  const [location] = world.home.locationIds;
  const adjusted = await world.write("/sp/wallet/adjust", {
    contact_id: contactId,
    location_id: location,
    amount: 500,
    adjustment_type: "credit",
  });
  expect(adjusted.body).toEqual({
    success: true,
    message: "Wallet adjusted.",
    data: { contact_id: contactId, amount: 500, adjustment_type: "credit", balance_after: 500 },
    meta: {},
  });
  const listed = await world.ask("/sp/transactions/list", { contact_id: contactId });
  expect(listed.body.meta.pagination.total).toBe(1);
  expect(listed.body.data[0]).toMatchObject({
    event_type: "wallet_adjustment",
    amount: 500,
    balance_after: 500,
  });
  const members = await world.ask("/sp/members/list", { search: "LOPEZ" });
  expect(members.body.data[0].contact_id).toBe(contactId);
});
