#!/usr/bin/env node
/** `npm run bench:generate`: fills a database with a business of any size. */
import { parseArgs } from "node:util";
import { openDatabase } from "../src/database/connection.ts";
import { makeBusiness } from "./business.ts";
import { expiredDays, generateHistory, generateKeys } from "./history.ts";
import { rejectOptions } from "./program.ts";

const help = `Usage: npm run bench:generate -- --database-url <url> [options]

Makes a business in a migrated database and fills it by bulk loads with members and a ledger that adds up: members
after Zipf, 20 locations, entries of every kind over three years. It all happens in one transaction, and the tables
are locked meanwhile: not for a database that is in use.

  --database-url <url>  postgres://user:password@host:5432/database, or DATABASE_URL
  --members <n>         default 100000, at most 10 million
  --entries <n>         default 1000000, at most 100 million
  --expired-keys <n>    idempotency keys past their time, default 0, at most 100 million
  --bulk-import         all entries within ten minutes, as after one import
  --time-zone <name>    of the business, default Europe/Madrid
  --seed <n>            other numbers make another history, default 1
  --help                show this

It prints the business's credentials at the end, as JSON.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "database-url": { type: "string", default: process.env.DATABASE_URL ?? "" },
      members: { type: "string", default: "100000" },
      entries: { type: "string", default: "1000000" },
      "expired-keys": { type: "string", default: "0" },
      "bulk-import": { type: "boolean", default: false },
      "time-zone": { type: "string", default: "Europe/Madrid" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const members = wholeNumber(values.members, 1, 10_000_000);
  const entries = wholeNumber(values.entries, 0, 100_000_000);
  const keys = wholeNumber(values["expired-keys"], 0, 100_000_000);
  const seed = wholeNumber(values.seed, 0, 2 ** 31);
  if (members === undefined || entries === undefined || keys === undefined || seed === undefined) {
    return rejectOptions("bench:generate", "A number is no whole number, or out of bounds.");
  }
  if (values["database-url"] === "")
    return rejectOptions("bench:generate", "Say which database, with --database-url.");
  const say = (line: string) => console.error(line);
  const sql = openDatabase(values["database-url"], {
    connections: 2,
    statementTimeoutMilliseconds: 0,
    applicationName: "loyalty bench:generate",
  });
  try {
    const startedAt = performance.now();
    const business = await makeBusiness(sql, values["time-zone"]);
    const order = { ...business, members, entries, bulkImport: values["bulk-import"], seed };
    const history = await generateHistory(sql, order, say);
    if (keys > 0) await generateKeys(sql, business, { keys, days: expiredDays });
    say(`Done in ${Math.round((performance.now() - startedAt) / 1000)} s.`);
    console.log(JSON.stringify({ ...business, active_members: history }, null, 2));
    return 0;
  } finally {
    await sql.end();
  }
}

function wholeNumber(text: string, minimum: number, maximum: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= minimum && value <= maximum ? value : undefined;
}
