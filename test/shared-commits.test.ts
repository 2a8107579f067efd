import { expect, it } from "vitest";
import { openDatabase } from "../src/database/connection.ts";
import type { PostingCommand, WriteOutcome } from "../src/pipeline/posting-batch.ts";
import type { PostingRunner } from "../src/pipeline/posting-runner.ts";
import { usePostings } from "./support/postings.ts";
import { useWorld } from "./support/world.ts";

const world = useWorld();
const { newRunner, adjustment, run, balancesOf } = usePostings(world);

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

it("commits them together, too, while another business reads", async () => {
  const runner = newRunner();
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const third = await world.business("Third", "UTC");
  const stranger = await world.member({}, third.everywhere);
  const { integrationId } = third.everywhere;
  const outcomes = await Promise.all([
    post(adjustment(contactId, 1)),
    runner.run(third.businessId, [{ ...adjustment(stranger, 1), integrationId }]),
    postAway(adjustment(away, 1)),
  ]);
  expect(outcomes.flat()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  const entries = (await transactionsOf([contactId, away])).slice(-2);
  expect(entries.map((entry) => entry.contact_id).sort()).toEqual([contactId, away].sort());
  expect(entries[0]?.xmin).toBe(entries[1]?.xmin);
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

it("lets no business fail for a batch that can't be sent", async () => {
  const runner = newRunner();
  const { contactId, away, post, postAway } = await twoBusinesses(runner);
  const impossible = { ...adjustment(away, 1), key: "\u001f" };
  const [posted, refused] = await Promise.allSettled([
    post(adjustment(contactId, 1)),
    // With a second one in its batch: alone in it, its key would be sent as it is, and recorded.
    postAway(impossible, adjustment(away, 1)),
  ]);
  expect([posted, refused]).toMatchObject([
    { value: [{ status: 200, replayed: false }] },
    { reason: { message: expect.stringContaining("separates texts") } },
  ]);
  expect([await balancesOf(contactId), await balancesOf(away)]).toEqual([[1, 2], [1]]);
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

it("records each posting of many businesses exactly once, wherever connections are cut", async () => {
  const settings = { connections: 4, statementTimeoutMilliseconds: 10_000, applicationName: "cut" };
  const sql = openDatabase(world.database.connection, settings);
  const runner = newRunner(sql);
  const callers = await Promise.all(
    Array.from({ length: 8 }, async (_, number) => {
      const { businessId, everywhere } = await world.business(`Cut ${number}`, "UTC");
      return {
        businessId,
        integrationId: everywhere.integrationId,
        contactId: await world.member({}, everywhere),
      };
    }),
  );
  const postings = 40;
  let cuts = 0;
  const post = async ({ businessId, integrationId, contactId }: (typeof callers)[number]) => {
    for (let amount = 1; amount <= postings; amount++) {
      const command = { ...adjustment(contactId, amount), integrationId };
      // Who gets no answer asks again with the same key.
      while (!(await runner.run(businessId, [command]).then(isRecorded, () => false))) await pause(5);
    }
  };
  const working = Promise.all([...callers, ...callers].map(post));
  let done = false;
  void working.finally(() => {
    done = true;
  });
  while (!done) {
    const ended = await world.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'cut' AND state = 'active' AND query LIKE '%WITH head%'`;
    cuts += ended.length;
    await pause(cuts < 30 ? 3 : 50);
  }
  await working;
  expect(cuts).toBeGreaterThan(0);
  const recorded = await world.sql`
    SELECT business_id, count(*)::int AS entries, sum(amount)::int AS total, max(balance_after)::int AS balance
    FROM ledger_entry WHERE contact_id = ANY (${callers.map(({ contactId }) => contactId)}) GROUP BY business_id`;
  const total = postings * (postings + 1);
  expect(recorded).toHaveLength(callers.length);
  for (const row of recorded) expect(row).toMatchObject({ entries: 2 * postings, total, balance: total });
  await sql.end();
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const isRecorded = ([outcome]: readonly WriteOutcome[]) =>
  outcome !== undefined && "status" in outcome && outcome.status === 200;
