import { fields, Type } from "../../../../contract/declare.ts";
import { benefits, partnerBenefit } from "../../../records.ts";

export const createTopupBenefit = benefits.create(
  {
    path: "/sp/wallet/topup-benefits/create",
    scope: "wa.wallet.write",
    summary: "Create a top-up benefit",
    message: "Top-up benefit created.",
    description: "Defines a bonus that members get for topping up their wallet by an amount at a location.",
    input: {
      title: fields.title,
      amount: fields.benefitAmount,
      promo_amount: Type.Optional(fields.promoAmount),
      location_id: fields.locationId,
      status: Type.Optional(fields.benefitStatus),
    },
    output: partnerBenefit,
  },
  { promo_amount: 0, status: "active" },
);
