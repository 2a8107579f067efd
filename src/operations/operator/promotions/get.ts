import { fields, readOperation } from "../../../contract/declare.ts";
import { promotions } from "../../../database/catalog.ts";
import { promotion } from "../../promotions.ts";
import { pick } from "../../records.ts";

export const getPromotion = readOperation({
  path: "/op/promotions/get",
  role: "viewer",
  summary: "Get a promotion",
  message: "Promotion found.",
  description: "Returns one promotion, also one that has ended.",
  input: { business_id: fields.businessId, promotion_id: fields.promotionId },
  output: promotion,
  errors: ["promotion_not_found"],
  async read({ services: { lookUps }, caller: { businessId }, input, reject }) {
    const found = await promotions.find(lookUps, businessId, input.promotion_id);
    return found === undefined ? reject("promotion_not_found") : pick(found, promotion);
  },
});
