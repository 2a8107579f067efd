/** An order of a shop, and the sale that it is. Amounts are whole numbers in minor units, taxes included. */
import type { SalesQuoteRequest, SalesRecordRequest } from "../generated/types.ts";

/** A line of an order. */
export interface ShopLine {
  /** The shop's name of the line, unique in the order. */
  readonly id: string;
  readonly sku?: string | undefined;
  readonly category?: string | undefined;
  readonly quantity: number;
  /** The amount of the whole quantity. What the lines are more or less than the order is divided among them. */
  readonly amount: number;
}

/** An order, as a sale needs it. */
export interface ShopOrder {
  /** The shop's name of the order, unique for ever. */
  readonly id: string;
  readonly placedAt: Date;
  /**
   * All that the customer pays, also with points and the wallet: goods, shipping and fees after discounts. Gift cards of the shop are
   * a payment, too, and lower it by nothing.
   */
  readonly amount: number;
  /** Goods, shipping and fees, in an order that stays the same. */
  readonly lines: readonly ShopLine[];
  /** The points that the customer chose to pay with. */
  readonly usePoints?: number | undefined;
  /** The part that the wallet pays, in minor units. */
  readonly useWallet?: number | undefined;
  /** The vouchers that the customer chose to pay with, by held_voucher_id. */
  readonly useVouchers?: readonly number[] | undefined;
}

/** What a shop tells of itself once. */
export interface ShopSettings {
  /** The shop's name in keys and references, for an integration that serves several shops. It never changes. */
  readonly shop: string;
  /** The location of the shop. */
  readonly locationId: number;
  /** The time zone of the business, from `client.business.get()`. */
  readonly timeZone: string;
}

/** The sale of an order, and where each of the shop's lines is in it. */
export interface ShopSale {
  readonly body: SalesRecordRequest & { readonly idempotency_key: string; readonly reference_id: string };
  /** The number of the line of the sale, by the shop's name of the line. Undefined: the sale has no line of its own for it. */
  readonly lineNos: ReadonlyMap<string, number>;
}

/** The most lines that a sale can have. */
const mostLines = 200;
const longestWord = 64;
const mostUnits = 1_000_000;

type SaleLine = NonNullable<SalesRecordRequest["lines"]>[number];

/** The name of an order in the ledger. It is the key and the reference of its sale, and the beginning of the keys of its refunds. */
export const orderKey = ({ shop }: Pick<ShopSettings, "shop">, orderId: string): string =>
  `shop/${encodeURIComponent(shop)}/order/${encodeURIComponent(orderId)}`;

/**
 * Makes the request that records an order. The same order makes the same request, so a retry is recorded once.
 * @throws RangeError if an amount or quantity is not a whole number, or the order is free: then there is nothing to record
 */
export function saleOf(order: ShopOrder, contactId: number, settings: ShopSettings): ShopSale {
  const { amount, lines } = order;
  whole("amount", amount, 1);
  for (const line of lines) {
    whole(`the amount of line ${line.id}`, line.amount, 0);
    whole(`the quantity of line ${line.id}`, line.quantity, 1);
  }
  const key = orderKey(settings, order.id);
  const payment = {
    ...(order.usePoints ? { use_points: order.usePoints } : {}),
    ...(order.useWallet ? { use_wallet: order.useWallet } : {}),
    ...(order.useVouchers?.length ? { use_vouchers: order.useVouchers } : {}),
  };
  const { sold_on, sold_at } = localTime(order.placedAt, settings.timeZone);
  const exact = divided(lines, amount);
  const made = exact.length > mostLines ? joined(exact) : exact.map(saleLine);
  return {
    body: {
      idempotency_key: key,
      reference_id: key,
      contact_id: contactId,
      location_id: settings.locationId,
      amount,
      ...payment,
      sold_on,
      sold_at,
      ...(made.length > 0 && made.length <= mostLines ? { lines: made } : {}),
    },
    lineNos: new Map(exact.length > mostLines ? [] : exact.map(({ id }, index) => [id, index + 1] as const)),
  };
}

/** Makes the request that quotes an order, such as a cart. It has no time: a quote is for now. */
export function quoteOf(order: ShopOrder, contactId: number, settings: ShopSettings): SalesQuoteRequest {
  const { idempotency_key, reference_id, sold_on, sold_at, ...quote } = saleOf(
    order,
    contactId,
    settings,
  ).body;
  return quote;
}

function whole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`${name} must be a whole number, at least ${least}; got ${value}`);
}

/**
 * Lines whose amounts add up to the amount of the order. A discount of the order, a fee that is no line or a cent of rounding is divided
 * in proportion: each line gets what is due for all lines up to it, less what those before it got.
 */
function divided(lines: readonly ShopLine[], amount: number): ShopLine[] {
  const all = lines.reduce((sum, line) => sum + line.amount, 0);
  if (all === amount) return [...lines];
  if (all === 0) return [];
  let [through, given] = [0, 0];
  return lines.map((line) => {
    through += line.amount;
    const own = Number((BigInt(amount) * BigInt(through)) / BigInt(all)) - given;
    given += own;
    return { ...line, amount: own };
  });
}

/** Words are names of goods, and not worth the loss of a sale: what is too long is cut. */
const word = (text = "") =>
  [...text.replaceAll(/\p{C}/gu, "").trim()].slice(0, longestWord).join("").trim() || undefined;

function saleLine({ sku, category, quantity, amount }: ShopLine): SaleLine {
  const [article, group] = [word(sku), word(category)];
  return {
    ...(article === undefined ? {} : { sku: article }),
    ...(group === undefined ? {} : { category: group }),
    quantity: Math.min(quantity, mostUnits),
    amount,
  };
}

/** Joins the lines of each category, for an order with more lines than a sale can have. */
function joined(lines: readonly ShopLine[]): SaleLine[] {
  const byCategory = new Map<string, ShopLine>();
  for (const { id, category = "", quantity, amount } of lines) {
    const known = byCategory.get(category) ?? { id, category, quantity: 0, amount: 0 };
    const sum = { quantity: known.quantity + quantity, amount: known.amount + amount };
    byCategory.set(category, { ...known, ...sum });
  }
  return [...byCategory.values()].map(saleLine);
}

/** The day and the time of a moment in a time zone. */
function localTime(moment: Date, timeZone: string): { readonly sold_on: string; readonly sold_at: string } {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(moment);
  const [sold_on = "", sold_at = ""] = text.split(" ");
  return { sold_on, sold_at };
}
