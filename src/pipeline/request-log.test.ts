/** The request log in memory: its bounds, and what it does while the database is away. */
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { expect, it } from "vitest";
import type { CountedRequests, RejectedRequest } from "../database/requests.ts";
import { listMembersOperation } from "../operations/partner/members/list.ts";
import { createRequestLog } from "./request-log.ts";
import type { WriterSettings } from "./request-writer.ts";

const away = Object.assign(new Error("the database is away"), { code: "ECONNREFUSED" });
const sender = { integrationId: 7, businessId: 1 };

function makeLog(settings: WriterSettings = {}, processes = 1) {
  const rows: RejectedRequest[] = [];
  const sums: CountedRequests[] = [];
  const state = {
    isAway: false,
    awayAfter: Number.POSITIVE_INFINITY,
    unstorable: undefined as string | undefined,
    writes: 0,
    lost: 0,
    verified: 0,
  };
  const write = async (requests: readonly RejectedRequest[], counts: readonly CountedRequests[]) => {
    state.writes += 1;
    if (state.isAway || state.writes > state.awayAfter) throw away;
    if ([...requests, ...counts].some(({ sender }) => sender === state.unstorable)) throw new Error("a NUL");
    rows.push(...requests);
    sums.push(...counts);
  };
  const log = createRequestLog(
    write,
    {
      operations: [listMembersOperation],
      legacyFields: { member_id: "contact_id" },
      basePath: "/api",
      processes,
      log: pino({ level: "silent" }),
      metrics: {
        requestsUnlogged(lost) {
          state.lost += lost;
        },
      },
      tokens: {
        async holderOf() {
          state.verified += 1;
          return 7;
        },
      },
    },
    { writeMilliseconds: 5, countMilliseconds: 10, finishMilliseconds: 50, ...settings },
  );
  let id = 0;
  const add = (status: number, more: object = {}) => {
    id += 1;
    const errorCode = status < 400 ? undefined : "some_code";
    const response = { status, errorCode, reason: undefined, fieldErrors: [], sender, ...more };
    log.add({ id: `request ${id}`, path: "/api/sp/members/list", authorization: undefined, response });
  };
  const total = (what: "succeeded" | "rejected" | "failed" | "unlisted") =>
    sums.reduce((sum, counted) => sum + counted[what], 0);
  return { log, add, rows, sums, state, total };
}

it("counts a request that succeeded, and writes nothing else about it", async () => {
  const { log, add, rows, state, total } = makeLog();
  for (let n = 0; n < 1000; n++) add(200);
  expect(state.writes).toBe(0);
  await log.written();
  expect([state.writes, total("succeeded"), rows]).toEqual([1, 1000, []]);
});

it("lists the first rejected requests of a flood, in their order, and counts the others", async () => {
  const { log, add, rows, total } = makeLog();
  for (let n = 0; n < 5000; n++) add(n % 2 === 0 ? 422 : 503);
  await log.finish();
  expect([total("rejected"), total("failed")]).toEqual([2500, 2500]);
  expect(rows.length).toBeGreaterThanOrEqual(100);
  expect(rows.length).toBeLessThan(200);
  expect(total("unlisted")).toBe(5000 - rows.length);
  const times = rows.map(({ requested_at }) => requested_at);
  expect(times).toEqual(times.toSorted());
  expect(new Set(times).size).toBe(rows.length);
});

it("shares the limit among the processes", async () => {
  const { log, add, rows } = makeLog({}, 10);
  for (let n = 0; n < 500; n++) add(422);
  await log.finish();
  expect(rows.length).toBeGreaterThanOrEqual(10);
  expect(rows.length).toBeLessThan(100);
});

it("keeps what it has while the database is away, up to a bound, and writes it later", async () => {
  const { log, add, rows, state, total } = makeLog({ capacity: 3 });
  state.isAway = true;
  for (let n = 0; n < 5; n++) add(404);
  for (let n = 0; n < 10; n++) add(200);
  await log.written();
  await expect.poll(() => state.writes).toBeGreaterThan(1);
  expect([rows, state.lost]).toEqual([[], 2]);
  state.isAway = false;
  await log.finish();
  expect(rows.map(({ request_id }) => request_id)).toEqual(["request 1", "request 2", "request 3"]);
  expect([total("succeeded"), total("rejected"), total("unlisted")]).toEqual([10, 5, 2]);
});

it("drops only what the database can't store", async () => {
  const { log, add, rows, sums, state, total } = makeLog();
  state.unstorable = "loy_bad";
  for (let n = 0; n < 20; n++) add(404);
  add(401, { sender: undefined, clientId: "loy_bad" });
  for (let n = 0; n < 20; n++) add(404, { sender: { integrationId: 10 + n, businessId: 1 } });
  await log.written();
  const senders = rows.map(({ sender }) => sender);
  expect(senders).toEqual([...Array(20).fill(7), ...Array.from({ length: 20 }, (_, n) => 10 + n)]);
  expect([total("rejected"), sums.length, state.lost]).toEqual([40, 21, 2]);
  expect(state.writes).toBeLessThan(40);
  add(404);
  await log.finish();
  expect(rows).toHaveLength(41);
});

it("counts nothing twice if the database goes away while it looks for what can't be stored", async () => {
  const { log, add, rows, state, total } = makeLog();
  state.unstorable = "loy_bad";
  for (let n = 0; n < 20; n++) add(404, { sender: { integrationId: n + 1, businessId: 1 } });
  add(401, { sender: undefined, clientId: "loy_bad" });
  state.awayAfter = 5;
  await log.written();
  state.awayAfter = Number.POSITIVE_INFINITY;
  await log.finish();
  expect(rows.map(({ sender }) => sender)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  expect([total("rejected"), state.lost]).toEqual([20, 2]);
});

it("bounds the sums in memory", async () => {
  const { log, add, state, sums } = makeLog({ mostCounts: 3 });
  for (let n = 0; n < 10; n++) add(200, { sender: { integrationId: n, businessId: 1 } });
  expect(state.lost).toBe(7);
  await log.written();
  expect(sums).toHaveLength(3);
  add(200, { sender: { integrationId: 20, businessId: 1 } });
  expect(state.lost).toBe(7);
});

it("gives up when the database does not respond at the end", async () => {
  const { log, add, state } = makeLog();
  state.isAway = true;
  add(404);
  await log.finish();
  expect(state.writes).toBeGreaterThan(0);
});

it("knows a token request by its client_id, and a request without a sender by its token", async () => {
  const { log, add, rows, state } = makeLog();
  add(401, { sender: undefined, clientId: "loy_x" });
  add(401, { sender: { integrationId: undefined, businessId: 0 } });
  add(401, { sender: undefined });
  const response = {
    status: 404,
    errorCode: "operation_not_found",
    reason: undefined,
    fieldErrors: [],
    sender: undefined,
  };
  log.add({ id: "unknown path", path: undefined, authorization: "Bearer abc", response });
  await sleep(0);
  await log.finish();
  expect(state.verified).toBe(1);
  expect(rows.map(({ sender, operation }) => [sender, operation])).toEqual([
    ["loy_x", "/sp/members/list"],
    [7, null],
  ]);
});

it.each([
  ["search", "search"],
  ["member_id", "member_id"],
  ["", ""],
  ["Priya", "?"],
  ["34600111222", "?"],
  ["search.0", "search.0"],
  ["search.34600111222", "search.?"],
  ["a.b.c", "?.?.?"],
  ["search.search.search.search.search.search.search", "search.search.search.search.search"],
])("shows the field %j as %j", async (field, shown) => {
  const { log, add, rows } = makeLog();
  add(422, { fieldErrors: [{ field, code: "unknown_field", message: "Priya" }] });
  await log.finish();
  expect(rows[0]?.field_errors).toEqual([{ field: shown, code: "unknown_field" }]);
});
