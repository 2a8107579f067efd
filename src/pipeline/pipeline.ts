/**
 * A request's life. `run` takes a call from its first check to its answer, in the contract's order; what is
 * checked where is only said here.
 */
import { bodyOf } from "../contract/body.ts";
import { type FieldError, fail, fieldError, Refusal } from "../contract/errors.ts";
import type { Caller, Operation, TokenOperation } from "../contract/operation.ts";
import type { Services } from "../contract/services.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import type { Tokens, VerifiedToken } from "../credentials/tokens.ts";
import { type Database, faultOf } from "../database/connection.ts";
import { decideScope } from "../domain/access.ts";
import { dayOf } from "../domain/dates.ts";
import { payloadOf } from "../domain/idempotency.ts";
import { defaultPage, defaultPerPage, type PageRequest, paginate } from "../domain/pagination.ts";
import type { Passage } from "../domain/rate-limit.ts";
import { refusalAnswer, success, successBody } from "./envelope.ts";
import type { Integration, Integrations } from "./integrations.ts";
import { parseJsonObject } from "./json-body.ts";
import type { WriteOutcome } from "./posting-batch.ts";
import type { PostingQueue } from "./posting-queue.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { Answer, OperationRequest } from "./request.ts";
import { type Validator, validatorOf } from "./validation.ts";
import { performWrite } from "./write.ts";

export interface PipelineParts {
  readonly sql: Database;
  readonly services: Services;
  readonly keys: ServiceKeys;
  readonly tokens: Tokens;
  readonly integrations: Integrations;
  readonly postings: PostingQueue;
  readonly rateLimiter: RateLimiter | undefined;
  /** Counts failed token requests only. */
  readonly failedCredentials: RateLimiter | undefined;
  readonly legacyFields: Readonly<Record<string, string>>;
  /** Hears of every failure that is not the caller's. */
  readonly reportFault: (request: OperationRequest, error: unknown) => void;
}

export const maximumBodyBytes = 64 * 1024;
const maximumReportedFailures = 100;

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** Makes the function that runs one operation; the operation's validator is compiled once, here. */
export function createRunner(
  operation: Operation,
  parts: PipelineParts,
): (request: OperationRequest) => Promise<Answer> {
  const reader: BodyReader = {
    operation,
    validator: validatorOf(bodyOf(operation)),
    legacyFields: new Map(
      Object.entries(parts.legacyFields).filter(([name]) => !(name in operation.input.properties)),
    ),
    clock: parts.services.clock,
  };

  return async function run(request) {
    let integration: Integration | undefined;
    let headers: Headers = {};
    const refuse = (refusal: Refusal): Answer => {
      const answer = refusalAnswer(refusal, integration?.integrationId);
      return { ...answer, headers: { ...headers, ...answer.headers } };
    };
    try {
      const transport = checkTransport(request);
      if (transport !== undefined) return refuse(transport);

      if (operation.kind === "token") {
        const outcome = await issueToken(operation, reader, request, parts);
        if (outcome instanceof Refusal) return refuse(outcome);
        return success(outcome.status, outcome.body, undefined);
      }

      const admitted = await admit(operation, request.authorization, parts);
      if (admitted instanceof Refusal) return refuse(admitted);
      integration = admitted;

      const passage = parts.rateLimiter?.take(integration.integrationId);
      if (passage !== undefined) headers = limitHeaders(parts.rateLimiter as RateLimiter, passage);
      if (passage?.passed === false) return refuse(rateLimited(passage));

      const body = await readFields(reader, request, integration.timeZone);
      if (body instanceof Refusal) return refuse(body);

      const located = await checkLocation(integration, body, parts.integrations);
      if (located instanceof Refusal) return refuse(located);

      const outcome = await perform(operation, callerOf(located), body, parts);
      if (outcome instanceof Refusal) return refuse(outcome);
      if (outcome.replayed) headers = { ...headers, "idempotent-replayed": "true" };
      return success(outcome.status, outcome.body, integration.integrationId, headers);
    } catch (error) {
      parts.reportFault(request, error);
      const unavailable = faultOf(error) !== "other";
      return refuse(unavailable ? new Refusal("service_unavailable", {}, 1) : fail("internal_error"));
    }
  };
}

function checkTransport(request: OperationRequest): Refusal | undefined {
  if (request.hasQuery) return fail("query_parameters_not_allowed");
  if (!isJson(request)) return fail("invalid_content_type");
  return undefined;
}

/** Token, integration, scope granted, scope in the token: who calls, and whether it may. */
async function admit(
  operation: Exclude<Operation, { kind: "token" }>,
  authorization: string | undefined,
  { tokens, integrations }: PipelineParts,
): Promise<Integration | Refusal> {
  const token = await verifiedToken(tokens, authorization);
  if (token instanceof Refusal) return token;
  const integration = await integrations.get(token.integrationId);
  if (integration === undefined || !integration.enabled || integration.businessId !== token.businessId) {
    return fail("sp_integration_not_found");
  }
  if (integration.generation !== token.generation) return fail("unauthorized", { token: "revoked" });
  const scope = decideScope(operation.scope, integration.scopes, token.scopes);
  return scope === "allowed" ? integration : fail(scope, { scope: operation.scope });
}

function limitHeaders({ limit }: RateLimiter, passage: Passage): Headers {
  return {
    "ratelimit-policy": `"default";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`,
    ratelimit: `"default";r=${passage.remaining};t=${passage.retryAfterSeconds}`,
  };
}

function rateLimited(passage: Passage): Refusal {
  return new Refusal("rate_limited", {}, passage.retryAfterSeconds);
}

interface BodyReader {
  readonly operation: Operation;
  readonly validator: Validator;
  readonly legacyFields: ReadonlyMap<string, string>;
  readonly clock: () => number;
}

/** Size and JSON, legacy fields, idempotency key, fields. */
async function readFields(
  { operation, validator, legacyFields, clock }: BodyReader,
  request: OperationRequest,
  timeZone: string,
): Promise<Body | Refusal> {
  const bytes = await request.readBody(maximumBodyBytes);
  if (bytes === "too_large") return fail("payload_too_large", { limit_bytes: maximumBodyBytes });
  const body = bytes === "aborted" ? undefined : parseJsonObject(bytes);
  if (body === undefined) return fail("malformed_json");
  for (const name of Object.keys(body)) {
    const use = legacyFields.get(name);
    if (use !== undefined) return fail("legacy_field_not_allowed", { field: name, use });
  }
  const writes = operation.kind === "write" || operation.kind === "posting";
  if (writes && (body.idempotency_key === undefined || body.idempotency_key === "")) {
    return fail("idempotency_key_required");
  }
  const today = operation.check === undefined ? "" : dayOf(clock(), timeZone);
  const failures = fieldFailures(operation, validator, body, today);
  return failures === undefined ? body : fail("validation_failed", { errors: failures });
}

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

function isJson({ contentType, contentEncoding }: OperationRequest): boolean {
  if (contentEncoding !== undefined && contentEncoding !== "identity") return false;
  if (contentType === "application/json") return true;
  return contentType !== undefined && /^application\/json[ \t]*(;|$)/i.test(contentType);
}

async function verifiedToken(
  tokens: Tokens,
  authorization: string | undefined,
): Promise<VerifiedToken | Refusal> {
  if (authorization === undefined) return fail("unauthorized", { token: "missing" });
  const match = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization);
  if (match?.[1] === undefined) return fail("unauthorized", { token: "malformed" });
  return (await tokens.verify(match[1])) ?? fail("unauthorized", { token: "invalid_or_expired" });
}

/** Every failure of the fields at once, or undefined when there is none. */
function fieldFailures(
  operation: Operation,
  validator: Validator,
  body: Body,
  today: string,
): FieldError[] | undefined {
  const accepted = validator.accepts(body);
  const failures = accepted ? [] : validator.failures(body);
  const { atLeastOneOf } = operation;
  if (atLeastOneOf?.some((name) => name in body) === false) {
    failures.push(
      fieldError(
        "",
        "no_fields_to_update",
        `changes nothing: send at least one of ${atLeastOneOf.join(", ")}`,
      ),
    );
  }
  if (operation.check !== undefined) {
    const refused = new Set(failures.map(({ field }) => field.split(".")[0]));
    const sound = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
    failures.push(...operation.check(sound, { today }));
  }
  return failures.length === 0 ? undefined : failures.slice(0, maximumReportedFailures);
}

function callerOf(integration: Integration): Caller {
  return {
    businessId: integration.businessId,
    integrationId: integration.integrationId,
    timeZone: integration.timeZone,
    locations: { everywhere: integration.everywhere, ids: integration.locationIds },
  };
}

async function perform(
  operation: Exclude<Operation, { kind: "token" }>,
  caller: Caller,
  body: Body,
  { sql, services, keys, postings }: PipelineParts,
): Promise<WriteOutcome> {
  if (operation.kind === "read") {
    const data = await operation.read({ input: body, caller, sql, services, fail });
    if (data instanceof Refusal) return data;
    return { status: 200, body: successBody(operation.message, data), replayed: false };
  }
  if (operation.kind === "list") {
    const page = pageOf(body);
    const listed = await operation.list({ input: body, caller, sql, services, fail, page });
    if (listed instanceof Refusal) return listed;
    const meta = { pagination: paginate(page, listed.total, listed.rows.length) };
    return { status: 200, body: successBody(operation.message, listed.rows, meta), replayed: false };
  }
  const { idempotency_key: key, ...input } = body as Body & { idempotency_key: string };
  const fingerprint = keys.fingerprint(payloadOf(operation.path, body));
  if (operation.kind === "posting") {
    const { integrationId, businessId } = caller;
    const posting = input as typeof input & { contact_id: number };
    return postings.post(businessId, { operation, integrationId, key, fingerprint, input: posting });
  }
  return performWrite(sql, services, { operation, caller, key, fingerprint, input });
}

function pageOf(body: Body): PageRequest {
  return {
    page: (body.page as number | undefined) ?? defaultPage,
    perPage: (body.per_page as number | undefined) ?? defaultPerPage,
  };
}

/** A token request's life between transport and answer: limits on failures, fields, credentials. */
async function issueToken(
  operation: TokenOperation,
  reader: BodyReader,
  request: OperationRequest,
  { services, failedCredentials }: PipelineParts,
): Promise<WriteOutcome> {
  const address = `address ${request.address}`;
  const ofAddress = failedCredentials?.peek(address);
  if (ofAddress?.passed === false) return rateLimited(ofAddress);
  const body = await readFields(reader, request, "UTC");
  if (body instanceof Refusal) return body;
  const client = `client ${String(body.client_id)}`;
  const ofClient = failedCredentials?.peek(client);
  if (ofClient?.passed === false) return rateLimited(ofClient);
  const issued = await operation.issue({ input: body, services, fail });
  if (issued instanceof Refusal) {
    failedCredentials?.take(client);
    failedCredentials?.take(address);
    return issued;
  }
  return { status: 200, body: successBody(operation.message, issued), replayed: false };
}
