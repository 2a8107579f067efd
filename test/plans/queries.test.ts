/**
 * How many buffers statements read: in a large business, in one that the statistics don't know, with fresh statistics,
 * with none, and by plans that were made while the tables were empty.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAuditEntries, sweepAuditEntries } from "../../src/database/access/audit.ts";
import { type Connection, openDatabase } from "../../src/database/connection.ts";
import { findOrigins } from "../../src/database/engine/origins.ts";
import { countRecorded } from "../../src/database/ledger/counts.ts";
import { sweepKeys } from "../../src/database/ledger/idempotency-keys.ts";
import {
  exportEntries,
  listTransactions,
  type TransactionFilter,
} from "../../src/database/ledger/transaction-list.ts";
import { listMembers } from "../../src/database/members/list.ts";
import { findTakenFields, lockMember, updateMember } from "../../src/database/members/members.ts";
import { exportMembers, findMemberRecord, listMemberStandings } from "../../src/database/members/records.ts";
import { type DatabasePools, endPools, openPools } from "../../src/database/pools.ts";
import { verifyEntryCounts, verifyMemberCounts } from "../../src/database/verify/counts.ts";
import { inSlice, verifyAccounts, verifyEntries } from "../../src/database/verify/ledger.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { type BulkBusiness, fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();

/** Some work, and how many buffers it may read at most. */
interface Bounded {
  readonly what: string;
  readonly most: number;
  /** Also by plans that were made while the tables were empty, which autovacuum replaces within a minute. */
  readonly plannedEarly?: true;
  readonly work: (pools: SearchingPools, business: BulkBusiness) => Promise<unknown>;
}
type SearchingPools = DatabasePools & { readonly scans: FairQueue };

const viewOf = ({ businessId }: BulkBusiness, visible?: readonly number[]) => ({
  businessId,
  timeZone: "UTC",
  locations: { everywhere: visible === undefined, ids: new Set(visible) },
});
const members = (what: string, most: number, page: number, search?: string): Bounded => ({
  what: `members, ${what}`,
  most,
  work: (pools, { businessId }) => listMembers(pools, businessId, { search }, { page, perPage: 15 }),
});
const transactions = (
  what: string,
  most: number,
  page: number,
  filter: (business: BulkBusiness) => TransactionFilter = () => ({}),
): Bounded => ({
  what: `transactions, ${what}`,
  most,
  work: (pools, business) =>
    listTransactions(pools, viewOf(business), filter(business), { page, perPage: 15 }),
});

/** Does some work in a transaction that is rolled back. */
async function undone(pools: DatabasePools, work: (tx: Connection) => Promise<unknown>): Promise<void> {
  const undo = new Error("roll back");
  const outcome = pools.sql.begin(async (tx) => {
    await work(tx);
    throw undo;
  });
  await outcome.catch((error) => {
    if (error !== undo) throw error;
  });
}

/** Entries of the past, as an import brings them. */
const insertHistory = (
  tx: Connection,
  { businessId, firstContactId, entries }: BulkBusiness,
  count: number,
) => tx`
  INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, created_at, account, event_type,
    reference_id)
  SELECT ${businessId}, ${entries}::bigint + n, ${firstContactId}, 1, 1,
    timestamptz '2024-01-02' + n * interval '20 minutes', 'sales', 'sale', 'H' || n
  FROM generate_series(1, ${count}) AS n`;

const dates = { start_date: "2024-01-03", end_date: "2024-01-12" };
const lists: readonly Bounded[] = [
  { ...members("first page", 150, 1), plannedEarly: true },
  { ...members("later page", 200, 200), plannedEarly: true },
  // All matches are read, to count them.
  members("search that finds many, later page", 3000, 3, "ana"),
  {
    what: "members, similar names",
    most: 3000,
    work: (pools, { businessId }) =>
      listMembers(pools, businessId, { search: "Annna Garzia", similar: true }, { page: 1, perPage: 15 }),
  },
  {
    what: "members, search by phone number",
    // Until the statistics know the business, this reads all its members.
    most: 3000,
    work: (pools, { businessId }) =>
      listMembers(pools, businessId, { search: "+34600001007" }, { page: 1, perPage: 15 }),
  },
  {
    what: "members of the operator",
    most: 800,
    work: (pools, business) => listMemberStandings(pools, viewOf(business), {}, { page: 1, perPage: 50 }),
  },
  {
    what: "members, by their sales",
    // It looks at the sales of each of the 20,000 members.
    most: 5 * 20_000,
    work: (pools, business) =>
      listMemberStandings(pools, viewOf(business), { least_visits: 1 }, { page: 1, perPage: 15 }),
  },
  {
    what: "members, by the day on which points expire",
    // Until the statistics know the business, it looks at each member.
    most: 5 * 20_000,
    work: (pools, business) =>
      listMemberStandings(
        pools,
        viewOf(business),
        { points_expire_by: "2024-01-31" },
        { page: 1, perPage: 15 },
      ),
  },
  { ...transactions("newest", 100, 1), plannedEarly: true },
  transactions("any page", 200, 900),
  transactions("by event type", 500, 20, () => ({ event_types: ["sale", "voucher_issued"] })),
  transactions("by location", 500, 20, ({ locationIds }) => ({ location_id: locationIds[1] })),
  transactions("by dates", 500, 20, () => dates),
  transactions("by all of them", 1500, 2, ({ locationIds }) => ({
    ...dates,
    location_id: locationIds[1],
    event_types: ["sale", "wallet_adjustment"],
  })),
  {
    what: "transactions, of some locations",
    most: 1000,
    work: (pools, business) =>
      listTransactions(
        pools,
        viewOf(business, business.locationIds.slice(0, 3)),
        {},
        { page: 20, perPage: 15 },
      ),
  },
  {
    ...transactions("of a contact", 100, 1, ({ firstContactId }) => ({ contact_id: firstContactId + 77 })),
    plannedEarly: true,
  },
  transactions("of a contact, by all of them", 100, 1, ({ firstContactId }) => ({
    ...dates,
    contact_id: firstContactId + 77,
    event_types: ["sale"],
  })),
  {
    what: "the sales of a page of entries",
    most: 600,
    work: async (pools, business) => {
      const { rows } = await listTransactions(pools, viewOf(business), {}, { page: 900, perPage: 15 });
      return findOrigins(pools.sql, business.businessId, rows);
    },
  },
  {
    what: "audit log of a business",
    most: 500,
    work: (pools, { businessId }) =>
      listAuditEntries(pools, { business_id: businessId }, null, { page: 2, perPage: 15 }),
  },
  {
    what: "audit log of all businesses",
    most: 2000,
    work: (pools) => listAuditEntries(pools, {}, null, { page: 2, perPage: 15 }),
  },
];

const lookUps: readonly Bounded[] = [
  {
    what: "a member in full",
    most: 40,
    work: ({ sql }, business) => findMemberRecord(sql, viewOf(business), business.firstContactId + 77),
  },
  {
    what: "a change of a member",
    most: 150,
    work: (pools, { businessId, firstContactId }) =>
      undone(pools, async (tx) => {
        const member = await lockMember(tx, businessId, firstContactId + 78);
        const wanted = { phone_number: "+34600000005", email: "m.6@example.com" };
        expect(await findTakenFields(tx, businessId, wanted)).toEqual(
          member ? ["phone_number", "email"] : [],
        );
        if (member !== undefined) await updateMember(tx, businessId, member, { first_name: "Zoe" });
      }),
  },
  {
    what: "an export of members",
    most: 5 * 500,
    work: ({ sql }, business) => exportMembers(sql, viewOf(business), { after: 0, limit: 200 }),
  },
  {
    what: "an export of entries",
    most: 100,
    plannedEarly: true,
    work: ({ sql }, business) => exportEntries(sql, viewOf(business), { after: 5000, limit: 200 }),
  },
];

const background: readonly Bounded[] = [
  {
    what: "the sweeper of keys",
    most: 1000,
    work: (pools, { businessId }) =>
      undone(pools, (tx) => sweepKeys(tx, businessId, { days: 30, serviceTime: new Date() }, 200)),
  },
  {
    what: "the sweeper of the audit log",
    most: 1200,
    work: (pools) => undone(pools, (tx) => sweepAuditEntries(tx, 0, 200)),
  },
  {
    what: "counting imported history",
    most: 6000,
    work: (pools, business) =>
      undone(pools, async (tx) => {
        await insertHistory(tx, business, 200);
        await countRecorded(tx, business.businessId, business.entries, business.entries + 200);
      }),
  },
  {
    // The entries of 400 members are all over the ledger.
    what: "verifying accounts",
    most: 9000,
    work: ({ longRunning }, { businessId, firstContactId }) =>
      inSlice(longRunning, (tx) => verifyAccounts(tx, businessId, firstContactId, 400)),
  },
  {
    what: "verifying entries",
    most: 200,
    work: ({ longRunning }, { businessId }) =>
      inSlice(longRunning, (tx) => verifyEntries(tx, businessId, 1000, 2000)),
  },
  {
    what: "verifying counts of entries",
    most: 2500,
    work: ({ longRunning }, { businessId }) =>
      inSlice(longRunning, (tx) => verifyEntryCounts(tx, businessId, 2, 5)),
  },
  {
    what: "verifying counts of members",
    most: 200,
    work: ({ longRunning }, { businessId }) =>
      inSlice(longRunning, (tx) => verifyMemberCounts(tx, businessId, 1, 1)),
  },
];

const all = [...lists, ...lookUps, ...background];
const emptySizes = { firstContactId: 1, members: 0, entries: 0, keys: 0, auditEntries: 0 };

const scans = new FairQueue({ atOnce: 2 });
const opened: DatabasePools[] = [];
let plannedEarly: DatabasePools;
let large: BulkBusiness;

function open(): DatabasePools {
  const pools = openPools(database.connection, 8);
  opened.push(pools);
  return pools;
}

beforeAll(async () => {
  const { sql } = database;
  await turnAutovacuumOff(sql);
  const place = await makeEmptyBusiness(sql);
  // One connection, so that it is the one that has the plans.
  const settings = { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty tests" };
  const one = openDatabase(database.connection, settings);
  plannedEarly = { ...open(), sql: one, lookUps: one };
  const pools = { ...plannedEarly, scans };
  for (const { work } of all) await work(pools, { ...place, ...emptySizes });
  const sizes = { members: 20_000, entries: 100_000, keys: 20_000, auditEntries: 20_000 };
  large = await fillBusiness(sql, place, sizes);
});
afterAll(() => Promise.all([plannedEarly.sql.end(), ...opened.map(endPools)]));

/** Which of the work reads more buffers than it may, the second time that it is done. */
async function excesses(pools: DatabasePools, business: BulkBusiness, items: readonly Bounded[] = all) {
  const found: { what: string; most: number; buffers: number }[] = [];
  const searching = { ...pools, scans };
  for (const { what, most, work } of items) {
    await work(searching, business);
    const buffers = await buffersRead({ ...pools, setup: database.sql }, () => work(searching, business));
    if (process.env.SHOW_BUFFERS) process.stdout.write(`${what}: ${buffers}, at most ${most}\n`);
    if (buffers > most) found.push({ what, most, buffers });
  }
  return found;
}

describe("statements read few buffers", () => {
  it("by plans that were made while the tables were empty", async () => {
    const items = all.filter((item) => item.plannedEarly);
    expect(await excesses(plannedEarly, large, items)).toEqual([]);
  });

  it("without statistics", async () => {
    expect(await excesses(open(), large)).toEqual([]);
  });

  it("with fresh statistics, also in a business that these don't know", async () => {
    const { sql } = database;
    await sql`VACUUM ANALYZE`;
    expect(await excesses(open(), large)).toEqual([]);
    const sizes = { members: 20_000, entries: 40_000, keys: 20_000, auditEntries: 2000 };
    const unknown = await fillBusiness(sql, await makeEmptyBusiness(sql), sizes);
    expect(await excesses(open(), unknown)).toEqual([]);
  });
});
