import { Type } from "typebox";
import * as fields from "../contract/fields.ts";

/** A member tier, as every operation that answers one shows it. */
export const tier = Type.Object({
  tier_id: fields.tierId,
  name: fields.tierName,
  expiry: fields.periodLength,
  expiry_period: fields.periodUnit,
});
