import { Type } from "../../../../contract/declare.ts";
import { benefits, locationId, partnerBenefit, unlessInactiveAreIncluded } from "../../../records.ts";

export const listTopupBenefitsForPartner = benefits.list({
  path: "/sp/wallet/topup-benefits/list",
  scope: "wa.wallet.read",
  summary: "List top-up benefits",
  message: "Top-up benefits listed.",
  description:
    "Lists the top-up benefits that are offered at the locations that the integration may use, newest first.",
  unless: unlessInactiveAreIncluded,
  output: Type.Object({ ...partnerBenefit.properties, location_id: locationId }),
});
