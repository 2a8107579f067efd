/** Every scope an integration can be granted, with what it opens. */
export const scopes = {
  "wa.members.read": "List members.",
  "wa.members.write": "Create and update members, and change their passwords.",
  "wa.wallet.read": "Read the transaction ledger.",
  "wa.wallet.write": "Adjust wallet balances, create and update top-up benefits.",
  "wa.rewards.write": "Adjust reward points, update reward settings and programs.",
  "wa.tiers.read": "List member tiers.",
  "wa.tiers.write": "Update and delete member tiers.",
  "wa.vouchers.read": "Read voucher definitions.",
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];
