/** Brings the ledger to what an order is. It can run at any time and any number of times. */
import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from "@medusajs/framework/workflows-sdk";
import { settleOrder } from "../orders/settle";

const settleStep = createStep(
  "settle-loyalty-order-step",
  async ({ order_id }: { order_id: string }, { container }) => {
    return new StepResponse(await settleOrder(container, order_id));
  },
);

export const settleLoyaltyOrderWorkflow = createWorkflow(
  "settle-loyalty-order",
  (input: { order_id: string }) => {
    return new WorkflowResponse(settleStep(input));
  },
);
