import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { importTools } from "../../../test/support/imports.ts";
import { usePostings } from "../../../test/support/postings.ts";
import { nextKey, useWorld } from "../../../test/support/world.ts";
import type { PostingOperation } from "../../contract/operation.ts";
import { type Database, openDatabase } from "../../database/connection.ts";
import { setActive } from "../../database/members/members.ts";
import type { Debt } from "../../domain/records.ts";
import { commitGroup } from "./group-commit.ts";
import type { PostingCommand } from "./group-state.ts";
import { PostingQueue } from "./posting-queue.ts";

const world = useWorld();
const { adjustment, run, runOn, entriesOf, balancesOf } = usePostings(world);
const { expectValidLedger } = importTools(world);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const bodyOf = (outcome: unknown) => (outcome as { body: string }).body;

/** A pool as a process has it for postings. */
function openPostings(applicationName: string, connections = 2): Database {
  return openDatabase(world.database.connection, {
    connections,
    statementTimeoutMilliseconds: 10_000,
    applicationName,
    serverSettings: { lock_timeout: "250ms" },
  });
}

it("never reads a whole table, though its plans are made while the tables are all but empty", async () => {
  const contactId = await world.member();
  const postings = openPostings("one connection", 1);
  const wholeReads = async () => {
    await postings`SELECT pg_stat_force_next_flush()`;
    return postings<{ relname: string; seq_scan: number }[]>`
      SELECT relname, seq_scan FROM pg_stat_user_tables
      WHERE relname IN ('account', 'idempotency_key', 'ledger', 'ledger_entry') ORDER BY relname`;
  };
  const before = await wholeReads();
  for (let group = 0; group < 10; group++) await runOn(postings, adjustment(contactId, 1));
  expect(await wholeReads()).toEqual(before);
  await postings.end();
});

const withNewKey = (command: PostingCommand): PostingCommand => ({
  ...command,
  idempotencyKey: command.idempotencyKey && { ...command.idempotencyKey, key: nextKey() },
});

it("decides a group in the order in which it came, as if one by one", async () => {
  const contactId = await world.member();
  const amounts = [5, -6, 3, -6, -2].map((amount) => adjustment(contactId, amount));
  for (let group = 0; group < 2; group++) {
    const outcomes = await run(...amounts.map(withNewKey));
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

it("commits postings of several businesses in one transaction", async () => {
  const [contactId, away] = [await world.member(), await world.member({}, world.away.everywhere)];
  const outcomes = await run(
    adjustment(contactId, 1),
    adjustment(away, 2, { business: world.away }),
    adjustment(contactId, 3),
  );
  expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  const transactions = await world.sql`
    SELECT DISTINCT xmin::text FROM ledger_entry WHERE contact_id = ANY (${[contactId, away]}::bigint[])`;
  expect(transactions).toHaveLength(1);
  expect([await balancesOf(contactId), await balancesOf(away)]).toEqual([[1, 4], [2]]);
});

it("records groups of several processes on the same account one after the other", async () => {
  const contactId = await world.member();
  const processes = upTo(4).map(async (number) => {
    const postings = openPostings(`process ${number}`, 1);
    for (let group = 0; group < 25; group++) {
      const outcomes = await runOn(postings, adjustment(contactId, 1), adjustment(contactId, 1));
      expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
    }
    await postings.end();
  });
  await Promise.all(processes);
  expect(await balancesOf(contactId)).toEqual(upTo(200));
});

it("sees at once that a member was deactivated, or made active again", async () => {
  const contactId = await world.member();
  await run(adjustment(contactId, 5));
  await world.sql.begin((tx) => setActive(tx, world.home.businessId, contactId, false));
  expect(await run(adjustment(contactId, 5))).toMatchObject([{ code: "member_inactive" }]);
  await world.sql.begin((tx) => setActive(tx, world.home.businessId, contactId, true));
  expect(await run(adjustment(contactId, 5))).toMatchObject([{ status: 200 }]);
});

it("replays a key that was used before, in the same group too", async () => {
  const contactId = await world.member();
  const once = adjustment(contactId, 5);
  const [first, second] = await run(once, once);
  expect([first, second]).toMatchObject([{ replayed: false }, { replayed: true, body: bodyOf(first) }]);
  const [again, fresh] = await run(once, adjustment(contactId, 1));
  expect(again).toMatchObject({ status: 200, body: bodyOf(first), replayed: true });
  expect(fresh).toMatchObject({ status: 200, replayed: false });
  const changed = adjustment(contactId, 6, {
    key: once.idempotencyKey?.key,
    fingerprint: "00".repeat(31).concat("11"),
  });
  expect(await run(changed, adjustment(contactId, 1))).toMatchObject([
    { code: "idempotency_key_reused_with_different_payload" },
    { status: 200 },
  ]);
  expect(await balancesOf(contactId)).toEqual([5, 6, 7]);
});

it("replays a retry, though the same would be rejected by now", async () => {
  const contactId = await world.member();
  const spend = adjustment(contactId, -5);
  await run(adjustment(contactId, 5));
  const [first] = await run(spend);
  expect(await run(spend, adjustment(contactId, -1))).toMatchObject([
    { status: 200, body: bodyOf(first), replayed: true },
    { code: "insufficient_balance" },
  ]);
  expect(await balancesOf(contactId)).toEqual([5, 0]);
});

it("leaves out what another transaction has locked, and records the rest", async () => {
  const [contactId, away] = [await world.member(), await world.member({}, world.away.everywhere)];
  const commands = [adjustment(contactId, 1), adjustment(away, 1, { business: world.away })];
  await world.sql.begin(async (tx) => {
    await tx`SELECT FROM ledger WHERE business_id = ${world.home.businessId} FOR UPDATE`;
    const [locked, recorded] = await commitGroup(world.database.postings, commands, "skip", () => undefined);
    expect([locked, recorded]).toMatchObject([undefined, { status: 200 }]);
    const [waited] = commands;
    expect(
      await commitGroup(world.database.postings, [waited as PostingCommand], "wait", () => undefined),
    ).toEqual([undefined]);
  });
  expect(await run(...commands)).toMatchObject([
    { status: 200, replayed: false },
    { status: 200, replayed: true },
  ]);
});

it("waits for the first ledger, and takes others along that are free by then", async () => {
  const [contactId, away] = [await world.member(), await world.member({}, world.away.everywhere)];
  const commands = [adjustment(contactId, 1), adjustment(away, 1, { business: world.away })];
  const commit = () => commitGroup(world.database.postings, commands, "wait", () => undefined);
  await world.sql.begin(async (tx) => {
    await tx`SELECT FROM ledger WHERE business_id = ${world.away.businessId} FOR UPDATE`;
    expect(await commit()).toMatchObject([{ status: 200, replayed: false }, undefined]);
  });
  expect(await commit()).toMatchObject([
    { status: 200, replayed: true },
    { status: 200, replayed: false },
  ]);
});

it("waits for the transaction that holds the ledger", async () => {
  const contactId = await world.member();
  const { waiting } = await world.sql.begin(async (tx) => {
    await tx`SELECT FROM ledger WHERE business_id = ${world.home.businessId} FOR UPDATE`;
    const posting = run(adjustment(contactId, 1));
    expect(await Promise.race([posting, sleep(50, "waits")])).toBe("waits");
    return { waiting: posting };
  });
  expect(await waiting).toMatchObject([{ status: 200 }]);
});

it("gives up on a key that a running write has claimed, and leaves no trace", async () => {
  const contactId = await world.member();
  const claimed = adjustment(contactId, 1);
  await world.sql.begin(async (tx) => {
    await tx`
      INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response)
      VALUES (${claimed.businessId}, ${claimed.integrationId}, ${claimed.idempotencyKey?.key as string}, '\\x00000000', 200, '{}')`;
    await expect(run(adjustment(contactId, 1), claimed)).rejects.toMatchObject({ code: "55P03" });
  });
  expect(await balancesOf(contactId)).toEqual([]);
  expect(await run(claimed)).toMatchObject([{ code: "idempotency_key_reused_with_different_payload" }]);
});

it("leaves no trace of a group that can't be recorded", async () => {
  const contactId = await world.member();
  const impossible = adjustment(contactId, 1, { key: "\u0000" });
  await expect(run(adjustment(contactId, 1), impossible)).rejects.toMatchObject({ code: "22021" });
  expect(await balancesOf(contactId)).toEqual([]);
  expect(await run(adjustment(contactId, 1))).toMatchObject([{ status: 200 }]);
});

it("rejects what concerns nobody, and still records the rest", async () => {
  const contactId = await world.member();
  const nobody = adjustment(9_007_199_254_740_000, 1);
  const elsewhere = adjustment(await world.member({}, world.away.everywhere), 1);
  expect(await run(nobody, elsewhere, adjustment(contactId, 1))).toMatchObject([
    { code: "member_not_found" },
    { code: "member_not_found" },
    { status: 200 },
  ]);
  await expect(run({ ...nobody, businessId: 987_654 })).rejects.toThrow("no ledger");
});

/** Moves the wallet and the points, under one key. */
const movesTwo = {
  path: "/sp/test/moves-two",
  message: "Moved.",
  needs: { balances: ["wallet", "points"] },
  decide: ({ member, today }: { member: { balances: object } | undefined; today: string }) => ({
    entries: [
      { event_type: "wallet_payment", amount: -7 },
      { event_type: "reward_points_earned", amount: 3 },
      { event_type: "reward_points_earned", amount: -1, reference_id: "own" },
    ],
    data: { before: member?.balances, today },
  }),
} as unknown as PostingOperation;

it("records several entries of one command, in several accounts and under one key", async () => {
  const contactId = await world.member();
  await run(adjustment(contactId, 10));
  const command = { ...adjustment(contactId, 0), operation: movesTwo };
  const [first, again] = await run(command, command);
  const { data } = JSON.parse(bodyOf(first));
  expect(data).toEqual({
    before: { wallet: 10, points: 0 },
    today: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  expect(again).toMatchObject({ replayed: true });
  const entries = await world.sql<{ entry_no: number; reference_id: string }[]>`
    SELECT entry_no, account, amount, balance_after, reference_id, created_at FROM ledger_entry
    WHERE contact_id = ${contactId} ORDER BY entry_no`;
  const [, paid, earned, owed] = entries as unknown as Record<string, unknown>[];
  const reference_id = `WP-${paid?.entry_no}`;
  expect([paid, earned, owed]).toMatchObject([
    { account: "wallet", amount: -7, balance_after: 3, reference_id },
    { account: "points", amount: 3, balance_after: 3, reference_id },
    { account: "points", amount: -1, balance_after: 2, reference_id: "own" },
  ]);
  expect(new Set([paid, earned, owed].map((entry) => entry?.created_at)).size).toBe(1);
  await expectValidLedger(world.home);
});

it("records nothing of a command that would take an account below zero", async () => {
  const contactId = await world.member();
  const command = { ...adjustment(contactId, 0), operation: movesTwo };
  await expect(run(command)).rejects.toThrow("moves wallet by -7: insufficient_balance");
  expect(await entriesOf(contactId)).toEqual([]);
});

it("records nothing that no member has, and no points that were not read", async () => {
  const contactId = await world.member();
  const nobodys = {
    ...adjustment(987_654_321, 5),
    operation: { ...movesTwo, decide: () => ({ data: {}, entries: [], reference_id: undefined }) },
  };
  await expect(run(nobodys)).rejects.toThrow("accepted a command about no member");
  const debt: Debt = { sale_id: 1, reference_id: "r", location_id: 1, owed: 1 };
  const decide = () => ({ data: {}, entries: [], reference_id: undefined, changes: { debt: [debt] } });
  const command = { ...adjustment(contactId, 5), operation: { ...movesTwo, decide } };
  await expect(run(command)).rejects.toThrow("changed points that it did not read");
  expect(await entriesOf(contactId)).toEqual([]);
});

it("keeps the order of recording when the clock was set back a little", async () => {
  const { businessId } = world.home;
  const contactId = await world.member();
  await run(adjustment(contactId, 1));
  await world.sql`
    UPDATE ledger_entry SET created_at = clock_timestamp() + interval '5 seconds'
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
  await run(adjustment(contactId, 2));
  const times = await world.sql`SELECT DISTINCT created_at FROM ledger_entry WHERE contact_id = ${contactId}`;
  expect(times).toHaveLength(1);
});

it("dates nothing in the future after the clock was far ahead, and still lists and counts everything", async () => {
  const business = await world.business("Ahead", "UTC");
  const { businessId, everywhere } = business;
  const contactId = await world.member({}, everywhere);
  const post = (amount: number) => run(adjustment(contactId, amount, { business }));
  await post(1);
  await world.sql`
    UPDATE ledger_entry SET created_at = created_at + interval '1 day' WHERE business_id = ${businessId}`;
  for (const amount of [2, 3]) await post(amount);
  const ahead = await world.sql`
    SELECT entry_no FROM ledger_entry WHERE business_id = ${businessId} AND created_at > clock_timestamp()`;
  expect(ahead).toEqual([{ entry_no: 1 }]);
  const { body } = await world.ask(
    "/sp/transactions/list",
    { event_types: ["wallet_adjustment"] },
    everywhere,
  );
  expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([1, 3, 2]);
  expect(body.meta.pagination.total).toBe(3);
  await expectValidLedger(business);
});

it("records each posting of many businesses exactly once, wherever connections are cut", async () => {
  const postings = openPostings("cut", 4);
  const queue = new PostingQueue(
    (commands, held) => commitGroup(postings, commands, held, () => undefined),
    { groupsAtOnce: 2, waitingGroupsAtOnce: 2 },
    () => undefined,
  );
  const callers = await Promise.all(
    upTo(8).map(async (number) => {
      const business = await world.business(`Cut ${number}`, "UTC");
      return { business, contactId: await world.member({}, business.everywhere) };
    }),
  );
  const each = 40;
  const post = async ({ business, contactId }: (typeof callers)[number]) => {
    for (let amount = 1; amount <= each; amount++) {
      const command = adjustment(contactId, amount, { business });
      // Who gets no response asks again with the same key.
      for (let done = false; !done; ) {
        done = await queue.post(command).then(
          (outcome) => "status" in outcome && outcome.status === 200,
          () => false,
        );
        if (!done) await sleep(5);
      }
    }
  };
  let working = true;
  const posted = Promise.all([...callers, ...callers].map(post)).finally(() => {
    working = false;
  });
  let cuts = 0;
  while (working) {
    const ended = await world.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'cut' AND (state = 'active' OR state LIKE 'idle in %')`;
    cuts += ended.length;
    // Rarer and rarer, so that a busy machine gets on, too.
    await sleep(3 + cuts);
  }
  await posted;
  expect(cuts).toBeGreaterThan(0);
  const recorded = await world.sql`
    SELECT business_id, count(*) AS entries, sum(amount)::bigint AS total, max(balance_after) AS balance
    FROM ledger_entry WHERE contact_id = ANY (${callers.map(({ contactId }) => contactId)}::bigint[])
    GROUP BY business_id`;
  const total = each * (each + 1);
  expect(recorded).toHaveLength(callers.length);
  for (const row of recorded) expect(row).toMatchObject({ entries: 2 * each, total, balance: total });
  await postings.end();
});
