/** Records the orders of a shop and refunds what comes back. Each can be repeated at any time, also by two processes at once. */
import type { LoyaltyClient } from "../client.ts";
import { ApiError, unexpectedResponse } from "../errors.ts";
import type { SalesListItem, SalesRecordData, SalesRefundData } from "../generated/types.ts";
import { orderKey, type ShopSale, type ShopSettings } from "./order.ts";
import { refundOf, type ShopReturns } from "./refund.ts";

type Sales = Pick<LoyaltyClient, "sales">;

/** What to do with a request that failed. */
export type AfterFailure =
  /** The outcome is unknown, or the service is busy: send the same again later. */
  | "retry"
  /** The shop itself is not allowed: keep everything, and ask the operator. All other requests will fail, too. */
  | "ask_operator"
  /** The service rejected it, and will again: put it aside for a person. */
  | "put_aside";

const notAllowed = new Set([
  "unauthorized",
  "invalid_client_credentials",
  "sp_integration_not_found",
  "sp_scope_not_granted",
  "sp_token_scope_missing",
]);

/** Says what to do with a request that failed. A failure of the shop itself, such as of its database, is repeated. */
export function afterFailure(error: unknown): AfterFailure {
  if (!(error instanceof ApiError)) return error instanceof RangeError ? "put_aside" : "retry";
  const { code, status } = error;
  if (notAllowed.has(code)) return "ask_operator";
  return code === unexpectedResponse || status === 429 || status >= 500 ? "retry" : "put_aside";
}

/** A recorded sale. The first response has more than a sale that was found again. */
export type RecordedSale = Pick<
  SalesRecordData,
  "sale_id" | "amount" | "voucher_amount" | "points_used" | "wallet_used" | "amount_due" | "points_earned"
> & { readonly contact_id: number };

/**
 * Records the sale of an order, or finds it if it is recorded.
 * @throws ApiError, ConnectionError; `afterFailure` says what to do
 */
export async function recordOrder(client: Sales, { body }: ShopSale): Promise<RecordedSale> {
  try {
    return { ...(await client.sales.record(body)), contact_id: body.contact_id };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const merged = error.is("member_inactive") ? error.details.merged_into : undefined;
    if (merged !== undefined) {
      return { ...(await client.sales.record({ ...body, contact_id: merged })), contact_id: merged };
    }
    if (!error.code.startsWith("idempotency_key_")) throw error;
    // The order has changed since it was recorded, such as by an edit, or its member was merged.
    const found = await findSale(client, body.reference_id);
    if (found === undefined) throw error;
    return found;
  }
}

/** Finds the sale of an order. */
export async function findOrder(
  client: Sales,
  settings: Pick<ShopSettings, "shop">,
  orderId: string,
): Promise<SalesListItem | undefined> {
  return findSale(client, orderKey(settings, orderId));
}

async function findSale(client: Sales, reference_id: string): Promise<SalesListItem | undefined> {
  return (await client.sales.list({ reference_id })).data[0];
}

/** An order whose sale is recorded. */
export interface RecordedOrder {
  readonly saleId: number;
  /** Why, for the people who look at the refund. */
  readonly reason?: string | undefined;
}

/** A refund of lines can leave a rest for an amount, and other processes can be first. */
const mostRefunds = 10;

/**
 * Refunds what has come back of an order and its sale does not show yet.
 *
 * The key of a refund has the reference of the sale, and the amount that was refunded before it. So two processes that find the same difference refund it once, and
 * one that computed it from an older state is rejected and looks again.
 * @returns the refunds that were made now
 * @throws ApiError, ConnectionError; `afterFailure` says what to do
 */
export async function refundOrder(
  client: Sales,
  { saleId, reason }: RecordedOrder,
  returns: ShopReturns,
  { locationId }: Pick<ShopSettings, "locationId">,
): Promise<SalesRefundData[]> {
  const made: SalesRefundData[] = [];
  for (let attempt = 0; attempt < mostRefunds; attempt += 1) {
    const sale = await client.sales.get({ sale_id: saleId });
    const part = refundOf(sale, returns);
    if (part === undefined) return made;
    try {
      const { replayed, ...refund } = await client.sales.refund({
        ...part,
        idempotency_key: `${sale.reference_id}/refund/${sale.amount - sale.refundable}`,
        sale_id: saleId,
        location_id: locationId,
        ...(reason === undefined ? {} : { reason }),
      });
      if (!replayed) made.push(refund);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
  throw new Error(`the refunds of sale ${saleId} did not end`);
}

/** Whether another process has refunded a part of the sale since it was read. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.is("refund_exceeds_sale") || error.code === "idempotency_key_reused_with_different_payload");

/**
 * Undoes the sale of an order whose checkout failed, whatever became of its request.
 * @param sale the one that the checkout sent
 * @throws ApiError, ConnectionError: then undo it again later
 */
export async function undoOrder(
  client: Sales,
  orderId: string,
  sale: ShopSale,
  settings: ShopSettings,
): Promise<void> {
  let found: { readonly sale_id: number } | undefined = await findOrder(client, settings, orderId);
  if (found === undefined) {
    // The request may still be on its way. Sent again with its key, it ends before this one does.
    try {
      found = await recordOrder(client, sale);
    } catch (error) {
      if (afterFailure(error) === "put_aside") return; // Rejected: nothing was recorded.
      throw error;
    }
  }
  const order = { saleId: found.sale_id, reason: "The checkout failed." };
  await refundOrder(client, order, { cancelled: true }, settings);
}
