/**
 * What is left when the database is lost between a request and its response: nothing, or a response that the key
 * brings back. The points at which it is lost lie around the commit.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database-proxy.ts";
import {
  newPerson,
  nextKey,
  type Reply,
  type StartedService,
  startService,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
let proxy: DatabaseProxy;
let pools: Database[];
let service: StartedService;
let token: string;

beforeAll(async () => {
  proxy = await startDatabaseProxy(world.database.connection);
  const settings = { connections: 4, statementTimeoutMilliseconds: 10_000, applicationName: "crashes" };
  const sql = openDatabase(proxy.connection, settings);
  const postings = openDatabase(proxy.connection, {
    ...settings,
    serverSettings: { lock_timeout: "250ms" },
  });
  pools = [sql, postings];
  service = await startService(world, { sql, postings });
  token = await world.token();
});
afterAll(async () => {
  await service.close();
  await Promise.all(pools.map((pool) => pool.end()));
  await proxy.close();
});

const call = (path: string, body: object): Promise<Reply> =>
  world.call(path, body, { token, baseUrl: service.baseUrl });
const replayed = (reply: Reply) => reply.headers.get("idempotent-replayed") === "true";
const unavailable = { success: false, error: { code: "service_unavailable", details: {} } };

/** Sends the same again, as the response asks for, until it gets a response. */
async function retry(path: string, body: object): Promise<Reply> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const reply = await call(path, body);
    if (reply.status !== 503) return reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the service did not come back");
}

/**
 * Sends a write, and cuts a connection when the database says something. What the service does by itself may have been cut, which is
 * likelier on a slow machine. Then the write succeeds, and another one is sent.
 */
async function sendAndCut({ path, body: makeBody }: Pick<Write, "path" | "body">, command: string) {
  for (let attempt = 1; ; attempt++) {
    const idempotency_key = nextKey();
    const body = { idempotency_key, ...(await makeBody()) };
    const lost = proxy.cut({ at: "response", command, share: 0 });
    const first = await call(path, body);
    await lost;
    if (first.status !== 200 && first.status !== 201) return { idempotency_key, body, first };
    if (attempt === 5) throw new Error("a write whose connection was cut got a success five times");
  }
}

interface Write {
  readonly path: string;
  readonly body: () => Promise<object>;
  /** What the database says at the moments at which it is lost, before everything is committed. */
  readonly moments: readonly (readonly [when: string, tag: string])[];
  /** What it says once all is committed. */
  readonly committed: string;
  /** How often it took effect. */
  readonly effects: (body: object) => Promise<number>;
}

const posting: Write = {
  path: "/sp/reward-points/adjust",
  body: async () => ({ contact_id: await world.member(), points: 7, adjustment_type: "credit" }),
  moments: [
    ["when the transaction has begun", "BEGIN"],
    ["when it has read its key", "SELECT 0"],
    ["when its entry is written but nothing committed", "INSERT 0 1"],
  ],
  committed: "COMMIT",
  effects: async (body) => {
    const { contact_id } = body as { contact_id: number };
    const [row] = await world.sql<{ entries: number; balance: number }[]>`
      SELECT balance, (SELECT count(*) FROM ledger_entry WHERE contact_id = ${contact_id}) AS entries
      FROM account WHERE contact_id = ${contact_id} AND account = 'points'`;
    expect(row?.balance).toBe(7 * (row?.entries ?? 0));
    return row?.entries ?? 0;
  },
};
const creation: Write = {
  path: "/sp/members/create",
  body: async () => newPerson(),
  moments: [
    ["when the transaction has begun", "BEGIN"],
    ["when it has taken its key", "INSERT 0 1"],
    ["when all is written but nothing committed", "UPDATE 1"],
  ],
  committed: "COMMIT",
  effects: async (body) => {
    const { phone_number } = body as { phone_number: string };
    const [row] = await world.sql<{ members: number; accounts: number }[]>`
      SELECT count(DISTINCT contact_id) AS members, count(*) AS accounts
      FROM member JOIN account USING (contact_id) WHERE phone_number = ${phone_number}`;
    expect(row?.accounts).toBe(4 * (row?.members ?? 0));
    return row?.members ?? 0;
  },
};
const keysKept = async (key: string) => {
  const [row] = await world.sql<{ keys: number }[]>`
    SELECT count(*) AS keys FROM idempotency_key WHERE idempotency_key = ${key} AND status <> 0`;
  return row?.keys;
};

describe.each([
  ["a posting", posting],
  ["a write", creation],
])("%s whose connection is lost", (_name, { path, body: makeBody, moments, committed, effects }) => {
  it.each(moments)("%s asks for a retry, which takes effect once", async (_when, tag) => {
    const { idempotency_key, body, first } = await sendAndCut({ path, body: makeBody }, tag);
    expect([first.status, first.body, first.headers.get("retry-after")]).toMatchObject([
      503,
      unavailable,
      "1",
    ]);
    // The commit may be on its way, even between these two statements. The effect is there if and only if its key is.
    await vi.waitFor(async () => expect(await effects(body)).toBe(await keysKept(idempotency_key)), {
      timeout: 60_000,
    });
    const second = await retry(path, body);
    expect(second.body.success).toBe(true);
    expect([await effects(body), await keysKept(idempotency_key)]).toEqual([1, 1]);
    const third = await call(path, body);
    expect([third.text, replayed(third)]).toEqual([second.text, true]);
  });

  it("after the commit, before the response, asks for a retry, which gets the response of the first", async () => {
    const { body, first } = await sendAndCut({ path, body: makeBody }, committed);
    expect([first.status, first.body]).toMatchObject([503, unavailable]);
    expect(await effects(body)).toBe(1);
    const second = await retry(path, body);
    expect([second.body.success, replayed(second)]).toEqual([true, true]);
    expect(await effects(body)).toBe(1);
  });

  it("while it waits for a lock leaves nothing, and the key free", async () => {
    const idempotency_key = nextKey();
    const body = { idempotency_key, ...(await makeBody()) };
    const { businessId } = world.home;
    const waiting = await world.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
      await tx`LOCK TABLE member IN SHARE MODE`;
      const reply = call(path, body);
      await expect.poll(terminateWaiting).toBe(1);
      return await reply;
    });
    expect([waiting.status, waiting.body]).toMatchObject([503, unavailable]);
    expect([await effects(body), await keysKept(idempotency_key)]).toEqual([0, 0]);
    const second = await retry(path, body);
    expect([second.body.success, replayed(second)]).toEqual([true, false]);
    expect(await effects(body)).toBe(1);
  });
});

/** Ends the service's connections that wait for a lock. @returns how many */
async function terminateWaiting(): Promise<number> {
  const rows = await world.sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'crashes' AND wait_event_type = 'Lock'`;
  return rows.length;
}

it("takes every write once that is sent until it gets a response, however often all connections are lost", async () => {
  const contacts = await Promise.all(Array.from({ length: 4 }, () => world.member()));
  // The pauses grow, so that there is progress in the end on the slowest machine.
  const adversary = (async () => {
    for (let round = 0; round < 25; round++) {
      await new Promise((resolve) => setTimeout(resolve, 20 + 6 * round));
      await world.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crashes'`;
    }
  })();
  const people = Array.from({ length: 40 }, newPerson);
  const postings = Array.from({ length: 200 }, (_, index) => ({
    contact_id: contacts[index % contacts.length],
    points: 1 + (index % 5),
    adjustment_type: "credit",
  }));
  const replies = await Promise.all([
    ...people.map((body) => retry("/sp/members/create", { idempotency_key: nextKey(), ...body })),
    ...postings.map((body) => retry("/sp/reward-points/adjust", { idempotency_key: nextKey(), ...body })),
  ]);
  await adversary;
  expect(replies.filter(({ body }) => body.success !== true)).toEqual([]);
  for (const person of people) expect(await creation.effects(person)).toBe(1);
  const balances = await world.sql<{ contact_id: number; balance: number; sum: number; entries: number }[]>`
    SELECT a.contact_id, a.balance, sum(e.amount)::bigint AS sum, count(*) AS entries
    FROM account a JOIN ledger_entry e USING (business_id, contact_id, account)
    WHERE a.contact_id = ANY (${contacts}) GROUP BY a.contact_id, a.balance ORDER BY a.contact_id`;
  const sent = contacts.map((contact) => postings.filter(({ contact_id }) => contact_id === contact));
  expect(balances.map(({ entries }) => entries)).toEqual(sent.map((list) => list.length));
  const sums = sent.map((list) => list.reduce((total, { points }) => total + points, 0));
  expect(balances.map(({ balance }) => balance)).toEqual(sums);
  expect(balances.map(({ sum }) => sum)).toEqual(sums);
});
