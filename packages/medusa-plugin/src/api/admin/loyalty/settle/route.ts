import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { LOYALTY_MODULE } from "../../../../modules/loyalty/options";
import type { LoyaltyService } from "../../../../modules/loyalty/service";
import { settleChangedOrders, settleDueOrders } from "../../../../orders/sweep";

/** Does now what the jobs do every minute and every ten minutes, such as after an outage. Returns how many orders are in each state. */
export async function POST(request: MedusaRequest, response: MedusaResponse) {
  await settleChangedOrders(request.scope);
  await settleDueOrders(request.scope);
  const loyalty: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const states = ["waiting", "taking", "recorded", "undoing", "undone", "aside", "none"] as const;
  const counts = states.map(async (state) => {
    const [, count] = await loyalty.listAndCountLoyaltyOrders({ state }, { take: 1 });
    return [state, count] as const;
  });
  response.json({ orders: Object.fromEntries(await Promise.all(counts)) });
}
