/** What a caller may do: scopes and locations. */

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

export type ScopeDecision = "allowed" | "sp_scope_not_granted" | "sp_token_scope_missing";

/**
 * Whether an operation's scope is open to a token (spec section 5.7). The grant is looked at first: what the
 * integration does not have now, no token gives it, whenever that was issued.
 */
export function decideScope(
  required: string,
  granted: ReadonlySet<string>,
  inToken: ReadonlySet<string>,
): ScopeDecision {
  if (!granted.has(required)) return "sp_scope_not_granted";
  if (!inToken.has(required)) return "sp_token_scope_missing";
  return "allowed";
}

/**
 * The locations an integration may use. `everywhere` also opens what belongs to a location that was created
 * a moment ago; `ids` are those known to exist.
 */
export interface LocationAccess {
  readonly everywhere: boolean;
  readonly ids: ReadonlySet<number>;
}

/** Whether a record tied to `locationId` (null: to none) may be seen. */
export function mayUseLocation(access: LocationAccess, locationId: number | null): boolean {
  return locationId === null || access.everywhere || access.ids.has(locationId);
}
