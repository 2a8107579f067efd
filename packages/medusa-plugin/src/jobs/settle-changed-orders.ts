import type { MedusaContainer } from "@medusajs/framework/types";
import { settleChangedOrders } from "../orders/sweep";

export default async function settleChangedOrdersJob(container: MedusaContainer) {
  await settleChangedOrders(container);
}

export const config = { name: "loyalty-settle-changed-orders", schedule: "*/10 * * * *" };
