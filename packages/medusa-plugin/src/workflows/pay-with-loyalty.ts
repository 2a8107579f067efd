/** Lets points, the wallet and vouchers of its customer pay a part of a cart, or none of it. */
import {
  createStep,
  createWorkflow,
  StepResponse,
  transform,
  WorkflowResponse,
} from "@medusajs/framework/workflows-sdk";
import {
  acquireLockStep,
  createCartCreditLinesWorkflow,
  deleteCartCreditLinesWorkflow,
  refreshPaymentCollectionForCartWorkflow,
  releaseLockStep,
} from "@medusajs/medusa/core-flows";
import { type PaymentChoice, quoteCart } from "../orders/cart-payment";
import { creditReference } from "../orders/medusa-order";

export interface PayWithLoyaltyInput {
  readonly cart_id: string;
  readonly customer_id: string;
  readonly choice: PaymentChoice;
}

const quoteStep = createStep("loyalty-quote-cart", async (input: PayWithLoyaltyInput, { container }) => {
  return new StepResponse(await quoteCart(container, input.cart_id, input.customer_id, input.choice));
});

export const payWithLoyaltyWorkflow = createWorkflow("pay-with-loyalty", (input: PayWithLoyaltyInput) => {
  const lock = transform({ input }, ({ input }) => `loyalty:${input.cart_id}`);
  acquireLockStep({ key: lock, timeout: 10, ttl: 60 });
  const quoted = quoteStep(input);
  const old = transform({ quoted }, ({ quoted }) => ({ id: quoted.credits.map(({ id }) => id) }));
  deleteCartCreditLinesWorkflow.runAsStep({ input: old });
  const lines = transform({ input, quoted }, ({ input, quoted }) => {
    if (quoted.pays === 0) return [];
    return [
      {
        cart_id: input.cart_id,
        amount: quoted.pays,
        reference: creditReference,
        reference_id: `${quoted.contactId}`,
        metadata: { ...quoted.choice },
      },
    ];
  });
  createCartCreditLinesWorkflow.runAsStep({ input: lines });
  const cart = transform({ input }, ({ input }) => ({ cart_id: input.cart_id }));
  refreshPaymentCollectionForCartWorkflow.runAsStep({ input: cart });
  releaseLockStep({ key: lock });
  return new WorkflowResponse(quoted);
});
