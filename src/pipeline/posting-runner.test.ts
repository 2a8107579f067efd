import { expect, it } from "vitest";
import { nextKey, useWorld } from "../../test/support/world.ts";
import { type Database, openDatabase } from "../database/connection.ts";
import { setActive } from "../database/member-standing.ts";
import { adjustWallet } from "../operations/partner/wallet/adjust.ts";
import type { PostingCommand } from "./posting-batch.ts";
import { PostingRunner, type PostingRunnerSettings } from "./posting-runner.ts";

const world = useWorld();

const settings: PostingRunnerSettings = { lockedAtOnce: 2, knownAccounts: 1000 };
/** What one process would have. */
const newRunner = (sql = world.sql, knownAccounts = settings.knownAccounts) =>
  new PostingRunner(sql, { ...settings, knownAccounts }, () => {});

const adjustment = (
  contactId: number,
  amount: number,
  { key = nextKey(), fingerprint = "00".repeat(32) } = {},
): PostingCommand => ({
  operation: adjustWallet,
  integrationId: world.home.everywhere.integrationId,
  key,
  fingerprint,
  input: {
    contact_id: contactId,
    location_id: world.home.locationIds[0],
    amount: Math.abs(amount),
    adjustment_type: amount < 0 ? "debit" : "credit",
  } as PostingCommand["input"],
});
const run = (runner: PostingRunner, ...commands: PostingCommand[]) =>
  runner.run(world.home.businessId, commands);

const entriesOf = (contactId: number) => world.sql<{ amount: number; balance_after: number }[]>`
  SELECT amount, balance_after FROM ledger_entry WHERE contact_id = ${contactId} ORDER BY entry_no`;
const balancesOf = async (contactId: number) =>
  (await entriesOf(contactId)).map((entry) => entry.balance_after);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it("never reads a whole table, though its plans are made while the tables are all but empty", async () => {
  const contactId = await world.member();
  const sql = openDatabase(world.database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "one connection",
  });
  const before = await wholeReads(sql);
  // The server keeps a plan from the sixth time on. A runner that knows nothing reads; one key twice locks.
  const knowing = newRunner(sql);
  for (let batch = 0; batch < 10; batch++) {
    const command = adjustment(contactId, 1);
    await run(newRunner(sql), command);
    await run(knowing, adjustment(contactId, 1));
    await run(knowing, command);
  }
  expect(await wholeReads(sql)).toEqual(before);
  await sql.end();
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

/** Postings of two businesses, to be run at the same time. */
async function twoBusinesses(runner: PostingRunner) {
  const [contactId, away] = [await world.member(), await world.member({}, world.away.everywhere)];
  const { integrationId } = world.away.everywhere;
  const post = (...commands: PostingCommand[]) => run(runner, ...commands);
  const postAway = (...commands: PostingCommand[]) =>
    runner.run(
      world.away.businessId,
      commands.map((command) => ({ ...command, integrationId })),
    );
  // From here on the runner knows both, and reads nothing.
  await Promise.all([post(adjustment(contactId, 1)), postAway(adjustment(away, 1))]);
  return { contactId, away, post, postAway };
}

const transactionsOf = (contactIds: number[]) => world.sql<{ contact_id: number; xmin: string }[]>`
  SELECT contact_id, xmin::text FROM ledger_entry WHERE contact_id = ANY (${contactIds}) ORDER BY entry_no`;

it("commits batches of several businesses together", async () => {
  const runner = newRunner();
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const outcomes = await Promise.all([
    post(adjustment(contactId, 1)),
    postAway(adjustment(away, 2)),
    post(adjustment(contactId, 3)),
  ]);
  expect(outcomes.flat()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  expect([await balancesOf(contactId), await balancesOf(away)]).toEqual([
    [1, 2, 5],
    [1, 3],
  ]);
  const transactions = new Map<string, number>();
  for (const { xmin } of await transactionsOf([contactId, away])) {
    transactions.set(xmin, (transactions.get(xmin) ?? 0) + 1);
  }
  expect(Math.max(...transactions.values())).toBe(3);
});

it("lets no business fail for what another one does", async () => {
  const runner = newRunner();
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const used = adjustment(away, 1);
  await postAway(used);
  // The key fails the statement, and with it the transaction.
  const outcomes = await Promise.all([
    post(adjustment(contactId, 1)),
    postAway(used),
    post(adjustment(contactId, 1)),
    postAway(adjustment(away, 1)),
  ]);
  expect(outcomes.map(([first]) => first)).toMatchObject([
    { status: 200, replayed: false },
    { status: 200, replayed: true },
    { status: 200, replayed: false },
    { status: 200, replayed: false },
  ]);
  expect([await balancesOf(contactId), await balancesOf(away)]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

it("refuses no retry of what is recorded in the end, when the commit that it shared was rolled back", async () => {
  const runner = newRunner();
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const used = adjustment(away, 1);
  await postAway(used);
  await post(adjustment(contactId, 99));
  // The retry finds too little left, unless it finds what its key has done; beside it is one that can be recorded.
  const payment = adjustment(contactId, -80);
  const [paid, again] = await Promise.all([
    post(payment),
    post(payment, adjustment(contactId, 1)),
    postAway(used),
  ]);
  expect(paid[0]).toMatchObject({ status: 200 });
  expect(again[0]).toMatchObject({ status: 200, body: (paid[0] as { body: string }).body });
  expect((await balancesOf(contactId)).at(-1)).toBe(21);
  expect(await balancesOf(contactId)).toHaveLength(4);
});

it("acknowledges nothing of a commit that was lost with its connection", async () => {
  const sql = openDatabase(world.database.connection, {
    connections: 2,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "lost commits",
  });
  const runner = newRunner(sql);
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const taken = adjustment(away, 1);
  const outcomes = await world.sql.begin(async (tx) => {
    // The statement waits for whoever has the key, in the middle of the transaction.
    await tx`INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
      VALUES (${world.away.businessId}, ${world.away.everywhere.integrationId}, ${taken.key}, '', 200, '{}')`;
    const waiting = Promise.allSettled([post(adjustment(contactId, 1)), postAway(taken)]);
    let ended: object[] = [];
    while (ended.length === 0) {
      ended = await world.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'lost commits' AND wait_event_type = 'Lock'`;
    }
    return waiting;
  });
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([await balancesOf(contactId), await balancesOf(away)]).toEqual([[1], [1]]);
  const again = await Promise.all([post(adjustment(contactId, 1)), postAway(adjustment(away, 1))]);
  expect(again.flat()).toMatchObject([{ status: 200 }, { status: 200 }]);
  await sql.end();
});

it("works as well with more accounts than it may remember", async () => {
  const contactIds = [await world.member(), await world.member(), await world.member()];
  const runner = newRunner(world.sql, 2);
  for (let batch = 0; batch < 5; batch++) {
    await run(runner, ...contactIds.map((contactId) => adjustment(contactId, 1)));
  }
  for (const contactId of contactIds) expect(await balancesOf(contactId)).toEqual(upTo(5));
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
