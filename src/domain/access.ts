/** What a caller may do: scopes and locations. */

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

/** What an access token says (spec section 5). */
export interface TokenClaims {
  readonly integrationId: number;
  readonly businessId: number;
  readonly scopes: readonly string[];
  /** The integration's generation when the token was issued; a new generation rejects all earlier tokens. */
  readonly generation: number;
}

/** Seconds for which an access token is valid (spec section 2.1). */
export const tokenLifetimeSeconds = 7200;
