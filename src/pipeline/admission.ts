/** The two doors: partners come in with an access token, operators with the operator key. */
import { fail, Refusal } from "../contract/errors.ts";
import type { Caller, Operation, TokenOperation } from "../contract/operation.ts";
import type { OperatorKey } from "../credentials/operator-key.ts";
import type { Tokens, VerifiedToken } from "../credentials/tokens.ts";
import type { BusinessRow } from "../database/businesses.ts";
import type { KeyOwner } from "../database/idempotency-keys.ts";
import { decideScope } from "../domain/access.ts";
import { networkOf } from "../domain/network.ts";
import type { Passage } from "../domain/rate-limit.ts";
import type { Integration, Integrations } from "./integrations.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { OperationRequest } from "./request.ts";

type Body = Readonly<Record<string, unknown>>;
type AdmittedOperation = Exclude<Operation, TokenOperation>;

/** A caller whom the door let in, before its body was read. */
export interface Visitor {
  /** For logs and rate limits; undefined for an operator. */
  readonly integrationId: number | undefined;
  /** 0 for an operator, who names it in the body. */
  readonly businessId: number;
  /** Where days and times are told, as far as known before the body. */
  readonly timeZone: string;
  /** Looks at what the body names: the location, or the business. */
  resolve(body: Body): Promise<Resolved | Refusal>;
}

export interface Resolved {
  readonly caller: Caller;
  readonly keyOwner: KeyOwner;
}

export type Door = (operation: AdmittedOperation, request: OperationRequest) => Promise<Visitor | Refusal>;

/** Token, integration, scope granted, scope in the token; then the location. */
export function partnerDoor(tokens: Tokens, integrations: Integrations): Door {
  /** The cache may let a request through, never turn it away: before it is rejected, the integration is read again. */
  const admitNow = async (token: VerifiedToken, operation: AdmittedOperation) => {
    const arrivedAt = performance.now();
    const { integrationId, issuedAt } = token;
    const admitted = admit(token, operation, await integrations.get(integrationId));
    if (!(admitted instanceof Refusal)) return admitted;
    // A token without the scope is rejected whatever the row says: it need not wait for it.
    const lost = operation.scope !== undefined && !token.scopes.has(operation.scope);
    const tokenAgeMilliseconds = lost ? Number.POSITIVE_INFINITY : Date.now() - issuedAt;
    return admit(
      token,
      operation,
      await integrations.recheck(integrationId, { arrivedAt, tokenAgeMilliseconds }),
    );
  };
  return async (operation, request) => {
    const token = await verifiedToken(tokens, request.authorization);
    if (token instanceof Refusal) return token;
    const integration = await admitNow(token, operation);
    if (integration instanceof Refusal) return integration;
    return {
      integrationId: integration.integrationId,
      businessId: integration.businessId,
      timeZone: integration.timeZone,
      resolve: async (body) => {
        // A body may take its time, and the integration be disabled meanwhile.
        const now = await admitNow(token, operation);
        const located = now instanceof Refusal ? now : await checkLocation(now, body, integrations);
        return located instanceof Refusal ? located : resolvedPartner(located, request);
      },
    };
  };
}

/** Whether an integration, as it is known now, may do something with a token. */
function admit(
  token: VerifiedToken,
  { scope }: AdmittedOperation,
  integration: Integration | undefined,
): Integration | Refusal {
  if (integration === undefined || !integration.enabled || integration.businessId !== token.businessId) {
    return fail("sp_integration_not_found");
  }
  if (integration.generation !== token.generation) return fail("unauthorized", { token: "revoked" });
  const decision = decideScope(scope, integration.scopes, token.scopes);
  return decision === "allowed" ? integration : fail(decision, { scope });
}

async function verifiedToken(
  tokens: Tokens,
  authorization: string | undefined,
): Promise<VerifiedToken | Refusal> {
  const token = bearerToken(authorization);
  if (token instanceof Refusal) return token;
  return (await tokens.verify(token)) ?? fail("unauthorized", { token: "invalid_or_expired" });
}

/** The credential of an Authorization header (RFC 6750 section 2.1). */
function bearerToken(authorization: string | undefined): string | Refusal<"unauthorized"> {
  const match = authorization === undefined ? null : bearer.exec(authorization);
  if (match !== null) return match[1] as string;
  // Another scheme, or none after the scheme's name, holds no token either.
  const missing = authorization === undefined || !/^Bearer +\S/i.test(authorization);
  return fail("unauthorized", { token: missing ? "missing" : "malformed" });
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** @returns the integration, as known now when a location was asked for that was not known before */
async function checkLocation(
  integration: Integration,
  { location_id }: Body,
  integrations: Integrations,
): Promise<Integration | Refusal> {
  if (typeof location_id !== "number" || integration.locationIds.has(location_id)) return integration;
  // It may have been created, or given to the integration, a moment ago.
  const now = await integrations.refresh(integration.integrationId);
  if (now?.locationIds.has(location_id)) return now;
  return fail("sp_location_not_allowed", { location_id });
}

function resolvedPartner(integration: Integration, { id, address }: OperationRequest): Resolved {
  const { businessId, integrationId, timeZone } = integration;
  return {
    caller: {
      actor: { name: `integration ${integrationId}`, address, requestId: id },
      businessId,
      integrationId,
      timeZone,
      locations: { everywhere: integration.everywhere, ids: integration.locationIds },
    },
    keyOwner: { businessId, integrationId },
  };
}

/** Operators' keys belong to no business: one may name a write that makes a business. */
const operatorKeyOwner: KeyOwner = { businessId: 0, integrationId: 0 };
const everywhere = { everywhere: true, ids: new Set<number>() };
const actorName = /^[\x20-\x7e]{1,100}$/;

/**
 * The operator key; then the business.
 * @param failures counts wrong keys by address
 * @param wrongKey hears of each
 */
export function operatorDoor(
  key: OperatorKey,
  findBusiness: (businessId: number) => Promise<BusinessRow | undefined>,
  failures: RateLimiter | undefined,
  wrongKey: (request: OperationRequest) => void,
): Door {
  return async (_operation, request) => {
    const address = `operator ${networkOf(request.address)}`;
    const candidate = bearerToken(request.authorization);
    if (candidate instanceof Refusal) return candidate;
    if (!key.matches(candidate)) {
      // Failures are counted, and nothing else: the right key passes whatever others behind the address have tried.
      const passage = failures?.take(address);
      if (passage?.passed === false) return rateLimited(passage);
      wrongKey(request);
      return fail("unauthorized", { token: "invalid_or_expired" });
    }
    return {
      integrationId: undefined,
      businessId: 0,
      timeZone: "UTC",
      resolve: async ({ business_id }) => {
        const business = typeof business_id === "number" ? await findBusiness(business_id) : undefined;
        if (business_id !== undefined && business === undefined) return fail("business_not_found");
        return { caller: operatorCaller(business, request), keyOwner: operatorKeyOwner };
      },
    };
  };
}

function operatorCaller(business: BusinessRow | undefined, request: OperationRequest): Caller {
  const name = request.actor !== undefined && actorName.test(request.actor) ? request.actor : "operator";
  return {
    actor: { name, address: request.address, requestId: request.id },
    businessId: business?.business_id ?? 0,
    integrationId: undefined,
    timeZone: business?.time_zone ?? "UTC",
    locations: everywhere,
  };
}

export function rateLimited(passage: Passage): Refusal {
  return new Refusal("rate_limited", {}, passage.retryAfterSeconds);
}
