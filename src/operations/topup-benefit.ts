import { Type } from "typebox";
import * as fields from "../contract/fields.ts";
import * as operator from "./operator-fields.ts";

/** A top-up benefit, as operators see it. */
export const topupBenefit = Type.Object({
  benefit_id: fields.benefitId,
  title: fields.title,
  amount: fields.amount,
  promo_amount: fields.promoAmount,
  status: fields.benefitStatus,
  location_id: operator.locationId,
});
