/** The life of a request (docs/decisions/order-of-checks.md): `run` takes an HTTP request, `call` takes values. */
import { Rejection, reject } from "../contract/errors.ts";
import {
  type AuthorizedOperation,
  type Caller,
  type Context,
  type Found,
  isOperatorOperation,
  type ListOperation,
  type Operation,
  type PostingOperation,
  type TokenOperation,
} from "../contract/operation.ts";
import type { Body } from "../contract/validation.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import { isTransient } from "../database/faults.ts";
import { findMergedInto } from "../database/members/members.ts";
import { checkLocation, isClientId } from "../domain/access/access.ts";
import { FairQueue, OverloadedError } from "../domain/fair-queue.ts";
import { payloadOf } from "../domain/idempotency.ts";
import { defaultPage, defaultPerPage, paginate } from "../domain/pagination.ts";
import type { Authorized, Principal } from "./access/authentication.ts";
import type { TokenHolder } from "./access/credential-events.ts";
import { changeSession } from "./access/sign-in.ts";
import type { CheckedBody } from "./body.ts";
import { cursorOf, listText, placeOfCursor, wrongCursor } from "./cursors.ts";
import { limitHeaders, networkOf, withTimeout } from "./limits.ts";
import type { PipelineParts, ReadBody } from "./parts.ts";
import { limitsOf } from "./postings/group-corrections.ts";
import type { PostingCommand } from "./postings/group-state.ts";
import { type Outcome, successBody } from "./postings/outcome.ts";
import {
  type Credentials,
  errorResponse,
  type OperationRequest,
  type OperationResponse,
  type ResponseHeaders,
  success,
} from "./request.ts";
import { checkHead, readJson } from "./transport.ts";
import { performWrite } from "./write.ts";

/**
 * The time limit of a response. The work may continue after it, and a retry with the same idempotency key returns the
 * outcome. It is longer than the timeout of a statement, so that the work ends, too. An operator's import has several
 * statements.
 */
const deadlineMilliseconds = { partner: 15_000, operator: 60_000 };

/** Queues checks of client credentials by network. A network with many requests then delays only itself. */
const credentialChecks = new FairQueue({ atOnce: 4, mostWaiting: 100, mostInAll: 1000 });

/** Runs an operation for an HTTP request: checks the transport, then calls the operation with the parsed body. */
export async function run(
  operation: Operation,
  request: OperationRequest,
  parts: PipelineParts,
): Promise<OperationResponse> {
  const rejection = checkHead(request);
  if (rejection !== undefined) return errorResponse(rejection);
  return call(operation, request, () => readJson(request, operation), parts);
}

/**
 * Calls an operation with values. Scopes, limits, idempotency and audit are the same for every way to call it.
 * @param readBody returns the fields, which are JSON values. It is called at most once, after the caller is authenticated.
 */
export async function call(
  operation: Operation,
  credentials: Credentials,
  readBody: ReadBody,
  parts: PipelineParts,
): Promise<OperationResponse> {
  let principal: Principal | undefined;
  let headers: ResponseHeaders = {};
  const toResponse = (rejection: Rejection) => errorResponse(rejection, principal, headers);
  try {
    if (operation.kind === "token") return await issueTokenFor(operation, credentials, readBody, parts);
    if (operation.kind === "session") return await changeSession(operation, credentials, readBody, parts);

    const isOperator = isOperatorOperation(operation);
    const authenticate = isOperator ? parts.operatorAuthentication : parts.partnerAuthentication;
    const authenticated = await authenticate(credentials);
    if (authenticated instanceof Rejection) return toResponse(authenticated);
    principal = authenticated;

    const access = await principal.access(operation);
    if (access instanceof Rejection) return toResponse(access);

    const { integrationId } = principal;
    const counted = integrationId === undefined ? undefined : parts.rateLimiter?.count(integrationId);
    headers = limitHeaders("default", counted);
    const isPosting = operation.kind === "posting";
    const tooMany =
      counted?.rejection ?? (isPosting ? parts.postings.overload(principal.businessId) : undefined);
    if (tooMany !== undefined) return toResponse(tooMany);

    const sent = await readBody();
    if (sent instanceof Rejection) return toResponse(sent);
    const sender = principal;
    const body = await parts.checkBody(operation, sent, async () => {
      const business = await sender.businessOf(sent);
      const { sql, services } = connectionsOf({ integrationId, ...business }, parts);
      return { sql, services, ...business };
    });
    if (body instanceof Rejection) return toResponse(body);

    const authorized = await principal.authorize(operation, body.input);
    if (authorized instanceof Rejection) return toResponse(authorized);

    const deadline = isOperator ? deadlineMilliseconds.operator : deadlineMilliseconds.partner;
    const outcome = await withTimeout(deadline, performChecked(operation, authorized, body, parts));
    if (outcome instanceof Rejection) return toResponse(outcome);
    if (outcome.replayed) headers = { ...headers, "idempotent-replayed": "true" };
    const response = success(outcome.status, outcome.body, principal, headers);
    return outcome.replayed === "late" ? { ...response, reason: "late_replay" } : response;
  } catch (error) {
    return toResponse(rejectionOf(error, credentials, parts));
  }
}

/** Converts a failure into a rejection. An overload is not reported as an error, because nothing is broken. */
function rejectionOf(error: unknown, { id }: Credentials, { reportFault }: PipelineParts): Rejection {
  if (error instanceof OverloadedError) {
    return reject("service_unavailable", {}, error.retryAfterSeconds);
  }
  reportFault(id, error);
  return isTransient(error) ? reject("service_unavailable", {}, 1) : reject("internal_error");
}

/** Performs an operation. If it fails because its business was deleted meanwhile, the rejection says so. */
async function performChecked(
  operation: AuthorizedOperation,
  authorized: Authorized,
  body: CheckedBody,
  parts: PipelineParts,
): Promise<Outcome> {
  const { recheck } = authorized;
  if (recheck === undefined) return perform(operation, authorized, body, parts);
  const deleted = async () => {
    const decided = await recheck().catch(() => undefined);
    return decided instanceof Rejection ? decided : undefined;
  };
  try {
    const outcome = await perform(operation, authorized, body, parts);
    return outcome instanceof Rejection ? ((await deleted()) ?? outcome) : outcome;
  } catch (error) {
    const rejection = await deleted();
    if (rejection === undefined) throw error;
    return rejection;
  }
}

async function perform(
  operation: AuthorizedOperation,
  { caller, keyOwner }: Authorized,
  { sent, input }: CheckedBody,
  parts: PipelineParts,
): Promise<Outcome> {
  const { keys, postings, operatorWrote, eventsRecorded } = parts;
  const contextOf = (fields: Body) => ({ input: fields, caller, ...connectionsOf(caller, parts), reject });
  if (operation.kind === "read") {
    const data = await operation.read(contextOf(input));
    if (data instanceof Rejection) return data;
    return { status: 200, body: successBody(operation.message, data), replayed: false };
  }
  if (operation.kind === "list") {
    return performList(operation, contextOf(input), keys);
  }
  const { idempotency_key: key, ...fields } = input as Body & { readonly idempotency_key: string };
  const payload = payloadOf(operation.path, sent);
  const idempotencyKey = {
    owner: keyOwner,
    key,
    fingerprint: keys.fingerprint(payload),
    fingerprintBefore: keys.fingerprintBefore?.(payload),
  };
  const isOperator = isOperatorOperation(operation);
  if (operation.kind === "posting") {
    const { find } = operation;
    const found =
      find === undefined ? (fields as unknown as Found) : await findNamed(find, contextOf(fields));
    if (found instanceof Rejection) return found;
    const command: PostingCommand = {
      operation,
      businessId: caller.businessId,
      contactId: found.contact_id,
      integrationId: isOperator ? null : keyOwner.integrationId,
      locations: caller.locations,
      audit: operation.scope === "operator" ? { actor: caller.actor, event: operation.event } : undefined,
      idempotencyKey,
      input: fields,
      record: found.record,
      limits: caller.operator && operation.undoes === undefined ? limitsOf(caller.operator) : undefined,
    };
    const outcome = await postings.post(command);
    if (!(outcome instanceof Rejection)) return outcome;
    return followMerge(outcome, command, caller, parts);
  }
  const context = contextOf(fields);
  const outcome = await performWrite({ operation, context, idempotencyKey, keys, eventsRecorded });
  if (isOperator) operatorWrote();
  return outcome;
}

/** Lists a page, by its number or after the place of a cursor. */
async function performList(operation: ListOperation, context: Context, keys: ServiceKeys): Promise<Outcome> {
  const wanted = context.input as { page?: number; per_page?: number; after?: string };
  const list = listText(operation.path, context.caller.businessId, wanted);
  const after = wanted.after === undefined ? undefined : placeOfCursor(keys, list, wanted.after);
  if (wanted.after !== undefined && after === undefined)
    return reject("validation_failed", { errors: [wrongCursor] });
  const page = { page: wanted.page ?? defaultPage, perPage: wanted.per_page ?? defaultPerPage, after };
  const listed = await operation.list({ ...context, page });
  if (listed instanceof Rejection) return listed;
  const { rows, total, next } = listed;
  const meta = {
    pagination: after === undefined ? paginate(page, total as number, rows.length) : undefined,
    next: next === undefined ? null : cursorOf(keys, list, next),
  };
  return { status: 200, body: successBody(operation.message, rows, meta), replayed: false };
}

/**
 * If a rejected command is about a merged member, the record that its input names became the other member's after it was found, and
 * the command is posted again. An input that names the member itself gets the other one in the details.
 */
async function followMerge(
  rejected: Rejection,
  command: PostingCommand,
  caller: Caller,
  parts: PipelineParts,
): Promise<Outcome> {
  const isNamed = "contact_id" in command.input;
  if (rejected.retryAfterSeconds !== undefined) return rejected;
  if (isNamed && rejected.code !== "member_inactive") return rejected;
  const { lookUps } = connectionsOf(caller, parts).services;
  const merged_into = await findMergedInto(lookUps, command.businessId, command.contactId);
  if (merged_into === undefined) return rejected;
  if (isNamed) return reject("member_inactive", { merged_into });
  const moved = { ...command, contactId: merged_into };
  const outcome = await parts.postings.post(moved);
  return outcome instanceof Rejection ? followMerge(outcome, moved, caller, parts) : outcome;
}

/**
 * The connections of a caller: its share of each pool. Partners share by business. An operator has a share of its own for
 * each business, so that operators and partners don't wait for each other.
 */
function connectionsOf(
  { businessId, integrationId }: Pick<Caller, "businessId" | "integrationId">,
  { pools, services }: PipelineParts,
) {
  const owner = integrationId === undefined ? `operator ${businessId}` : businessId;
  const [lookUps, longRunning] = [pools.lookUps.shareOf(owner), pools.longRunning.shareOf(owner)];
  return { sql: pools.sql.shareOf(owner), services: { lookUps, longRunning, ...services } };
}

/** The member that a posting is about, and the other records that it names, for an input that does not name the member. */
async function findNamed(
  find: NonNullable<PostingOperation["find"]>,
  context: Context,
): Promise<Found | Rejection> {
  const found = await find(context);
  if (found instanceof Rejection) return found;
  return checkLocation(context.caller.locations, found.location_id ?? null) ?? found;
}

/** Issues a token: fields, credentials, rate limit. */
async function issueTokenFor(
  operation: TokenOperation,
  credentials: Credentials,
  readBody: ReadBody,
  parts: PipelineParts,
): Promise<OperationResponse> {
  const { checkBody, pools, services, rateLimiter, failedCredentials, credentialEvents } = parts;
  const sent = await readBody();
  if (sent instanceof Rejection) return errorResponse(sent);
  // The body is not checked yet. Another text is no client_id, and would be kept in memory.
  const sender = isClientId(sent.client_id) ? { clientId: sent.client_id } : {};
  const toResponse = (rejection: Rejection) => ({ ...errorResponse(rejection), ...sender });
  const none = { businessId: 0, integrationId: undefined, country: null };
  const body = await checkBody(operation, sent, () => ({ ...none, ...connectionsOf(none, parts) }));
  if (body instanceof Rejection) return toResponse(body);
  const clientId = String(body.input.client_id);
  const network = networkOf(credentials.address);
  const context = { input: body.input, services: { ...services, ...pools }, reject };
  const issuing = credentialChecks.run(network, () => operation.issue(context));
  const issued = await withTimeout(deadlineMilliseconds.partner, issuing);
  if (issued instanceof Rejection) {
    // Only failures are counted, so a valid secret passes even if others misuse the client_id or the address.
    const tooMany = failedCredentials?.count(`address ${network}`).rejection;
    // The address is counted first, so that one address can't fill the audit log or use up the limit of a client_id.
    if (tooMany !== undefined) return toResponse(tooMany);
    credentialEvents.clientCredentialsRejected(credentials, clientId);
    return toResponse(failedCredentials?.count(`client ${clientId}`).rejection ?? issued);
  }
  const holder = issued as TokenHolder;
  const owner = { integrationId: holder.integration_id, businessId: holder.business_id };
  // Each token adds an entry to the audit log, so tokens have a limit: that of requests, counted separately.
  const counted = rateLimiter?.count(`tokens ${holder.integration_id}`);
  const headers = limitHeaders("tokens", counted);
  if (counted?.rejection !== undefined) return errorResponse(counted.rejection, owner, headers);
  credentialEvents.tokenIssued(credentials, holder);
  return success(200, successBody(operation.message, issued), owner, headers);
}
