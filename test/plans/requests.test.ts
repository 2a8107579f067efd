/** How many buffers the statements of the request log read, beside a business with as many requests. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connection, type Database, openDatabase } from "../../src/database/connection.ts";
import {
  listRejectedRequests,
  listRequestCounts,
  recordRequests,
  sweepRejectedRequests,
  sweepRequestCounts,
} from "../../src/database/requests.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();

interface Logged {
  readonly businessId: number;
  readonly integrationId: number;
}

/** The most requests that an integration keeps. */
const kept = 10_000;
const hours = 7 * 24;
const counts = 50 * hours;
/** A part of what a process writes at once. */
const written = 100;

interface Bounded {
  readonly most: number;
  readonly work: (tx: Connection, logged: Logged) => Promise<unknown>;
}

const page = { page: 3, perPage: 50 };
const scans = new FairQueue({ atOnce: 1 });
const sourceOf = (tx: Connection) => ({ sql: tx as Database, scans });

const steps: Readonly<Record<string, Bounded>> = {
  "rejected requests": {
    // All are counted.
    most: kept / 10,
    work: (tx, { businessId }) => listRejectedRequests(sourceOf(tx), businessId, {}, page),
  },
  "rejected requests by all filters": {
    most: kept / 10,
    work: (tx, { businessId, integrationId }) =>
      listRejectedRequests(
        sourceOf(tx),
        businessId,
        {
          integration_id: integrationId,
          operation: "/sp/members/get",
          status: 404,
          error_code: "member_not_found",
          since: "2020-01-01",
          until: "2999-01-01",
        },
        page,
      ),
  },
  "numbers of requests": {
    // All are read, once to count and once to sort them.
    most: 2.2 * counts,
    work: (tx, { businessId }) => listRequestCounts(sourceOf(tx), businessId, {}, page),
  },
  "recording requests": {
    most: 12 * written,
    work: (tx, { integrationId: sender }) => {
      const numbers = Array.from({ length: written }, (_, nth) => nth);
      const requested_at = new Date().toISOString();
      return recordRequests(
        tx,
        numbers.map((nth) => ({
          sender,
          requested_at,
          request_id: `new ${nth}`,
          operation: "/sp/members/get",
          status: 404,
          error_code: "member_not_found",
          reason: null,
          field_errors: [],
        })),
        numbers.map((nth) => ({
          sender,
          hour: requested_at,
          operation: `/sp/${nth % 50}`,
          succeeded: 1,
          rejected: 1,
          failed: 0,
          unlisted: 0,
        })),
      );
    },
  },
  "sweeping requests": {
    most: kept / 10,
    work: (tx, { businessId }) => sweepRejectedRequests(tx as Database, businessId, 100),
  },
  "sweeping numbers of requests": {
    most: 2.2 * counts,
    work: (tx, { businessId }) => sweepRequestCounts(tx as Database, businessId, 100),
  },
};

const opened: Database[] = [];

function open(): Database {
  const settings = { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty tests" };
  const pool = openDatabase(database.connection, settings);
  opened.push(pool);
  return pool;
}

/** Makes a business with as many requests as are kept, and some more. */
async function makeLogged(): Promise<Logged> {
  const { sql } = database;
  const { businessId } = await makeEmptyBusiness(sql);
  const [row] = await sql<{ integration_id: number }[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids)
    VALUES (${businessId}, 'Logged', ${`loy_${businessId}`}, '{}', true, '{}') RETURNING integration_id`;
  const integrationId = row?.integration_id as number;
  await sql`
    INSERT INTO rejected_request
      (business_id, integration_id, requested_at, request_id, operation, status, error_code, field_errors)
    SELECT ${businessId}, ${integrationId}, now() - n * interval '1 minute', 'request ' || n, '/sp/members/get', 404,
      'member_not_found', '[]'
    FROM generate_series(1, ${kept + 200}) AS n`;
  await sql`
    INSERT INTO request_count (business_id, integration_id, hour, operation, succeeded, rejected, failed, unlisted)
    SELECT ${businessId}, ${integrationId}, date_trunc('hour', now()) - hour * interval '1 hour', '/sp/' || nth, 1, 0, 0, 0
    FROM generate_series(0, ${hours + 4}) AS hour, generate_series(1, 50) AS nth`;
  return { businessId, integrationId };
}

/** Which steps read more than they may, the second time that they are done. */
async function excesses(sql: Database, logged: Logged) {
  const undo = new Error("roll back");
  const undone = (work: Bounded["work"]) =>
    sql
      .begin(async (tx) => {
        await work(tx, logged);
        throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
  const found: Record<string, number> = {};
  for (const [what, { most, work }] of Object.entries(steps)) {
    await undone(work);
    const buffers = await buffersRead({ sql, setup: database.sql }, () => undone(work));
    if (process.env.SHOW_BUFFERS) process.stdout.write(`${what}: ${buffers}, at most ${most}\n`);
    if (buffers > most) found[what] = buffers;
  }
  return found;
}

let plannedEarly: Database;
let logged: Logged;

beforeAll(async () => {
  await turnAutovacuumOff(database.sql);
  plannedEarly = open();
  for (const { work } of Object.values(steps)) await work(plannedEarly, { businessId: 1, integrationId: 1 });
  await makeLogged();
  logged = await makeLogged();
});
afterAll(() => Promise.all(opened.map((pool) => pool.end())));

it("reads few buffers by plans that were made while the tables were empty", async () => {
  expect(await excesses(plannedEarly, logged)).toEqual({});
});

it("reads few buffers without statistics, with fresh ones, and in a business that these don't know", async () => {
  expect(await excesses(open(), logged)).toEqual({});
  await database.sql`VACUUM ANALYZE`;
  expect(await excesses(open(), logged)).toEqual({});
  expect(await excesses(open(), await makeLogged())).toEqual({});
});
