/** Reads what a sale and its refunds need from an order of Vendure. Pure functions over loaded entities. */
import type { Order, OrderLine, ShippingLine } from "@vendure/core";
import type { ReturnedLine, ShopLine, ShopOrder, ShopReturns } from "loyalty-sdk/shops";

/** The relations of an order that these functions read. */
export const saleRelations = {
  customer: { user: true },
  lines: {
    productVariant: { facetValues: { facet: true }, product: { facetValues: { facet: true } } },
  },
  shippingLines: true,
  surcharges: { orderModification: true },
  modifications: { lines: true },
  payments: { refunds: { lines: true } },
} as const;

export interface LineSettings {
  /** Names the discount by which points and wallet pay, in the adjustments of lines. */
  readonly discountSource: string | undefined;
  readonly categoryFacet: string;
}

export interface ReadingSettings extends LineSettings {
  /** Makes the service's minor units of the shop's. */
  readonly toService: (money: number) => number;
}

interface GrossLine extends ShopLine {
  /** The part of the amount that points and the wallet pay by the discount, in the shop's money. */
  readonly discounted: number;
}

/** What an order comes to, in the shop's money, taxes included. */
export interface OrderAmounts {
  /** What the customer pays with money. */
  readonly money: number;
  /** What the discount of points and wallet has taken off. */
  readonly discounted: number;
}

/** The quantity that a line of an order was bought with, which returns don't change. */
const boughtQuantity = (order: Order, line: OrderLine): number =>
  order.orderPlacedAt == null ? line.quantity : line.orderPlacedQuantity;

/** The line as it was bought. Vendure computes the amounts of a line from its quantity. */
function bought(order: Order, line: OrderLine): OrderLine {
  return copyOf(line, {
    quantity: boughtQuantity(order, line),
    orderPlacedQuantity: line.orderPlacedQuantity,
  });
}

/** A line with other values. The getters of a loaded entity are bound to it, so the copy gets those of the class. */
function copyOf<Line extends OrderLine | ShippingLine>(line: Line, values: Partial<Line>): Line {
  const { listPrice, listPriceIncludesTax, adjustments, taxLines } = line;
  const copy: Line = Object.create(Object.getPrototypeOf(line));
  return Object.assign(copy, { listPrice, listPriceIncludesTax, adjustments, taxLines }, values);
}

/** What the discount took off a line, taxes included. */
function discountOf(line: OrderLine | ShippingLine, source: string | undefined): number {
  const own = line.discounts.filter(({ adjustmentSource }) => adjustmentSource === source);
  return -own.reduce((sum, { amountWithTax }) => sum + amountWithTax, 0);
}

function goods(order: Order, { discountSource, categoryFacet }: LineSettings): GrossLine[] {
  return order.lines
    .filter((line) => boughtQuantity(order, line) > 0)
    .sort(
      (one, other) =>
        Number(one.createdAt) - Number(other.createdAt) || String(one.id).localeCompare(String(other.id)),
    )
    .map((line) => {
      const { productVariant } = line;
      const values = [...productVariant.facetValues, ...productVariant.product.facetValues];
      const as = bought(order, line);
      const discounted = discountOf(as, discountSource);
      return {
        id: String(line.id),
        sku: productVariant.sku,
        category: values.find(({ facet }) => facet.code === categoryFacet)?.code,
        quantity: as.quantity,
        amount: as.proratedLinePriceWithTax + discounted,
        discounted,
      };
    });
}

/** Shipping as it was bought: the dashboard cancels it by an adjustment of this source. */
function shipping(order: Order, { discountSource }: LineSettings): GrossLine[] {
  return order.shippingLines.map((line) => {
    const as = copyOf(line, {
      adjustments: line.adjustments.filter(({ adjustmentSource }) => adjustmentSource !== "CANCEL_ORDER"),
    });
    const discounted = discountOf(as, discountSource);
    const amount = as.discountedPriceWithTax + discounted;
    return { id: `shipping/${line.id}`, category: "shipping", quantity: 1, amount, discounted };
  });
}

/** Fees and deductions of the order. Those of a later modification are no part of the sale. */
const surcharges = (order: Order) =>
  order.surcharges.filter(({ orderModification }) => orderModification == null);

/** Adds up an order as it was bought. */
export function amountsOf(order: Order, settings: LineSettings): OrderAmounts {
  const lines = [...goods(order, settings), ...shipping(order, settings)];
  const discounted = lines.reduce((sum, line) => sum + line.discounted, 0);
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  const fees = surcharges(order).reduce((sum, { priceWithTax }) => sum + priceWithTax, 0);
  return { money: amount - discounted + fees, discounted };
}

/**
 * Makes the order as the service needs it.
 * @param id the name of the order in the service
 * @param placedAt when it was placed
 * @param payment the points, the part of the wallet in the service's minor units, and the vouchers; `worth` of all in the shop's money
 */
export function shopOrderOf(
  order: Order,
  {
    id,
    placedAt,
    payment,
  }: Readonly<{
    id: string;
    placedAt: Date;
    payment?:
      | {
          readonly points: number;
          readonly wallet: number;
          readonly vouchers: readonly number[] | null;
          readonly worth: number;
        }
      | undefined;
  }>,
  settings: ReadingSettings,
): ShopOrder {
  const { toService } = settings;
  const fees = surcharges(order).filter(({ priceWithTax }) => priceWithTax > 0);
  const lines = [
    ...goods(order, settings),
    ...fees.map((fee) => ({ id: `fee/${fee.id}`, category: "fees", quantity: 1, amount: fee.priceWithTax })),
    ...shipping(order, settings),
  ];
  return {
    id,
    placedAt,
    amount: toService(amountsOf(order, settings).money + (payment?.worth ?? 0)),
    lines: lines.map(({ id: lineId, quantity, amount, ...line }) => ({
      id: lineId,
      ...("sku" in line ? { sku: line.sku } : {}),
      category: line.category,
      quantity,
      amount: Math.max(0, toService(amount)),
    })),
    usePoints: payment?.points,
    useWallet: payment?.wallet,
    useVouchers: payment?.vouchers ?? undefined,
  };
}

/**
 * Finds all that came back of an order. A line comes back when it is cancelled or refunded, whichever is more. Refunds are those that
 * are settled. What was added to the order after it was placed is no part of its sale, and is seen as coming back first.
 * @param lineNos where the lines of the order are in the sale
 */
export function returnsOf(
  order: Order,
  { lineNos, shopOrder }: Readonly<{ lineNos: ReadonlyMap<string, number>; shopOrder: ShopOrder }>,
  settings: ReadingSettings,
): ShopReturns {
  const { toService } = settings;
  const amounts = new Map(shopOrder.lines.map(({ id, amount }) => [id, amount]));
  let [units, price] = [0, 0];
  const lines = order.lines.flatMap((line): ReturnedLine[] => {
    const { id, quantity, orderPlacedQuantity } = line;
    const added = addedUnits(order, id);
    const returned = Math.max(orderPlacedQuantity + added - quantity, refundedUnits(order, id)) - added;
    if (returned <= 0 || orderPlacedQuantity === 0) return [];
    units += returned;
    price += returned * line.proratedUnitPriceWithTax;
    const amount = amounts.get(String(id)) ?? 0;
    return [{ lineNo: lineNos.get(String(id)), returned, quantity: orderPlacedQuantity, amount }];
  });
  const refunds = order.payments.flatMap((payment) => payment.refunds.filter(isSettled));
  const refunded = refunds.reduce((sum, { total }) => sum + total, 0);
  const captured = order.payments.filter(isSettled).reduce((sum, { amount }) => sum + amount, 0);
  const more = Math.max(0, captured - amountsOf(order, settings).money);
  const money = Math.max(0, refunded - more);
  // The shop rounds the price of each unit. Money counts only if it was paid back for more than the goods.
  const isForGoods = money <= price + units;
  return { cancelled: order.state === "Cancelled", lines, money: isForGoods ? 0 : toService(money) };
}

const isSettled = ({ state }: { readonly state: string }): boolean => state === "Settled";

/** The units that were added to a line after the order was placed. */
const addedUnits = (order: Order, lineId: OrderLine["id"]): number =>
  order.modifications
    .flatMap(({ lines }) => lines)
    .filter(({ orderLineId, quantity }) => orderLineId === lineId && quantity > 0)
    .reduce((sum, { quantity }) => sum + quantity, 0);

/** Vendure stores a refund that two payments pay with each of them, so the payment with the most units counts. */
function refundedUnits(order: Order, lineId: OrderLine["id"]): number {
  const byPayment = order.payments.map(({ refunds }) =>
    refunds
      .filter(isSettled)
      .flatMap(({ lines }) => lines)
      .filter(({ orderLineId }) => orderLineId === lineId)
      .reduce((sum, { quantity }) => sum + quantity, 0),
  );
  return Math.max(0, ...byPayment);
}
