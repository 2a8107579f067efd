import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { benefits, findMissingLocations } from "../../../database/catalog.ts";
import { topupBenefit } from "../../catalog-fields.ts";
import * as operator from "../../operator-fields.ts";

export const createTopupBenefitForOperator = writeOperation({
  path: "/op/topup-benefits/create",
  event: "topup_benefit.created",
  status: 201,
  summary: "Create a top-up benefit",
  description: "Defines a bonus that members get for topping up their wallet by an amount at a location.",
  message: "Top-up benefit created.",
  input: {
    business_id: fields.businessId,
    title: fields.title,
    amount: fields.amount,
    promo_amount: Type.Optional(fields.promoAmount),
    location_id: operator.locationId,
    status: Type.Optional(fields.benefitStatus),
  },
  output: topupBenefit,
  errors: ["location_not_found"],
  async write({ input, tx, caller, audit, fail }) {
    const { title, amount, promo_amount = 0, location_id, status = "active" } = input;
    const missing = await findMissingLocations(tx, caller.businessId, [location_id]);
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    const benefit = { title, amount, promo_amount, status, location_id };
    const made = await benefits.insert(tx, caller.businessId, benefit);
    audit({ before: null, after: made });
    return made;
  },
});
