/**
 * Points and the wallet pay before the payment is authorized. A failure of the payment is compensated here, while a failure of the points
 * would have to cancel a payment.
 */
import { StepResponse } from "@medusajs/framework/workflows-sdk";
import { completeCartWorkflow } from "@medusajs/medusa/core-flows";
import { giveBack, takePayment } from "../../orders/checkout";

/** Medusa has this hook, and does not say so in the type of the workflow. */
const { beforePaymentAuthorization } = completeCartWorkflow.hooks as unknown as {
  beforePaymentAuthorization: (typeof completeCartWorkflow)["hooks"]["validate"];
};

beforePaymentAuthorization(
  async ({ input }, { container }) => new StepResponse(undefined, await takePayment(container, input.id)),
  async (orderId, { container }) => {
    if (typeof orderId === "string") await giveBack(container, orderId);
  },
);
