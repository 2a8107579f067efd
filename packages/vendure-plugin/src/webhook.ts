/** Receives the webhooks of the service, and publishes each event on the shop's event bus. */
import { Controller, HttpCode, Inject, Post, Req, Res } from "@nestjs/common";
import { EventBus, VendureEvent } from "@vendure/core";
import { verifyWebhook, type Webhook, WebhookError } from "loyalty-sdk";
import { type LoyaltyPluginOptions, pluginOptions } from "./options.ts";
import { Records } from "./records.ts";

/** An event of the service. It can be published more than once: `id` is the same each time. */
export class LoyaltyWebhookEvent extends VendureEvent {
  constructor(
    readonly id: Webhook["id"],
    readonly event: Webhook["event"],
  ) {
    super();
  }
}

export const webhookPath = "loyalty/webhook";

interface RawRequest {
  readonly body: Buffer;
  readonly headers: Record<string, string | string[] | undefined>;
}

interface Response {
  status(code: number): { end(text?: string): void };
}

@Controller(webhookPath)
export class WebhookController {
  constructor(
    @Inject(pluginOptions) private readonly options: LoyaltyPluginOptions,
    @Inject(EventBus) private readonly events: EventBus,
    @Inject(Records) private readonly records: Records,
  ) {}

  @Post()
  @HttpCode(204)
  async receive(@Req() request: RawRequest, @Res() response: Response): Promise<void> {
    const { webhookSecret } = this.options;
    if (webhookSecret === undefined) return response.status(404).end();
    try {
      const { id, event } = await verifyWebhook(request.body, request.headers, webhookSecret);
      // A test of the endpoint has the data of an example, which may be the number of a real member.
      if (!id.startsWith("evt_test_")) {
        await this.#follow(event);
        await this.events.publish(new LoyaltyWebhookEvent(id, event));
      }
      response.status(204).end();
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      response.status(400).end(error.reason);
    }
  }

  /** A customer stays with the member into which theirs was merged, and has none after an erasure. */
  async #follow(event: Webhook["event"]): Promise<void> {
    if (event.type === "member.merged") {
      await this.records.moveContacts([event.data.from_contact_id], event.data.contact_id);
    }
    if (event.type === "member.erased") {
      const { contact_id, merged_contact_ids } = event.data;
      await this.records.moveContacts([contact_id, ...merged_contact_ids], null);
    }
  }
}
