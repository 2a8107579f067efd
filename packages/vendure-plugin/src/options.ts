/** The settings of the plugin. */
import type { MemberSettings } from "loyalty-sdk/shops";

export interface LoyaltyPluginOptions {
  /** The address of the service, such as https://loyalty.example.com/api. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string | (() => string | Promise<string>);
  /** The name of this shop in keys and references. Never change it: orders would be recorded again. */
  readonly shop: string;
  /** The location of the shop in the service. */
  readonly locationId: number;
  /** By what a customer's member is found; `["email"]` by default. An e-mail address counts only if the shop has verified it. */
  readonly match?: MemberSettings["match"];
  /** Whether a customer without a member becomes one with the first order; true by default. It takes a phone number with country code. */
  readonly createMembers?: boolean;
  /** Whether orders of guests are recorded for the member with their phone number or e-mail address; false by default. */
  readonly guests?: boolean;
  /** The code of the facet whose values are the categories of the lines; "category" by default. */
  readonly categoryFacet?: string;
  /** The address of the console, such as https://loyalty.example.com/api/console, for links from the dashboard. */
  readonly consoleUrl?: string;
  /** The secret of the webhook endpoint, or two during a rotation. Without it, no webhooks are accepted. */
  readonly webhookSecret?: string | readonly string[];
}

/** The token by which the settings are injected. */
export const pluginOptions = Symbol("the options of the loyalty plugin");
export const loggerContext = "LoyaltyPlugin";
