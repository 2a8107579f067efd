import { fields, Type } from "../../../../contract/declare.ts";
import * as tables from "../../../../database/catalog.ts";
import { benefitFields, benefits, changesOf } from "../../../records.ts";

export const updateTopupBenefit = benefits.update({
  path: "/sp/wallet/topup-benefits/update",
  scope: "wa.wallet.write",
  summary: "Update a top-up benefit",
  message: "Top-up benefit updated.",
  description: "Changes a benefit's title, bonus amount or status. Fields that you omit don't change.",
  input: changesOf(benefitFields),
  output: Type.Object({ benefit_id: fields.benefitId, ...benefitFields }),
  errors: ["sp_location_not_allowed"],
  findLocation: ({ input, tx, caller }) =>
    tables.benefits.find(tx, caller.businessId, input.benefit_id as number),
});
