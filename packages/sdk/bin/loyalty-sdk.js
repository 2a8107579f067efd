#!/usr/bin/env node
/** The command of partners: calls operations, forwards events to a program on this machine, and makes events in a sandbox. */
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { eventTypes, Listener, NotPrepared, triggerEvent } from "../dist/development/index.js";
import { ApiError, advanceClock, ConnectionError, createTransport, LoyaltyClient } from "../dist/index.js";

const help = `Usage:
  loyalty-sdk call PATH [BODY]            send a request, such as call /sp/members/list '{"per_page": 2}'; BODY - is standard input
  loyalty-sdk listen --forward-to URL     forward events to a program on this machine, signed like webhooks
  loyalty-sdk trigger TYPE                make an event of this type in a sandbox, such as trigger sale.recorded

Options:
  --url URL           of the service, with its base path: https://loyalty.example.com/api; or LOYALTY_URL
  --client-id TEXT    of the integration; or LOYALTY_CLIENT_ID
  --since NUMBER      listen: begin after the event of this number; 0: with the oldest. By default, only new events
  --types LIST        listen: only these types, separated by commas, such as sale.*,member.updated
  --contact ID        trigger: the member; by default, a new one
  --location ID       trigger: the location; by default, the first one

LOYALTY_CLIENT_SECRET is the secret of the integration. listen signs with LOYALTY_WEBHOOK_SECRET, or with a new secret that it prints.
`;

/** What the person must change. The command ends with status 2. */
class UsageError extends Error {}

const tell = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

/** @param {string} name @param {string | undefined} given @param {string} variable */
function required(name, given, variable) {
  const value = given ?? process.env[variable]?.trim();
  if (value) return value;
  throw new UsageError(`Give ${name}, or set ${variable}.`);
}

/** @param {string} name @param {string | undefined} given */
function wholeNumber(name, given) {
  if (given === undefined || /^\d{1,15}$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new UsageError(`${name} must be a whole number, not "${given}".`);
}

/** @param {LoyaltyClient} client @param {Record<string, string | undefined>} options */
async function listen(client, { "forward-to": to, since, types }) {
  if (to === undefined || !/^https?:/.test(to) || !URL.canParse(to))
    throw new UsageError("Give --forward-to with the URL of your receiver, such as http://localhost:3000.");
  const secret = process.env.LOYALTY_WEBHOOK_SECRET?.trim() || `whsec_${randomBytes(24).toString("base64")}`;
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());
  const passes = (/** @type {unknown} */ error) =>
    error instanceof ConnectionError ||
    (error instanceof ApiError && (error.status >= 500 || error.status === 429));
  const listener = new Listener(
    {
      url: to,
      secret,
      types: types?.split(",").map((type) => type.trim()),
      list: (wanted, signal) =>
        client.events.list(/** @type {any} */ (JSON.parse(JSON.stringify(wanted))), {
          signal,
          maxRetries: 1,
        }),
      isAway: (error) => (passes(error) ? /** @type {Error} */ (error).message : undefined),
      forwarded: ({ event, status, milliseconds }) =>
        process.stdout.write(`${event.data.sequence}  ${event.type}  ${status}  ${milliseconds} ms\n`),
      tell,
    },
    stopping.signal,
  );
  try {
    await listener.run(wholeNumber("--since", since));
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    listener.tellWhereToContinue();
  }
  process.exitCode = 130;
}

/** @param {LoyaltyClient} client @param {string | undefined} type @param {Record<string, string | undefined>} options */
async function trigger(client, type, { contact, location }) {
  const known = eventTypes().find((one) => one === type);
  if (known === undefined) throw new UsageError(`Give the type of an event: ${eventTypes().join(", ")}.`);
  const place = { contact: wholeNumber("--contact", contact), location: wholeNumber("--location", location) };
  for (const event of await triggerEvent(client, known, JSON.parse(JSON.stringify(place))))
    process.stdout.write(`${JSON.stringify(event)}\n`);
}

/**
 * @param {Record<"baseUrl" | "clientId" | "clientSecret", string>} access
 * @param {string | undefined} path
 * @param {string} given
 */
async function call({ baseUrl, clientId, clientSecret }, path, given = "{}") {
  if (path === undefined) throw new UsageError("Give the path of the operation, such as /sp/members/list.");
  const written = given === "-" ? await text(process.stdin) : given;
  let body;
  try {
    body = JSON.parse(written);
  } catch {
    throw new UsageError(`The body must be a JSON object such as '{"per_page": 2}', not ${written}`);
  }
  const transport = (/** @type {string} */ bearer) => createTransport({ baseUrl, bearer });
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const token = await transport("").request("/sp/auth/token", credentials, { anonymous: true });
  const { access_token } = /** @type {{ access_token: string }} */ (token.data);
  // Reads ignore the key that a write gets.
  const response =
    path === "/sp/sandbox/clock/advance"
      ? await advanceClock(transport(access_token), body)
      : await transport(access_token).request(path, body, { write: true });
  process.stdout.write(`${JSON.stringify(response, undefined, 2)}\n`);
}

async function main() {
  const names = ["url", "client-id", "forward-to", "since", "types", "contact", "location"];
  const options = Object.fromEntries(names.map((name) => [name, { type: /** @type {const} */ ("string") }]));
  let parsed;
  try {
    parsed = parseArgs({ options: { ...options, help: { type: "boolean" } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
  const { values, positionals } = parsed;
  const [command, first, second] = positionals;
  const given = /** @type {Record<string, string | undefined>} */ (values);
  if (values.help || !["call", "listen", "trigger"].includes(command ?? "")) {
    if (!values.help) process.exitCode = 2;
    return process[values.help ? "stdout" : "stderr"].write(help);
  }
  const access = {
    baseUrl: required("--url", given.url, "LOYALTY_URL"),
    clientId: required("--client-id", given["client-id"], "LOYALTY_CLIENT_ID"),
    clientSecret: required("the secret", undefined, "LOYALTY_CLIENT_SECRET"),
  };
  if (command === "call") return call(access, first, second);
  const client = new LoyaltyClient(access);
  return command === "listen" ? listen(client, given) : trigger(client, first, given);
}

main().catch((error) => {
  tell(error instanceof NotPrepared ? `${error.message} ${error.advice}` : String(error.message ?? error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
