import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { usePostings } from "../../test/support/postings.ts";
import { nextKey, useWorld } from "../../test/support/world.ts";
import { type Database, openDatabase } from "../database/connection.ts";
import { setActive } from "../database/member-standing.ts";

const world = useWorld();

const { newRunner, adjustment, run, entriesOf, balancesOf } = usePostings(world);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it("never reads a whole table, though its plans are made while the tables are all but empty", async () => {
  const contactId = await world.member();
  const open = () =>
    openDatabase(world.database.connection, {
      connections: 1,
      statementTimeoutMilliseconds: 10_000,
      applicationName: "one connection",
    });
  const [sql, lookUps] = [open(), open()];
  const before = await wholeReads(sql);
  // The server keeps a plan from the sixth time on. A runner that knows nothing reads; one key twice locks.
  const newRunnerOnBoth = () => newRunner(sql, 1000, lookUps);
  const knowing = newRunnerOnBoth();
  for (let batch = 0; batch < 10; batch++) {
    const command = adjustment(contactId, 1);
    await run(newRunnerOnBoth(), command);
    await run(knowing, adjustment(contactId, 1));
    await run(knowing, command);
  }
  await lookUps`SELECT pg_stat_force_next_flush()`;
  expect(await wholeReads(sql)).toEqual(before);
  await Promise.all([sql.end(), lookUps.end()]);
});

it("decides a batch in the order in which it came, as if one by one", async () => {
  const contactId = await world.member();
  const amounts = [5, -6, 3, -6, -2].map((amount) => adjustment(contactId, amount));
  for (const runner of [newRunner(), newRunner()]) {
    const outcomes = await run(runner, ...amounts.map((command) => ({ ...command, key: nextKey() })));
    expect(outcomes).toMatchObject([
      { status: 200 },
      { code: "insufficient_balance", details: { balance: 5 } },
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ]);
  }
  expect(await balancesOf(contactId)).toEqual([5, 8, 2, 0, 5, 8, 2, 0]);
});

it("decides batches on what those before come to, before they are recorded", async () => {
  const contactId = await world.member();
  const runner = newRunner();
  const batches = upTo(20).map(() => run(runner, adjustment(contactId, 1), adjustment(contactId, 1)));
  const spent = run(runner, adjustment(contactId, -40), adjustment(contactId, -1));
  for (const outcomes of await Promise.all(batches)) {
    expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
  }
  expect(await spent).toMatchObject([{ status: 200 }, { code: "insufficient_balance" }]);
  expect(await balancesOf(contactId)).toEqual([...upTo(40), 0]);
});

it("records batches of several processes on the same account one after the other", async () => {
  const contactId = await world.member();
  const processes = upTo(4).map(async () => {
    const runner = newRunner();
    for (let batch = 0; batch < 25; batch++) {
      const outcomes = await run(runner, adjustment(contactId, 1), adjustment(contactId, 1));
      expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
    }
  });
  await Promise.all(processes);
  expect(await balancesOf(contactId)).toEqual(upTo(200));
});

it("refuses nothing on a balance that another process has raised, and allows nothing on one it has lowered", async () => {
  const contactId = await world.member();
  const [here, there] = [newRunner(), newRunner()];
  await run(here, adjustment(contactId, 5));
  await run(there, adjustment(contactId, 5));
  expect(await run(here, adjustment(contactId, -10))).toMatchObject([{ status: 200 }]);
  expect(await run(there, adjustment(contactId, -10))).toMatchObject([{ code: "insufficient_balance" }]);
  // They know both now, and go on.
  for (const runner of [here, there, here, here, there]) await run(runner, adjustment(contactId, 1));
  expect(await balancesOf(contactId)).toEqual([5, 10, 0, 1, 2, 3, 4, 5]);
});

it("hears at once that a member was deactivated, or made active again", async () => {
  const contactId = await world.member();
  const runner = newRunner();
  await run(runner, adjustment(contactId, 5));
  await world.sql.begin((tx) => setActive(tx, world.home.businessId, contactId, false));
  expect(await run(runner, adjustment(contactId, 5))).toMatchObject([{ code: "member_inactive" }]);
  await world.sql.begin((tx) => setActive(tx, world.home.businessId, contactId, true));
  expect(await run(runner, adjustment(contactId, 5))).toMatchObject([{ status: 200 }]);
});

it("answers a key that was used before as it did then, wherever that was", async () => {
  const contactId = await world.member();
  const [here, there] = [newRunner(), newRunner()];
  const [once, other] = [adjustment(contactId, 5), adjustment(contactId, 1)];
  const [first] = await run(here, once);
  for (const runner of [here, there, there]) {
    const [again, fresh] = await run(runner, once, adjustment(contactId, 1));
    expect(again).toMatchObject({ status: 200, body: (first as { body: string }).body, replayed: true });
    expect(fresh).toMatchObject({ status: 200, replayed: false });
  }
  const changed = adjustment(contactId, 6, { key: once.key, fingerprint: "11".repeat(32) });
  expect(await run(here, changed, other)).toMatchObject([
    { code: "idempotency_key_reused_with_different_payload" },
    { status: 200 },
  ]);
  expect(await balancesOf(contactId)).toEqual([5, 6, 7, 8, 9]);
});

it("answers a retry as the first time, though the same would be refused by now", async () => {
  const [contactId, other] = [await world.member(), await world.member()];
  const runner = newRunner();
  const spend = adjustment(contactId, -5);
  await run(runner, adjustment(contactId, 5), adjustment(other, 1));
  const [first] = await run(runner, spend);
  // Alone, and beside one that is recorded and one that is refused.
  const body = (first as { body: string }).body;
  expect(await run(runner, spend)).toMatchObject([{ status: 200, body, replayed: true }]);
  const reused = { ...adjustment(contactId, -6, { key: spend.key, fingerprint: "11".repeat(32) }) };
  expect(await run(runner, adjustment(other, 1), spend, reused, adjustment(contactId, -1))).toMatchObject([
    { status: 200, replayed: false },
    { status: 200, body, replayed: true },
    { code: "idempotency_key_reused_with_different_payload" },
    { code: "insufficient_balance" },
  ]);
  expect(await balancesOf(contactId)).toEqual([5, 0]);
});

it("records nothing that was decided on a batch which failed", async () => {
  const contactId = await world.member();
  const runner = newRunner();
  const used = adjustment(contactId, 1);
  await run(runner, used);
  // The first fails for its key; the others are under way by then, and spend what it would have brought.
  const outcomes = await Promise.all([
    run(runner, adjustment(contactId, 10), used),
    run(runner, adjustment(contactId, -11)),
    run(runner, adjustment(contactId, 3)),
    run(runner, used, adjustment(contactId, -1)),
  ]);
  const entries = await entriesOf(contactId);
  let balance = 0;
  for (const entry of entries) {
    balance += entry.amount;
    expect(entry.balance_after).toBe(balance);
  }
  const succeeded = outcomes.flat().filter((outcome) => "status" in outcome && !outcome.replayed);
  expect(entries).toHaveLength(1 + succeeded.length);
});

it("waits for whoever holds the ledger, without holding up other businesses", async () => {
  const [contactId, away] = [await world.member(), await world.member({}, world.away.everywhere)];
  const runner = newRunner(world.sql);
  await run(runner, adjustment(contactId, 1));
  let answered = false;
  const answer = await world.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM ledger WHERE business_id = ${world.home.businessId} FOR UPDATE`;
    const waiting = run(runner, adjustment(contactId, 1)).finally(() => {
      answered = true;
    });
    for (let batch = 0; batch < 3; batch++) {
      const integrationId = world.away.everywhere.integrationId;
      const outcomes = await runner.run(world.away.businessId, [{ ...adjustment(away, 1), integrationId }]);
      expect(outcomes).toMatchObject([{ status: 200 }]);
    }
    expect(answered).toBe(false);
    return { waiting };
  });
  expect(await answer.waiting).toMatchObject([{ status: 200 }]);
});

/** A pool that tells of statements which lock a ledger and wait for it, and is slow to commit. */
function tellingOfLocks(sql: Database, locks: () => void): Database {
  const reserve = async () =>
    new Proxy(await sql.reserve(), {
      apply(connection, self, words: [TemplateStringsArray]) {
        const text = words[0].join();
        if (text.includes("FOR UPDATE") && !text.includes("SKIP LOCKED")) locks();
        if (text !== "COMMIT") return Reflect.apply(connection, self, words);
        return { execute: () => sleep(5).then(() => Reflect.apply(connection, self, words)) };
      },
    });
  return new Proxy(sql, { get: (pool, name) => (name === "reserve" ? reserve : Reflect.get(pool, name)) });
}

it("goes ahead again soon after somebody else wrote, though batches are always under way", async () => {
  const contactId = await world.member();
  let locked = 0;
  const counting = tellingOfLocks(world.sql, () => {
    locked += 1;
  });
  const runner = newRunner(counting);
  let written = 0;
  const post = async (by = runner) => {
    await run(by, adjustment(contactId, 1));
    written += 1;
  };
  await post();
  for (let disturbance = 0; disturbance < 3; disturbance++) {
    locked = 0;
    let disturbed = false;
    const disturbing = post(newRunner()).finally(() => {
      disturbed = true;
    });
    const posting = async () => {
      while (!disturbed) await post();
      for (let batch = 0; batch < 50; batch++) await post();
    };
    await Promise.all([posting(), posting(), disturbing]);
    expect(locked).toBeGreaterThan(0);
    expect(locked).toBeLessThan(20);
  }
  expect(await balancesOf(contactId)).toEqual(upTo(written));
});

it("works as well with more accounts than it may remember", async () => {
  const contactIds = [await world.member(), await world.member(), await world.member()];
  const runner = newRunner(world.sql, 2);
  for (let batch = 0; batch < 5; batch++) {
    await run(runner, ...contactIds.map((contactId) => adjustment(contactId, 1)));
  }
  for (const contactId of contactIds) expect(await balancesOf(contactId)).toEqual(upTo(5));
});

it("decides on what batches under way come to, though it may remember nothing of them", async () => {
  const contactIds = [await world.member(), await world.member()];
  let locked = 0;
  const counting = tellingOfLocks(world.sql, () => {
    locked += 1;
  });
  const runner = newRunner(counting, 0);
  const batches = upTo(20).map(() => run(runner, ...contactIds.map((contactId) => adjustment(contactId, 1))));
  for (const outcomes of await Promise.all(batches)) {
    expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
  }
  expect(locked).toBe(0);
  for (const contactId of contactIds) expect(await balancesOf(contactId)).toEqual(upTo(20));
});

it("records nothing of a batch that can't be recorded whole", async () => {
  const [contactId, other] = [await world.member(), await world.member()];
  const runner = newRunner();
  await run(runner, adjustment(contactId, 1), adjustment(other, 1));
  const [account] = await world.sql`
    DELETE FROM account WHERE business_id = ${world.home.businessId} AND contact_id = ${contactId}
      AND account = 'wallet' RETURNING *`;
  const batch = [adjustment(other, 1), adjustment(contactId, 1)];
  await expect(run(runner, ...batch)).rejects.toMatchObject({ code: "22012" });
  expect([await balancesOf(contactId), await balancesOf(other)]).toEqual([[1], [1]]);
  await world.sql`INSERT INTO account ${world.sql(account as object)}`;
  expect(await run(runner, ...batch)).toMatchObject([{ status: 200 }, { status: 200 }]);
});

it("refuses what concerns nobody, and still records the rest", async () => {
  const contactId = await world.member();
  const runner = newRunner();
  const nobody = adjustment(9_007_199_254_740_000, 1);
  expect(await run(runner, nobody)).toMatchObject([{ code: "member_not_found" }]);
  expect(await run(runner, nobody, adjustment(contactId, 1))).toMatchObject([
    { code: "member_not_found" },
    { status: 200 },
  ]);
  await expect(runner.run(987_654, [nobody])).rejects.toThrow("no ledger");
});

async function wholeReads(sql: Database) {
  await sql`SELECT pg_stat_force_next_flush()`;
  return sql<{ relname: string; seq_scan: number }[]>`
    SELECT relname, seq_scan FROM pg_stat_user_tables
    WHERE relname IN ('account', 'idempotency_key', 'ledger', 'ledger_entry') ORDER BY relname`;
}
