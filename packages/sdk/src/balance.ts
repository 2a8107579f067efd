/** What a member has: no operation returns it alone, but the newest entry of an account holds its balance. */

import type { LoyaltyClient } from "./client.ts";
import type { TransactionsListItem } from "./generated/types.ts";
import type { CallOptions } from "./transport.ts";

type EventType = TransactionsListItem["event_type"];

/** Complete by its type: a kind of entry that comes to the API and is not here does not compile. */
const walletEvents: Record<Extract<EventType, `wallet_${string}`>, true> = {
  wallet_adjustment: true,
  wallet_topup: true,
  wallet_payment: true,
};
const pointsEvents: Record<Extract<EventType, `reward_points_${string}`>, true> = {
  reward_points_adjustment: true,
  reward_points_earned: true,
  reward_points_redeemed: true,
  reward_points_expired: true,
};

/**
 * What a member has in the wallet, in minor units, or in points; 0 without an entry or without a member. An
 * integration that is limited to some locations may not see the newest entry of a wallet, and gets an older balance.
 *
 * Scope: `wa.wallet.read`.
 */
export async function balanceOf(
  client: Pick<LoyaltyClient, "transactions">,
  account: "wallet" | "points",
  contactId: number,
  options?: CallOptions,
): Promise<number> {
  // Without it the list is everybody's, and the balance somebody else's.
  if (!Number.isInteger(contactId)) throw new TypeError("balanceOf needs the contact_id of a member");
  const event_types = Object.keys(account === "wallet" ? walletEvents : pointsEvents) as EventType[];
  const request = { contact_id: contactId, event_types, per_page: 1 };
  const { data } = await client.transactions.list(request, options);
  return data[0]?.balance_after ?? 0;
}
