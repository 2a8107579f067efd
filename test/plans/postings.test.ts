/** How many buffers a group of postings reads, first writes and replays, by plans of any age. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { anyLocation } from "../../src/domain/access/access.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { commitGroup } from "../../src/pipeline/postings/group-commit.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { type BulkBusiness, fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";
import { nextKey } from "../support/world.ts";

const database = useDatabase();
const size = 50;
/** Of tables and indexes, for each posting: a key and an account to look up, and four rows to save with their indexes. */
const mostOfPosting = 45;
const mostOfReplay = 12;
const sizes = { members: 20_000, entries: 60_000, keys: 20_000, auditEntries: 10 };

const opened: Database[] = [];
let plannedEarly: Database;
let large: BulkBusiness;

function open(): Database {
  const settings = { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty tests" };
  const postings = openDatabase(database.connection, settings);
  opened.push(postings);
  return postings;
}

const groupOf = ({ businessId, firstContactId, locationIds }: BulkBusiness): PostingCommand[] =>
  Array.from({ length: size }, (_, index) => ({
    operation: adjustWallet,
    businessId,
    contactId: firstContactId + 397 * index,
    integrationId: 1,
    locations: anyLocation,
    idempotencyKey: { owner: { businessId, integrationId: 1 }, key: nextKey(), fingerprint: "00".repeat(32) },
    input: {
      contact_id: firstContactId + 397 * index,
      location_id: locationIds[0],
      amount: 1,
      adjustment_type: "credit",
    } as PostingCommand["input"],
  }));

/** What a posting and a replay read, in a group that the connection has run before. */
async function read(postings: Database, business: BulkBusiness) {
  const commit = async (group: readonly PostingCommand[], replayed: boolean) => {
    const outcomes = await commitGroup(postings, group, "skip", () => undefined);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 200, replayed });
  };
  await commit(groupOf(business), false);
  const group = groupOf(business);
  const pools = { sql: postings, setup: database.sql };
  return {
    posting: (await buffersRead(pools, () => commit(group, false))) / size,
    replay: (await buffersRead(pools, () => commit(group, true))) / size,
  };
}

beforeAll(async () => {
  const { sql } = database;
  await turnAutovacuumOff(sql);
  const place = await makeEmptyBusiness(sql);
  plannedEarly = open();
  const nobody = groupOf({ ...place, ...sizes, firstContactId: 1 });
  await commitGroup(plannedEarly, nobody, "skip", () => undefined);
  large = await fillBusiness(sql, place, sizes);
});
afterAll(() => Promise.all(opened.map((postings) => postings.end())));

it.each([
  ["by plans that were made while the tables were empty", () => plannedEarly],
  ["without statistics", open],
])("reads few buffers %s", async (_when, postings) => {
  const { posting, replay } = await read(postings(), large);
  expect(posting).toBeLessThan(mostOfPosting);
  expect(replay).toBeLessThan(mostOfReplay);
});

it("reads few buffers with fresh statistics, also in a business that these don't know", async () => {
  const { sql } = database;
  await sql`VACUUM ANALYZE`;
  const unknown = await fillBusiness(sql, await makeEmptyBusiness(sql), sizes);
  for (const business of [large, unknown]) {
    const { posting, replay } = await read(open(), business);
    expect(posting).toBeLessThan(mostOfPosting);
    expect(replay).toBeLessThan(mostOfReplay);
  }
});
