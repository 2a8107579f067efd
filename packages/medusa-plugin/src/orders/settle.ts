/**
 * Brings the ledger to what an order is. Each call reads the order anew, so it does not matter which event came, how often, or in which
 * order: an order that is paid becomes a sale, what came back becomes a refund, and a cancelled order is refunded as a whole.
 */
import type { MedusaContainer } from "@medusajs/framework/types";
import { ContainerRegistrationKeys } from "@medusajs/framework/utils";
import { afterFailure, recordOrder, refundOrder, type ShopSale, saleOf, undoOrder } from "loyalty-sdk/shops";
import { LOYALTY_MODULE } from "../modules/loyalty/options";
import type { LoyaltyService } from "../modules/loyalty/service";
import { memberOfCustomer, noMemberTexts } from "./customer-member";
import {
  customerOf,
  dueOf,
  isPaid,
  loyaltyCredit,
  type MedusaOrder,
  readOrder,
  returnsOf,
  shopOrderOf,
} from "./medusa-order";
import { findRow, type OrderRow, type SentSale, saveRow, sentSale } from "./order-rows";

const longestWaitSeconds = 3600;

/** @throws if it must be tried again; then the row has the time */
export async function settleOrder(container: MedusaContainer, orderId: string): Promise<OrderRow> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const readAt = new Date();
  const [row, order] = await Promise.all([
    findRow(loyalty, orderId),
    readOrder(container, orderId, loyalty.settings),
  ]);
  if (row?.state === "aside" || row?.state === "none") return row;
  if (row?.state === "undone") return leftBehind(container, loyalty, row, order);
  try {
    if (row?.state === "undoing") return await undo(loyalty, row);
    if (row?.state === "taking") return await finishCheckout(loyalty, row, order);
    if (order === undefined)
      return await saveRow(loyalty, orderId, {
        state: "none",
        problem: "There is no such order.",
        next_try: null,
      });
    const recorded = row?.state === "recorded" ? row : await record(container, loyalty, order, row);
    if (recorded.state !== "recorded") return recorded;
    await refund(loyalty, recorded, order);
    return await saveRow(loyalty, orderId, {
      attempts: 0,
      problem: null,
      next_try: null,
      settled_at: readAt,
    });
  } catch (error) {
    await keepForLater(loyalty, orderId, row, error);
    throw error;
  }
}

/** Stores why an order could not be settled, and when to try again, if that helps. */
async function keepForLater(
  loyalty: LoyaltyService,
  orderId: string,
  row: OrderRow | undefined,
  error: unknown,
) {
  const problem = error instanceof Error ? error.message : String(error);
  const attempts = (row?.attempts ?? 0) + 1;
  // An undoing is never given up.
  const isFinal = afterFailure(error) === "put_aside" && row?.state !== "undoing";
  if (isFinal) return saveRow(loyalty, orderId, { state: "aside", problem, attempts, next_try: null });
  return saveRow(loyalty, orderId, {
    state: row?.state ?? "waiting",
    problem,
    attempts,
    next_try: later(attempts),
  });
}

/** 15 s after the first failure, and each time twice as long, up to an hour. */
const later = (attempts: number): Date =>
  new Date(Date.now() + 1000 * Math.min(longestWaitSeconds, 15 * 2 ** Math.min(attempts - 1, 12)));

async function record(
  container: MedusaContainer,
  loyalty: LoyaltyService,
  order: MedusaOrder,
  row: OrderRow | undefined,
): Promise<OrderRow> {
  const customer_id = order.customer_id;
  const nothing = (problem: string) =>
    saveRow(loyalty, order.id, { customer_id, state: "none", problem, next_try: null });
  if (order.is_draft_order)
    return saveRow(loyalty, order.id, { customer_id, state: "waiting", next_try: null });
  if (order.status === "canceled") return nothing("The order was cancelled before it was recorded.");
  if (loyaltyCredit(order) !== undefined) {
    // Points are taken in the checkout alone. An order without its row was left behind by a checkout that was broken off before.
    return nothing("The checkout was broken off before it took the points. Cancel the order.");
  }
  if (loyalty.settings.recordWhen === "paid" && !isPaid(order)) {
    // An event says when it is paid, and the sweep every ten minutes finds what no event told.
    return row ?? saveRow(loyalty, order.id, { customer_id, state: "waiting", next_try: null });
  }
  if (!order.customer?.has_account && !loyalty.settings.guests) return nothing("The customer is a guest.");
  const member = await memberOfCustomer(container, customerOf(order));
  if (typeof member !== "number") return nothing(noMemberTexts[member]);
  const sale = await makeSale(loyalty, order, member);
  if (sale === undefined) return nothing("The order is free.");
  return store(loyalty, order.id, { customer_id }, sale);
}

/** Makes the request of the sale of an order; undefined if the order is free. @throws RangeError */
export async function makeSale(
  loyalty: LoyaltyService,
  order: MedusaOrder,
  contactId: number,
  client = loyalty.client,
): Promise<SentSale | undefined> {
  const business = await loyalty.business(client);
  if (order.currency_code.toUpperCase() !== business.currency) {
    throw new RangeError(`The order is in ${order.currency_code}, and the ledger in ${business.currency}.`);
  }
  const decimals = business.currency_decimals;
  const shopOrder = shopOrderOf(order, loyalty.settings, decimals);
  if (shopOrder.amount === 0) return undefined;
  const { body, lineNos } = saleOf(shopOrder, contactId, await loyalty.shopSettings(client));
  const lines = shopOrder.lines.map((line) => ({ ...line, lineNo: lineNos.get(line.id) }));
  return { body, lines, due: dueOf(order, decimals) };
}

const shopSale = ({ body, lines }: SentSale): ShopSale => ({
  body,
  lineNos: new Map(lines.flatMap(({ id, lineNo }) => (lineNo === undefined ? [] : [[id, lineNo]]))),
});

/** Records a sale and stores that it is. */
export async function store(
  loyalty: LoyaltyService,
  orderId: string,
  fields: Partial<OrderRow>,
  sale: SentSale,
  client = loyalty.client,
): Promise<OrderRow> {
  const recorded = await recordOrder(client, shopSale(sale));
  const { sale_id, contact_id, amount_due } = recorded;
  // A sale that was found again can be that of the order before it was edited.
  const due = Math.min(sale.due, amount_due);
  return saveRow(loyalty, orderId, {
    ...fields,
    ...{ state: "recorded", sale: { ...sale, due }, sale_id: `${sale_id}`, contact_id: `${contact_id}` },
    ...{ problem: null, attempts: 0, next_try: null },
  });
}

async function refund(loyalty: LoyaltyService, row: OrderRow, order: MedusaOrder): Promise<void> {
  const { currency_decimals } = await loyalty.business();
  const returns = returnsOf(order, sentSale(row), currency_decimals);
  if (!returns.cancelled && !returns.money && returns.lines?.every(({ returned }) => returned === 0)) return;
  const reason = `${returns.cancelled ? "Cancelled" : "Returned"} order ${order.id}`;
  await refundOrder(
    loyalty.client,
    { saleId: Number(row.sale_id), reason },
    returns,
    await loyalty.shopSettings(),
  );
}

/** A checkout that was broken off, by a crash: the order is there, and so its sale must be, or it is not. */
async function finishCheckout(loyalty: LoyaltyService, row: OrderRow, order: MedusaOrder | undefined) {
  if (isUnderWay(loyalty, row)) return row;
  if (order === undefined) return undo(loyalty, row);
  return store(loyalty, row.order_id, {}, sentSale(row));
}

/**
 * A checkout that was killed while it failed has given the points back, and left its order. It stays undone: its sale is refunded, and the
 * key of the order can't record another one.
 */
async function leftBehind(
  container: MedusaContainer,
  loyalty: LoyaltyService,
  row: OrderRow,
  order: MedusaOrder | undefined,
) {
  const isCancelled = order?.status === "canceled";
  if (order === undefined || (!isCancelled && isUnderWay(loyalty, row))) return row;
  const problem = isCancelled
    ? null
    : "The checkout was broken off after it gave the points back. Cancel the order.";
  if (problem === row.problem) return row;
  if (problem !== null) {
    container.resolve(ContainerRegistrationKeys.LOGGER).warn(`loyalty: order ${row.order_id}: ${problem}`);
  }
  return saveRow(loyalty, row.order_id, { problem });
}

/** Whether its checkout may still run. Until then, what it has begun is left to it. */
const isUnderWay = ({ settings }: LoyaltyService, { updated_at }: OrderRow): boolean =>
  Date.now() - new Date(updated_at).getTime() < settings.checkoutSeconds * 1000;

/** Gives back what a checkout took that failed. */
export async function undo(
  loyalty: LoyaltyService,
  row: OrderRow,
  client = loyalty.client,
): Promise<OrderRow> {
  await undoOrder(client, row.order_id, shopSale(sentSale(row)), await loyalty.shopSettings(client));
  return saveRow(loyalty, row.order_id, { state: "undone", problem: null, next_try: null });
}

/** Settles an order again that was put aside, after a person has removed the cause. */
export async function settleAgain(container: MedusaContainer, orderId: string): Promise<OrderRow> {
  const loyalty: LoyaltyService = container.resolve(LOYALTY_MODULE);
  const row = await findRow(loyalty, orderId);
  if (row !== undefined && ["aside", "none"].includes(row.state)) {
    const state = row.sale_id !== null ? "recorded" : row.sale !== null ? "taking" : "waiting";
    await saveRow(loyalty, orderId, { state, attempts: 0, next_try: new Date() });
  }
  return settleOrder(container, orderId);
}
