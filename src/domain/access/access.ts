/** The rights of a caller: scopes and locations. */
import { reject } from "../rejection.ts";

/** All scopes of integrations, with the operations that they allow. */
export const scopes = {
  "wa.members.read": "List, find and get members, and list their cards.",
  "wa.members.write":
    "Create and update members, change their passwords, and create, replace and block cards.",
  "wa.members.merge": "Merge two members, which can't be undone.",
  "wa.wallet.read":
    "Read the transaction ledger, a member's balances and those of a card, list top-up benefits.",
  "wa.wallet.write":
    "Adjust and top up wallets, issue and claim anonymous cards, reverse top-ups and payments, create and update top-up benefits.",
  "wa.rewards.write": "Adjust reward points, update reward settings and programs.",
  "wa.tiers.read": "List member tiers.",
  "wa.tiers.write": "Update and delete member tiers.",
  "wa.vouchers.read": "Get and list voucher definitions, list a member's vouchers.",
  "wa.vouchers.write": "Issue, redeem and reverse vouchers.",
  "wa.locations.read": "Read the business, and list the locations that the integration may use.",
  "wa.sales.read": "Quote, get and list sales.",
  "wa.sales.write": "Record and refund sales, redeem points, pay from wallets.",
  "wa.rewards.read": "List where a member's points come from, read reward settings and programs.",
  "wa.events.read": "List events: what happened to members, balances and sales.",
  "wa.requests.read": "List the requests of the integration itself that were rejected.",
  "wa.webhooks.write":
    "Manage the integration's own webhook endpoints, to which events are sent, and see what was sent.",
  "wa.sandbox.write": "Advance the clock of a sandbox business. Only integrations of a sandbox can have it.",
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

/** The scopes outside of sandboxes: all but the one that advances the clock. */
export const scopesInRealTime = allScopes.filter((scope) => scope !== "wa.sandbox.write");

/** The roles of operators. Each may do what the roles before it may. */
export const roles = {
  viewer: "Reads records, lists and reports.",
  support:
    "Also changes members and their tiers, refunds sales, and corrects balances within the limits of the account.",
  manager: "Also changes rules, definitions and integrations, imports and exports.",
  owner: "Also manages businesses and operators, and erases members.",
} as const;

export type Role = keyof typeof roles;

export const allRoles = Object.keys(roles) as Role[];

export type ScopeDecision = "allowed" | "sp_scope_not_granted" | "sp_token_scope_missing";

/**
 * Decides whether a token has the scope of an operation. The current grant of the integration is checked
 * first, so that an earlier token does not give a revoked scope.
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

/** The locations that an integration may use. */
export interface LocationAccess {
  /** Whether it may use all locations, including those that are too new for `ids`. */
  readonly everywhere: boolean;
  readonly ids: ReadonlySet<number>;
}

/** The access of operators, and of the service itself. */
export const anyLocation: LocationAccess = { everywhere: true, ids: new Set() };

/** Checks whether a caller may use the location of a record. @param location_id null for a record without one */
export function checkLocation(access: LocationAccess, location_id: number | null) {
  if (location_id === null || access.everywhere || access.ids.has(location_id)) return undefined;
  return reject("sp_location_not_allowed", { location_id });
}

const clientIdForm = /^loy_[A-Za-z0-9_-]{16}$/;

export const isClientId = (value: unknown): value is string =>
  typeof value === "string" && clientIdForm.test(value);
