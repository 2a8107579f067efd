/** Signs people in and out. These requests have no authenticated caller. */
import { fail, Refusal } from "../../contract/errors.ts";
import type { SessionOperation } from "../../contract/operation.ts";
import { isNameTaken } from "../../database/access/operators.ts";
import { FairQueue } from "../../domain/fair-queue.ts";
import { isSessionToken } from "../../domain/operators.ts";
import { networkOf, withTimeout } from "../limits.ts";
import type { PipelineParts, ReadBody } from "../parts.ts";
import { type Credentials, errorResponse, type OperationResponse, success, successBody } from "../request.ts";
import { bearerToken } from "./authentication.ts";
import { sessionCookie } from "./session-cookie.ts";

/** Queues sign-ins by network. A network with many of them then delays only itself. */
const signIns = new FairQueue({ atOnce: 2, mostWaiting: 50, mostInAll: 500 });

/** The errors of wrong credentials, which are counted. */
const failures: ReadonlySet<string> = new Set(["sign_in_failed", "invitation_not_valid"]);

const deadlineMilliseconds = 15_000;

export async function changeSession(
  operation: SessionOperation,
  credentials: Credentials,
  readBody: ReadBody,
  { checkBody, pools, services, failedCredentials, credentialEvents, sessionChanged }: PipelineParts,
): Promise<OperationResponse> {
  const sent = await readBody();
  if (sent instanceof Refusal) return errorResponse(sent);
  const sql = pools.sql.shareOf("sign-in");
  const context = {
    sql,
    fail,
    services: { ...services, lookUps: pools.lookUps, longRunning: pools.longRunning },
  };
  const body = await checkBody(operation, sent, async () => ({ businessId: 0, country: null, ...context }));
  if (body instanceof Refusal) return errorResponse(body);
  const network = networkOf(credentials.address);
  const session = presentedSession(credentials);
  const { address } = credentials;
  const name = typeof body.input.name === "string" ? body.input.name : undefined;
  const guesses = name === undefined ? undefined : `operator ${network} ${name.toLowerCase()}`;
  // A network that has failed too often for a name gets no password verified. It is checked at the turn, after those before it.
  const change = signIns.run(network, async () => {
    const tooMany = guesses && failedCredentials?.refusal(guesses);
    if (tooMany) return tooMany;
    const changed = await operation.change({ ...context, input: body.input, session, address });
    const isFailure = changed instanceof Refusal && failures.has(changed.code);
    if (isFailure && guesses) failedCredentials?.count(guesses);
    return changed;
  });
  const changed = await withTimeout(deadlineMilliseconds, change);
  if (changed instanceof Refusal) {
    if (!failures.has(changed.code)) return errorResponse(changed);
    // These count only failures, so a valid password passes even if others misuse the name or the address.
    const tooMany = failedCredentials?.count(`operator ${network}`).refusal;
    if (tooMany !== undefined) return errorResponse(tooMany);
    // Only names of accounts are kept. Another one may be a password in the wrong field.
    const isKnown = name !== undefined && (await isNameTaken(pools.lookUps, name));
    credentialEvents.signInRefused(credentials, isKnown ? name : undefined);
    const ofAccount =
      name === undefined ? undefined : failedCredentials?.count(`account ${name.toLowerCase()}`);
    return errorResponse(ofAccount?.refusal ?? changed);
  }
  const sender = { integrationId: undefined, businessId: 0 };
  if (changed.event === undefined) return success(200, successBody(operation.message, changed.data), sender);
  credentialEvents.sessionChanged(credentials, changed);
  // Its earlier session has ended.
  sessionChanged();
  const cookie = sessionCookie(changed.token, credentials.browserSession?.().isLoopback === true);
  return success(200, successBody(operation.message, changed.data), sender, { "set-cookie": cookie });
}

function presentedSession(credentials: Credentials): string | undefined {
  if (credentials.authorization === undefined) return credentials.browserSession?.().session;
  const token = bearerToken(credentials.authorization);
  return typeof token === "string" && isSessionToken(token) ? token : undefined;
}
