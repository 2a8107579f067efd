/** Postings while a server that was the primary before still answers, or while commits wait for a standby. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Database, faultOf, openDatabase } from "../src/database/connection.ts";
import { type LedgerHead, lockLedger } from "../src/database/ledger.ts";
import { type Recording, recordBatch } from "../src/database/ledger-recording.ts";
import { KnownLedger } from "../src/pipeline/known-ledgers.ts";
import { PostingBatch } from "../src/pipeline/posting-batch.ts";
import { findAccountsFor } from "../src/pipeline/posting-reads.ts";
import { startDatabaseProxy } from "./support/database-proxy.ts";
import { usePostings } from "./support/postings.ts";
import { useWorld } from "./support/world.ts";

const world = useWorld();
const { newRunner, adjustment, run, balancesOf } = usePostings(world);

it("records nothing on accounts that were read from a server of before", async () => {
  const [x, y, z] = [await world.member(), await world.member(), await world.member()];
  const other = newRunner();
  await run(other, adjustment(x, 100));
  const old = openDatabase(world.database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "old primary",
  });
  const frozen = await old.reserve();
  await frozen`BEGIN ISOLATION LEVEL REPEATABLE READ`;
  await frozen`SELECT FROM ledger LIMIT 1`;
  const here = newRunner(world.sql, 1000, frozen as unknown as Database);
  await run(other, adjustment(x, 900));
  for (const contactId of [y, y, z, x]) await run(here, adjustment(contactId, 1));
  const [account] = await world.sql<{ balance: number }[]>`
    SELECT balance FROM account WHERE contact_id = ${x} AND account = 'wallet'`;
  frozen.release();
  await old.end({ timeout: 1 });
  expect(account?.balance).toBe(1001);
});

it("refuses without a lock while nobody else writes", async () => {
  const contactId = await world.member();
  const here = newRunner();
  const lockedBy = async () => {
    const [row] = await world.sql<{ by: string }[]>`
      SELECT xmax::text AS by FROM ledger WHERE business_id = ${world.home.businessId}`;
    return row?.by;
  };
  for (let batch = 0; batch < 3; batch++) await run(here, adjustment(contactId, 5));
  const before = await lockedBy();
  for (let batch = 0; batch < 3; batch++) {
    expect(await run(here, adjustment(contactId, -100))).toMatchObject([{ code: "insufficient_balance" }]);
  }
  expect(await lockedBy()).toBe(before);
});

it("refuses nothing while what would change that is being committed", async () => {
  const { businessId } = world.home;
  const contactId = await world.member();
  const [credit, debit] = [adjustment(contactId, 100), adjustment(contactId, -100)];
  const here = newRunner();
  await run(here, adjustment(await world.member(), 1));
  const again = await world.sql.begin(async (tx) => {
    // As another process would have it: recorded, and its commit waits for the disk, or for a standby.
    const head = await lockLedger(tx, businessId);
    const accounts = await findAccountsFor(tx, businessId, [credit]);
    const batch = new PostingBatch(new KnownLedger(head as LedgerHead), accounts);
    for (const command of [credit, debit]) batch.apply(command);
    await recordBatch(tx, businessId, batch.recording() as Recording);
    const answered = run(here, debit);
    expect(await Promise.race([answered, sleep(500, "waits")])).toBe("waits");
    return { answered };
  });
  expect(await again.answered).toMatchObject([{ status: 200, replayed: true }]);
  expect(await balancesOf(contactId)).toEqual([100, 0]);
});

it("lets no batch be recorded late, of which nobody knew what became of it", async () => {
  const proxy = await startDatabaseProxy(world.database.connection);
  const sql = openDatabase(proxy.connection, {
    connections: 2,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "lost batches",
  });
  const version = async () => {
    const [row] = await world.sql<{ version: number }[]>`
      SELECT version FROM ledger WHERE business_id = ${world.home.businessId}`;
    return row?.version;
  };
  try {
    const contactId = await world.member();
    const here = newRunner(sql);
    await run(here, adjustment(contactId, 5));
    const before = await version();
    // The batch is on its way, and the server may read it whenever it likes.
    proxy.freeze();
    const lost = run(here, adjustment(contactId, -3)).catch((error: unknown) => faultOf(error));
    await sleep(200);
    proxy.giveBack();
    expect(await lost).toBe("unavailable");
    expect(await version()).toBe(before);
    expect(await run(here, adjustment(contactId, -6))).toMatchObject([{ code: "insufficient_balance" }]);
    expect(await version()).not.toBe(before);
    expect(await run(here, adjustment(contactId, -5))).toMatchObject([{ status: 200 }]);
    expect(await balancesOf(contactId)).toEqual([5, 0]);
  } finally {
    await sql.end({ timeout: 1 });
    await proxy.close();
  }
});
