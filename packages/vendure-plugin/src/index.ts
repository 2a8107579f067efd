/** A plugin for Vendure 3. */
export type { LoyaltyPluginOptions } from "./options.ts";
export { LoyaltyPlugin } from "./plugin.ts";
export { LoyaltyWebhookEvent } from "./webhook.ts";
