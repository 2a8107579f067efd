/**
 * A request's life. `run` takes a call from its first check to its answer, in the contract's order; what is
 * checked where is only said here.
 */

import type { UnknownFields } from "../contract/accepted-fields.ts";
import { isOperators } from "../contract/body.ts";
import { fail, Refusal } from "../contract/errors.ts";
import type { Operation, TokenOperation } from "../contract/operation.ts";
import type { Services } from "../contract/services.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import type { Database } from "../database/connection.ts";
import { faultOf } from "../database/faults.ts";
import { payloadOf } from "../domain/idempotency.ts";
import { networkOf } from "../domain/network.ts";
import { defaultPage, defaultPerPage, type PageRequest, paginate } from "../domain/pagination.ts";
import type { Passage, RateLimit } from "../domain/rate-limit.ts";
import { TurnedAwayError } from "../domain/turns.ts";
import { type Door, type Resolved, rateLimited, type Visitor } from "./admission.ts";
import type { CredentialEvents, TokenHolder } from "./credential-events.ts";
import { within } from "./deadline.ts";
import { refusalAnswer, success, successBody } from "./envelope.ts";
import { type Body, type BodyReader, bodyReader, type ReadBody, readFields } from "./fields.ts";
import type { WriteOutcome } from "./posting-group.ts";
import type { PostingQueue } from "./posting-queue.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { Answer, OperationRequest } from "./request.ts";
import { performWrite } from "./write.ts";

export interface PipelineParts {
  readonly sql: Database;
  readonly services: Services;
  readonly keys: ServiceKeys;
  readonly partnerDoor: Door;
  readonly operatorDoor: Door;
  readonly postings: PostingQueue;
  /** By integration. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Counts failed token requests only. */
  readonly failedCredentials: RateLimiter | undefined;
  readonly legacyFields: Readonly<Record<string, string>>;
  readonly unknownFields: UnknownFields;
  /** Hears that an operator changed something: what is remembered of integrations may be old. */
  readonly operatorWrote: () => void;
  /** Hears what client credentials were used for. */
  readonly credentialEvents: CredentialEvents;
  /** Hears of every failure that is not the caller's. */
  readonly reportFault: (request: OperationRequest, error: unknown) => void;
}

/**
 * Past this, a request is answered, whatever becomes of what it wanted: an idempotency key tells on a retry. Above
 * the timeout of a statement, which frees what the request holds; an operator's imports have several.
 */
const deadlineMilliseconds = { partner: 15_000, operator: 60_000 };
type Headers = Readonly<Record<string, string>>;

/** Makes the function that runs one operation; the operation's validator is compiled once, here. */
export function createRunner(
  operation: Operation,
  parts: PipelineParts,
): (request: OperationRequest) => Promise<Answer> {
  const reader = bodyReader(operation, parts.legacyFields, parts.unknownFields, parts.services.clock);
  const door = isOperators(operation) ? parts.operatorDoor : parts.partnerDoor;
  const deadline = deadlineMilliseconds[isOperators(operation) ? "operator" : "partner"];

  return async function run(request) {
    let visitor: Visitor | undefined;
    let headers: Headers = {};
    const refuse = (refusal: Refusal): Answer => {
      const answer = refusalAnswer(
        refusal,
        visitor === undefined ? "unknown" : (visitor.integrationId ?? "operator"),
      );
      return { ...answer, headers: { ...headers, ...answer.headers } };
    };
    try {
      const transport = checkTransport(request);
      if (transport !== undefined) return refuse(transport);

      if (operation.kind === "token") {
        const issued = await issueToken(operation, reader, request, parts);
        return issued instanceof Refusal ? refuse(issued) : issued;
      }

      const admitted = await door(operation, request);
      if (admitted instanceof Refusal) return refuse(admitted);
      visitor = admitted;

      const passage = takePassage(parts.rateLimiter, visitor);
      headers = limitHeaders(parts.rateLimiter?.limit, passage);
      const tooMuch = tooManyRequests(passage) ?? overload(operation, visitor, parts);
      if (tooMuch !== undefined) return refuse(tooMuch);

      const body = await readFields(reader, request, visitor.timeZone);
      if (body instanceof Refusal) return refuse(body);

      const resolved = await visitor.resolve(body.input);
      if (resolved instanceof Refusal) return refuse(resolved);

      const outcome = await within(deadline, perform(operation, resolved, body, parts));
      if (outcome instanceof Refusal) return refuse(outcome);
      if (outcome.replayed) headers = { ...headers, "idempotent-replayed": "true" };
      return success(outcome.status, outcome.body, visitor.integrationId, headers);
    } catch (error) {
      return refuse(refusalOf(error, request, parts));
    }
  };
}

/** What is answered to a request that failed. Turning somebody away is no failure that anybody has to look into. */
function refusalOf(error: unknown, request: OperationRequest, { reportFault }: PipelineParts): Refusal {
  if (error instanceof TurnedAwayError) {
    return new Refusal("service_unavailable", {}, error.retryAfterSeconds);
  }
  reportFault(request, error);
  const unavailable = faultOf(error) !== "other";
  return unavailable ? new Refusal("service_unavailable", {}, 1) : fail("internal_error");
}

function checkTransport(request: OperationRequest): Refusal | undefined {
  if (request.hasQuery) return fail("query_parameters_not_allowed");
  if (!isJson(request)) return fail("invalid_content_type");
  return undefined;
}

/** `application/json` in UTF-8 (RFC 8259 section 8.1). Other parameters are ignored (RFC 8259 section 11). */
function isJson({ contentType, contentEncoding }: OperationRequest): boolean {
  if (contentEncoding !== undefined && contentEncoding !== "identity") return false;
  if (contentType === "application/json") return true;
  if (contentType === undefined || !/^application\/json[ \t]*(;|$)/i.test(contentType)) return false;
  const charsets = [...contentType.matchAll(/;[ \t]*charset[ \t]*=[ \t]*("?)([^";]*)\1/gi)];
  return charsets.every(([, , charset = ""]) => charset.trim().toLowerCase() === "utf-8");
}

function takePassage(limiter: RateLimiter | undefined, { integrationId }: Visitor): Passage | undefined {
  return integrationId === undefined ? undefined : limiter?.take(integrationId);
}

function tooManyRequests(passage: Passage | undefined): Refusal | undefined {
  return passage?.passed === false ? rateLimited(passage) : undefined;
}

/** What can't be taken now is turned away before it costs more. */
function overload({ kind }: Operation, { businessId }: Visitor, { postings }: PipelineParts) {
  return kind === "posting" ? postings.overload(businessId) : undefined;
}

/** @param name of the policy: what is counted apart has a name of its own */
function limitHeaders(
  limit: RateLimit | undefined,
  passage: Passage | undefined,
  name: "default" | "tokens" = "default",
): Headers {
  if (limit === undefined || passage === undefined) return {};
  return {
    "ratelimit-policy": `"${name}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`,
    ratelimit: `"${name}";r=${passage.remaining};t=${passage.retryAfterSeconds}`,
  };
}

async function perform(
  operation: Exclude<Operation, TokenOperation>,
  { caller, keyOwner }: Resolved,
  { sent, input: body }: ReadBody,
  parts: PipelineParts,
): Promise<WriteOutcome> {
  const { sql, services, keys, postings, operatorWrote } = parts;
  if (operation.kind === "read") {
    const data = await operation.read({ input: body, caller, sql, services, fail });
    if (data instanceof Refusal) return data;
    return { status: 200, body: successBody(operation.message, data), replayed: false };
  }
  if (operation.kind === "list") {
    const page = pageRequestOf(body);
    const listed = await operation.list({ input: body, caller, sql, services, fail, page });
    if (listed instanceof Refusal) return listed;
    const meta = { pagination: paginate(page, listed.total, listed.rows.length) };
    return { status: 200, body: successBody(operation.message, listed.rows, meta), replayed: false };
  }
  const { idempotency_key: key, ...input } = body as Body & { idempotency_key: string };
  const fingerprint = keys.fingerprint(payloadOf(operation.path, sent));
  if (operation.kind === "posting") {
    const posting = input as typeof input & { contact_id: number };
    const { integrationId } = keyOwner;
    return postings.post({
      operation,
      businessId: caller.businessId,
      integrationId,
      key,
      fingerprint,
      input: posting,
    });
  }
  const outcome = await performWrite(parts, { operation, caller, keyOwner, key, fingerprint, input });
  if (isOperators(operation)) operatorWrote();
  return outcome;
}

function pageRequestOf(body: Body): PageRequest {
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
  { services, rateLimiter, failedCredentials, credentialEvents }: PipelineParts,
): Promise<Answer | Refusal> {
  const read = await readFields(reader, request, "UTC");
  if (read instanceof Refusal) return read;
  const body = read.input;
  const clientId = String(body.client_id);
  const issuing = operation.issue({ input: body, services, fail });
  const issued = await within(deadlineMilliseconds.partner, issuing);
  if (issued instanceof Refusal) {
    // Only failures are counted. The right secret passes all the same: others know the client_id, or share the address.
    const keys = [`address ${networkOf(request.address)}`, `client ${clientId}`];
    const [ofAddress, ofClient] = keys.map((key) => failedCredentials?.take(key));
    // One address can't fill the audit log.
    if (ofAddress?.passed !== false) credentialEvents.clientCredentialsRefused(request, clientId);
    const past = [ofAddress, ofClient].find((passage) => passage?.passed === false);
    return past === undefined ? issued : rateLimited(past);
  }
  const holder = issued as TokenHolder;
  // Each leaves a line in the audit log. They are limited as the integration's other requests are, and apart from those.
  const passage = rateLimiter?.take(`tokens ${holder.integration_id}`);
  const headers = limitHeaders(rateLimiter?.limit, passage, "tokens");
  const tooMuch = tooManyRequests(passage);
  if (tooMuch !== undefined) {
    const answer = refusalAnswer(tooMuch, holder.integration_id);
    return { ...answer, headers: { ...headers, ...answer.headers } };
  }
  credentialEvents.tokenIssued(request, holder);
  return success(200, successBody(operation.message, issued), undefined, headers);
}
