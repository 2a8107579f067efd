import { forOperators } from "../../for-operators.ts";
import { getSale } from "../../partner/sales/get.ts";

export const getSaleForOperator = forOperators(getSale, {
  path: "/op/sales/get",
  role: "viewer",
  summary: "Get a sale",
  description:
    "Returns one sale with its refunds, why it earned its points, and the effect that a refund of the rest would have now.",
});
