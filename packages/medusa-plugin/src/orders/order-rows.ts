/** What the shop keeps about orders and the ledger. */
import type { SalesRecordRequest } from "loyalty-sdk";
import type { ShopLine } from "loyalty-sdk/shops";
import type { LoyaltyService } from "../modules/loyalty/service";

/** The request of a sale, as it was sent. */
export interface SentSale {
  readonly body: SalesRecordRequest & { readonly idempotency_key: string; readonly reference_id: string };
  /** The lines of the order with their places in the sale. */
  readonly lines: readonly (ShopLine & { readonly lineNo?: number | undefined })[];
  /** The money for it, in minor units: what neither points nor other credits pay. */
  readonly due: number;
}

export type OrderState = "waiting" | "taking" | "recorded" | "undoing" | "undone" | "aside" | "none";

export interface OrderRow {
  readonly order_id: string;
  readonly customer_id: string | null;
  readonly contact_id: string | null;
  readonly state: OrderState;
  readonly sale_id: string | null;
  readonly sale: SentSale | null;
  readonly problem: string | null;
  readonly attempts: number;
  readonly next_try: Date | null;
  readonly settled_at: Date | null;
  readonly updated_at: Date;
}

export async function findRow(loyalty: LoyaltyService, order_id: string): Promise<OrderRow | undefined> {
  const [row] = await loyalty.listLoyaltyOrders({ order_id });
  return row as unknown as OrderRow | undefined;
}

export function sentSale({ order_id, sale }: OrderRow): SentSale {
  if (sale === null) throw new RangeError(`Order ${order_id} has no sale.`);
  return sale;
}

/** Changes the row of an order, or makes it. */
export async function saveRow(
  loyalty: LoyaltyService,
  order_id: string,
  fields: Partial<Omit<OrderRow, "order_id" | "updated_at">>,
): Promise<OrderRow> {
  // A column that is given as undefined would become null.
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const values = { ...(Object.fromEntries(given) as object), order_id };
  if ((await findRow(loyalty, order_id)) === undefined) {
    try {
      await loyalty.createLoyaltyOrders({ state: "waiting", ...values });
      return (await findRow(loyalty, order_id)) as OrderRow;
    } catch (error) {
      // Another job of the same order was first.
      if ((await findRow(loyalty, order_id)) === undefined) throw error;
    }
  }
  await loyalty.updateLoyaltyOrders(values);
  return (await findRow(loyalty, order_id)) as OrderRow;
}
