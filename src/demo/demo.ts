/** Makes the demo business at the first start on an empty database. */
import { join, relative, resolve } from "node:path";
import { isSecret } from "../credentials/keys.ts";
import { type DemoFile, readDemoFile, writeDemoFile } from "../data-directory.ts";
import { lockBusinesses } from "../database/access/businesses.ts";
import { findCredentials } from "../database/access/integrations.ts";
import type { Database } from "../database/connection.ts";
import { insertDemo } from "./business.ts";

export interface DemoOptions {
  readonly dataDirectory: string;
  /** Where the service listens, with the base path. */
  readonly baseUrl: string;
}

/** `absent`: the database has businesses, but not the one of the file in the data directory. */
export type Demo =
  | { readonly status: "made" | "found"; readonly file: string; readonly demo: DemoFile }
  | { readonly status: "absent" };

/**
 * Makes the demo business in a database without a business, and writes `demo.json` into the data directory, both or neither.
 * Several processes can do this at the same time: one makes the business, and the others find it.
 * @throws a system error when the file can't be written
 */
export async function provideDemo(sql: Database, options: DemoOptions): Promise<Demo> {
  const file = join(options.dataDirectory, "demo.json");
  const made = await sql.begin(async (tx) => {
    const { none, now } = await lockBusinesses(tx);
    if (!none) return undefined;
    const demo = { base_url: options.baseUrl, ...(await insertDemo(tx, now)) };
    // The file is written before the commit, because it alone has the secret. If the commit fails, the next start that makes the
    // business replaces the file.
    await writeDemoFile(file, demo);
    return demo;
  });
  if (made !== undefined) return { status: "made", file, demo: made };
  const found = await findDemo(sql, file, options.baseUrl);
  return found === undefined ? { status: "absent" } : { status: "found", file, demo: found };
}

/** Finds the demo business of the file in this database, and updates the URL in the file. */
async function findDemo(sql: Database, file: string, baseUrl: string): Promise<DemoFile | undefined> {
  const kept = await readDemoFile(file);
  if (kept === undefined) return undefined;
  const credentials = await findCredentials(sql, kept.client_id, 0);
  if (!isSecret(kept.client_secret, credentials?.secret_hashes ?? [])) return undefined;
  const demo = { ...kept, base_url: baseUrl };
  if (kept.base_url !== baseUrl) await writeDemoFile(file, demo);
  return demo;
}

/** The lines about the demo business for the person who started the service. */
export function demoReport(outcome: Demo): string {
  if (outcome.status === "absent") return "The database holds a business already: no demo business was made.";
  const { status, file, demo } = outcome;
  if (status === "found") return `The demo business is described in ${file}`;
  const directory = resolve(file, "..");
  // The command looks in ./data by itself.
  const data =
    relative(".", directory) === "data" ? "" : `LOYALTY_DATA_DIR='${directory.replaceAll("'", "'\\''")}' `;
  const call = `${data}npx loyalty call`;
  const credit = {
    idempotency_key: "first-credit",
    contact_id: demo.contact_ids.at(-1),
    location_id: demo.location_ids[0],
    amount: 2500,
    adjustment_type: "credit",
  };
  return `
A demo business is there to try; ${file} holds its credentials and ids.
In another terminal, in this directory:

${call} /sp/members/list '{"per_page": 2}'
${call} /sp/wallet/adjust '${JSON.stringify(credit)}'
${call} /sp/transactions/list '{"contact_id": ${credit.contact_id}}'
`;
}
