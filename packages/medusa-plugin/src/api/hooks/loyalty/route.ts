import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import { Modules } from "@medusajs/framework/utils";
import { verifyWebhook, WebhookError } from "loyalty-sdk";
import { LOYALTY_MODULE } from "../../../modules/loyalty/options";
import type { LoyaltyService } from "../../../modules/loyalty/service";

/**
 * Receives the webhooks of the service, and emits each as an event of the shop, such as loyalty.sale.recorded, for subscribers of yours.
 * The service repeats a webhook until the response is 200, so an event can come twice, with the same webhook_id.
 */
export async function POST(request: MedusaRequest, response: MedusaResponse) {
  const { settings }: LoyaltyService = request.scope.resolve(LOYALTY_MODULE);
  const body = (request as unknown as { rawBody?: Buffer }).rawBody;
  if (settings.webhookSecret === undefined || body === undefined) {
    response.status(404).json({ message: "The shop receives no webhooks: webhookSecret is not set." });
    return;
  }
  try {
    const { id, event } = await verifyWebhook(body, request.headers, settings.webhookSecret);
    if (!id.startsWith("evt_test_")) {
      const name = `loyalty.${event.type}`;
      await request.scope.resolve(Modules.EVENT_BUS).emit({ name, data: { webhook_id: id, ...event } });
    }
    response.json({ received: true });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.status(400).json({ message: error.message, reason: error.reason });
  }
}
