import { fields, writeOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { tier, tierFields } from "../../catalog-fields.ts";

export const createTier = writeOperation({
  path: "/op/tiers/create",
  event: "tier.created",
  status: 201,
  summary: "Create a tier",
  description: "Creates a tier that members can be given, valid for a number of periods.",
  message: "Tier created.",
  input: { business_id: fields.businessId, ...tierFields },
  output: tier,
  async write({ input: { name, expiry, expiry_period }, tx, caller, audit }) {
    const made = await tiers.insert(tx, caller.businessId, { name, expiry, expiry_period });
    audit({ before: null, after: made });
    return made;
  },
});
