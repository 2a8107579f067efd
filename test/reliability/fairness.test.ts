/** One heavy member, and one heavy business: how many of their requests come before one of another business. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connection } from "../../src/database/connection.ts";
import { lastEntryNo } from "../../src/database/ledger/ledger.ts";
import { type DatabasePools, endPools, openPools } from "../../src/database/pools.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import {
  nextKey,
  type Reply,
  type StartedService,
  startService,
  testOperatorKey,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
let pools: DatabasePools;
let service: StartedService;

beforeAll(async () => {
  await turnAutovacuumOff(world.sql);
  // As many connections as by default.
  pools = openPools(world.database.connection, 16);
  service = await startService(world, pools);
});
afterAll(async () => {
  await service.close();
  await endPools(pools);
});

/** Calls of the heavy business at home, and of another one. */
const callers = async () => {
  const call = (path: string, body: object, token: string) =>
    world.call(path, { idempotency_key: nextKey(), ...body }, { token, baseUrl: service.baseUrl });
  const [home, away] = [await world.token(), await world.token(world.away.everywhere)];
  return {
    heavy: (path: string, body: object) => call(path, body, home),
    other: (path: string, body: object) => call(path, body, away),
  };
};

/**
 * Sends many requests, and one more when some of them wait for their turn.
 * @returns how many of the others have a response before it
 */
async function overtaking(
  count: number,
  heavy: (n: number) => Promise<Reply>,
  other: () => Promise<Reply>,
): Promise<{ before: number; all: Promise<Reply[]> }> {
  let responses = 0;
  const all = Promise.all(
    Array.from({ length: count }, (_, n) =>
      heavy(n).finally(() => {
        responses += 1;
      }),
    ),
  );
  while (pools.sql.usage().waiting === 0 && responses === 0) await turn();
  const atStart = responses;
  expect((await other()).status).toBe(200);
  return { before: responses - atStart, all };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Holds a lock while work is done. */
async function whileLocked<Value>(
  lock: (tx: Connection) => Promise<unknown>,
  work: () => Promise<Value>,
): Promise<Value> {
  return world.sql.begin(async (tx) => {
    await lock(tx);
    return work();
  });
}

/** Of a hundred requests. While the other one runs, half of the connections go on with these. */
const most = 30;

/** Each request is done, or asks for a retry, because it has waited too long on a busy machine. */
function expectResponses(replies: readonly Reply[]): void {
  for (const { status, headers } of replies) {
    if (status !== 200) expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  }
}

describe("one heavy member", () => {
  it("whose record is locked delays no other business, and its updates get a response", async () => {
    const { heavy, other } = await callers();
    const contact_id = await world.member();
    const awayId = await world.member({}, world.away.everywhere);
    const { before, all } = await whileLocked(
      (tx) => tx`SELECT FROM member WHERE contact_id = ${contact_id} FOR UPDATE`,
      () =>
        overtaking(
          100,
          (n) => heavy("/sp/members/update", { contact_id, first_name: `Ana ${n}` }),
          () => other("/sp/members/update", { contact_id: awayId, first_name: "Eva" }),
        ),
    );
    // The updates that hold connections of the pool can't have ended, and the others have not begun.
    expect(before).toBeLessThanOrEqual(4);
    expectResponses(await all);
  });

  it("that is updated a hundred times at once delays another business by few of the updates", async () => {
    const { heavy, other } = await callers();
    const contact_id = await world.member();
    const awayId = await world.member({}, world.away.everywhere);
    for (const [path, body] of [
      ["/sp/members/update", { contact_id: awayId, first_name: "Eva" }],
      ["/sp/members/list", { page: 2 }],
      ["/sp/sales/list", {}],
    ] as const) {
      const update = (n: number) => heavy("/sp/members/update", { contact_id, first_name: `Ana ${n}` });
      const { before, all } = await overtaking(100, update, () => other(path, body));
      expect(before).toBeLessThanOrEqual(most);
      expectResponses(await all);
    }
  });
});

describe("one heavy member, with many entries", () => {
  const entries = 20_000;
  let contact_id: number;
  beforeAll(async () => {
    contact_id = await world.member();
    const { businessId } = world.home;
    await world.sql.begin(async (tx) => {
      await tx`
        INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, created_at, account,
          event_type, reference_id)
        SELECT ${businessId}, ${lastEntryNo(businessId)} + n, ${contact_id}, 1, n, now(), 'points', 'reward_points_adjustment', 'R' || n
        FROM generate_series(1, ${entries}) AS n`;
      await tx`UPDATE account SET entries = ${entries} WHERE contact_id = ${contact_id} AND account = 'points'`;
      // What this transaction reads must not be counted later.
      await tx`SELECT pg_stat_force_next_flush()`;
    });
  });

  it("has a total that is not counted", async () => {
    const { heavy } = await callers();
    const list = (filter: object) => heavy("/sp/transactions/list", { contact_id, ...filter });
    let body: Reply["body"];
    const buffers = await buffersRead({ ...pools, setup: world.sql }, async () => {
      body = (await list({})).body;
    });
    expect(body.meta.pagination.total).toBe(entries);
    expect(buffers).toBeLessThan(100);
  });

  it.each([
    ["with a filter", { event_types: ["reward_points_adjustment"] }],
    ["on a late page", { page: 1300 }],
  ])("delays another business by few of its lists %s", async (_, filter) => {
    const { heavy, other } = await callers();
    const awayId = await world.member({}, world.away.everywhere);
    const { before, all } = await overtaking(
      40,
      () => heavy("/sp/transactions/list", { contact_id, ...filter }),
      () => other("/sp/transactions/list", { contact_id: awayId, event_types: ["sale"] }),
    );
    expect(before).toBeLessThanOrEqual(10);
    for (const { body } of await all) expect(body.meta.pagination.total).toBe(entries);
  });
});

describe("one heavy business", () => {
  it("that updates a hundred members at once delays another business by few of the updates", async () => {
    const { heavy, other } = await callers();
    const contactIds = await Promise.all(Array.from({ length: 100 }, () => world.member()));
    const awayId = await world.member({}, world.away.everywhere);
    const { before, all } = await overtaking(
      100,
      (n) => heavy("/sp/members/update", { contact_id: contactIds[n], first_name: "Ana" }),
      () => other("/sp/members/update", { contact_id: awayId, first_name: "Eva" }),
    );
    expect(before).toBeLessThanOrEqual(most);
    expectResponses(await all);
  });

  it("with a locked ledger delays neither others nor its own partners by what its operator does", async () => {
    const { heavy, other } = await callers();
    const contact_id = await world.member();
    const awayId = await world.member({}, world.away.everywhere);
    const { businessId: business_id } = world.home;
    for (const [path, body, ask] of [
      ["/sp/members/update", { contact_id: awayId, first_name: "Eva" }, other],
      ["/sp/members/update", { contact_id, first_name: "Eva" }, heavy],
    ] as const) {
      const { before, all } = await whileLocked(
        (tx) => tx`SELECT FROM ledger WHERE business_id = ${business_id} FOR UPDATE`,
        () =>
          overtaking(
            20,
            () =>
              world.call(
                "/op/members/settle",
                { idempotency_key: nextKey(), business_id, contact_id },
                { token: testOperatorKey, baseUrl: service.baseUrl },
              ),
            () => ask(path, body),
          ),
      );
      expect(before).toBe(0);
      await all;
    }
  });
});
