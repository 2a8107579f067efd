import { beforeAll, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { tuplesRead } from "../../test/support/tuples.ts";
import { insertBusiness } from "./businesses.ts";
import { LedgerReads, readLedger } from "./ledger-reads.ts";

const database = useDatabase();
const businessIds: number[] = [];
beforeAll(async () => {
  for (let number = 0; number < 35; number++) {
    businessIds.push(
      await insertBusiness(database.sql, { name: `${number}`, time_zone: "UTC", currency: "EUR" }),
    );
  }
});

const wanted = (businessId: number, contactIds = [1]) => ({
  businessId,
  contactIds,
  accounts: ["wallet"] as const,
  neighbours: true,
});

it("reads more ledgers than go into one message, each for who asked", async () => {
  const reads = new LedgerReads(database.sql);
  const versions = await database.sql<
    { business_id: number; version: number }[]
  >`SELECT business_id, version FROM ledger`;
  const found = await Promise.all(businessIds.map((businessId) => reads.read(wanted(businessId))));
  const versionOf = new Map(versions.map((row) => [row.business_id, row.version]));
  expect(found.map(({ head }) => head?.version)).toEqual(businessIds.map((id) => versionOf.get(id)));
  expect(found.flatMap(({ accounts }) => accounts)).toEqual([]);
});

it("finds no head of a business that there is not, and reads on after a failure", async () => {
  const reads = new LedgerReads(database.sql);
  const [businessId] = businessIds as [number];
  const tooLarge = 2 ** 64;
  const together = [wanted(businessId), wanted(businessId, [tooLarge]), wanted(-1)];
  // They fail together: each asks again in its own way.
  for (const result of await Promise.allSettled(together.map((each) => reads.read(each)))) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "22003" } });
  }
  expect(await Promise.all([reads.read(wanted(-1)), reads.read(wanted(businessId))])).toMatchObject([
    { head: undefined, accounts: [] },
    { head: { last_entry_no: 0 }, accounts: [] },
  ]);
});

it("reads few accounts of many, though its plan is made when there are hardly any", async () => {
  const [businessId] = businessIds as [number];
  await database.sql`ANALYZE account`;
  const connection = await database.sql.reserve();
  try {
    for (let times = 0; times < 10; times++) await readLedger(connection, wanted(businessId));
    await connection`
      INSERT INTO member (business_id, contact_id, first_name, last_name, phone_number, searchable_text)
      SELECT ${businessId}, n, 'A', 'B', '+34' || n, '' FROM generate_series(1, 5000) AS n`;
    await connection`
      INSERT INTO account (business_id, contact_id, account, balance)
      SELECT ${businessId}, n, account, n FROM generate_series(1, 5000) AS n, unnest(enum_range(NULL::account_name)) AS account`;
    for (const neighbours of [true, false]) {
      await connection`BEGIN`;
      const before = await tuplesRead(connection, "account");
      const { accounts } = await readLedger(connection, {
        ...wanted(businessId, [700, 701, 4000]),
        neighbours,
      });
      expect(
        accounts.map((row) => row.contact_id).filter((id) => [700, 701, 4000].includes(id)),
      ).toHaveLength(3);
      for (const row of accounts) expect(row).toMatchObject({ balance: row.contact_id, active: true });
      expect(accounts).toHaveLength(neighbours ? 128 : 3);
      expect((await tuplesRead(connection, "account")) - before).toBeLessThanOrEqual(accounts.length);
      await connection`COMMIT`;
    }
  } finally {
    connection.release();
  }
});
