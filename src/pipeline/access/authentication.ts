/** Authenticates partners by their access tokens. */
import { Rejection, reject } from "../../contract/errors.ts";
import type { AuthorizedOperation, Caller } from "../../contract/operation.ts";
import type { Body } from "../../contract/validation.ts";
import type { Tokens, VerifiedToken } from "../../credentials/tokens.ts";
import type { IntegrationRow } from "../../database/access/integrations.ts";
import type { KeyOwner } from "../../database/ledger/idempotency-keys.ts";
import { decideScope, type Scope } from "../../domain/access/access.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import type { Credentials, Sender } from "../request.ts";
import { cachedRows } from "./cached-rows.ts";

/** What is known at once, or after a wait. */
type Awaitable<Value> = Value | Promise<Value>;

/** An authenticated caller. */
export interface Principal extends Sender {
  /** Checks whether the caller may use an operation. @returns a rejection if not */
  access(operation: AuthorizedOperation): Awaitable<object>;
  /** The business of a request, for checks of its fields. The business of an operator's request may not exist. */
  businessOf(body: Body): Awaitable<Pick<Caller, "businessId" | "country">>;
  /** Checks the location or business in the body. Checks access again, because it may have changed while the body arrived. */
  authorize(operation: AuthorizedOperation, body: Body): Awaitable<Authorized | Rejection>;
}

export interface Authorized {
  readonly caller: Caller;
  readonly keyOwner: KeyOwner;
  /**
   * Checks after a failure whether the business was deleted meanwhile. Undefined for a business that can't be deleted.
   * @returns the rejection that a new request would get, or another object
   */
  readonly recheck: (() => Promise<object>) | undefined;
}

export type Authenticate = (credentials: Credentials) => Awaitable<Principal | Rejection>;

interface Integration extends Omit<IntegrationRow, "scopes" | "location_ids"> {
  readonly scopes: ReadonlySet<string>;
  readonly location_ids: ReadonlySet<number>;
}

export type Integrations = ReturnType<typeof cachedIntegrations>;

/** @param clock monotonic milliseconds */
export function cachedIntegrations(
  find: (integrationId: number) => Promise<IntegrationRow | undefined>,
  clock?: () => number,
) {
  const read = async (id: number): Promise<Integration | undefined> => {
    const row = await find(id);
    return row && { ...row, scopes: new Set(row.scopes), location_ids: new Set(row.location_ids) };
  };
  return cachedRows(read, clock, ({ move_state }) => move_state !== null);
}

/** Checks the token, then the integration, the granted scope and the token's scope, and then the location. */
export function partnerAuthentication(tokens: Tokens, integrations: Integrations): Authenticate {
  return (credentials) => {
    const bearer = bearerToken(credentials.authorization);
    if (bearer instanceof Rejection) return bearer;
    const principalOf = (token: VerifiedToken | undefined) =>
      token === undefined
        ? reject("unauthorized", { token: "invalid_or_expired" })
        : partnerPrincipal(token, credentials, integrations);
    const verified = tokens.verify(bearer);
    return verified instanceof Promise ? verified.then(principalOf) : principalOf(verified);
  };
}

/** The sender of a valid token. */
function partnerPrincipal(
  token: VerifiedToken,
  credentials: Credentials,
  integrations: Integrations,
): Principal {
  const { integrationId, businessId } = token;
  return {
    integrationId,
    businessId,
    access: (operation) => integrations.decide(integrationId, (row) => decideAccess(token, operation, row)),
    businessOf: () =>
      integrations.decide(integrationId, (row) => ({ businessId, country: row?.country ?? null })),
    authorize: (operation, { location_id }) =>
      integrations.decide(integrationId, (row) => {
        const integration = decideAccess(token, operation, row, location_id);
        if (integration instanceof Rejection) return integration;
        const recheck = async () => decideAccess(token, operation, await integrations.refresh(integrationId));
        return authorizedPartner(integration, token, credentials, integration.sandbox ? recheck : undefined);
      }),
  };
}

function decideAccess(
  token: VerifiedToken,
  operation: AuthorizedOperation,
  integration: Integration | undefined,
  location?: unknown,
): Integration | Rejection {
  if (integration === undefined || !integration.enabled || integration.business_id !== token.businessId) {
    return reject("sp_integration_not_found");
  }
  if (integration.token_generation !== token.generation) return reject("unauthorized", { token: "revoked" });
  const { scope } = operation;
  const decision = decideScope(scope, integration.scopes, token.scopes);
  if (decision !== "allowed") return reject(decision, { scope: scope as Scope });
  const moving = rejectWhileMoving(integration.move_state, isWriting(operation), Math.random());
  if (moving !== undefined) return moving;
  if (typeof location !== "number") return integration;
  const isClosed = isWriting(operation) && integration.closed_location_ids.includes(location);
  return integration.location_ids.has(location) && !isClosed
    ? integration
    : reject("sp_location_not_allowed", { location_id: location });
}

export const isWriting = ({ kind }: AuthorizedOperation) => kind === "write" || kind === "posting";

/** The credential of an Authorization header (RFC 6750 section 2.1). */
export function bearerToken(authorization = ""): string | Rejection<"unauthorized"> {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  // A header without a credential has no token.
  if (/^(?:Bearer *)?$/i.test(authorization)) return reject("unauthorized", { token: "missing" });
  const isBearer = /^Bearer +\S/i.test(authorization);
  return reject("unauthorized", { token: isBearer ? "malformed" : "other_scheme" });
}

function authorizedPartner(
  integration: Integration,
  token: VerifiedToken,
  { id, address }: Credentials,
  recheck: Authorized["recheck"],
): Authorized {
  const { business_id: businessId, integration_id: integrationId } = integration;
  return {
    caller: {
      actor: {
        kind: "integration",
        id: integrationId,
        name: `integration ${integrationId}`,
        note: null,
        address,
        requestId: id,
      },
      businessId,
      integrationId,
      operator: undefined,
      timeZone: integration.time_zone,
      country: integration.country,
      locations: { everywhere: integration.all_locations, ids: integration.location_ids },
      mayUse: (scope) => decideScope(scope, integration.scopes, token.scopes) === "allowed",
    },
    keyOwner: { businessId, integrationId },
    recheck,
  };
}
