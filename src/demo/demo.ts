/** Makes a business to try the service with, at the first start on an empty database. */
import { join, relative, resolve } from "node:path";
import { allScopes, type Scope, scopesInRealTime } from "../contract/scopes.ts";
import {
  hashClientSecret,
  isClientSecret,
  newClientId,
  newClientSecret,
} from "../credentials/client-secrets.ts";
import { type DemoFile, type DemoSandbox, readDemoFile, writeDemoFile } from "../data-directory.ts";
import { findCredentials, insertIntegration, insertSecret } from "../database/access/integrations.ts";
import type { Connection, Database } from "../database/connection.ts";
import {
  type DemoIds,
  insertDefinitions,
  insertDemoMembers,
  insertHistory,
  lockBusinesses,
} from "../database/demo.ts";
import { readDemoData, type Story } from "./data.ts";

export interface DemoOptions {
  readonly dataDirectory: string;
  /** Where the service listens, with the base path. */
  readonly baseUrl: string;
}

/** `absent`: the database holds businesses already, and none that the file of the data directory tells about. */
export type Demo =
  | { readonly status: "made" | "found"; readonly file: string; readonly demo: DemoFile }
  | { readonly status: "absent" };

/**
 * Makes the demo business in a database that holds no business, and writes `demo.json` into the data directory;
 * both or neither, and once, however many processes start at the same time. One that was made before is found.
 * @throws a system error when the file can't be written
 */
export async function provideDemo(sql: Database, options: DemoOptions): Promise<Demo> {
  const file = join(options.dataDirectory, "demo.json");
  const made = await sql.begin(async (tx) => {
    const { none, now } = await lockBusinesses(tx);
    if (!none) return undefined;
    const demo = await insertDemo(tx, options.baseUrl, now);
    // Before the commit: the secret is kept nowhere else. A file whose business was not committed is written
    // again by the start that makes the business.
    await writeDemoFile(file, demo);
    return demo;
  });
  if (made !== undefined) return { status: "made", file, demo: made };
  const found = await findDemo(sql, file, options.baseUrl);
  return found === undefined ? { status: "absent" } : { status: "found", file, demo: found };
}

/** How many members of the demo business are in its sandbox, too. */
const sandboxMembers = 3;

/** Makes an integration for a demo business. @returns its credentials */
async function insertDemoIntegration(
  tx: Connection,
  { business_id, location_ids }: DemoIds,
  timeZone: string,
  scopes: readonly Scope[],
): Promise<Pick<DemoFile, "integration_id" | "client_id" | "client_secret">> {
  const client_id = newClientId();
  const client_secret = newClientSecret();
  const { integration_id } = await insertIntegration(tx, { businessId: business_id, timeZone }, client_id, {
    name: "Demo",
    scopes: [...scopes],
    all_locations: false,
    location_ids: [...location_ids],
  });
  await insertSecret(tx, integration_id, hashClientSecret(client_secret));
  return { integration_id, client_id, client_secret };
}

/** Makes the sandbox beside the demo business: its definitions, some members, and no history. */
async function insertSandbox(tx: Connection, { definitions, members }: Story): Promise<DemoSandbox> {
  const business = { ...definitions.business, name: `${definitions.business.name} sandbox` };
  const ids = await insertDefinitions(tx, { ...definitions, business }, { clock_at: null });
  const { client_id, client_secret } = await insertDemoIntegration(tx, ids, business.time_zone, allScopes);
  const few = members
    .slice(0, sandboxMembers)
    .map(({ tier: _, ...member }) => ({ ...member, tier_id: null }));
  const contact_ids = await insertDemoMembers(tx, ids.business_id, few);
  return {
    business_id: ids.business_id,
    client_id,
    client_secret,
    location_ids: ids.location_ids,
    contact_ids,
  };
}

async function insertDemo(tx: Connection, baseUrl: string, now: number): Promise<DemoFile> {
  const story = readDemoData(now);
  const { definitions, members, history } = story;
  const ids = await insertDefinitions(tx, definitions);
  const { time_zone } = definitions.business;
  const integration = await insertDemoIntegration(tx, ids, time_zone, scopesInRealTime);
  const contact_ids = await insertDemoMembers(
    tx,
    ids.business_id,
    members.map(({ tier, ...member }) => ({
      ...member,
      tier_id: tier === null ? null : (ids.tier_ids[tier] as number),
    })),
  );
  const entries = history.map(({ member, location, ...entry }) => ({
    contact_id: contact_ids[member] as number,
    location_id: location === null ? null : (ids.location_ids[location] as number),
    ...entry,
  }));
  await insertHistory(tx, ids.business_id, entries);

  const archived_voucher_id = ids.voucher_ids[
    definitions.vouchers.findIndex(({ archived }) => archived)
  ] as number;
  return {
    base_url: baseUrl,
    business_id: ids.business_id,
    ...integration,
    location_ids: ids.location_ids,
    tier_ids: ids.tier_ids,
    program_ids: ids.program_ids,
    voucher_ids: ids.voucher_ids.filter((id) => id !== archived_voucher_id),
    archived_voucher_id,
    contact_ids,
    sandbox: await insertSandbox(tx, story),
  };
}

/** The demo business that the file tells about, if it is in this database; the file then gets the URL of now. */
async function findDemo(sql: Database, file: string, baseUrl: string): Promise<DemoFile | undefined> {
  const kept = await readDemoFile(file);
  if (kept === undefined) return undefined;
  const credentials = await findCredentials(sql, kept.client_id);
  if (!isClientSecret(kept.client_secret, credentials?.secret_hashes ?? [])) return undefined;
  const demo = { ...kept, base_url: baseUrl };
  if (kept.base_url !== baseUrl) await writeDemoFile(file, demo);
  return demo;
}

/** What the person who started the service is told about the demo business. */
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
