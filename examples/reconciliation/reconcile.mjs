#!/usr/bin/env node
/**
 * Walks the ledger of all days that have ended and compares it with the books: that every credit of points which
 * the books know is there once, with its member and its points, and that there is none which they don't know.
 */
import { parseArgs } from "node:util";
import { LoyaltyClient, LoyaltyError } from "loyalty-sdk";
import { readCredentials, UsageError } from "../credentials.mjs";
import { readBook } from "./book.mjs";
import { Comparison } from "./comparison.mjs";

const help = `Usage: node examples/reconciliation/reconcile.mjs [options] [book.csv]

Sums up the ledger by kind of entry, through yesterday. With a book it also compares the entries
reward_points_adjustment with it.

  book.csv              columns day, reference_id, contact_id, points: what you had recorded, debits negative
  --until <day>         the last day, YYYY-MM-DD; default yesterday, where the business is
  --demo-file <path>    where base_url, client_id and client_secret are; default data/demo.json
  --help                show this

Environment: LOYALTY_URL, LOYALTY_CLIENT_ID and LOYALTY_CLIENT_SECRET instead of data/demo.json.

Exit status: 0 when all agrees, 1 when something differs or the walk failed, 2 when the arguments, the book or the
credentials can't be used.
`;

const shownDifferences = 20;

process.exitCode = await main();

/** @returns {Promise<number>} the exit status */
async function main() {
  try {
    const options = readOptions();
    if (options === "help") {
      process.stdout.write(help);
      return 0;
    }
    return await reconcile(options);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message);
      return 2;
    }
    if (error instanceof LoyaltyError) {
      console.error(error.message);
      return 1;
    }
    throw error;
  }
}

function readOptions() {
  /** @type {{ values: { until?: string, "demo-file"?: string, help?: boolean }, positionals: string[] }} */
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        until: { type: "string" },
        "demo-file": { type: "string" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\nSee --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  if (positionals.length > 1) throw new UsageError("Give one book. See --help.");
  if (values.until !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(values.until)) {
    throw new UsageError(`--until must be a day such as 2026-04-16, not "${values.until}".`);
  }
  return { book: positionals[0], until: values.until, demoFile: values["demo-file"] };
}

/** @param {Exclude<ReturnType<typeof readOptions>, "help">} options */
async function reconcile({ book, until, demoFile }) {
  const credentials = await readCredentials(demoFile);
  const client = new LoyaltyClient(credentials);
  const lastDay = until ?? (await yesterday(client, credentials));
  const lines = book === undefined ? undefined : await readBook(book, lastDay);
  const comparison = new Comparison(lines);
  for await (const entry of client.transactions.list({ end_date: lastDay })) comparison.add(entry);
  console.log(`The ledger through ${lastDay}: ${comparison.entries} entries.`);
  for (const [kind, { entries, amount }] of comparison.totals()) {
    console.log(`  ${kind.padEnd(26)} ${String(entries).padStart(9)}  ${String(amount).padStart(15)}`);
  }
  if (lines === undefined) return 0;
  const differences = comparison.differences();
  if (differences.length === 0) {
    console.log(`The book agrees: ${lines.size} lines.`);
    return 0;
  }
  console.error(`The book does not agree: ${lines.size} lines, ${differences.length} differences.`);
  for (const difference of differences.slice(0, shownDifferences)) console.error(`  ${difference}`);
  if (differences.length > shownDifferences) {
    console.error(`  and ${differences.length - shownDifferences} more`);
  }
  return 1;
}

/**
 * The last day that has ended where the business is: entries of that day come no more. What a token says of its
 * end is told on the business's clock, and its lifetime is the way back from there to now.
 * @param {LoyaltyClient} client
 * @param {{ clientId: string, clientSecret: string }} credentials
 */
async function yesterday(client, { clientId, clientSecret }) {
  const token = await client.auth.token({ client_id: clientId, client_secret: clientSecret });
  const now = Date.parse(`${token.expires_at.replace(" ", "T")}Z`) - token.expires_in * 1000;
  return new Date(now - 24 * 3_600_000).toISOString().slice(0, 10);
}
