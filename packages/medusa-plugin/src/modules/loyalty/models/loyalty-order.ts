import { model } from "@medusajs/framework/utils";

/**
 * What the ledger knows of an order. It is the queue of the plugin, too: what is not settled has a `next_try`, so nothing is lost if the
 * shop or the service stops.
 */
export const LoyaltyOrder = model
  .define("loyalty_order", {
    order_id: model.text().primaryKey(),
    customer_id: model.text().nullable(),
    /** The member. A contact_id can be larger than an integer of the database. */
    contact_id: model.text().nullable(),
    /**
     * waiting: it is not paid yet, or could not be sent. taking: the checkout takes points or money of the wallet. recorded: it is a sale.
     * undoing: the checkout failed, and what it took must be given back. undone: it was. aside: the service rejects it, so a person must
     * look. none: it is nothing for the ledger.
     */
    state: model.enum(["waiting", "taking", "recorded", "undoing", "undone", "aside", "none"]),
    sale_id: model.text().nullable(),
    /** The request of the sale and the place of each line, as they were sent. */
    sale: model.json().nullable(),
    /** Why it is put aside, or nothing for the ledger. */
    problem: model.text().nullable(),
    attempts: model.number().default(0),
    next_try: model.dateTime().nullable(),
    /** When the shop was last read to settle it. What came back since is not refunded yet. */
    settled_at: model.dateTime().nullable(),
  })
  .indexes([{ on: ["next_try"], where: "next_try IS NOT NULL" }]);
