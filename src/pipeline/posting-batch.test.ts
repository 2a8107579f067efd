import { expect, it } from "vitest";
import { nextKey, useWorld } from "../../test/support/world.ts";
import { type Database, openDatabase } from "../database/connection.ts";
import { adjustWallet } from "../operations/partner/wallet/adjust.ts";
import { type PostingCommand, runBatch } from "./posting-batch.ts";

const world = useWorld();

const credit = (contactId: number): PostingCommand => ({
  operation: adjustWallet,
  integrationId: world.home.everywhere.integrationId,
  key: nextKey(),
  fingerprint: "00".repeat(32),
  input: {
    contact_id: contactId,
    location_id: world.home.locationIds[0],
    amount: 1,
    adjustment_type: "credit",
  } as PostingCommand["input"],
});

it("never reads a whole table, though its plans are made while the tables are all but empty", async () => {
  const contactId = await world.member({}, world.away.everywhere);
  const sql = openDatabase(world.database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "one connection",
  });
  const before = await wholeReads(sql);
  // The server keeps a plan from the sixth time on.
  for (let batch = 0; batch < 10; batch++) {
    const command = { ...credit(contactId), integrationId: world.away.everywhere.integrationId };
    await runBatch(sql, world.away.businessId, [command], () => {});
  }
  expect(await wholeReads(sql)).toEqual(before);
  await sql.end();
});

it("records batches that several processes run at once on the same account one after the other", async () => {
  const contactId = await world.member();
  // A queue runs one batch of a business at a time: only a second process makes two of them meet.
  const processes = Array.from({ length: 4 }, async () => {
    for (let batch = 0; batch < 25; batch++) {
      const commands = [credit(contactId), credit(contactId)];
      const outcomes = await runBatch(world.sql, world.home.businessId, commands, () => {});
      expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
    }
  });
  await Promise.all(processes);
  const entries = await world.sql<{ entry_no: number; balance_after: number }[]>`
    SELECT entry_no, balance_after FROM ledger_entry
    WHERE business_id = ${world.home.businessId} AND contact_id = ${contactId} ORDER BY entry_no`;
  const counted = Array.from({ length: 200 }, (_, index) => index + 1);
  expect(entries.map((entry) => entry.entry_no)).toEqual(counted);
  expect(entries.map((entry) => entry.balance_after)).toEqual(counted);
});

async function wholeReads(sql: Database) {
  await sql`SELECT pg_stat_force_next_flush()`;
  return sql<{ relname: string; seq_scan: number }[]>`
    SELECT relname, seq_scan FROM pg_stat_user_tables
    WHERE relname IN ('account', 'idempotency_key', 'ledger', 'ledger_entry') ORDER BY relname`;
}
