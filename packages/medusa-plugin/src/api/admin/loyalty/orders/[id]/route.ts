import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { LOYALTY_MODULE } from "../../../../../modules/loyalty/options";
import type { LoyaltyService } from "../../../../../modules/loyalty/service";
import { findRow, type OrderRow } from "../../../../../orders/order-rows";
import { settleAgain } from "../../../../../orders/settle";

/** What the ledger has of an order, and why it earned its points. */
export async function GET(request: MedusaRequest, response: MedusaResponse) {
  const loyalty: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const row = await findRow(loyalty, request.params.id ?? "");
  response.json({ order: row === undefined ? null : await shown(loyalty, row) });
}

/** Sends an order again that was put aside. */
export async function POST(request: MedusaRequest, response: MedusaResponse) {
  const loyalty: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const id = request.params.id ?? "";
  // Why it failed is stored with the order.
  await settleAgain(request.scope, id).catch(() => undefined);
  const row = await findRow(loyalty, id);
  response.json({ order: row === undefined ? null : await shown(loyalty, row) });
}

async function shown(
  loyalty: LoyaltyService,
  { order_id, contact_id, state, sale_id, problem, next_try }: OrderRow,
) {
  const stored = { order_id, contact_id, state, problem, next_try };
  if (sale_id === null) return { ...stored, sale: null, console: null };
  try {
    const sale = await loyalty.checkout.sales.get({ sale_id: Number(sale_id) });
    const { currency, currency_decimals } = await loyalty.business(loyalty.checkout);
    const console = await loyalty.consoleLink("sales", Number(sale_id));
    return { ...stored, sale, currency, currency_decimals, console };
  } catch (error) {
    // What the shop knows is shown also while the service does not respond.
    return { ...stored, problem: `The sale can't be read now: ${error}`, sale: null, console: null };
  }
}
