/** The request log: what was rejected and how much was asked, by integration, without any value that was sent. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { createTokens } from "../../src/credentials/tokens.ts";
import { sweepRequests } from "../../src/sweeper.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import {
  newPerson,
  nextKey,
  type StartedService,
  startService,
  testOperatorKey,
  testSecret,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
/** A second process. */
let other: StartedService;
beforeAll(async () => {
  other = await startService(world, {});
});
afterAll(() => other.close());

async function listed(business_id: number, filter: Body = {}): Promise<Body[]> {
  const { body } = await asOperator(world, "/op/requests/list", { business_id, per_page: 100, ...filter });
  expect(body).toMatchObject({ success: true });
  return body.data;
}

/** The numbers of all hours together, because one may end meanwhile. */
async function counted(business_id: number, filter: Body = {}): Promise<Body[]> {
  const { body } = await asOperator(world, "/op/requests/counts", { business_id, per_page: 100, ...filter });
  const sums: Body[] = [];
  for (const { hour: _, ...row } of body.data as Body[]) {
    const isSame = (one: Body) =>
      one.operation === row.operation && one.integration_id === row.integration_id;
    const known = sums.find(isSame);
    if (known === undefined) sums.push(row);
    else {
      for (const name of ["succeeded", "rejected", "failed", "unlisted"])
        known[name] = Number(known[name]) + Number(row[name]);
    }
  }
  return sums.toSorted((one, other) => String(one.operation).localeCompare(String(other.operation)));
}

/** The one entry of a request. */
async function entryOf(reply: { headers: Headers }, business_id: number): Promise<Body | undefined> {
  const id = reply.headers.get("x-request-id");
  return (await listed(business_id)).find(({ request_id }) => request_id === id);
}

async function newIntegration(scopes = ["wa.members.write", "wa.members.read", "wa.requests.read"]) {
  const business = await world.business("Logged", "UTC");
  const grant = {
    business_id: business.businessId,
    name: "App",
    scopes,
    location_ids: [business.locationIds[0]],
  };
  const { client_id, client_secret, integration_id } = await operatorWrite(
    world,
    "/op/integrations/create",
    grant,
  );
  const credentials = { client_id, client_secret, integrationId: integration_id };
  return {
    business_id: business.businessId,
    integration_id,
    credentials,
    token: await world.token(credentials),
  };
}

describe("a replay", () => {
  it.each(["/sp/reward-points/adjust", "/sp/members/create"])(
    "is listed if it comes so late that it may be another sale, and counts as a success: %s",
    async (path) => {
      const { business_id, token } = await newIntegration(["wa.members.write", "wa.rewards.write"]);
      const create = { ...newPerson(), idempotency_key: nextKey() };
      const created = await world.call("/sp/members/create", create, { token });
      const { contact_id } = created.body.data;
      const adjust = { idempotency_key: nextKey(), contact_id, points: 5, adjustment_type: "credit" };
      const body = path === "/sp/members/create" ? create : adjust;
      const send = () => world.call(path, body, { token });
      const makeOld = (hours: number) => world.sql`
        UPDATE idempotency_key SET created_at = now() - make_interval(hours => ${hours})
        WHERE idempotency_key = ${body.idempotency_key}`;
      const first = await send();
      await makeOld(11);
      expect((await send()).text).toBe(first.text);
      expect(await listed(business_id)).toEqual([]);
      await makeOld(13);
      const late = await send();
      expect(late.text).toBe(first.text);
      expect(await entryOf(late, business_id)).toMatchObject({
        reason: "late_replay",
        error_code: null,
        operation: path,
        status: first.status,
        field_errors: [],
      });
      expect(await listed(business_id)).toHaveLength(1);
      const [count] = await counted(business_id, { operation: path });
      expect(count).toMatchObject({ rejected: 0, failed: 0, unlisted: 0 });
    },
  );
});

describe("a rejected request is listed", () => {
  it("with the operation, the error code and the fields, but without values and invented names", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    const secret = "Priya Sharma";
    const sent = {
      idempotency_key: nextKey(),
      first_name: secret.repeat(100),
      phone_number: secret,
      [secret]: secret,
      "34600111222": secret,
      nickname: secret,
      wallet_balance: secret,
    };
    const reply = await world.call("/sp/members/create", sent, { token });
    expect(reply.status).toBe(422);
    const entry = await entryOf(reply, business_id);
    expect(entry).toEqual({
      requested_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      request_id: reply.headers.get("x-request-id"),
      integration_id,
      operation: "/sp/members/create",
      status: 422,
      error_code: "validation_failed",
      reason: null,
      field_errors: expect.arrayContaining([
        { field: "?", code: "unknown_field" },
        { field: "wallet_balance", code: "unknown_field" },
        { field: "first_name", code: "too_long" },
        { field: "phone_number", code: "invalid_format" },
        { field: "last_name", code: "required" },
      ]),
    });
    const [row] = await world.sql<{ row: string }[]>`
      SELECT string_agg(r::text, '') AS row FROM rejected_request r WHERE business_id = ${business_id}`;
    for (const text of ["Priya", "34600111222", "nickname"]) expect(row?.row).not.toContain(text);
  });

  it.each<[string, string, (token: string) => Parameters<typeof world.call>, string | null]>([
    [
      "JSON that is malformed",
      "malformed_json",
      (token) => ["/sp/members/list", "{", { token }],
      "/sp/members/list",
    ],
    [
      "a path without an operation",
      "operation_not_found",
      (token) => ["/sp/members/lst", {}, { token }],
      null,
    ],
    [
      "another method",
      "method_not_allowed",
      (token) => ["/sp/members/list", {}, { token, method: "GET" }],
      "/sp/members/list",
    ],
    [
      "a query",
      "query_parameters_not_allowed",
      (token) => ["/sp/members/list?page=2", {}, { token }],
      "/sp/members/list",
    ],
    [
      "another content type",
      "invalid_content_type",
      (token) => ["/sp/members/list", "a=b", { token, headers: { "content-type": "text/plain" } }],
      "/sp/members/list",
    ],
    [
      "a scope that is not granted",
      "sp_scope_not_granted",
      (token) => ["/sp/sales/list", {}, { token }],
      "/sp/sales/list",
    ],
    [
      "a record that is not there",
      "member_not_found",
      (token) => ["/sp/members/get", { contact_id: 5 }, { token }],
      "/sp/members/get",
    ],
    [
      "a legacy field",
      "legacy_field_not_allowed",
      (token) => ["/sp/members/get", { member_id: 5 }, { token }],
      "/sp/members/get",
    ],
    [
      "an operator's operation",
      "unauthorized",
      (token) => ["/op/status/get", {}, { token }],
      "/op/status/get",
    ],
  ])("for %s", async (_what, error_code, request, operation) => {
    const { business_id, integration_id, token } = await newIntegration();
    const reply = await world.call(...request(token));
    await expect
      .poll(() => entryOf(reply, business_id))
      .toMatchObject({ integration_id, error_code, operation, status: reply.status });
  });

  it("for a wrong secret of a known client_id, and not of an unknown one", async () => {
    const { business_id, integration_id, credentials } = await newIntegration();
    const { client_id } = credentials;
    const reply = await world.call("/sp/auth/token", { client_id, client_secret: "not-the-secret" });
    await world.call("/sp/auth/token", { client_id: "loy_nobody", client_secret: "not-the-secret" });
    expect(await entryOf(reply, business_id)).toMatchObject({
      integration_id,
      operation: "/sp/auth/token",
      error_code: "invalid_client_credentials",
    });
    const unknown = await world.call("/sp/auth/token", { client_id, client_secret: "x", grant_type: "y" });
    expect(await entryOf(unknown, business_id)).toMatchObject({
      field_errors: [{ field: "?", code: "unknown_field" }],
    });
  });

  it("after a client_id that the database can't store, too", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    const wrong = [`loy_${"\0".repeat(16)}`, "x".repeat(10_000), { toString: 1 }, null];
    for (const client_id of wrong) {
      const { status } = await world.call("/sp/auth/token", { client_id, client_secret: "x" });
      expect([401, 422]).toContain(status);
    }
    const rejected = await world.call("/sp/members/get", { contact_id: 5 }, { token });
    expect(await entryOf(rejected, business_id)).toMatchObject({ integration_id });
  });

  it("for a token that was revoked or has expired, and not for a forged one", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    const expired = await createTokens(deriveKeys(testSecret).tokenSigning, Date.now).issue(
      { integrationId: integration_id, businessId: business_id, scopes: [], generation: 1 },
      Math.floor(Date.now() / 1000) - 60,
    );
    const late = await world.call("/sp/members/list", {}, { token: expired });
    await expect
      .poll(() => entryOf(late, business_id))
      .toMatchObject({ error_code: "unauthorized", reason: "invalid_or_expired" });
    const forged = await createTokens(new Uint8Array(32), Date.now).issue(
      { integrationId: integration_id, businessId: business_id, scopes: [], generation: 1 },
      Math.floor(Date.now() / 1000) + 60,
    );
    const reply = await world.call("/sp/members/list", {}, { token: forged });
    await operatorWrite(world, "/op/integrations/revoke-tokens", { business_id, integration_id });
    const revoked = await world.call("/sp/members/list", {}, { token });
    expect(await entryOf(revoked, business_id)).toMatchObject({
      error_code: "unauthorized",
      reason: "revoked",
    });
    expect(await entryOf(reply, business_id)).toBeUndefined();
  });
});

describe("counts", () => {
  it("tell what succeeded, was rejected and failed, from several processes", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    for (const { baseUrl } of [world, other, other]) {
      await world.call("/sp/members/list", {}, { token, baseUrl });
      await world.call("/sp/members/get", { contact_id: 5 }, { token, baseUrl });
    }
    // A process that is asked writes its own counts first.
    await world.call(
      "/op/requests/counts",
      { business_id },
      { token: testOperatorKey, baseUrl: other.baseUrl },
    );
    const of = (operation: string, numbers: Body) => ({
      integration_id,
      operation,
      succeeded: 0,
      rejected: 0,
      failed: 0,
      unlisted: 0,
      ...numbers,
    });
    expect(await counted(business_id)).toEqual([
      of("/sp/auth/token", { succeeded: 1 }),
      of("/sp/members/get", { rejected: 3 }),
      of("/sp/members/list", { succeeded: 3 }),
    ]);
    expect(await counted(business_id, { operation: "/sp/members/get" })).toHaveLength(1);
    expect(await counted(business_id, { since: "2999-01-01" })).toEqual([]);
    expect(await listed(business_id)).toHaveLength(3);
  });

  it("have the requests that are too many at once to be listed", async () => {
    const { business_id, token } = await newIntegration();
    const send = () => world.call("/sp/members/get", { contact_id: 5 }, { token });
    for (let round = 0; round < 16; round++) await Promise.all(Array.from({ length: 20 }, send));
    const [, of] = await counted(business_id);
    expect(of).toMatchObject({ operation: "/sp/members/get", rejected: 320 });
    const { body } = await asOperator(world, "/op/requests/list", { business_id });
    const { total } = body.meta.pagination;
    // 100 at once, and ten more in each second.
    expect(total).toBeGreaterThanOrEqual(100);
    expect(total + Number(of?.unlisted)).toBe(320);
    expect(of?.unlisted).toBeGreaterThan(0);
  });
});

describe("an integration", () => {
  it("sees its own requests, and those of no other one", async () => {
    const one = await newIntegration();
    const { client_id, client_secret, integration_id } = await operatorWrite(
      world,
      "/op/integrations/create",
      {
        business_id: one.business_id,
        name: "Other",
        scopes: ["wa.requests.read"],
        all_locations: true,
      },
    );
    const second = await world.token({ client_id, client_secret, integrationId: integration_id });
    const rejected = await world.call("/sp/members/get", { contact_id: 5 }, { token: one.token });
    const ask = async (path: string, token: string) => (await world.call(path, {}, { token })).body.data;
    const id = rejected.headers.get("x-request-id");
    expect(await ask("/sp/requests/list", one.token)).toMatchObject([{ request_id: id }]);
    expect(await ask("/sp/requests/list", second)).toEqual([]);
    expect(await listed(world.home.businessId, { integration_id: one.integration_id })).toEqual([]);
  });

  it("takes its requests with it when it is deleted", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    await world.call("/sp/members/get", { contact_id: 5 }, { token });
    expect(await listed(business_id)).toHaveLength(1);
    await operatorWrite(world, "/op/integrations/delete", { business_id, integration_id });
    // Its token is still genuine.
    await world.call("/sp/members/list", {}, { token });
    expect(await listed(business_id)).toEqual([]);
    expect(await counted(business_id)).toEqual([]);
  });
});

describe("the filters", () => {
  it("choose by operation, status, error code and time", async () => {
    const { business_id, integration_id, token } = await newIntegration();
    await world.call("/sp/members/get", { contact_id: 5 }, { token });
    await world.call("/sp/members/create", {}, { token });
    const codes = async (filter: Body) =>
      (await listed(business_id, filter)).map(({ error_code }) => error_code);
    expect(await codes({})).toEqual(["idempotency_key_required", "member_not_found"]);
    expect(await codes({ integration_id, status: 404 })).toEqual(["member_not_found"]);
    expect(await codes({ operation: "/sp/members/create" })).toEqual(["idempotency_key_required"]);
    expect(await codes({ error_code: "member_not_found" })).toEqual(["member_not_found"]);
    expect(await codes({ since: "2999-01-01" })).toEqual([]);
    expect(await codes({ until: "2020-01-01 00:00:00" })).toEqual([]);
    expect(await codes({ since: "2020-01-01", until: "2999-01-01" })).toHaveLength(2);
  });

  it.each([
    [{ operation: "/sp/members/lst" }, "operation"],
    [{ error_code: "not_a_code" }, "error_code"],
    [{ since: "2026-02-30" }, "since"],
    [{ since: "2026-03-02", until: "2026-03-01" }, "until"],
  ])("are named when they are wrong: %j", async (filter, field) => {
    const { body } = await asOperator(world, "/op/requests/list", { business_id: 1, ...filter });
    expect(body.error.details.errors).toMatchObject([{ field }]);
  });
});

it("keeps seven days and ten thousand requests of each integration", async () => {
  const { business_id, integration_id } = await newIntegration();
  const { integrationId } = await world.integration({ ...world.home, businessId: business_id });
  await world.sql`
    INSERT INTO rejected_request
      (business_id, integration_id, requested_at, request_id, operation, status, error_code, field_errors)
    SELECT ${business_id}, integration_id, now() - n * interval '1 minute', 'request ' || n, NULL, 404, 'operation_not_found', '[]'
    FROM (SELECT ${integration_id}::bigint AS integration_id, generate_series(1, 10060) AS n
          UNION ALL SELECT ${integrationId}::bigint, generate_series(1, 50)) AS rows`;
  await world.sql`
    INSERT INTO request_count (business_id, integration_id, hour, operation, succeeded, rejected, failed, unlisted)
    SELECT ${business_id}, ${integration_id}, date_trunc('hour', now()) - n * interval '1 hour', '/sp/members/list', 1, 0, 0, 0
    FROM generate_series(1, 200) AS n`;
  await sweepRequests(world.sql, { stopped: () => false });
  const rows = await world.sql<{ integration_id: number; number: number; oldest: string }[]>`
    SELECT integration_id, count(*) AS number, (array_agg(request_id ORDER BY requested_at))[1] AS oldest
    FROM rejected_request WHERE business_id = ${business_id} GROUP BY 1 ORDER BY 1`;
  expect(rows).toEqual([
    { integration_id, number: 10_000, oldest: "request 10000" },
    { integration_id: integrationId, number: 50, oldest: "request 50" },
  ]);
  await world.sql`UPDATE rejected_request SET requested_at = requested_at - interval '7 days' WHERE integration_id = ${integrationId}`;
  await sweepRequests(world.sql, { stopped: () => false });
  const [left] = await world.sql<{ number: number }[]>`
    SELECT count(*) AS number FROM rejected_request WHERE integration_id = ${integrationId}`;
  expect(left?.number).toBe(0);
  const [hours] = await world.sql<{ number: number }[]>`
    SELECT count(*) AS number FROM request_count WHERE business_id = ${business_id} AND operation = '/sp/members/list'`;
  expect(hours?.number).toBeGreaterThanOrEqual(167);
  expect(hours?.number).toBeLessThanOrEqual(168);
});
