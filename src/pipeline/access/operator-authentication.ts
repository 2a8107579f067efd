/** Authenticates operators: by a session, by a key, or by the operator key, which is that of root. */
import { Rejection, reject } from "../../contract/errors.ts";
import type { AuthorizedOperation, Caller } from "../../contract/operation.ts";
import type { Body } from "../../contract/validation.ts";
import type { FoundBusiness } from "../../database/access/businesses.ts";
import { operatorKeyOwner } from "../../database/ledger/idempotency-keys.ts";
import { anyLocation } from "../../domain/access/access.ts";
import {
  includesRole,
  isOperatorKey,
  isSessionToken,
  mayUseBusiness,
  type Operator,
  operatorNumber,
  rootOperator,
} from "../../domain/access/operators.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import { networkOf, type RateLimiter } from "../limits.ts";
import type { Credentials } from "../request.ts";
import { type Authenticate, bearerToken, isWriting, type Principal } from "./authentication.ts";
import { cachedRows } from "./cached-rows.ts";

export interface OperatorSources {
  readonly isRootKey: (candidate: string) => Promise<boolean>;
  /** Finds the operator of a valid key or session. */
  readonly findByKey: (key: string) => Promise<Operator | undefined>;
  readonly findBySession: (token: string) => Promise<Operator | undefined>;
}

type FindBusiness = (businessId: number) => Promise<FoundBusiness | undefined>;

export type Operators = ReturnType<typeof cachedOperators>;

export function cachedOperators({ isRootKey, findByKey, findBySession }: OperatorSources) {
  const rows = cachedRows<string, Operator>((credential) =>
    isOperatorKey(credential) ? findByKey(credential) : findBySession(credential),
  );
  return {
    /** Decides about the operator of a credential; undefined: the credential is wrong. */
    async decide<Decided>(
      credential: string,
      decide: (operator: Operator | undefined) => Decided,
    ): Promise<Decided> {
      if (isOperatorKey(credential) || isSessionToken(credential)) return rows.decide(credential, decide);
      return decide((await isRootKey(credential)) ? rootOperator : undefined);
    },
    forget: rows.forget,
  };
}

/** Checks the credentials, then the role, and then the business. @param onRejected called for wrong credentials within the limit */
export function operatorAuthentication(
  operators: Operators,
  findBusiness: FindBusiness,
  failures: RateLimiter | undefined,
  onRejected: (credentials: Credentials) => void,
): Authenticate {
  return async (credentials) => {
    const credential = credentialOf(credentials);
    if (credential instanceof Rejection) return credential;
    const wrong = await operators.decide(credential, wrongCredential);
    if (wrong !== undefined) {
      // A session that has ended is no guess. Many browsers of one network can send such sessions.
      if (isSessionToken(credential)) return wrong;
      // Only failures are counted, so a valid key passes even after other callers with the same address have failed.
      const tooMany = failures?.count(`operator ${networkOf(credentials.address)}`).rejection;
      if (tooMany !== undefined) return tooMany;
      onRejected(credentials);
      return wrong;
    }
    return operatorPrincipal(credential, credentials, operators, findBusiness);
  };
}

const wrongCredential = (operator: Operator | undefined) =>
  operator === undefined ? reject("unauthorized", { token: "invalid_or_expired" }) : undefined;

/** The bearer token, or without one the session of the cookie. */
function credentialOf(credentials: Credentials): string | Rejection<"unauthorized"> {
  const { authorization } = credentials;
  const session = authorization === undefined ? credentials.browserSession?.().session : undefined;
  return session ?? bearerToken(authorization);
}

function operatorPrincipal(
  credential: string,
  credentials: Credentials,
  operators: Operators,
  findBusiness: FindBusiness,
): Principal {
  const allowed = (operation: AuthorizedOperation, body: Body) =>
    operators.decide(
      credential,
      (operator) => wrongCredential(operator) ?? allowOperator(operator as Operator, operation, body),
    );
  const find = async (operator: Operator, businessId: unknown) =>
    Number.isSafeInteger(businessId) && mayUseBusiness(operator, businessId as number)
      ? findBusiness(businessId as number)
      : undefined;
  const authorize: Principal["authorize"] = async (operation, body) => {
    const operator = await allowed(operation, body);
    if (operator instanceof Rejection) return operator;
    const { business_id } = body;
    const business = await find(operator, business_id);
    if (business_id !== undefined && business === undefined) return reject("business_not_found");
    const moving = rejectWhileMoving(business?.move_state, isWriting(operation), Math.random());
    if (moving !== undefined) return moving;
    const recheck = async () => authorize(operation, body);
    return {
      caller: callerOf(operator, business, credentials),
      keyOwner: operatorKeyOwner(operatorNumber(operator), business?.business_id),
      recheck: business?.sandbox ? recheck : undefined,
    };
  };
  return {
    integrationId: undefined,
    businessId: 0,
    access: (operation) => allowed(operation, {}),
    async businessOf(body) {
      const operator = await operators.decide(credential, (known) => known);
      const business = operator && (await find(operator, body.business_id));
      return { businessId: business?.business_id ?? 0, country: business?.country ?? null };
    },
    authorize,
  };
}

function allowOperator(operator: Operator, operation: AuthorizedOperation, body: Body): Operator | Rejection {
  if (operation.scope !== "operator") throw new Error(`${operation.path} is not for operators`);
  const { role, sensitive, concernsAllBusinesses } = operation;
  if (!includesRole(operator.role, role)) return reject("role_not_allowed", { role });
  if (concernsAllBusinesses && operator.business_ids !== null) {
    return reject("role_not_allowed", { role, all_businesses: true });
  }
  if (sensitive && operator.session?.is_recent === false) return reject("reauthentication_required");
  // Some operations name a business in a field of another name, such as sandbox_business_id.
  const named = Object.entries(body).filter(([name]) => name.endsWith("business_id"));
  const isForeign = named.some(([, id]) => typeof id === "number" && !mayUseBusiness(operator, id));
  return isForeign ? reject("business_not_found") : operator;
}

const noteText = /^[\x20-\x7e]{1,100}$/;

function callerOf(
  operator: Operator,
  business: FoundBusiness | undefined,
  { actor, address, id: requestId }: Credentials,
): Caller {
  const { kind, id, name } = operator;
  const note = actor !== undefined && noteText.test(actor) ? actor : null;
  return {
    actor: { kind, id, name, note, address, requestId },
    businessId: business?.business_id ?? 0,
    integrationId: undefined,
    operator,
    timeZone: business?.time_zone ?? "UTC",
    country: business?.country ?? null,
    locations: anyLocation,
    mayUse: () => true,
  };
}
