/**
 * Plays the story of the examples: sends its requests to a new service on a new database, and keeps the responses. `npm run
 * generate` writes them to a file, and its check plays the story again. So the database has the time of the story, and
 * credentials, which are random, get values of their own.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type ConnectionSettings, type Database, openDatabase } from "../../src/database/connection.ts";
import { migrate } from "../../src/database/migrate.ts";
import { endPools, openPools } from "../../src/database/pools.ts";
import { insertDemo } from "../../src/demo/business.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { createService, type Service } from "../../src/service.ts";
import type { Example } from "./examples.ts";
import { responseOf } from "./responses.ts";
import { exampleOf, type Json, type JsonObject, publishedSchema } from "./schemas.ts";
import type { Said } from "./step.ts";
import { story } from "./story.ts";

const consoles =
  "north=https://north.internal.example.com/api/console/,south=https://south.internal.example.com/api/console/";

/** Nothing listens there. */
const nowhere = "http://127.0.0.1:9";

const operations = [...partnerOperations, ...operatorOperations];

/** The events of credentials that were accepted. */
const credentialEvents =
  "'token.issued', 'operator_account.accepted', 'operator_account.password_changed', 'operator_session.created', 'operator_session.ended'";

const beginsAt = Date.UTC(2026, 3, 17, 9, 30);
const minute = 60_000;
const operatorKey = "the-operator-key-of-the-story-0123456789";
const caller = {
  id: "0f8fad5b-d9cb-469f-a165-70867728950e",
  actor: "carla@example.com",
  address: "192.0.2.7",
};

/** What the documents show for the credentials that the service makes, one after the other. */
const shownCredentials: Readonly<Record<string, readonly string[]>> = {
  referral_code: ["7KQ2M0XR"],
  client_id: ["loy_Nq3fXyZk2b7wQ1sT", "loy_t5VbC0dRe8hLmP4u", "loy_Jw7sGa1xKz9nYoE3"],
  invitation_token: ["loyinv_4fJt...", "loyinv_hK2w..."],
  operator_key: ["loyop_4fJt..."],
  client_secret: ["loysec_4fJt...", "loysec_hK2w...", "loysec_Zb8r...", "loysec_m0Qx..."],
  secret: [
    "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    "whsec_jQG0T1yLsdqvv1xwUgs6kX8Jm2fP4bZe",
    "whsec_4rVtY7uIoP0aSdFgHjKlZxCvBnMq1w2e",
    "whsec_Zx9Yc8Xb7Wd6Ve5Uf4Tg3Sh2Ri1Qj0Pk",
  ],
  access_token: ["eyJhbGciOiJIUzI1NiJ9...", "eyJhbGciOiJIUzI1NiJ9...Qw"],
};

/**
 * @param server where a database can be made
 * @returns the examples by the paths of their operations, in the order of the documents
 */
export async function playStory(server: ConnectionSettings): Promise<Record<string, Example>> {
  const admin = openDatabase(server, poolOf("story"));
  await admin.query("CREATE DATABASE story");
  await admin.query("ALTER DATABASE story SET search_path = public, pg_catalog");
  await admin.end();
  const target = { ...server, database: "story" };
  const pools = openPools(target, 8);
  try {
    await createClock(pools.sql);
    await migrate(pools.sql);
    const demo = await pools.sql.begin((tx) => insertDemo(tx, beginsAt));
    const secret = "the-secret-of-the-story-0123456789-0123456789";
    const log = pino({ level: "silent" });
    const service = createService(
      readConfig({ LOYALTY_CONSOLES: consoles, LOYALTY_GOOGLE_WALLET_URL: nowhere }),
      {
        ...pools,
        secret,
        operatorKey,
        log,
      },
    );
    try {
      const examples = withShownCredentials(await play(service, pools.sql, demo as unknown as JsonObject));
      return Object.fromEntries(operations.map(({ path }) => [path, exampleAt(examples, path)]));
    } finally {
      await service.close();
    }
  } finally {
    await endPools(pools);
  }
}

const poolOf = (applicationName: string) => ({
  connections: 1,
  statementTimeoutMilliseconds: 60_000,
  applicationName,
});

/** PostgreSQL finds these functions before its own, so that columns and statements use the time of the story. */
async function createClock(sql: Database): Promise<void> {
  await sql.query("CREATE SCHEMA story; CREATE TABLE story.clock AS SELECT to_timestamp(0) AS at");
  await setClock(sql, beginsAt);
  for (const name of ["now", "clock_timestamp"]) {
    const body = "'SELECT at FROM story.clock'";
    await sql.query(`CREATE FUNCTION public.${name}() RETURNS timestamptz STABLE LANGUAGE sql AS ${body}`);
  }
}

async function setClock(sql: Database, milliseconds: number): Promise<void> {
  await sql.query(`UPDATE story.clock SET at = to_timestamp(${milliseconds / 1000})`);
}

/** Sends each request a minute after the one before. @returns the first of each operation */
async function play(service: Service, sql: Database, demo: JsonObject): Promise<Map<string, Example>> {
  const examples = new Map<string, Example>();
  const said: Said = (path) => (path === "demo" ? demo : (examples.get(path)?.response.data as JsonObject));
  let token: string | undefined;
  let session: string | undefined;
  let credentials = 0;
  for (const [index, { path, body, measured }] of story.entries()) {
    await setClock(sql, beginsAt + index * minute);
    const operation = operationAt(path);
    const request = body(said) as JsonObject;
    if (path === "/op/bulk-grants/cancel") await holdBulkGrant(sql);
    const operator = path.startsWith("/op/session") ? (session ?? operatorKey) : operatorKey;
    const authorization = `Bearer ${path.startsWith("/op/") ? operator : token}`;
    const sent = await service.call(operation, { ...caller, authorization }, () => request);
    const response = JSON.parse(sent.body) as Example["response"];
    if (sent.status >= 300) throw new Error(`${path} of the story: ${sent.body}`);
    if (operation.kind === "token") {
      token = (response.data as JsonObject).access_token as string;
    }
    const cookie = sent.headers["set-cookie"];
    if (cookie !== undefined) session = /=(loyses_[^;]*)/.exec(String(cookie))?.[1];
    if (operation.kind === "token" || cookie !== undefined) {
      credentials += 1;
      await auditWritten(sql, credentials);
    }
    if (/^\/op\/(imports|bulk-grants)\//.test(path)) await jobsEnded(sql);
    if (examples.has(path)) continue;
    const declared = exampleOf(publishedSchema(responseOf(operation))) as Example["response"];
    examples.set(path, { request, response: withMeasured(response, declared, measured) });
  }
  return examples;
}

/** Waits for the audit entries of credentials, which are written after the response, so that later entries have the same numbers. */
async function auditWritten(sql: Database, credentials: number): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const rows = await sql.query(`SELECT FROM audit_entry WHERE event IN (${credentialEvents})`);
    if (rows.length === credentials) return;
    await sleep(10);
  }
  throw new Error("The audit log does not have the credentials of the story.");
}

/** Waits for jobs, so that the next request finds what they did. */
export async function jobsEnded(sql: Database): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const rows = await sql.query(
      "SELECT FROM import_job WHERE state IN ('checking', 'importing') UNION ALL SELECT FROM bulk_grant WHERE state = 'running'",
    );
    if (rows.length === 0) return;
    await sleep(10);
  }
  throw new Error("A job of the story does not end.");
}

/** Lets another process seem to run all bulk grants, because those of the story have ended before they can be cancelled. */
export async function holdBulkGrant(sql: Database): Promise<void> {
  await sql.query(
    "UPDATE bulk_grant SET state = 'running', ended_at = NULL, leased_by = gen_random_uuid(), leased_until = 'infinity'",
  );
}

function operationAt(path: string): Operation {
  const operation = operations.find((each) => each.path === path);
  if (operation === undefined) throw new Error(`tools/docs/story.ts calls ${path}, which is no operation.`);
  return operation;
}

function withMeasured(
  response: Example["response"],
  declared: Example["response"],
  names: readonly string[],
): Example["response"] {
  const shown = names.map((name) => [name, (declared.data as JsonObject)[name] as Json]);
  return names.length === 0
    ? response
    : { ...response, data: { ...(response.data as JsonObject), ...Object.fromEntries(shown) } };
}

function exampleAt(examples: Readonly<Record<string, Example>>, path: string): Example {
  const example = examples[path];
  if (example === undefined) throw new Error(`Add a request of ${path} to tools/docs/story.ts.`);
  return example;
}

/** Puts what the documents show in the place of the credentials that the service made. */
function withShownCredentials(examples: ReadonlyMap<string, Example>): Record<string, Example> {
  const text = JSON.stringify(Object.fromEntries(examples));
  const seen = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(
    /"(client_id|client_secret|secret|access_token|invitation_token|operator_key|token|referral_code)":"([^"]+)"/g,
  )) {
    if (seen.has(value)) continue;
    const ofName = shownCredentials[name === "token" ? "invitation_token" : name] ?? [];
    const next = ofName.find((shown) => ![...seen.values()].includes(shown));
    if (next === undefined) throw new Error(`tools/docs/play.ts shows too few values for ${name}.`);
    seen.set(value, next);
  }
  return JSON.parse([...seen].reduce((shown, [value, by]) => shown.replaceAll(value, by), text));
}
