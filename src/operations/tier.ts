import { Type } from "typebox";
import * as fields from "../contract/fields.ts";

/** A member tier, as operations return it. */
export const tier = Type.Object({
  tier_id: fields.tierId,
  name: fields.tierName,
  expiry: fields.periodLength,
  expiry_period: fields.periodUnit,
});
