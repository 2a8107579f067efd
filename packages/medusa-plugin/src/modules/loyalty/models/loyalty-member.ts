import { model } from "@medusajs/framework/utils";

/** The member that a customer of the shop is. */
export const LoyaltyMember = model.define("loyalty_member", {
  customer_id: model.text().primaryKey(),
  contact_id: model.text(),
});
