/** What is logged of a request, and what never is. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { type Reply, type StartedService, startService, useWorld } from "../support/world.ts";

const world = useWorld();
let service: StartedService;
let lines: string[] = [];

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly request_id?: string;
  readonly [name: string]: unknown;
}

beforeAll(async () => {
  const log = pino({ level: "trace", base: null }, { write: (line: string) => void lines.push(line) });
  service = await startService(world, { log });
});
afterAll(() => service.close());

const call = async (path: string, body: unknown, token?: string): Promise<Reply> =>
  world.call(path, body, { token, baseUrl: service.baseUrl });

/** The lines about one request, the last of which is written after the response. */
async function linesOf(reply: Reply): Promise<Line[]> {
  const id = reply.headers.get("x-request-id");
  const found = () => lines.map((line) => JSON.parse(line) as Line).filter((line) => line.request_id === id);
  await expect.poll(() => found().map(({ msg }) => msg)).toContain("request");
  return found();
}

it("logs one line for every request: its id, operation, status, duration and integration", async () => {
  const { integrationId: integration_id } = world.home.everywhere;
  const sender = { business_id: world.home.businessId, integration_id };
  const token = await world.token();
  const expected: [Reply, object][] = [
    [await call("/sp/members/list", {}, token), { status: 200, ...sender }],
    [
      await call("/sp/members/list", { page: 0 }, token),
      { status: 422, ...sender, error_code: "validation_failed" },
    ],
    [await call("/sp/members/list", {}), { status: 401, error_code: "unauthorized", reason: "missing" }],
    [
      await call("/sp/members/list", {}, "e30.e30.c2ln"),
      { status: 401, error_code: "unauthorized", reason: "invalid_or_expired" },
    ],
  ];
  for (const [reply, fields] of expected) {
    expect(await linesOf(reply)).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        msg: "request",
        request_id: reply.headers.get("x-request-id"),
        operation: "/api/sp/members/list",
        duration_ms: expect.any(Number),
        client_address: "127.0.0.1",
        ...fields,
      },
    ]);
  }
  const nowhere = await call("/sp/nowhere", {});
  expect(await linesOf(nowhere)).toMatchObject([{ msg: "request", method: "POST", status: 404 }]);
});

it("never logs a secret, a token, a password, a key or a member's personal data, whatever it returns", async () => {
  lines = [];
  const sent: unknown[] = [];
  const everyone = { ...world.home.everywhere };
  const token = await world.freshToken(everyone);
  const bodies = await Promise.all(
    operationsInRealTime.map(async (operation) => {
      const body = validBody(operation, world.home, await makeRecords(world, world.home));
      return [operation.path, body] as const;
    }),
  );
  for (const [path, body] of bodies) {
    sent.push(body);
    const replies = [
      await call(path, body, token),
      await call(path, body, token),
      await call(path, { ...body, surplus: "surplus text" }, token),
      await call(path, { ...body, client_secret: "legacy text" }, token),
      await call(path, { ...body, contact_id: 987_654_321_987 }, token),
      await call(path, JSON.stringify(body).slice(0, -1), token),
      await call(path, body, `${token}x`),
      await call(`${path}?search=query-text`, body, token),
    ];
    for (const reply of replies) expect(await linesOf(reply)).toHaveLength(1);
  }
  await call("/sp/auth/token", { client_id: everyone.client_id, client_secret: "a wrong secret" });
  const logged = lines.join("");
  const texts = sent
    .flatMap((body) => Object.values(body as object))
    .filter((value) => typeof value === "string");
  const never = [
    ...texts,
    token,
    everyone.client_secret,
    "a wrong secret",
    "surplus",
    "legacy text",
    "query-text",
  ];
  // Words of the interface itself say nothing about anyone.
  const words = new Set([
    ...["credit", "active", "inactive", "week", "month", "year", "failed", "validation_failed"],
    ...operationsInRealTime.map(({ path }) => path),
  ]);
  const found = never.filter((text) => !words.has(text) && logged.includes(text));
  expect(never.length).toBeGreaterThan(40);
  expect(found).toEqual([]);
});

it("logs a failure of the database with its code and place, but not the row that the server quotes", async () => {
  await world.sql`ALTER TABLE member ADD CONSTRAINT never CHECK (last_name <> 'Unwanted')`;
  try {
    lines = [];
    const reply = await call(
      "/sp/members/create",
      {
        idempotency_key: "unwanted",
        first_name: "Zoraida",
        last_name: "Unwanted",
        phone_number: "+34699000111",
      },
      await world.token(),
    );
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual({
      success: false,
      message: expect.stringContaining("The service failed while it processed the request."),
      error: { code: "internal_error", details: {} },
    });
    const [failure, request] = await linesOf(reply);
    expect(failure).toMatchObject({ level: 50, msg: "a request failed", fault: { code: "23514" } });
    expect(JSON.stringify(failure)).toContain("members");
    expect(request).toMatchObject({ status: 500, error_code: "internal_error" });
    for (const text of ["Zoraida", "Unwanted", "+34699000111"]) expect(lines.join("")).not.toContain(text);
  } finally {
    await world.sql`ALTER TABLE member DROP CONSTRAINT never`;
  }
});

it("warns once of X-Forwarded-For, when no proxy is trusted", async () => {
  for (let count = 0; count < 3; count++) {
    const headers = { "x-forwarded-for": "192.0.2.1" };
    await world.call("/sp/members/list", {}, { headers, baseUrl: service.baseUrl });
  }
  const warnings = lines.filter((line) => line.includes("LOYALTY_TRUSTED_PROXIES"));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] as string)).toMatchObject({ level: 40 });
});

it("names the trace that a request belongs to, if its header is valid", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceOf = async (path: string, traceparent: string) => {
    const options = { baseUrl: service.baseUrl, headers: { traceparent } };
    return (await linesOf(await world.call(path, {}, options))).map((line) => line.trace_id);
  };
  for (const path of ["/sp/members/list", "/sp/nowhere"]) {
    expect(await traceOf(path, `00-${trace}-00f067aa0ba902b7-01`)).toEqual([trace]);
    for (const wrong of [
      "x",
      `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `ff-${trace}-00f067aa0ba902b7-01`,
    ]) {
      expect(await traceOf(path, wrong), wrong).toEqual([undefined]);
    }
  }
});
