import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { LOYALTY_MODULE } from "../../../../../modules/loyalty/options";
import type { LoyaltyService } from "../../../../../modules/loyalty/service";

/** The member of a customer with its balances; null if the customer is none yet. It creates none. */
export async function GET(request: MedusaRequest, response: MedusaResponse) {
  const loyalty: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const [row] = await loyalty.listLoyaltyMembers({ customer_id: request.params.id });
  if (row === undefined) {
    response.json({ member: null });
    return;
  }
  const contact_id = Number(row.contact_id);
  const [balances, { tier }, { currency, currency_decimals }] = await Promise.all([
    loyalty.checkout.members.balances({ contact_id }),
    loyalty.checkout.members.get({ contact_id }),
    loyalty.business(loyalty.checkout),
  ]);
  const console = await loyalty.consoleLink("members", contact_id);
  response.json({ member: { contact_id, balances, tier, currency, currency_decimals, console } });
}
