/** An order of Medusa as the client of the service takes it: in minor units, with what has come back. */

import type { MedusaContainer } from "@medusajs/framework/types";
import { ContainerRegistrationKeys } from "@medusajs/framework/utils";
import {
  type ShopLine,
  type ShopOrder,
  type ShopReturns,
  minorUnits as toMinorUnits,
} from "loyalty-sdk/shops";
import type { LoyaltySettings } from "../modules/loyalty/options";
import type { MedusaCustomer } from "./customer-member";
import type { SentSale } from "./order-rows";

/** The reference of the credit line of a cart by which points, the wallet and vouchers pay. Its metadata has the parts. */
export const creditReference = "loyalty";

/** Medusa has amounts in major units, as numbers or as objects with a value. */
type Amount = number | { valueOf(): unknown };

export interface CreditLine {
  readonly id: string;
  readonly reference: string | null;
  readonly reference_id: string | null;
  readonly amount: Amount;
  readonly metadata: {
    readonly points?: number;
    readonly wallet?: number;
    readonly vouchers?: readonly number[];
  } | null;
}

interface Item {
  readonly id: string;
  readonly title: string;
  readonly quantity: Amount;
  readonly total: Amount;
  readonly variant_sku: string | null;
  readonly product_type: string | null;
  readonly product_collection: string | null;
  readonly product?: { readonly categories?: readonly { readonly name: string }[] } | null;
  readonly detail?: {
    readonly return_received_quantity: Amount;
    readonly return_dismissed_quantity: Amount;
  } | null;
}

/** What a cart and an order have in common. */
export interface Priced {
  readonly id: string;
  readonly currency_code: string;
  /** What is left to pay with money, after all credit lines. */
  readonly total: Amount;
  readonly customer_id: string | null;
  readonly items: readonly Item[];
  readonly shipping_methods: readonly { readonly id: string; readonly total: Amount }[];
  readonly credit_lines: readonly CreditLine[];
}

export interface MedusaOrder extends Priced {
  readonly status: string;
  readonly is_draft_order: boolean;
  readonly email: string | null;
  readonly created_at: string | Date;
  readonly customer: {
    readonly id: string;
    readonly has_account: boolean;
    readonly email: string | null;
    readonly phone: string | null;
    readonly first_name: string | null;
    readonly last_name: string | null;
  } | null;
  readonly billing_address: Address | null;
  readonly shipping_address: Address | null;
  readonly payment_collections: readonly {
    readonly captured_amount: Amount | null;
    readonly refunded_amount: Amount | null;
  }[];
}

interface Address {
  readonly phone: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

export const pricedFields = [
  "id",
  "total", // Without it, Medusa computes no totals of lines, either.
  "currency_code",
  "customer_id",
  "items.*",
  "items.total",
  "shipping_methods.*",
  "shipping_methods.total",
  "credit_lines.*",
];

const orderFields = [
  ...pricedFields,
  ...["status", "is_draft_order", "email", "created_at", "items.detail.*", "customer.*"],
  ...["billing_address.*", "shipping_address.*"],
  ...["payment_collections.captured_amount", "payment_collections.refunded_amount"],
];

/** Reads an order; undefined if there is none, such as after a checkout that failed. */
export async function readOrder(
  container: MedusaContainer,
  id: string,
  { categoryFrom }: LoyaltySettings,
): Promise<MedusaOrder | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const fields = [...orderFields, ...categoryFields(categoryFrom)];
  const { data } = await query.graph({ entity: "order", fields, filters: { id } });
  return data[0] as unknown as MedusaOrder | undefined;
}

export const categoryFields = (from: LoyaltySettings["categoryFrom"]): string[] =>
  from === "category" ? ["items.product.categories.name"] : [];

/** An amount of Medusa in minor units. */
export const minorUnits = (amount: Amount | null | undefined, decimals: number): number =>
  toMinorUnits(Number(amount ?? 0), decimals);

/** The sum of credit lines, in major units. */
export const sumOf = (credits: readonly CreditLine[]): number =>
  credits.reduce((sum, { amount }) => sum + Number(amount), 0);

export const loyaltyCredit = ({ credit_lines }: Priced): CreditLine | undefined =>
  credit_lines.find(({ reference }) => reference === creditReference);

function categoryOf(item: Item, from: LoyaltySettings["categoryFrom"]): string | undefined {
  const words = {
    type: item.product_type,
    collection: item.product_collection,
    category: item.product?.categories?.[0]?.name,
  };
  return words[from] ?? undefined;
}

/** Units that are no whole number, such as 0.5 kg, count as one. */
const wholeUnits = (quantity: Amount): number => {
  const units = Number(quantity);
  return Number.isInteger(units) && units >= 1 ? units : 1;
};

/** The goods and the shipping of a cart or an order. */
export function pricedLines(priced: Priced, settings: LoyaltySettings, decimals: number): ShopLine[] {
  const items = [...priced.items].sort((one, other) => (one.id < other.id ? -1 : 1));
  const goods = items.map((item) => ({
    id: item.id,
    sku: item.variant_sku ?? undefined,
    category: categoryOf(item, settings.categoryFrom),
    quantity: wholeUnits(item.quantity),
    amount: Math.max(0, minorUnits(item.total, decimals)),
  }));
  const shipping = minorUnits(
    priced.shipping_methods.reduce((sum, { total }) => sum + Number(total), 0),
    decimals,
  );
  if (shipping <= 0) return goods;
  const category = settings.shippingCategory;
  return [...goods, { id: "shipping", sku: undefined, category, quantity: 1, amount: shipping }];
}

/** A cart or an order with what the customer chose to pay with. Gift cards of the shop pay a part of it, and lower it by nothing. */
export function shopOrderOf(
  priced: Priced & { readonly created_at?: string | Date },
  settings: LoyaltySettings,
  decimals: number,
): ShopOrder {
  const lines = pricedLines(priced, settings, decimals);
  const { points, wallet, vouchers } = loyaltyCredit(priced)?.metadata ?? {};
  return {
    id: priced.id,
    placedAt: new Date(priced.created_at ?? Date.now()),
    // Not the sum of the lines: Medusa rounds the total only, and each line here is rounded.
    amount: minorUnits(Number(priced.total) + sumOf(priced.credit_lines), decimals),
    lines,
    ...{ usePoints: points, useWallet: wallet, useVouchers: vouchers },
  };
}

/** The customer of an order, with what its addresses have. */
export function customerOf({
  customer,
  email,
  billing_address,
  shipping_address,
}: MedusaOrder): MedusaCustomer {
  const addresses = [billing_address, shipping_address];
  const first = (name: keyof Address) => addresses.map((one) => one?.[name]).find(Boolean);
  return {
    id: customer?.id ?? "",
    email: customer?.email ?? email,
    phone: customer?.phone,
    addressPhone: first("phone"),
    firstName: customer?.first_name || first("first_name"),
    lastName: customer?.last_name || first("last_name"),
  };
}

export const isPaid = (order: MedusaOrder): boolean =>
  Number(order.total) <= 0 ||
  order.payment_collections.some(({ captured_amount }) => Number(captured_amount) > 0);

const sumOfPayments = (
  { payment_collections }: MedusaOrder,
  name: "captured_amount" | "refunded_amount",
  decimals: number,
): number =>
  minorUnits(
    payment_collections.reduce((sum, one) => sum + Number(one[name] ?? 0), 0),
    decimals,
  );

/** The money that an order costs, in minor units. Medusa lowers its total by what it pays back. */
export const dueOf = (order: MedusaOrder, decimals: number): number =>
  minorUnits(order.total, decimals) + sumOfPayments(order, "refunded_amount", decimals);

/**
 * All that has come back of an order so far. What was paid after the sale, such as for an article that was added, is no part of it: money
 * goes back first for that.
 */
export function returnsOf(order: MedusaOrder, { lines, due }: SentSale, decimals: number): ShopReturns {
  const back = new Map(
    order.items.map(({ id, detail }) => {
      return [
        id,
        Number(detail?.return_received_quantity ?? 0) + Number(detail?.return_dismissed_quantity ?? 0),
      ];
    }),
  );
  const paidLater = Math.max(0, sumOfPayments(order, "captured_amount", decimals) - due);
  return {
    cancelled: order.status === "canceled",
    money: Math.max(0, sumOfPayments(order, "refunded_amount", decimals) - paidLater),
    lines: lines.map(({ id, lineNo, quantity, amount }) => {
      const returned = Math.min(quantity, Math.ceil(back.get(id) ?? 0));
      return { lineNo, quantity, amount, returned };
    }),
  };
}
