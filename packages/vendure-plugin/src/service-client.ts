/** The client of the service, and what the shop knows of its business and its members. */
import { Inject, Injectable } from "@nestjs/common";
import { ConfigService, type Customer, type RequestContext } from "@vendure/core";
import { ApiError, type BusinessGetData, LoyaltyClient } from "loyalty-sdk";
import { memberOf, minorUnits, type NoMember, type ShopSettings } from "loyalty-sdk/shops";
import { type LoyaltyPluginOptions, pluginOptions } from "./options.ts";
import { Records } from "./records.ts";

/** A shop, and how its money becomes the service's. */
export interface Shop extends ShopSettings {
  readonly business: BusinessGetData;
  /** Makes the service's minor units of the shop's, and back. Vendure stores all currencies with the same decimals. */
  readonly toService: (money: number) => number;
  readonly toShop: (amount: number) => number;
}

@Injectable()
export class ServiceClient {
  readonly client: LoyaltyClient;
  #shop: Promise<Shop> | undefined;

  constructor(
    @Inject(pluginOptions) readonly options: LoyaltyPluginOptions,
    @Inject(ConfigService) private readonly config: ConfigService,
    @Inject(Records) private readonly records: Records,
  ) {
    const { baseUrl, clientId, clientSecret } = options;
    // A customer waits for some of these requests, and the queue repeats the others.
    this.client = new LoyaltyClient({
      baseUrl,
      clientId,
      clientSecret,
      timeoutMilliseconds: 5000,
      maxRetries: 2,
    });
  }

  /**
   * Reads the business once.
   * @throws ApiError, ConnectionError
   */
  shop(): Promise<Shop> {
    this.#shop ??= this.#readShop().catch((error: unknown) => {
      this.#shop = undefined;
      throw error;
    });
    return this.#shop;
  }

  async #readShop(): Promise<Shop> {
    const business = await this.client.business.get();
    const { shop, locationId } = this.options;
    const { precision = 2 } = this.config.entityOptions.moneyStrategy;
    const places = business.currency_decimals - precision;
    return {
      shop,
      locationId,
      timeZone: business.time_zone,
      business,
      toService: (money) => minorUnits(money, places),
      toShop: (amount) => minorUnits(amount, -places),
    };
  }

  /**
   * Finds the member of a customer, and keeps it: a later change of the address does not change the member.
   * @param create whether the customer becomes a member if there is none
   * @throws ApiError, ConnectionError
   */
  async contactOf(ctx: RequestContext, customer: Customer, create: boolean): Promise<number | NoMember> {
    const known = await this.records.contact(ctx, customer.id);
    if (known !== undefined) return known;
    const { shop, match = ["email"], guests = false } = this.options;
    const { id, user, emailAddress, phoneNumber, firstName, lastName } = customer;
    // A guest can't see or spend points, so a wrong address only gives them to another member.
    const isTrusted = user ? user.verified : guests;
    const found = await memberOf(
      this.client,
      {
        id: String(id),
        email: isTrusted ? emailAddress : undefined,
        phone: phoneNumber,
        firstName,
        lastName,
      },
      { shop, match, create },
    );
    if (typeof found === "number") await this.records.keepContact(ctx, id, found);
    return found;
  }

  /**
   * Asks for something of a member, and once more if the member was merged into another one.
   * @throws ApiError, ConnectionError
   */
  async ofMember<T>(
    ctx: RequestContext,
    customer: Customer,
    contactId: number,
    ask: (contactId: number) => Promise<T>,
  ): Promise<T> {
    try {
      return await ask(contactId);
    } catch (error) {
      const merged = error instanceof ApiError && error.is("member_inactive") && error.details.merged_into;
      if (typeof merged !== "number") throw error;
      await this.records.keepContact(ctx, customer.id, merged);
      return ask(merged);
    }
  }
}
