/** What points, the wallet and vouchers can pay of a cart, and the choice of its customer. */

import type { MedusaContainer } from "@medusajs/framework/types";
import { ContainerRegistrationKeys, MedusaError } from "@medusajs/framework/utils";
import { ApiError, type SalesQuoteData } from "loyalty-sdk";
import { majorUnits, quoteOf, type ShopOrder } from "loyalty-sdk/shops";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";
import { forCustomer, refused } from "./customer-errors";
import { memberOfCustomer, noMemberTexts, remember } from "./customer-member";
import {
  type CreditLine,
  categoryFields,
  creditReference,
  minorUnits,
  type Priced,
  pricedFields,
  shopOrderOf,
  sumOf,
} from "./medusa-order";

export interface PaymentChoice {
  readonly points: number;
  /** In minor units. */
  readonly wallet: number;
  /** By held_voucher_id. */
  readonly vouchers: readonly number[];
}

interface Cart extends Priced {
  readonly completed_at: string | Date | null;
}

/** Reads a cart of a customer. @throws MedusaError as for a cart that does not exist, if it is another customer's */
async function readCart(container: MedusaContainer, id: string, customerId: string): Promise<Cart> {
  const { settings }: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const fields = [...pricedFields, "completed_at", ...categoryFields(settings.categoryFrom)];
  const { data } = await query.graph({ entity: "cart", fields, filters: { id } });
  const cart = data[0] as unknown as Cart | undefined;
  if (cart === undefined || cart.customer_id !== customerId) {
    throw new MedusaError(MedusaError.Types.NOT_FOUND, `Cart with id: ${id} was not found`);
  }
  if (cart.completed_at) throw refused("The cart is an order already.");
  return cart;
}

/** Finds or creates the member of a customer of the shop. @throws MedusaError that says why there is none */
export async function memberOfAccount(container: MedusaContainer, customerId: string): Promise<number> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const fields = ["id", "email", "phone", "first_name", "last_name", "addresses.phone"];
  const { data } = await query.graph({ entity: "customer", fields, filters: { id: customerId } });
  const customer = data[0];
  if (customer === undefined)
    throw new MedusaError(MedusaError.Types.NOT_FOUND, "There is no such customer.");
  const { id, email, phone, first_name: firstName, last_name: lastName } = customer;
  const addressPhone = customer.addresses
    ?.map((one: { phone?: string | null } | null) => one?.phone)
    .find(Boolean);
  const member = await memberOfCustomer(
    container,
    { id, email, phone, addressPhone, firstName, lastName },
    "checkout",
  ).catch(forCustomer);
  if (typeof member === "number") return member;
  throw refused(noMemberTexts[member], member);
}

export interface CartQuote {
  readonly quote: SalesQuoteData;
  readonly choice: PaymentChoice;
  /** What the choice pays, in major units. */
  readonly pays: number;
  readonly contactId: number;
  readonly credits: readonly CreditLine[];
}

/**
 * Quotes a cart with a choice; by default with that which it has.
 * @throws MedusaError
 */
export async function quoteCart(
  container: MedusaContainer,
  cartId: string,
  customerId: string,
  wanted?: PaymentChoice,
): Promise<CartQuote> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const cart = await readCart(container, cartId, customerId);
  const contactId = await memberOfAccount(container, customerId);
  const { currency, currency_decimals: decimals } = await loyalty
    .business(loyalty.checkout)
    .catch(forCustomer);
  if (cart.currency_code.toUpperCase() !== currency) {
    throw refused(`Points can pay in ${currency} only.`);
  }
  const order = shopOrderOf(cart, loyalty.settings, decimals);
  if (order.amount === 0) throw refused("The cart is empty or free.");
  const credits = cart.credit_lines.filter(({ reference }) => reference === creditReference);
  const { usePoints: points = 0, useWallet: wallet = 0, useVouchers: vouchers = [] } = order;
  const choice = wanted ?? { points, wallet, vouchers };
  const chosen = {
    ...order,
    usePoints: choice.points,
    useWallet: choice.wallet,
    useVouchers: choice.vouchers,
  };
  const { quote, member } = await quoteOrder(loyalty, chosen, contactId);
  if (member !== contactId) await remember(loyalty, customerId, member);
  const paid = quote.amount - quote.amount_due;
  const due = minorUnits(Number(cart.total) + sumOf(credits), decimals);
  if (wanted !== undefined && paid > Math.max(0, due)) {
    const most = `${majorUnits(Math.max(0, due), decimals)} ${currency}`;
    throw refused(
      `Other credits pay a part of the cart. Points, the wallet and vouchers can pay at most ${most}.`,
    );
  }
  const pays = majorUnits(paid, decimals);
  return { quote, choice, pays, contactId: member, credits };
}

/** Quotes an order for a member, or for the one into which it was merged. */
async function quoteOrder(loyalty: LoyaltyService, order: ShopOrder, member: number) {
  const settings = await loyalty.shopSettings(loyalty.checkout);
  const quote = (contact: number) => loyalty.checkout.sales.quote(quoteOf(order, contact, settings));
  try {
    return { quote: await quote(member), member };
  } catch (error) {
    const isInactive = error instanceof ApiError && error.is("member_inactive");
    const into = isInactive ? error.details.merged_into : undefined;
    if (into === undefined) return forCustomer(error);
    return { quote: await quote(into).catch(forCustomer), member: into };
  }
}
