import { Type } from "typebox";
import * as fields from "../../../../contract/fields.ts";
import { writeOperation } from "../../../../contract/operation.ts";
import { findBenefitLocation, updateBenefit } from "../../../../database/catalog/benefits.ts";

export const updateTopupBenefit = writeOperation({
  path: "/sp/wallet/topup-benefits/update",
  scope: "wa.wallet.write",
  status: 200,
  summary: "Update a top-up benefit",
  description: "Changes a benefit's title, bonus amount or status. What is omitted stays.",
  message: "Top-up benefit updated.",
  input: Type.Object({
    benefit_id: fields.benefitId,
    title: Type.Optional(fields.title),
    promo_amount: Type.Optional(fields.promoAmount),
    status: Type.Optional(fields.benefitStatus),
  }),
  atLeastOneOf: ["title", "promo_amount", "status"],
  output: Type.Object({
    benefit_id: fields.benefitId,
    title: fields.title,
    promo_amount: fields.promoAmount,
    status: fields.benefitStatus,
  }),
  example: { benefit_id: 1, promo_amount: 750 },
  errors: ["benefit_not_found", "sp_location_not_allowed"],
  findLocation: ({ input: { benefit_id }, tx, caller }) =>
    findBenefitLocation(tx, caller.businessId, benefit_id),
  async write({ input: { benefit_id, ...change }, tx, caller, fail }) {
    return (await updateBenefit(tx, caller.businessId, benefit_id, change)) ?? fail("benefit_not_found");
  },
});
