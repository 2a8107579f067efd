import { beforeAll, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { insertBusiness } from "./businesses.ts";
import { LedgerReads } from "./ledger-reads.ts";

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
