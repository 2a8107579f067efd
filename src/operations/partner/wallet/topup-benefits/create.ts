import { fields, Type, writeOperation } from "../../../../contract/declare.ts";
import { benefits } from "../../../../database/catalog.ts";
import { partnerBenefit } from "../../../catalog-fields.ts";

export const createTopupBenefit = writeOperation({
  path: "/sp/wallet/topup-benefits/create",
  scope: "wa.wallet.write",
  status: 201,
  summary: "Create a top-up benefit",
  description: "Defines a bonus that members get for topping up their wallet by an amount at a location.",
  message: "Top-up benefit created.",
  input: {
    title: fields.title,
    amount: fields.amount,
    promo_amount: Type.Optional(fields.promoAmount),
    location_id: fields.locationId,
    status: Type.Optional(fields.benefitStatus),
  },
  output: partnerBenefit,
  example: { title: "Top up 50, get 5", amount: 5000, promo_amount: 500, location_id: 1, status: "active" },
  async write({ input, tx, caller }) {
    const benefit = { promo_amount: 0, status: "active", ...input } as const;
    const { location_id: _, ...made } = await benefits.insert(tx, caller.businessId, benefit);
    return made;
  },
});
