/** Takes the points, the money of the wallet and the vouchers that pay an order, while its checkout runs, and gives them back if it fails. */

import type { MedusaContainer } from "@medusajs/framework/types";
import { ContainerRegistrationKeys } from "@medusajs/framework/utils";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";
import { chooseAgain, forCustomer, refused } from "./customer-errors";
import { memberOfCustomer } from "./customer-member";
import { customerOf, loyaltyCredit, minorUnits, readOrder } from "./medusa-order";
import { findRow, saveRow } from "./order-rows";
import { makeSale, store, undo } from "./settle";

/**
 * Records the sale of the order that a checkout has just made, if points or the wallet pay a part of it.
 * @returns the order, if something was taken
 * @throws MedusaError, which makes the checkout fail; nothing is taken then
 */
export async function takePayment(container: MedusaContainer, cartId: string): Promise<string | undefined> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: links } = await query.graph({
    entity: "order_cart",
    fields: ["order_id"],
    filters: { cart_id: cartId },
  });
  const orderId = links[0]?.order_id as string | undefined;
  if (orderId === undefined) return undefined;
  const order = await readOrder(container, orderId, loyalty.settings);
  const credit = order && loyaltyCredit(order);
  if (order === undefined || credit === undefined) return undefined;
  const member = await memberOfCustomer(container, customerOf(order), "checkout").catch(forCustomer);
  if (`${member}` !== credit.reference_id)
    throw refused(`The points in the cart are those of another customer. ${chooseAgain}`);
  const sale = await makeSale(loyalty, order, Number(member), loyalty.checkout).catch(forCustomer);
  if (sale === undefined) throw refused(`The order is free. ${chooseAgain}`);
  const { currency_decimals } = await loyalty.business(loyalty.checkout).catch(forCustomer);
  if (minorUnits(order.total, currency_decimals) < 0) {
    throw refused(`The points in the cart pay more than is left to pay. ${chooseAgain}`);
  }
  const { customer_id } = order;
  const next_try = new Date(Date.now() + loyalty.settings.checkoutSeconds * 1000);
  await saveRow(loyalty, orderId, { customer_id, contact_id: `${member}`, state: "taking", sale, next_try });
  try {
    await store(loyalty, orderId, {}, sale, loyalty.checkout);
    await checkWorth(loyalty, orderId, minorUnits(credit.amount, currency_decimals));
  } catch (error) {
    await giveBack(container, orderId);
    forCustomer(error);
  }
  return orderId;
}

/** The cart was priced with a quote. Since then, the value of points or the cart can have changed. */
async function checkWorth(loyalty: LoyaltyService, orderId: string, credited: number): Promise<void> {
  const row = await findRow(loyalty, orderId);
  const sale = await loyalty.checkout.sales.get({ sale_id: Number(row?.sale_id) });
  if (sale.amount - sale.amount_due === credited) return;
  throw refused(`The points in the cart have another worth now. ${chooseAgain}`);
}

/** Gives back what the checkout of an order took. If the service does not respond, a job does it later. */
export async function giveBack(container: MedusaContainer, orderId: string): Promise<void> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const row = await saveRow(loyalty, orderId, { state: "undoing", next_try: new Date() });
  try {
    await undo(loyalty, row, loyalty.checkout);
  } catch (error) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.warn(`loyalty: the points of order ${orderId} will be given back later: ${error}`);
  }
}
