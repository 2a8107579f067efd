#!/usr/bin/env node
/**
 * Brings the members in line with a CSV file of customers: creates those that are new, updates those that changed.
 * It can be stopped at any moment and run again; ../README.md says why that is safe.
 */
import { parseArgs } from "node:util";
import { ApiError, LoyaltyClient, LoyaltyError, ValidationError } from "loyalty-sdk";
import { readCredentials, UsageError } from "../credentials.mjs";
import { readCustomers } from "./customers.mjs";
import { digestOf, readSynced, writeSynced } from "./synced.mjs";

const help = `Usage: node examples/member-sync/sync.mjs [options] customers.csv

Creates a member for each customer who is new, by phone number, and updates those whose line changed.

  customers.csv         columns phone_number, first_name, last_name and, where known, email, date_of_birth
  --synced <path>       what was brought over before; default <customers.csv>.synced.json
  --at-once <number>    requests under way at the same time, 1 to 64; default 8
  --demo-file <path>    where base_url, client_id and client_secret are; default data/demo.json
  --help                show this

Environment: LOYALTY_URL, LOYALTY_CLIENT_ID and LOYALTY_CLIENT_SECRET instead of data/demo.json.

Exit status: 0 when every line is brought over, 1 when some were rejected or the run failed, 2 when the arguments,
the file or the credentials can't be used.
`;

/** What is wrong with one customer; any other error stops the run. */
const ofOneLine = new Set(["member_already_exists", "member_not_found", "validation_failed"]);

/** @typedef {import("./customers.mjs").Customer} Customer */
/** @typedef {"created" | "updated" | "unchanged" | "rejected"} Outcome */

process.exitCode = await main();

/** @returns {Promise<number>} the exit status */
async function main() {
  try {
    const options = readOptions();
    if (options === "help") {
      process.stdout.write(help);
      return 0;
    }
    return await sync(options);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message);
      return 2;
    }
    if (error instanceof LoyaltyError) {
      console.error(`${error.message}\nWhat is brought over stays: run it again to go on from here.`);
      return 1;
    }
    throw error;
  }
}

function readOptions() {
  /** @type {{ values: Record<string, any>, positionals: string[] }} */
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        synced: { type: "string" },
        "at-once": { type: "string", default: "8" },
        "demo-file": { type: "string" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\nSee --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError("Give one file. See --help.");
  const atOnce = Number(values["at-once"]);
  if (!Number.isInteger(atOnce) || atOnce < 1 || atOnce > 64) {
    throw new UsageError(`--at-once must be a whole number from 1 to 64, not "${values["at-once"]}".`);
  }
  return { file, atOnce, synced: values.synced ?? `${file}.synced.json`, demoFile: values["demo-file"] };
}

/** @param {Exclude<ReturnType<typeof readOptions>, "help">} options */
async function sync({ file, atOnce, synced: syncedFile, demoFile }) {
  const client = new LoyaltyClient(await readCredentials(demoFile));
  const customers = await readCustomers(file);
  const synced = await readSynced(syncedFile);
  const members = await findMembers(client);
  /** @type {Record<Outcome, number>} */
  const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
  try {
    await eachAtOnce(atOnce, customers, async (customer) => {
      const { phone_number } = customer.fields;
      const digest = digestOf(customer.fields);
      const outcome = await bringOver(
        client,
        customer,
        members.get(phone_number),
        synced.get(phone_number) === digest,
      );
      counts[outcome] += 1;
      if (outcome !== "rejected") synced.set(phone_number, digest);
    });
  } finally {
    await writeSynced(syncedFile, synced);
  }
  const { created, updated, unchanged, rejected } = counts;
  console.log(
    `${file}: ${customers.length} customers; ${created} created, ${updated} updated, ${unchanged} unchanged, ` +
      `${rejected} rejected.`,
  );
  return rejected === 0 ? 0 : 1;
}

/**
 * The contact_id of each member, by phone number.
 * @param {LoyaltyClient} client
 * @returns {Promise<Map<string, number>>}
 */
async function findMembers(client) {
  const members = new Map();
  for await (const { phone_number, contact_id } of client.members.list({ include_inactive: true })) {
    members.set(phone_number, contact_id);
  }
  return members;
}

/**
 * Both writes may be sent again in a later run: a second member with the same phone number is rejected, and an
 * update sets what is set already. So the client's own keys, one for each call, are enough.
 * @param {LoyaltyClient} client
 * @param {Customer} customer
 * @param {number | undefined} contactId
 * @param {boolean} unchanged since it was brought over
 * @returns {Promise<Outcome>}
 */
async function bringOver(client, { line, fields }, contactId, unchanged) {
  if (contactId !== undefined && unchanged) return "unchanged";
  try {
    if (contactId === undefined) {
      await client.members.create(fields);
      return "created";
    }
    const { phone_number: _, ...changeable } = fields;
    await client.members.profile.update({ contact_id: contactId, ...changeable });
    return "updated";
  } catch (error) {
    if (!(error instanceof ApiError) || !ofOneLine.has(error.code)) throw error;
    for (const reason of reasonsOf(error)) console.error(`line ${line}: ${reason}`);
    return "rejected";
  }
}

/** @param {ApiError} error @returns {string[]} */
function reasonsOf(error) {
  if (error instanceof ValidationError) return error.errors.map(({ message }) => message);
  const { code, details } = error;
  return [details.field === undefined ? code : `${code} (${details.field})`];
}

/**
 * Works through items, some at the same time. After a failure none is begun, and it is thrown when all that were
 * under way are done.
 * @template Item
 * @param {number} atOnce
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} work
 */
async function eachAtOnce(atOnce, items, work) {
  const waiting = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const failure = settled.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}
