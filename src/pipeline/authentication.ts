/** Authenticates the sender of a request: a partner by its access token, an operator by the operator key. */
import { LRUCache } from "lru-cache";
import { fail, Refusal } from "../contract/errors.ts";
import type { AuthorizedOperation, Caller } from "../contract/operation.ts";
import type { Body } from "../contract/validation.ts";
import type { Tokens, VerifiedToken } from "../credentials/tokens.ts";
import type { BusinessRow } from "../database/access/businesses.ts";
import type { IntegrationRow } from "../database/access/integrations.ts";
import { type KeyOwner, operatorKeyOwner } from "../database/ledger/idempotency-keys.ts";
import { decideScope, type Scope } from "../domain/access.ts";
import { networkOf, type RateLimiter } from "./limits.ts";
import type { Credentials, Sender } from "./request.ts";

/** An authenticated caller. */
export interface Principal extends Sender {
  /** Checks whether the caller may use an operation. */
  access(operation: AuthorizedOperation): Promise<Refusal | undefined>;
  /** The business of a request, for checks of its fields. The business of an operator's request may not exist. */
  businessOf(body: Body): Promise<Pick<Caller, "businessId" | "country">>;
  /** Checks the location or business in the body. Checks access again, because it may have changed while the body arrived. */
  authorize(operation: AuthorizedOperation, body: Body): Promise<Authorized | Refusal>;
}

export interface Authorized {
  readonly caller: Caller;
  readonly keyOwner: KeyOwner;
  /**
   * Checks after a failure whether the business was deleted meanwhile. Undefined for a business that can't be deleted.
   * @returns the refusal that a new request would get
   */
  readonly recheck: (() => Promise<Refusal | undefined>) | undefined;
}

export type Authenticate = (credentials: Credentials) => Promise<Principal | Refusal>;

interface Integration extends Omit<IntegrationRow, "scopes" | "location_ids"> {
  readonly scopes: ReadonlySet<string>;
  readonly location_ids: ReadonlySet<number>;
}

interface IntegrationRead {
  readonly startedAt: number;
  readonly integration: Promise<Integration | undefined>;
  inFlight: boolean;
}

/** The maximum age of cached data, from the start of its read. A revoked integration works at most this long. */
const staleMilliseconds = 5000;
const cachedIntegrations = 10_000;

/** Reads integrations through a cache. */
export class Integrations {
  readonly #find: (integrationId: number) => Promise<IntegrationRow | undefined>;
  readonly #clock: () => number;
  readonly #reads = new LRUCache<number, IntegrationRead>({ max: cachedIntegrations });

  /** @param clock monotonic milliseconds */
  constructor(
    find: (integrationId: number) => Promise<IntegrationRow | undefined>,
    clock = () => performance.now(),
  ) {
    this.#find = find;
    this.#clock = clock;
  }

  /** @returns undefined for an integration that does not exist */
  get(integrationId: number): Promise<Integration | undefined> {
    const latest = this.#reads.get(integrationId);
    const isFresh = latest !== undefined && this.#clock() - latest.startedAt <= staleMilliseconds;
    return isFresh ? latest.integration : this.#read(integrationId);
  }

  /** Reads the integration again. Requests that ask while a read is in flight share the next read. */
  async refresh(integrationId: number): Promise<Integration | undefined> {
    const latest = this.#reads.get(integrationId);
    if (!latest?.inFlight) return this.#read(integrationId);
    // The read in flight may have started before the latest change.
    await latest.integration.catch(() => undefined);
    const next = this.#reads.get(integrationId);
    return next === undefined || next === latest ? this.#read(integrationId) : next.integration;
  }

  #read(integrationId: number): Promise<Integration | undefined> {
    const integration = this.#find(integrationId).then(
      (row) => row && { ...row, scopes: new Set(row.scopes), location_ids: new Set(row.location_ids) },
    );
    const read = { startedAt: this.#clock(), integration, inFlight: true };
    this.#reads.set(integrationId, read);
    integration.then(
      () => {
        read.inFlight = false;
      },
      () => {
        if (this.#reads.peek(integrationId) === read) this.#reads.delete(integrationId);
      },
    );
    return integration;
  }

  /** Empties the cache. */
  forget(): void {
    this.#reads.clear();
  }
}

/** Checks the token, then the integration, the granted scope and the token's scope, and then the location. */
export function partnerAuthentication(tokens: Tokens, integrations: Integrations): Authenticate {
  return async (credentials) => {
    const bearer = bearerToken(credentials.authorization);
    if (bearer instanceof Refusal) return bearer;
    const token = await tokens.verify(bearer);
    if (token === undefined) return fail("unauthorized", { token: "invalid_or_expired" });
    return new PartnerPrincipal(token, credentials, integrations);
  };
}

/** The sender of a valid token. */
class PartnerPrincipal implements Principal {
  readonly integrationId: number;
  readonly businessId: number;
  readonly #token: VerifiedToken;
  readonly #credentials: Credentials;
  readonly #integrations: Integrations;

  constructor(token: VerifiedToken, credentials: Credentials, integrations: Integrations) {
    this.integrationId = token.integrationId;
    this.businessId = token.businessId;
    this.#token = token;
    this.#credentials = credentials;
    this.#integrations = integrations;
  }

  async access(operation: AuthorizedOperation): Promise<Refusal | undefined> {
    return refusalIn(await this.#accessible(operation));
  }

  async businessOf() {
    const integration = await this.#integrations.get(this.integrationId);
    return { businessId: this.businessId, country: integration?.country ?? null };
  }

  async authorize(operation: AuthorizedOperation, { location_id }: Body): Promise<Authorized | Refusal> {
    const isLacking = ({ location_ids }: Integration) =>
      typeof location_id === "number" && !location_ids.has(location_id);
    let integration = await this.#accessible(operation);
    // The location may have been created, or granted to the integration, a moment ago.
    if (!(integration instanceof Refusal) && isLacking(integration)) {
      integration = await this.#currentAccess(operation);
    }
    if (integration instanceof Refusal) return integration;
    if (isLacking(integration)) {
      return fail("sp_location_not_allowed", { location_id: location_id as number });
    }
    const recheck = async () => refusalIn(await this.#currentAccess(operation));
    return authorizedPartner(integration, this.#credentials, integration.sandbox ? recheck : undefined);
  }

  /** Cached data is enough to accept a request. Before a request is rejected, the integration is read again. */
  async #accessible(operation: AuthorizedOperation): Promise<Integration | Refusal> {
    const decided = decideAccess(this.#token, operation, await this.#integrations.get(this.integrationId));
    return decided instanceof Refusal ? this.#currentAccess(operation) : decided;
  }

  async #currentAccess(operation: AuthorizedOperation): Promise<Integration | Refusal> {
    return decideAccess(this.#token, operation, await this.#integrations.refresh(this.integrationId));
  }
}

function decideAccess(
  token: VerifiedToken,
  { scope }: AuthorizedOperation,
  integration: Integration | undefined,
): Integration | Refusal {
  if (integration === undefined || !integration.enabled || integration.business_id !== token.businessId) {
    return fail("sp_integration_not_found");
  }
  if (integration.token_generation !== token.generation) return fail("unauthorized", { token: "revoked" });
  const decision = decideScope(scope, integration.scopes, token.scopes);
  return decision === "allowed" ? integration : fail(decision, { scope: scope as Scope });
}

/** The credential of an Authorization header (RFC 6750 section 2.1). */
function bearerToken(authorization = ""): string | Refusal<"unauthorized"> {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  // A header with another scheme, or without a credential, has no token.
  const missing = !/^Bearer +\S/i.test(authorization);
  return fail("unauthorized", { token: missing ? "missing" : "malformed" });
}

const refusalIn = (decided: object): Refusal | undefined =>
  decided instanceof Refusal ? decided : undefined;

function authorizedPartner(
  integration: Integration,
  { id, address }: Credentials,
  recheck: Authorized["recheck"],
): Authorized {
  const { business_id: businessId, integration_id: integrationId } = integration;
  return {
    caller: {
      actor: { name: `integration ${integrationId}`, address, requestId: id },
      businessId,
      integrationId,
      timeZone: integration.time_zone,
      country: integration.country,
      locations: { everywhere: integration.all_locations, ids: integration.location_ids },
    },
    keyOwner: { businessId, integrationId },
    recheck,
  };
}

const everywhere = { everywhere: true, ids: new Set<number>() };
const actorName = /^[\x20-\x7e]{1,100}$/;

/** Checks the operator key, and then the business. @param onWrongKey called for each wrong key within the limit */
export function operatorAuthentication(
  isKey: (candidate: string) => Promise<boolean>,
  findBusiness: (businessId: number) => Promise<BusinessRow | undefined>,
  failures: RateLimiter | undefined,
  onWrongKey: (credentials: Credentials) => void,
): Authenticate {
  return async (credentials) => {
    const candidate = bearerToken(credentials.authorization);
    if (candidate instanceof Refusal) return candidate;
    if (!(await isKey(candidate))) {
      // Only failures are counted, so the right key passes even after other callers with the same address have failed.
      const tooMany = failures?.count(`operator ${networkOf(credentials.address)}`).refusal;
      if (tooMany !== undefined) return tooMany;
      onWrongKey(credentials);
      return fail("unauthorized", { token: "invalid_or_expired" });
    }
    const find = async ({ business_id }: Body) =>
      Number.isSafeInteger(business_id) ? findBusiness(business_id as number) : undefined;
    const authorize = async (
      operation: AuthorizedOperation,
      body: Body,
    ): Promise<Authorized | Refusal<"business_not_found">> => {
      const { business_id } = body;
      const business = await find(body);
      if (business_id !== undefined && business === undefined) return fail("business_not_found");
      const recheck = async () => refusalIn(await authorize(operation, body));
      return {
        caller: operatorCaller(business, credentials),
        keyOwner: operatorKeyOwner,
        recheck: business?.sandbox ? recheck : undefined,
      };
    };
    const access = async () => undefined;
    const businessOf = async (body: Body) => {
      const business = await find(body);
      return { businessId: business?.business_id ?? 0, country: business?.country ?? null };
    };
    return { integrationId: undefined, businessId: 0, access, businessOf, authorize };
  };
}

function operatorCaller(business: BusinessRow | undefined, credentials: Credentials): Caller {
  const name =
    credentials.actor !== undefined && actorName.test(credentials.actor) ? credentials.actor : "operator";
  return {
    actor: { name, address: credentials.address, requestId: credentials.id },
    businessId: business?.business_id ?? 0,
    integrationId: undefined,
    timeZone: business?.time_zone ?? "UTC",
    country: business?.country ?? null,
    locations: everywhere,
  };
}
