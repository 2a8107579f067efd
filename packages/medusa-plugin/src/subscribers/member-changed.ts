/** Keeps the members of customers right, if the shop receives webhooks: after a merge it is another one, and after an erasure none. */
import type { SubscriberArgs, SubscriberConfig } from "@medusajs/framework";
import type { LoyaltyEvent } from "loyalty-sdk";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";

export default async function memberChanged({ event, container }: SubscriberArgs<LoyaltyEvent>) {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  if (event.data.type === "member.merged") {
    const { from_contact_id, contact_id } = event.data.data;
    await loyalty.updateLoyaltyMembers({
      selector: { contact_id: `${from_contact_id}` },
      data: { contact_id: `${contact_id}` },
    });
  }
  if (event.data.type === "member.erased") {
    const { contact_id, merged_contact_ids } = event.data.data;
    const contacts = [contact_id, ...merged_contact_ids].map(String);
    const members = await loyalty.listLoyaltyMembers({ contact_id: contacts });
    await loyalty.deleteLoyaltyMembers(members.map(({ customer_id }) => customer_id));
  }
}

export const config: SubscriberConfig = { event: ["loyalty.member.merged", "loyalty.member.erased"] };
