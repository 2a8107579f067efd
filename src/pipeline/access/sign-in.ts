/** Signs people in and out. These requests have no authenticated caller. */
import { Rejection, reject } from "../../contract/errors.ts";
import type { SessionOperation } from "../../contract/operation.ts";
import { isNameTaken } from "../../database/access/operators.ts";
import { isSessionToken } from "../../domain/access/operators.ts";
import { FairQueue } from "../../domain/fair-queue.ts";
import { nameKey } from "../../domain/text.ts";
import { networkOf, withTimeout } from "../limits.ts";
import type { PipelineParts, ReadBody } from "../parts.ts";
import { successBody } from "../postings/outcome.ts";
import { type Credentials, errorResponse, type OperationResponse, success } from "../request.ts";
import { bearerToken } from "./authentication.ts";
import { deviceCookie, isKnownDevice, sessionCookie } from "./session-cookie.ts";

/** Queues sign-ins by network. A network with many of them then delays only itself. */
const signIns = new FairQueue({ atOnce: 2, mostWaiting: 50, mostInAll: 500 });
/** Those from browsers that have signed in with the name before. They don't wait for other browsers. */
const knownSignIns = new FairQueue({ atOnce: 2, mostWaiting: 50, mostInAll: 500 });

/** The errors of wrong credentials, which are counted. */
const failures: ReadonlySet<string> = new Set(["sign_in_failed", "invitation_not_valid"]);

const deadlineMilliseconds = 15_000;

export async function changeSession(
  operation: SessionOperation,
  credentials: Credentials,
  readBody: ReadBody,
  parts: PipelineParts,
): Promise<OperationResponse> {
  const { checkBody, pools, services, keys, failedCredentials, wrongPasswords, credentialEvents } = parts;
  const sent = await readBody();
  if (sent instanceof Rejection) return errorResponse(sent);
  const sql = pools.sql.shareOf("sign-in");
  const context = {
    sql,
    reject,
    services: { ...services, lookUps: pools.lookUps, longRunning: pools.longRunning },
  };
  const body = await checkBody(operation, sent, () => ({ businessId: 0, country: null, ...context }));
  if (body instanceof Rejection) return errorResponse(body);
  const network = networkOf(credentials.address);
  const session = presentedSession(credentials);
  const { address } = credentials;
  const name = typeof body.input.name === "string" ? body.input.name : undefined;
  const key = name === undefined ? undefined : nameKey(name);
  const { device, isLoopback } = credentials.browserSession?.() ?? { device: undefined, isLoopback: false };
  const isKnown = isKnownDevice(keys, device, key);
  const guesses = isKnown ? `device ${device}` : key && `operator ${network} ${key}`;
  const run = () => operation.change({ ...context, input: body.input, session, address });
  // The limits are checked at the turn, after those before it, and before a password is hashed. A known browser has its own.
  const runInTurn = async () => {
    const tooMany =
      (guesses && failedCredentials?.rejection(guesses)) || (!isKnown && wrongPasswords?.rejection(network));
    if (tooMany) return tooMany;
    const changed = await run();
    const isFailure = changed instanceof Rejection && failures.has(changed.code);
    if (isFailure && guesses) failedCredentials?.count(guesses);
    if (isFailure && !isKnown) wrongPasswords?.count(network);
    return changed;
  };
  // Other operations check a session, which can't be guessed and costs no hashing. So a person who has one does not wait for those who
  // mistype passwords.
  const isGuessed = operation.errors.some((code) => failures.has(code));
  const change = isGuessed ? (isKnown ? knownSignIns : signIns).run(network, runInTurn) : run();
  const changed = await withTimeout(deadlineMilliseconds, change);
  if (changed instanceof Rejection) {
    if (!failures.has(changed.code)) return errorResponse(changed);
    // These count only failures, so a valid password passes even if others misuse the name or the address.
    const tooMany = failedCredentials?.count(`operator ${network}`).rejection;
    if (tooMany !== undefined) return errorResponse(tooMany);
    // Only names of accounts are kept. Another one may be a password in the wrong field.
    const isName = name !== undefined && (await isNameTaken(pools.lookUps, name));
    credentialEvents.signInRejected(credentials, isName ? name : undefined);
    const ofAccount = key === undefined ? undefined : failedCredentials?.count(`account ${key}`);
    return errorResponse(ofAccount?.rejection ?? changed);
  }
  const sender = { integrationId: undefined, businessId: 0 };
  if (changed.event === undefined) return success(200, successBody(operation.message, changed.data), sender);
  credentialEvents.sessionChanged(credentials, changed);
  // Its earlier session has ended.
  parts.sessionChanged();
  const cookies = [sessionCookie(changed.token, isLoopback)];
  if (changed.token !== null) cookies.push(deviceCookie(keys, nameKey(changed.operator.name), isLoopback));
  return success(200, successBody(operation.message, changed.data), sender, { "set-cookie": cookies });
}

function presentedSession(credentials: Credentials): string | undefined {
  if (credentials.authorization === undefined) return credentials.browserSession?.().session;
  const token = bearerToken(credentials.authorization);
  return typeof token === "string" && isSessionToken(token) ? token : undefined;
}
