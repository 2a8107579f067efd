import { fields, writeOperation } from "../../../contract/declare.ts";
import { benefits } from "../../../database/catalog.ts";
import { benefitFields, changesOf, topupBenefit } from "../../catalog-fields.ts";

export const updateTopupBenefitForOperator = writeOperation({
  path: "/op/topup-benefits/update",
  event: "topup_benefit.updated",
  summary: "Update a top-up benefit",
  description: "Changes a benefit's title, bonus amount or status. What is omitted stays.",
  message: "Top-up benefit updated.",
  input: {
    business_id: fields.businessId,
    benefit_id: fields.benefitId,
    ...changesOf(benefitFields),
  },
  atLeastOne: true,
  output: topupBenefit,
  errors: ["benefit_not_found"],
  async write({ input: { business_id: _, benefit_id, ...change }, tx, caller, audit, fail }) {
    const before = await benefits.lock(tx, caller.businessId, benefit_id);
    const after = await benefits.change(tx, caller.businessId, benefit_id, change);
    if (before === undefined || after === undefined) return fail("benefit_not_found");
    audit({ before, after });
    return after;
  },
});
