/** How many buffers a chunk of an import reads, whether the statistics know the business or not. */
import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Connection } from "../../src/database/connection.ts";
import {
  findImportedMembers,
  findImportedSales,
  findMembersToImport,
  findSalesToImport,
} from "../../src/database/imports/look-ups.ts";
import { type MemberToRecord, recordLines, recordMembers } from "../../src/database/imports/recording.ts";
import { type DatabasePools, endPools, openPools } from "../../src/database/pools.ts";
import { soldIn } from "../../src/domain/engine/entries.ts";
import { openLedger } from "../../src/pipeline/postings/open-ledger.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { type BulkBusiness, fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const chunk = 200;
let pools: DatabasePools;
beforeAll(async () => {
  await turnAutovacuumOff(database.sql);
  pools = openPools(database.connection, 8);
});
afterAll(() => endPools(pools));

const digestOf = (businessId: number, nth: number) =>
  createHash("md5").update(`${businessId} ${nth}`).digest("hex");

async function fill(): Promise<BulkBusiness> {
  const sizes = { members: 20_000, entries: 20_000, keys: 10, auditEntries: 10 };
  const business = await fillBusiness(database.sql, await makeEmptyBusiness(database.sql), sizes);
  await database.sql`
    INSERT INTO imported_line (business_id, digest, entry_no, contact_id)
    SELECT ${business.businessId}, md5(${business.businessId} || ' ' || nth)::uuid, nth, ${business.firstContactId} + nth
    FROM generate_series(1, 20000) AS nth`;
  return business;
}

const numbers = Array.from({ length: chunk }, (_, index) => index);
const at = "2025-01-02T03:04:05Z";

const salesOf = ({ firstContactId, locationIds }: BulkBusiness) =>
  numbers.map((number) => ({
    digest: randomUUID(),
    ...(number % 3 === 0 && { contact_id: firstContactId + 90 * number }),
    ...(number % 3 === 1 && { phone_number: `+34${600_000_001 + 90 * number}` }),
    ...(number % 3 === 2 && { external_ref: `E${number}` }),
    location_id: locationIds[number % 5] as number,
    sold_at: at,
  }));

/** Digests of recorded lines, and as many that are not. */
const digestsOf = ({ businessId }: BulkBusiness) =>
  numbers.flatMap((number) => [digestOf(businessId, 90 * number + 1), randomUUID()]);

const linesOf = (business_id: number) =>
  numbers.map(() => ({ business_id, digest: randomUUID(), content: null }));

interface Bounded {
  /** How many buffers a chunk may read: some for each line, whatever the size of the business. */
  readonly most: number;
  readonly work: (tx: Connection, business: BulkBusiness) => Promise<unknown>;
}

const steps: Readonly<Record<string, Bounded>> = {
  "looking up sales": {
    most: 12 * chunk,
    work: (tx, business) =>
      findSalesToImport(tx, { businessId: business.businessId, timeZone: "UTC" }, salesOf(business)),
  },
  "looking up imported sales": {
    most: 20 * chunk,
    work: async (tx, business) => {
      const of = { businessId: business.businessId, timeZone: "UTC" };
      const found = await findImportedSales(tx, of, digestsOf(business));
      expect(found.filter(({ contact_id }) => contact_id !== null)).toHaveLength(chunk);
    },
  },
  "looking up imported members": {
    most: 16 * chunk,
    work: async (tx, business) => {
      const of = { businessId: business.businessId, timeZone: "UTC" };
      const found = await findImportedMembers(tx, of, digestsOf(business));
      expect(found.filter(({ erased }) => !erased)).toHaveLength(chunk);
    },
  },
  "recording lines": {
    most: 8 * chunk,
    work: (tx, { businessId }) => recordLines(tx, linesOf(businessId)),
  },
  "recording sales": {
    most: 60 * chunk,
    work: async (tx, { businessId, firstContactId, locationIds }) => {
      const members = numbers.map((number) => firstContactId + 90 * number);
      const ledger = await openLedger(tx, businessId, members, { balances: ["sales"] });
      for (const [index, contactId] of members.entries()) {
        const created_at = "2024-01-03T00:00:00Z";
        const sold = soldIn({ sold_on: "2024-01-03" }, 1);
        const entry = { event_type: "sale", amount: 1, created_at, sold } as const;
        const [location_id] = locationIds;
        const reference_id = `S${index}`;
        ledger.post(contactId, () => ({ entries: [entry], reference_id, location_id, data: {} }));
      }
      await ledger.record();
    },
  },
  "looking up new members": {
    most: 12 * chunk,
    work: (tx, { businessId }) =>
      findMembersToImport(
        tx,
        { businessId, timeZone: "UTC" },
        numbers.map((number) => ({
          digest: randomUUID(),
          phone_number: `+34${600_000_001 + 90 * number + (number % 2) * 50_000}`,
          ...(number % 2 === 0 && { email: `m.${90 * number}@example.com` }),
          ...(number % 2 === 1 && { external_ref: `E${number}` }),
          joined_at: at,
        })),
      ),
  },
  "recording members": {
    most: 60 * chunk,
    work: (tx, { businessId }) =>
      recordMembers(
        tx,
        businessId,
        numbers.map(
          (number): MemberToRecord => ({
            first_name: "Eva",
            last_name: "Ruiz",
            phone_number: `+34${700_000_001 + number}`,
            email: null,
            date_of_birth: null,
            external_ref: null,
            joined_at: at,
          }),
        ),
        ({ contact_id }) => ({ business_id: businessId, digest: randomUUID(), content: null, contact_id }),
      ),
  },
};

/** Does some work and undoes it. */
async function undone(run: (tx: Connection) => Promise<unknown>): Promise<void> {
  const undo = new Error("undo");
  await pools.sql
    .begin(async (tx) => {
      await run(tx);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
}

/** Which steps read more than they may. */
async function excesses(business: BulkBusiness) {
  const found: Record<string, number> = {};
  for (const [what, { most, work }] of Object.entries(steps)) {
    // The first time, connections read the catalog as well.
    await undone((tx) => work(tx, business));
    const counted = { ...pools, setup: database.sql };
    const buffers = await buffersRead(counted, () => undone((tx) => work(tx, business)));
    if (buffers > most) found[what] = buffers;
  }
  return found;
}

it("reads few buffers without statistics, with fresh ones, and in a business that these don't know", async () => {
  const business = await fill();
  expect(await excesses(business)).toEqual({});
  await database.sql`ANALYZE`;
  expect(await excesses(business)).toEqual({});
  expect(await excesses(await fill())).toEqual({});
});
