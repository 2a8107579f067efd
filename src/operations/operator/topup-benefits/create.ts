import { fields, Type } from "../../../contract/declare.ts";
import { atLocation, benefits, locationId } from "../../records.ts";

export const createTopupBenefitForOperator = benefits.create(
  {
    path: "/op/topup-benefits/create",
    role: "manager",
    event: "topup_benefit.created",
    summary: "Create a top-up benefit",
    message: "Top-up benefit created.",
    description: "Defines a bonus that members get for topping up their wallet by an amount at a location.",
    ...atLocation,
    input: {
      title: fields.title,
      amount: fields.benefitAmount,
      promo_amount: Type.Optional(fields.promoAmount),
      location_id: locationId,
      status: Type.Optional(fields.benefitStatus),
    },
  },
  { promo_amount: 0, status: "active" },
);
