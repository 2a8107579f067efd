import type { AuthenticatedMedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { MedusaError } from "@medusajs/framework/utils";
import { type CartQuote, quoteCart } from "../../../../../orders/cart-payment";
import { payWithLoyaltyWorkflow } from "../../../../../workflows/pay-with-loyalty";

const shown = ({ quote, choice, pays }: CartQuote) => ({ loyalty: { quote, ...choice, pays } });

/** What the cart would earn, and what can pay it. */
export async function GET(request: AuthenticatedMedusaRequest, response: MedusaResponse) {
  response.json(
    shown(await quoteCart(request.scope, request.params.id ?? "", request.auth_context.actor_id)),
  );
}

/** Lets points and the wallet pay a part of the cart: { points, wallet }, wallet in minor units. */
export async function POST(request: AuthenticatedMedusaRequest<unknown>, response: MedusaResponse) {
  const { points = 0, wallet = 0, ...others } = (request.body ?? {}) as Record<string, unknown>;
  if (Object.keys(others).length > 0 || !isWhole(points) || !isWhole(wallet)) {
    throw new MedusaError(
      MedusaError.Types.INVALID_DATA,
      "Send points and wallet, as whole numbers from 0; wallet is in minor units.",
    );
  }
  await choose(request, response, { points, wallet });
}

/** Lets nothing of it pay the cart. */
export async function DELETE(request: AuthenticatedMedusaRequest, response: MedusaResponse) {
  await choose(request, response, { points: 0, wallet: 0 });
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

async function choose(
  { scope, params, auth_context }: AuthenticatedMedusaRequest<unknown>,
  response: MedusaResponse,
  choice: { readonly points: number; readonly wallet: number },
) {
  const input = { cart_id: params.id ?? "", customer_id: auth_context.actor_id, choice };
  const { result } = await payWithLoyaltyWorkflow(scope).run({ input });
  response.json(shown(result));
}
