import { MedusaService } from "@medusajs/framework/utils";
import { type BusinessGetData, LoyaltyClient } from "loyalty-sdk";
import type { ShopSettings } from "loyalty-sdk/shops";
import { LoyaltyMember } from "./models/loyalty-member";
import { LoyaltyOrder } from "./models/loyalty-order";
import { checkedOptions, type LoyaltyOptions, type LoyaltySettings } from "./options";

/** A checkout waits no longer for the service. Its request may still be recorded, and is then undone. */
const checkoutMilliseconds = 5000;

type Business = Pick<BusinessGetData, "business_id" | "currency" | "currency_decimals" | "time_zone">;

export class LoyaltyService extends MedusaService({ LoyaltyOrder, LoyaltyMember }) {
  readonly settings: LoyaltySettings;
  /** For jobs, which can wait. */
  readonly client: LoyaltyClient;
  /** For requests of customers, who can't. */
  readonly checkout: LoyaltyClient;
  #business: Promise<Business> | undefined;

  constructor(container: Record<string, unknown>, options: Partial<LoyaltyOptions>) {
    super(container, options);
    this.settings = checkedOptions(options);
    const { baseUrl, clientId, clientSecret } = this.settings;
    this.client = new LoyaltyClient({ baseUrl, clientId, clientSecret });
    const patience = { timeoutMilliseconds: checkoutMilliseconds, maxRetries: 1 };
    this.checkout = new LoyaltyClient({ baseUrl, clientId, clientSecret, ...patience });
  }

  /** The currency and the time zone of the business. They don't change. */
  async business(client: LoyaltyClient = this.client): Promise<Business> {
    this.#business ??= client.business.get();
    try {
      return await this.#business;
    } catch (error) {
      this.#business = undefined;
      throw error;
    }
  }

  /** The page of a member or a sale in the console; null if the shop does not know where the console is. */
  async consoleLink(page: "members" | "sales", id: number): Promise<string | null> {
    const { consoleUrl } = this.settings;
    if (!consoleUrl) return null;
    const { business_id } = await this.business(this.checkout);
    return `${consoleUrl.replace(/\/+$/, "")}/${business_id}/${page}/${id}`;
  }

  async shopSettings(client: LoyaltyClient = this.client): Promise<ShopSettings> {
    const { shop, locationId } = this.settings;
    return { shop, locationId, timeZone: (await this.business(client)).time_zone };
  }
}
