/** `loyalty call`: one request to the partner API, as a partner's integration would send it. */
import { text } from "node:stream/consumers";
import { type Command, Option } from "commander";
import {
  ApiError,
  type ApiResponse,
  advanceClock,
  type ClockStep,
  ConnectionError,
  createTransport,
  type Transport,
} from "loyalty-sdk";
import { isWrite, type Operation } from "../../contract/operation.ts";
import { partnerOperations } from "../../operations/operations.ts";
import { issueToken } from "../../operations/partner/auth/token.ts";
import { advanceClockOperation } from "../../operations/partner/sandbox/clock/advance.ts";
import { type Context, ServiceCommand } from "../command.ts";
import { chooseIntegration, type IntegrationOptions, rejected } from "../integration.ts";
import { notReachable } from "../service/failure.ts";
import { usageError } from "../terminal/cli-error.ts";
import { numberText } from "../terminal/quantities.ts";

export function callCommand(): Command {
  return new ServiceCommand("call")
    .summary("Send a request to the partner API")
    .description(
      "Gets an access token, sends a request to the partner API, and prints the response. It uses the demo business on this " +
        "machine, or the integration that --client-id names, with the secret in LOYALTY_CLIENT_SECRET. A write without an " +
        "idempotency_key gets a new one. The clock of a sandbox goes to the wanted time in several steps, if one is too large.",
    )
    .argument("<path>", "The path of the operation, such as /sp/members/list.")
    .argument("[body]", "The JSON body; - reads it from standard input.", "{}")
    .option("--client-id <text>", "The client_id of an integration.")
    .addOption(new Option("--sandbox", "Use the demo's sandbox business.").conflicts("clientId"))
    .examples(
      `loyalty call /sp/members/list '{"per_page": 2}'`,
      `loyalty call /sp/sandbox/clock/advance '{"to": "2027-01-01"}' --sandbox`,
    )
    .act(callOperation);
}

async function callOperation(
  context: Context,
  options: IntegrationOptions,
  [path = "", given = "{}"]: readonly string[],
) {
  const operation = findOperation(path);
  const body = parseBody(given === "-" ? await text(process.stdin) : given);
  const { place, ...credentials } = await chooseIntegration(options);
  const transportWith = (bearer: string) => createTransport({ baseUrl: place.baseUrl, bearer });
  const requestToken = (more: object) =>
    transportWith("").request<{ access_token: string }>(
      issueToken.path,
      { ...credentials, ...more },
      { anonymous: true },
    );
  try {
    const { data, message, meta, replayed } =
      operation === issueToken
        ? await requestToken(body)
        : await sendTo(context, operation, body, transportWith((await requestToken({})).data.access_token));
    if (replayed) context.err.line("Replayed: the response to the first request with this idempotency_key.");
    context.out.line(JSON.stringify({ success: true, message, data, meta }, null, context.json ? 0 : 2));
  } catch (error) {
    if (error instanceof ApiError) throw rejected(error);
    throw error instanceof ConnectionError ? notReachable(error, place) : error;
  }
}

function sendTo(
  context: Context,
  operation: Operation,
  body: object,
  transport: Transport,
): Promise<ApiResponse> {
  if (operation !== advanceClockOperation)
    return transport.request(operation.path, body, { write: isWrite(operation) });
  const onStep = ({ clock_at, entries }: ClockStep) =>
    context.err.line(`The clock is at ${clock_at}, after ${numberText(entries)} entries. It goes on.`);
  return advanceClock(transport, body as { to: string }, { onStep });
}

function findOperation(path: string) {
  const found = partnerOperations.find((one) => one.path === path);
  if (found !== undefined) return found;
  const similar = partnerOperations.find((one) => plainPath(one.path) === plainPath(path));
  throw usageError(
    `The partner API has no operation ${path}.`,
    similar ? `Did you mean ${similar.path}?` : "The reference at /api/docs lists all operations.",
  );
}

/** A path without the parts that are often mistyped: the base path, slashes at the ends, plurals, dashes. */
function plainPath(path: string): string {
  return path
    .replace(/^\/?(?:api\/)?/, "/")
    .replace(/\/$/, "")
    .replace(/s(?=\/|$)|[-_]/g, "")
    .toLowerCase();
}

function parseBody(body: string): object {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw usageError(`The body must be a JSON object such as '{"per_page": 2}', not ${body}`);
}
