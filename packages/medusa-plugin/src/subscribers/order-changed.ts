/** Settles an order after each event about it. What fails or is lost with a crash, the jobs find. */

import type { SubscriberArgs, SubscriberConfig } from "@medusajs/framework";
import { ContainerRegistrationKeys } from "@medusajs/framework/utils";
import { settleLoyaltyOrderWorkflow } from "../workflows/settle-loyalty-order";

export default async function orderChanged({
  event,
  container,
}: SubscriberArgs<{ id?: string; order_id?: string }>) {
  const { id, order_id = id } = event.data;
  const orderId = event.name.startsWith("payment.") ? await orderOfPayment(container, id) : order_id;
  if (orderId === undefined) return;
  const { errors } = await settleLoyaltyOrderWorkflow(container).run({
    input: { order_id: orderId },
    throwOnError: false,
  });
  if (errors.length === 0) return;
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  logger.warn(
    `loyalty: order ${orderId} is tried again later, or put aside: ${errors[0]?.error?.message ?? ""}`,
  );
}

/** Events about payments have only the id of the payment. */
async function orderOfPayment(container: SubscriberArgs["container"], paymentId: string | undefined) {
  if (paymentId === undefined) return undefined;
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: "payment",
    fields: ["payment_collection.order.id"],
    filters: { id: paymentId },
  });
  return data[0]?.payment_collection?.order?.id;
}

export const config: SubscriberConfig = {
  event: [
    ...[
      "order.placed",
      "order.canceled",
      "order.return_received",
      "order.claim_created",
      "order.exchange_created",
    ],
    ...["payment.captured", "payment.refunded"],
  ],
};
