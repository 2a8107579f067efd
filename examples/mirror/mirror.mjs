#!/usr/bin/env node
/**
 * Keeps a copy of all balances of a business in a file. Webhooks bring the changes at once. At the start and after a gap, the program
 * reads events with events/list. It may be killed at any moment.
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { LoyaltyClient, LoyaltyError, verifyWebhook, WebhookError } from "loyalty-sdk";
import { readCredentials, UsageError } from "../credentials.mjs";
import { Book } from "./book.mjs";
import { catchUp } from "./following.mjs";

const help = `Usage: node examples/mirror/mirror.mjs [options]

Keeps a copy of all balances in a file, from webhooks and from events/list.

  --file <path>         the file of the copy; default mirror.jsonl
  --port <number>       where webhooks are received, on this machine; default 3000
  --host <address>      the address to listen on; default 127.0.0.1
  --once                read what is missing, and end, without receiving webhooks
  --print               print the copy as CSV, and end; nothing is requested
  --poll <seconds>      how often events/list is asked without a webhook; default 60
  --demo-file <path>    where base_url, client_id and client_secret are; default data/demo.json
  --help                show this

GET / returns how far the copy is, and GET /balances/<contact_id> the balances of a member.

Environment: LOYALTY_URL, LOYALTY_CLIENT_ID and LOYALTY_CLIENT_SECRET instead of data/demo.json;
WEBHOOK_SECRET, the secret of the endpoint, or two of them separated by a comma during a rotation.

Exit status: 0 when it was ended by Ctrl-C or done, 1 when it failed, 2 when the arguments or the credentials can't be used.
`;

const largestBody = 65_536;
/** Deliveries overtake each other by moments. A gap that lasts longer is read. */
const gapMilliseconds = 2000;

process.exitCode = await main().catch((error) => {
  if (!(error instanceof UsageError) && !(error instanceof LoyaltyError)) console.error(error);
  else console.error(error.message);
  return error instanceof UsageError ? 2 : 1;
});

/** @returns {Promise<number>} the exit status */
async function main() {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  if (options.print) return print(await Book.open(options.file));
  const client = new LoyaltyClient(await readCredentials(options["demo-file"]));
  const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",").filter((one) => one !== "");
  if (!options.once && secrets.length === 0) {
    throw new UsageError("Set WEBHOOK_SECRET to the secret of the endpoint, or give --once. See --help.");
  }
  const book = await Book.open(options.file);
  if (options.once) {
    await catchUp(client, book, { say: console.error });
    await book.close();
    return 0;
  }
  return serve(client, book, { ...options, secrets });
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        file: { type: "string", default: "mirror.jsonl" },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "3000" },
        poll: { type: "string", default: "60" },
        once: { type: "boolean" },
        print: { type: "boolean" },
        "demo-file": { type: "string" },
        help: { type: "boolean" },
      },
    });
    for (const name of /** @type {const} */ (["port", "poll"])) {
      if (!/^\d{1,5}$/.test(values[name]))
        throw new Error(`--${name} must be a number, not "${values[name]}".`);
    }
    return values;
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\nSee --help.`);
  }
}

/** @param {Book} book */
async function print(book) {
  console.log("contact_id,wallet,points,vouchers,sales");
  for (const [contactId, { wallet, points, vouchers, sales }] of book.members()) {
    console.log([contactId, wallet, points, vouchers, sales].join(","));
  }
  await book.close();
  return 0;
}

/**
 * @param {LoyaltyClient} client
 * @param {Book} book
 * @param {{ host: string, port: string, poll: string, secrets: string[] }} options
 */
async function serve(client, book, { host, port, poll, secrets }) {
  // From here on a signal ends it in order, also while the first balances are read.
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());
  const { signal } = stopping;
  const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
  /** @type {Promise<boolean> | undefined} */
  let following;
  /** Reads what is missing, once at a time. Resolves to whether the copy is complete. */
  const follow = () => {
    following ??= catchUp(client, book, { say: console.error, signal })
      .then(() => true)
      // It is tried again, and until then webhooks go on.
      .catch((error) => {
        if (!signal.aborted) console.error(`Reading events failed: ${error.message}`);
        return false;
      })
      .finally(() => {
        following = undefined;
      });
    return following;
  };
  /** @type {NodeJS.Timeout | undefined} */
  let gap;
  const server = createServer(async (request, response) => {
    const respond = (/** @type {number} */ status, /** @type {unknown} */ body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      if (request.method === "GET") return respond(...lookUp(book, request.url ?? "/"));
      const { id, event } = await verifyWebhook(await bodyOf(request), request.headers, secrets);
      // A test has the data of an example, which did not happen.
      if (id.startsWith("evt_test_")) return respond(200, { new: false });
      // Before the first balances were read, the event is in what is read.
      const isNew = book.next !== undefined && (await book.add(event));
      if (book.hasGap && gap === undefined) {
        gap = setTimeout(() => {
          gap = undefined;
          if (book.hasGap) void follow();
        }, gapMilliseconds);
      }
      respond(200, { new: isNew });
    } catch (error) {
      const isRejected = error instanceof WebhookError;
      if (!isRejected) console.error(error);
      respond(isRejected ? 400 : 500, { error: isRejected ? error.message : "The event was not stored." });
    }
  });
  await new Promise((resolve, reject) =>
    server.once("error", reject).listen(Number(port), host, () => resolve(0)),
  );
  const { port: listening } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.error(`Receiving webhooks at http://${host}:${listening}`);
  if (await follow()) console.error(`The copy is complete up to event ${book.next}.`);
  const polling = setInterval(follow, Number(poll) * 1000);
  await stopped;
  clearInterval(polling);
  clearTimeout(gap);
  server.close();
  server.closeIdleConnections();
  await following;
  await book.close();
  // A request for a token may still wait for its response. Nothing depends on it.
  process.exit(0);
}

/** @param {Book} book @param {string} url @returns {[status: number, body: unknown]} */
function lookUp(book, url) {
  if (url === "/") return [200, { next: book.next ?? null, members: book.members().size }];
  const [, id] = /^\/balances\/(\d+)$/.exec(url) ?? [];
  const member = book.members().get(Number(id));
  return member === undefined ? [404, { error: "There is no such member." }] : [200, member];
}

/** @param {import("node:http").IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > largestBody) throw new WebhookError("invalid_body", "The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
