import type { MedusaContainer } from "@medusajs/framework/types";
import { settleDueOrders } from "../orders/sweep";

export default async function settleDueOrdersJob(container: MedusaContainer) {
  await settleDueOrders(container);
}

export const config = { name: "loyalty-settle-due-orders", schedule: "* * * * *" };
