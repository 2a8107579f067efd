import type { AuthenticatedMedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { LOYALTY_MODULE } from "../../../../../modules/loyalty/options";
import type { LoyaltyService } from "../../../../../modules/loyalty/service";
import { memberOfAccount } from "../../../../../orders/cart-payment";
import { forCustomer } from "../../../../../orders/customer-errors";

/** What the signed-in customer has: points, wallet, tier, vouchers and stamp cards. */
export async function GET(request: AuthenticatedMedusaRequest, response: MedusaResponse) {
  const { checkout: client }: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const contact_id = await memberOfAccount(request.scope, request.auth_context.actor_id);
  const [balances, { tier, next_tier, keep_tier }, vouchers, cards] = await Promise.all([
    client.members.balances({ contact_id }),
    client.members.get({ contact_id }),
    client.vouchers.list({ contact_id }),
    client.stampCards.list({ contact_id }),
  ]).catch(forCustomer);
  response.json({
    loyalty: { balances, tier, next_tier, keep_tier, vouchers: vouchers.data, stamp_cards: cards.data },
  });
}
