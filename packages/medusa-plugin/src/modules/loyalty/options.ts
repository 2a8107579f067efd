/** The options of the plugin, as medusa-config.ts has them. */

export const LOYALTY_MODULE = "loyalty";

export interface LoyaltyOptions {
  /** The address of the API, such as https://loyalty.example.com/api. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The location of the shop. */
  readonly locationId: number;
  /** The name of the shop in keys and references. It never changes. By default, medusa. */
  readonly shop?: string;
  /**
   * By what customers are found among members: only what the shop has verified. Without anything, [], customers are only members that
   * the shop has made. It has no default, because Medusa verifies neither.
   */
  readonly match: readonly ("email" | "phone_number")[];
  /** Whether customers without a member become members; by default, true. */
  readonly createMembers?: boolean;
  /** Whether orders of guests are recorded, too, for the member of their e-mail address; by default, false. */
  readonly guests?: boolean;
  /** When orders without points and wallet are recorded: when they are paid, as by default, or when they are placed. */
  readonly recordWhen?: "paid" | "placed";
  /** What of a product is the category of its lines; by default, its type. */
  readonly categoryFrom?: "type" | "collection" | "category";
  /** The category of the line for shipping; by default, shipping. Exclude it from a program if shipping earns nothing. */
  readonly shippingCategory?: string;
  /**
   * How many seconds a checkout may take; by default, 180. What an older one has begun was broken off by a crash, and is finished or
   * undone.
   */
  readonly checkoutSeconds?: number;
  /** The address of the console, such as https://loyalty.example.com/api/console. Without it, the admin has no links. */
  readonly consoleUrl?: string;
  /** The secret of the webhook endpoint, whsec_…; during a rotation, both. Without it, the receiver accepts nothing. */
  readonly webhookSecret?: string | readonly string[];
}

export type LoyaltySettings = Required<Omit<LoyaltyOptions, "consoleUrl" | "webhookSecret">> &
  Pick<LoyaltyOptions, "consoleUrl" | "webhookSecret">;

/** @throws Error that names the option, so that a shop does not start with options that can't work */
export function checkedOptions(options: Partial<LoyaltyOptions>): LoyaltySettings {
  const problem = (text: string) =>
    new Error(`medusa-plugin-loyalty: ${text}. Check its options in medusa-config.`);
  for (const name of ["baseUrl", "clientId", "clientSecret"] as const) {
    const value = options[name];
    if (typeof value !== "string" || value === "") throw problem(`${name} is missing`);
  }
  const locationId = Number(options.locationId);
  if (!Number.isSafeInteger(locationId) || locationId < 1)
    throw problem("locationId must be the number of a location");
  const { recordWhen = "paid", categoryFrom = "type", match } = options;
  if (!["paid", "placed"].includes(recordWhen)) throw problem("recordWhen must be paid or placed");
  if (!["type", "collection", "category"].includes(categoryFrom)) {
    throw problem("categoryFrom must be type, collection or category");
  }
  if (!Array.isArray(match) || match.some((field) => field !== "email" && field !== "phone_number")) {
    throw problem(
      "match must be a list of email and phone_number: what the shop verifies of customers. [] is for none",
    );
  }
  return {
    shop: "medusa",
    createMembers: true,
    guests: false,
    shippingCategory: "shipping",
    checkoutSeconds: 180,
    ...(options as LoyaltyOptions),
    ...{ locationId, recordWhen, categoryFrom, match },
  };
}
