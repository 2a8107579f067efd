import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { lockBenefit, updateBenefit } from "../../../database/catalog/benefits.ts";
import { topupBenefit } from "../../topup-benefit.ts";

export const updateTopupBenefitForOperator = writeOperation({
  path: "/op/topup-benefits/update",
  scope: "operator",
  event: "topup_benefit.updated",
  status: 200,
  summary: "Update a top-up benefit",
  description: "Changes a benefit's title, bonus amount or status. What is omitted stays.",
  message: "Top-up benefit updated.",
  input: Type.Object({
    business_id: fields.businessId,
    benefit_id: fields.benefitId,
    title: Type.Optional(fields.title),
    promo_amount: Type.Optional(fields.promoAmount),
    status: Type.Optional(fields.benefitStatus),
  }),
  atLeastOneOf: ["title", "promo_amount", "status"],
  output: topupBenefit,
  errors: ["benefit_not_found"],
  async write({ input: { business_id: _, benefit_id, ...change }, tx, caller, audit, fail }) {
    const before = await lockBenefit(tx, caller.businessId, benefit_id);
    if (before === undefined) return fail("benefit_not_found");
    const after = { ...before, ...(await updateBenefit(tx, caller.businessId, benefit_id, change)) };
    audit({ before, after });
    return after;
  },
});
