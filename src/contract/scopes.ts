/** Every scope an integration can be granted, with what it opens. */
export const scopes = {
  "wa.members.read": "List, find and get members.",
  "wa.members.write": "Create and update members, and change their passwords.",
  "wa.wallet.read": "Read the transaction ledger and a member's balances.",
  "wa.wallet.write": "Adjust wallet balances, create and update top-up benefits.",
  "wa.rewards.write": "Adjust reward points, update reward settings and programs.",
  "wa.tiers.read": "List member tiers.",
  "wa.tiers.write": "Update and delete member tiers.",
  "wa.vouchers.read": "Read voucher definitions.",
  "wa.sales.read": "Quote, get and list sales.",
  "wa.sales.write": "Record and refund sales, redeem points.",
  "wa.rewards.read": "List where a member's points come from.",
  "wa.sandbox.write": "Advance the clock of a sandbox business. Only integrations of a sandbox can have it.",
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

/** The scopes outside of sandboxes: all but the one that advances the clock. */
export const scopesInRealTime = allScopes.filter((scope) => scope !== "wa.sandbox.write");
