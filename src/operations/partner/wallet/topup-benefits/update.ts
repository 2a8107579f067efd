import { fields, Type, writeOperation } from "../../../../contract/declare.ts";
import { benefits } from "../../../../database/catalog.ts";
import { benefitFields, changesOf } from "../../../catalog-fields.ts";

export const updateTopupBenefit = writeOperation({
  path: "/sp/wallet/topup-benefits/update",
  scope: "wa.wallet.write",
  summary: "Update a top-up benefit",
  description: "Changes a benefit's title, bonus amount or status. What is omitted stays.",
  message: "Top-up benefit updated.",
  input: {
    benefit_id: fields.benefitId,
    ...changesOf(benefitFields),
  },
  atLeastOne: true,
  output: Type.Object({ benefit_id: fields.benefitId, ...benefitFields }),
  example: { benefit_id: 1, promo_amount: 750 },
  errors: ["benefit_not_found", "sp_location_not_allowed"],
  findLocation: ({ input: { benefit_id }, tx, caller }) => benefits.find(tx, caller.businessId, benefit_id),
  async write({ input: { benefit_id, ...change }, tx, caller, fail }) {
    const changed = await benefits.change(tx, caller.businessId, benefit_id, change);
    if (changed === undefined) return fail("benefit_not_found");
    const { title, promo_amount, status } = changed;
    return { benefit_id, title, promo_amount, status };
  },
});
