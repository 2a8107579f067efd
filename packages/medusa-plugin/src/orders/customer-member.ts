/** The member that a customer of the shop is. */
import type { MedusaContainer } from "@medusajs/framework/types";
import type { LoyaltyClient } from "loyalty-sdk";
import { memberOf, type NoMember, type ShopCustomer } from "loyalty-sdk/shops";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";

export const noMemberTexts: Readonly<Record<NoMember, string>> = {
  not_found: "No member has the e-mail address of the customer.",
  phone_number_needed: "The customer has no phone number with its country code, which a member needs.",
  taken_by_another: "Another member has the phone number or the e-mail address of the customer.",
};

export interface MedusaCustomer extends ShopCustomer {
  /** The number in an address. Anybody can type any number there, so it finds nobody: it is only for a new member. */
  readonly addressPhone?: string | null | undefined;
}

/** Finds or creates the member of a customer, and remembers it. */
export async function memberOfCustomer(
  container: MedusaContainer,
  customer: MedusaCustomer,
  patience: "job" | "checkout" = "job",
): Promise<number | NoMember> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const client: LoyaltyClient = patience === "job" ? loyalty.client : loyalty.checkout;
  const [known] = customer.id === "" ? [] : await loyalty.listLoyaltyMembers({ customer_id: customer.id });
  if (known !== undefined) return Number(known.contact_id);
  const { shop, createMembers: create } = loyalty.settings;
  const match = loyalty.settings.match.filter((field) => field === "email" || customer.phone);
  const phone = customer.phone || customer.addressPhone;
  const found = await memberOf(client, { ...customer, phone }, { shop, match, create });
  if (typeof found === "number" && customer.id !== "") await remember(loyalty, customer.id, found);
  return found;
}

/** Stores which member a customer is, also another one than before. */
export async function remember(
  loyalty: LoyaltyService,
  customer_id: string,
  contactId: number,
): Promise<void> {
  const row = { customer_id, contact_id: `${contactId}` };
  const [known] = await loyalty.listLoyaltyMembers({ customer_id });
  if (known !== undefined) {
    await loyalty.updateLoyaltyMembers(row);
    return;
  }
  try {
    await loyalty.createLoyaltyMembers(row);
  } catch (error) {
    // Another request of the same customer was first.
    if ((await loyalty.listLoyaltyMembers({ customer_id })).length === 0) throw error;
  }
}
