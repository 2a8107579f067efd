import type { AuthenticatedMedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { MedusaError } from "@medusajs/framework/utils";
import { type CartQuote, type PaymentChoice, quoteCart } from "../../../../../orders/cart-payment";
import { payWithLoyaltyWorkflow } from "../../../../../workflows/pay-with-loyalty";

const shown = ({ quote, choice, pays }: CartQuote) => ({ loyalty: { quote, ...choice, pays } });

/** What the cart would earn, and what can pay it. */
export async function GET(request: AuthenticatedMedusaRequest, response: MedusaResponse) {
  response.json(
    shown(await quoteCart(request.scope, request.params.id ?? "", request.auth_context.actor_id)),
  );
}

/** Lets { points, wallet, vouchers } pay a part of the cart: wallet in minor units, vouchers by held_voucher_id. */
export async function POST(request: AuthenticatedMedusaRequest<unknown>, response: MedusaResponse) {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const { points = 0, wallet = 0, vouchers = [], ...others } = body;
  const areWhole = isWhole(points) && isWhole(wallet) && Array.isArray(vouchers) && vouchers.every(isWhole);
  if (Object.keys(others).length > 0 || !areWhole) {
    throw new MedusaError(
      MedusaError.Types.INVALID_DATA,
      "Send points and wallet, as whole numbers from 0, and vouchers, a list of numbers; wallet is in minor units.",
    );
  }
  await choose(request, response, { points, wallet, vouchers });
}

/** Lets nothing of it pay the cart. */
export async function DELETE(request: AuthenticatedMedusaRequest, response: MedusaResponse) {
  await choose(request, response, { points: 0, wallet: 0, vouchers: [] });
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

async function choose(
  { scope, params, auth_context }: AuthenticatedMedusaRequest<unknown>,
  response: MedusaResponse,
  choice: PaymentChoice,
) {
  const input = { cart_id: params.id ?? "", customer_id: auth_context.actor_id, choice };
  const { result } = await payWithLoyaltyWorkflow(scope).run({ input });
  response.json(shown(result));
}
