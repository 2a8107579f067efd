/** What partners and operators do with webhook endpoints. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { importBusiness } from "../../src/backup/import-business.ts";
import { makeBackup } from "../../src/backup/make.ts";
import { deriveKeys, placeOfEndpoint } from "../../src/credentials/keys.ts";
import { newestEventNo } from "../support/events.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { placeOf } from "../support/places.ts";
import {
  type Business,
  type Credentials,
  nextKey,
  testSecret,
  untilServed,
  useWorld,
} from "../support/world.ts";

const world = useWorld();
const url = "https://receiver.invalid/webhooks";
const absent = 9_007_199_254_740_000;

let business: Business;
beforeAll(async () => {
  // Another process seems to have all leases, so the sender of this one leaves the endpoints alone.
  await world.sql.query(`CREATE FUNCTION lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.leased_by IS NULL THEN NEW.leased_by := 'another'; NEW.leased_until := 'infinity'; END IF;
      RETURN NEW;
    END $$`);
  await world.sql.query(`CREATE TRIGGER leased BEFORE INSERT OR UPDATE ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION lease()`);
  business = await world.business("Webhooks", "Europe/Madrid");
});

// An integration has a limited number of endpoints.
afterEach(() => world.sql`DELETE FROM webhook_endpoint WHERE business_id = ${business.businessId}`);

const write = async (path: string, body: object, by: Credentials = business.everywhere) => {
  const reply = await world.write(path, body, by);
  if (!reply.body.success) throw new Error(`${path}: ${reply.text}`);
  return reply.body.data;
};
const create = (fields: object = {}, by?: Credentials) =>
  write("/sp/webhook-endpoints/create", { url, types: ["*"], ...fields }, by);
const get = async (endpoint_id: number, by: Credentials = business.everywhere) => {
  const { body } = await world.ask("/sp/webhook-endpoints/get", { endpoint_id }, by);
  return body.data;
};
const codeOf = async (path: string, body: object, by: Credentials = business.everywhere) =>
  (await world.write(path, body, by)).body.error?.code;
const problems = async (fields: object) => {
  const reply = await world.write(
    "/sp/webhook-endpoints/create",
    { url, types: ["*"], ...fields },
    business.everywhere,
  );
  expect(reply.body.error?.code).toBe("validation_failed");
  return reply.body.error.details.errors.map(({ field, message }: Record<string, string>) => [
    field,
    message,
  ]);
};
/** Records an event. @returns its number */
const happen = async (location_id?: number) => {
  const contact_id = await world.member({}, business.everywhere);
  if (location_id !== undefined) await write("/sp/sales/record", { contact_id, location_id, amount: 100 });
  return newestEventNo(world.sql, business.businessId);
};
interface EndpointRow {
  readonly endpoint_id: number;
  readonly headers: string | null;
  readonly sealed: string;
}
interface EndpointColumns {
  readonly status: string;
  readonly headers: string;
  readonly due_at: Date | null;
}
const stored = async (endpoint_id: number) => {
  const [row] = await world.sql<EndpointColumns[]>`
    SELECT * FROM webhook_endpoint WHERE business_id = ${business.businessId} AND endpoint_id = ${endpoint_id}`;
  return row;
};
const retriesOf = (endpoint_id: number) =>
  world.sql`
    SELECT event_no, test_type, is_replay FROM webhook_retry
    WHERE business_id = ${business.businessId} AND endpoint_id = ${endpoint_id} ORDER BY event_no`;
/** Attempts, as the sender records them. */
const attempted = async (endpoint_id: number, event_no: number, succeeded: boolean, ago = "0 seconds") =>
  world.sql.query(`
    INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded, response_status)
    SELECT ${business.businessId}, ${endpoint_id}, ${event_no}, 1 + count(*), 'delivery', now() - interval '${ago}', 12, ${succeeded},
      ${succeeded ? 200 : 500}
    FROM webhook_attempt WHERE endpoint_id = ${endpoint_id} AND event_no = ${event_no}`);
const doneTo = (endpoint_id: number, event_no: number) =>
  world.sql`UPDATE webhook_endpoint SET cursor_event_no = ${event_no} WHERE endpoint_id = ${endpoint_id}`;

describe("creating an endpoint", () => {
  it("switches events on, and returns the secret once", async () => {
    const first = await create({ headers: [{ name: "Authorization", value: "Bearer very-secret" }] });
    expect(first).toMatchObject({
      url,
      types: ["*"],
      description: null,
      header_names: ["Authorization"],
      max_in_flight: 8,
      ordered: false,
      status: "enabled",
      disabled_reason: null,
      events_switched_on: true,
      integration_id: business.everywhere.integrationId,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    // The event that says so is the first that it gets.
    expect(await get(first.endpoint_id)).toMatchObject({ undelivered: 1, behind: 1 });
    const second = await create({ description: "Second", max_in_flight: 2, ordered: true });
    expect(second).toMatchObject({ description: "Second", max_in_flight: 2, ordered: true, behind: 0 });
    expect(second).toMatchObject({ events_switched_on: false });

    const row = await stored(first.endpoint_id);
    expect(JSON.stringify(row)).not.toContain("very-secret");
    const keys = deriveKeys(testSecret);
    const place = placeOfEndpoint(first.endpoint_id);
    expect(JSON.parse(keys.unseal(row!.headers, place))).toEqual([
      { name: "Authorization", value: "Bearer very-secret" },
    ]);
    const secrets = await world.sql<{ sealed: string }[]>`
      SELECT sealed FROM webhook_secret WHERE endpoint_id = ${first.endpoint_id}`;
    expect(secrets.map(({ sealed }) => keys.unseal(sealed, place))).toEqual([first.secret]);
    const { body, text } = await world.ask("/sp/webhook-endpoints/list", {}, business.everywhere);
    expect(body.data.map(({ endpoint_id }: { endpoint_id: number }) => endpoint_id)).toEqual([
      second.endpoint_id,
      first.endpoint_id,
    ]);
    expect(text).not.toMatch(/very-secret|whsec_/);
    expect(JSON.stringify(await get(first.endpoint_id))).not.toMatch(/very-secret|whsec_/);
  });

  it.each([
    ["http://example.com/", "must begin with https://"],
    ["https://127.0.0.1/", "must not name 127.0.0.1"],
    ["https://0x7f000001/", "must not name 127.0.0.1"],
    ["https://me:secret@example.com/", "user name or a password"],
    ["https://example.com/#a", "fragment"],
    ["https://example.com:8443/", "must use port 443 or 80, not 8443"],
  ])("rejects the URL %s", async (wrong, problem) => {
    expect(await problems({ url: wrong })).toEqual([["url", expect.stringContaining(problem)]]);
  });

  it("rejects headers that the service sends itself, that are too long, twice there or too many", async () => {
    const header = (name: string, value = "x") => ({ name, value });
    expect(
      await problems({
        headers: [
          ...[header("webhook-id"), header("Host"), header("Content-Length"), header("a:b"), header("X-A")],
          ...[header("x-a"), header("X-Long", "x".repeat(1020))],
        ],
      }),
    ).toEqual([
      ["headers.0.name", expect.stringContaining("must not be webhook-id")],
      ["headers.1.name", expect.stringContaining("must not be Host")],
      ["headers.2.name", expect.stringContaining("must not be Content-Length")],
      ["headers.3.name", expect.any(String)],
      ["headers.5.name", expect.stringContaining("must not be there twice")],
      ["headers.6.value", expect.stringContaining("at most 1024 bytes")],
    ]);
    const names = Array.from({ length: 17 }, (_, index) => header(`X-${index}`));
    expect(await problems({ headers: names })).toEqual([["headers", expect.any(String)]]);
    expect(await problems({ headers: [header("X-A", "line\r\nX-B: y")] })).toEqual([
      ["headers.0.value", expect.any(String)],
    ]);
  });

  it("rejects types that are none", async () => {
    for (const types of [[], ["sale"], ["sale.*", "sale.*"], ["nothing.*"]])
      expect((await problems({ types }))[0][0]).toMatch(/^types/);
  });

  it("is possible twenty times for an integration, also at the same time, and for each one", async () => {
    const by = await world.integration(business);
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => {
        const body = { idempotency_key: nextKey(), url, types: ["*"] };
        return untilServed(() => world.ask("/sp/webhook-endpoints/create", body, by));
      }),
    );
    const codes = replies.map(({ body }) => body.error?.code ?? "created");
    expect(codes.filter((code) => code === "created")).toHaveLength(20);
    expect(new Set(codes)).toEqual(new Set(["created", "too_many_webhook_endpoints"]));
    const rejected = replies.find(({ body }) => !body.success);
    expect(rejected?.body.error.details).toEqual({ limit: 20 });
    await create({}, await world.integration(business));
    const one = replies.find(({ body }) => body.success)!.body.data.endpoint_id;
    await write("/sp/webhook-endpoints/delete", { endpoint_id: one }, by);
    await create({}, by);
  });
});

describe("an endpoint", () => {
  const paths: readonly [string, object][] = [
    ["webhook-endpoints/get", {}],
    ["webhook-endpoints/update", { ordered: true }],
    ["webhook-endpoints/disable", {}],
    ["webhook-endpoints/enable", { from: "now" }],
    ["webhook-endpoints/rotate-secret", {}],
    ["webhook-endpoints/test", { type: "sale.recorded" }],
    ["webhook-endpoints/delete", {}],
    ["webhook-deliveries/list", {}],
    ["webhook-deliveries/get", { event_no: 1 }],
    ["webhook-deliveries/retry", { event_no: 1 }],
    ["webhook-deliveries/replay", { since: "2026-01-01" }],
  ];

  it.each(paths)("of another integration or business is absent for /sp/%s", async (path, fields) => {
    const { endpoint_id } = await create();
    const before = await stored(endpoint_id);
    const send = async (by: Credentials, id: number) => {
      const body = { endpoint_id: id, ...fields };
      const isRead = path.endsWith("/get") || path.endsWith("/list");
      return isRead ? world.ask(`/sp/${path}`, body, by) : world.write(`/sp/${path}`, body, by);
    };
    const none = await send(business.everywhere, absent);
    expect(none).toMatchObject({ status: 404, body: { error: { code: "webhook_endpoint_not_found" } } });
    for (const by of [await world.integration(business), world.away.everywhere, business.limited])
      expect((await send(by, endpoint_id)).text).toBe(none.text);
    expect(await stored(endpoint_id)).toEqual(before);
    const elsewhere = { business_id: world.away.businessId, endpoint_id, ...fields };
    const key = /(?:get|list)$/.test(path) ? {} : { idempotency_key: nextKey() };
    const reply = await asOperator(world, `/op/${path}`, { ...key, ...elsewhere });
    expect(reply.body.error.code).toBe("webhook_endpoint_not_found");
    expect(await stored(endpoint_id)).toEqual(before);
  });

  it("is changed by the operator, who sees all endpoints of the business, and each change is audited", async () => {
    const { endpoint_id } = await create({ description: "Partner's" });
    const { businessId: business_id } = business;
    const own = await operatorWrite(world, "/op/webhook-endpoints/create", {
      business_id,
      url,
      types: ["sale.*"],
    });
    expect(own.integration_id).toBeNull();
    const { body } = await asOperator(world, "/op/webhook-endpoints/list", { business_id, per_page: 100 });
    const listed = body.data.map((row: { endpoint_id: number }) => row.endpoint_id);
    expect(listed).toEqual(expect.arrayContaining([endpoint_id, own.endpoint_id]));
    // The partner does not see that of the operator.
    expect(await codeOf("/sp/webhook-endpoints/disable", { endpoint_id: own.endpoint_id })).toBe(
      "webhook_endpoint_not_found",
    );
    const change = (verb: string, fields: object = {}) =>
      operatorWrite(world, `/op/webhook-endpoints/${verb}`, { business_id, endpoint_id, ...fields });
    await change("update", {
      url: "https://other.invalid/",
      headers: [{ name: "X-Key", value: "very-secret" }],
    });
    await change("update", { headers: [{ name: "X-Key", value: "another-secret" }] });
    await change("disable");
    await change("enable", { from: "now" });
    const { secret } = await change("rotate-secret");
    await change("test", { type: "sale.recorded" });
    await change("delete");
    const audit = await asOperator(world, "/op/audit/list", { business_id, per_page: 100 });
    const events = audit.body.data
      .filter(({ event }: { event: string }) => event.startsWith("webhook_"))
      .map(({ event }: { event: string }) => event.replace("webhook_endpoint.", ""))
      .slice(0, 9)
      .reverse();
    expect(events).toEqual([
      ...["created", "created", "updated", "updated", "disabled", "enabled", "secret_rotated", "tested"],
      "deleted",
    ]);
    expect(audit.text).not.toMatch(/very-secret|another-secret/);
    expect(audit.text).not.toContain(secret);
  });

  it("keeps what an update does not name", async () => {
    const {
      endpoint_id,
      secret: _,
      events_switched_on: __,
      ...made
    } = await create({
      types: ["sale.*"],
      description: "Kept",
      ordered: true,
      max_in_flight: 3,
      headers: [{ name: "X-A", value: "a" }],
    });
    const updated = await write("/sp/webhook-endpoints/update", { endpoint_id, max_in_flight: 4 });
    expect({ ...updated, updated_at: "" }).toEqual({
      ...made,
      endpoint_id,
      max_in_flight: 4,
      updated_at: "",
    });
    expect(
      await write("/sp/webhook-endpoints/update", { endpoint_id, description: null, headers: [] }),
    ).toMatchObject({ description: null, header_names: [], types: ["sale.*"] });
    expect((await stored(endpoint_id))!.headers).toBeNull();
    expect(await codeOf("/sp/webhook-endpoints/update", { endpoint_id })).toBe("validation_failed");
    expect(await codeOf("/sp/webhook-endpoints/update", { endpoint_id, url: "http://a.b/" })).toBe(
      "validation_failed",
    );
  });

  it("loses its lease when it is changed, so that the sender reads it anew", async () => {
    const { endpoint_id } = await create();
    const changes: [string, object][] = [
      ["update", { ordered: true }],
      ["rotate-secret", {}],
      ["disable", {}],
      ["enable", { from: "stopped" }],
    ];
    for (const [verb, fields] of changes) {
      await world.sql`
        UPDATE webhook_endpoint SET leased_by = 'me', leased_until = now() + interval '30 seconds' WHERE endpoint_id = ${endpoint_id}`;
      await write(`/sp/webhook-endpoints/${verb}`, { endpoint_id, ...fields });
      expect(await stored(endpoint_id), verb).toMatchObject({ leased_by: "another" });
    }
  });

  it("has two secrets at most during a rotation, one after it ends at once", async () => {
    const { endpoint_id, secret } = await create();
    const rotate = (fields: object = {}) =>
      write("/sp/webhook-endpoints/rotate-secret", { endpoint_id, ...fields });
    const second = await rotate({ overlap_seconds: 3600 });
    expect(second.secret).not.toBe(secret);
    expect(second.previous_secret_expires_at).toMatch(/^\d{4}-/);
    expect((await get(endpoint_id)).secrets).toEqual([
      { created_at: expect.any(String), expires_at: null },
      { created_at: expect.any(String), expires_at: second.previous_secret_expires_at },
    ]);
    await rotate();
    expect((await get(endpoint_id)).secrets).toHaveLength(2);
    expect(await rotate({ overlap_seconds: 0 })).toMatchObject({ previous_secret_expires_at: null });
    expect((await get(endpoint_id)).secrets).toHaveLength(1);
    const tooLong = { endpoint_id, overlap_seconds: 7 * 86_400 + 1 };
    expect(await codeOf("/sp/webhook-endpoints/rotate-secret", tooLong)).toBe("validation_failed");
  });

  it("gets the same secret again under the same key, which is not stored in the clear", async () => {
    const body = { idempotency_key: nextKey(), url, types: ["*"] };
    const [first, second] = [
      await world.ask("/sp/webhook-endpoints/create", body, business.everywhere),
      await world.ask("/sp/webhook-endpoints/create", body, business.everywhere),
    ];
    expect(second.text).toBe(first.text);
    const [row] = await world.sql<{ response: string }[]>`
      SELECT response FROM idempotency_key WHERE idempotency_key = ${body.idempotency_key}`;
    expect(row!.response).not.toContain("whsec_");
  });
});

describe("enabling", () => {
  const stopped = async (events: number) => {
    const { endpoint_id } = await create();
    await write("/sp/webhook-endpoints/disable", { endpoint_id });
    const numbers: number[] = [];
    for (let index = 0; index < events; index += 1) numbers.push(await happen());
    return { endpoint_id, numbers };
  };
  const enable = (endpoint_id: number, fields: object) =>
    world.write("/sp/webhook-endpoints/enable", { endpoint_id, ...fields }, business.everywhere);

  it("continues where it stopped, from now on, or from an event on", async () => {
    const one = await stopped(3);
    expect((await get(one.endpoint_id)).undelivered).toBe(3);
    const first = await enable(one.endpoint_id, { from: "stopped" });
    expect(first.body.data).toMatchObject({ status: "enabled", disabled_reason: null });
    expect(await stored(one.endpoint_id)).toMatchObject({ cursor_event_no: one.numbers[0]! - 1 });

    const other = await stopped(2);
    await world.sql`
      INSERT INTO webhook_retry (business_id, endpoint_id, event_no) VALUES (${business.businessId}, ${other.endpoint_id}, 1)`;
    await enable(other.endpoint_id, { from: "now" });
    expect(await stored(other.endpoint_id)).toMatchObject({ cursor_event_no: other.numbers[1] });
    expect(await retriesOf(other.endpoint_id)).toEqual([]);

    const third = await stopped(3);
    for (const event_no of [1, third.numbers[2]!]) {
      await world.sql`
        INSERT INTO webhook_retry (business_id, endpoint_id, event_no) VALUES (${business.businessId}, ${third.endpoint_id}, ${event_no})`;
    }
    await enable(third.endpoint_id, { event_no: third.numbers[1] });
    expect(await stored(third.endpoint_id)).toMatchObject({ cursor_event_no: third.numbers[1]! - 1 });
    expect(await retriesOf(third.endpoint_id)).toMatchObject([{ event_no: 1 }]);
  });

  it("needs to know from where", async () => {
    const { endpoint_id } = await stopped(0);
    for (const fields of [{}, { from: "now", event_no: 1 }, { from: "never" }, { event_no: absent }])
      expect((await enable(endpoint_id, fields)).body.error.code).toBe("validation_failed");
    expect((await enable(endpoint_id, { event_no: absent })).body.error.details.errors[0].message).toMatch(
      /^event_no must be at most \d+, the number of the next event\.$/,
    );
    expect((await stored(endpoint_id))!.status).toBe("disabled");
  });

  it("is possible once in five minutes, and says when again", async () => {
    const { endpoint_id } = await stopped(0);
    await enable(endpoint_id, { from: "now" });
    const { body } = await enable(endpoint_id, { from: "now" });
    expect(body.error.code).toBe("webhook_endpoint_enabled_recently");
    expect(body.error.details.retry_after_seconds).toBeGreaterThan(200);
    expect(body.error.details.retry_after_seconds).toBeLessThanOrEqual(300);
    await world.sql`
      UPDATE webhook_endpoint SET enabled_at = now() - interval '5 minutes' WHERE endpoint_id = ${endpoint_id}`;
    expect((await enable(endpoint_id, { from: "now" })).body.success).toBe(true);
  });

  it("says when events after the last one are gone", async () => {
    const gone = await world.business("Forgetful", "UTC");
    const { endpoint_id } = await create({}, gone.everywhere);
    await world.member({}, gone.everywhere);
    await world.member({}, gone.everywhere);
    await world.sql`DELETE FROM event WHERE business_id = ${gone.businessId} AND event_no <= 2`;
    const from = (fields: object) =>
      world.write("/sp/webhook-endpoints/enable", { endpoint_id, ...fields }, gone.everywhere);
    const { body } = await from({ from: "stopped" });
    expect(body.error).toMatchObject({ code: "events_expired", details: { oldest: 3 } });
    expect((await from({ event_no: 3 })).body.success).toBe(true);
  });
});

describe("the integration of an endpoint", () => {
  it("stops its endpoints when it is disabled or loses the scope, and deletes them with itself", async () => {
    const { businessId: business_id } = business;
    const by = await world.integration(business);
    const { endpoint_id } = await create({}, by);
    const seen = async () => {
      const { body } = await asOperator(world, "/op/webhook-endpoints/get", { business_id, endpoint_id });
      return [body.data?.status, body.data?.disabled_reason ?? body.error?.code];
    };
    const change = (verb: string, fields: object = {}) =>
      operatorWrite(world, `/op/integrations/${verb}`, {
        business_id,
        integration_id: by.integrationId,
        ...fields,
      });
    expect(await seen()).toEqual(["enabled", undefined]);
    await change("disable");
    expect(await seen()).toEqual(["disabled", "integration_disabled"]);
    const retry = { idempotency_key: nextKey(), business_id, endpoint_id, event_no: 1 };
    expect((await asOperator(world, "/op/webhook-deliveries/retry", retry)).body.error.code).toBe(
      "webhook_endpoint_disabled",
    );
    await change("enable");
    expect(await seen()).toEqual(["enabled", undefined]);
    await change("update", { scopes: ["wa.members.read"] });
    expect(await seen()).toEqual(["disabled", "integration_disabled"]);
    await change("delete");
    expect(await seen()).toEqual([undefined, "webhook_endpoint_not_found"]);
    expect(await world.sql`SELECT FROM webhook_secret WHERE endpoint_id = ${endpoint_id}`).toHaveLength(0);
  });

  it("gives it the events of its locations, and those without a location", async () => {
    const [first, , third] = business.locationIds;
    const { endpoint_id } = await create({}, business.limited);
    // Each sale comes with the event of a new member.
    const here = await happen(first);
    const there = await happen(third);
    expect(await get(endpoint_id, business.limited)).toMatchObject({ behind: 4, undelivered: 3 });
    await doneTo(endpoint_id, there);
    const delivery = (event_no: number) =>
      world.ask("/sp/webhook-deliveries/get", { endpoint_id, event_no }, business.limited);
    expect((await delivery(here)).body.data).toMatchObject({ status: "not_sent", attempts: [] });
    expect((await delivery(there)).body.error.code).toBe("sp_location_not_allowed");
    expect(
      await codeOf("/sp/webhook-deliveries/retry", { endpoint_id, event_no: here }, business.limited),
    ).toBeUndefined();
    expect(
      await codeOf("/sp/webhook-deliveries/retry", { endpoint_id, event_no: there }, business.limited),
    ).toBe("sp_location_not_allowed");
    const replay = { endpoint_id, since: "2026-01-01" };
    await write("/sp/webhook-deliveries/replay", replay, business.limited);
    const numbers = (await retriesOf(endpoint_id)).map(({ event_no }) => event_no);
    expect(numbers).toContain(here);
    expect(numbers).not.toContain(there);
  });
});

describe("tests, retries and replays", () => {
  it("are queued for the sender, which looks at once", async () => {
    const { endpoint_id } = await create();
    const event_no = await happen();
    await doneTo(endpoint_id, event_no);
    const far = () => world.sql`
      UPDATE webhook_endpoint SET due_at = now() + interval '1 hour' WHERE endpoint_id = ${endpoint_id}`;
    const isDue = async () =>
      (
        await world.sql`
      SELECT FROM webhook_endpoint WHERE endpoint_id = ${endpoint_id} AND due_at <= now()`
      ).length === 1;
    await far();
    expect(await write("/sp/webhook-endpoints/test", { endpoint_id, type: "sale.recorded" })).toEqual({
      endpoint_id,
      type: "sale.recorded",
      queued: true,
    });
    expect(await isDue()).toBe(true);
    await write("/sp/webhook-endpoints/test", { endpoint_id, type: "tier.upgraded" });
    expect(await retriesOf(endpoint_id)).toEqual([
      { event_no: 0, test_type: "tier.upgraded", is_replay: false },
    ]);
    await far();
    await write("/sp/webhook-deliveries/retry", { endpoint_id, event_no });
    expect(await isDue()).toBe(true);
    expect(await retriesOf(endpoint_id)).toMatchObject([{ event_no: 0 }, { event_no, is_replay: false }]);
    // A test is not something that is undelivered.
    expect(await get(endpoint_id)).toMatchObject({ waiting: 1, undelivered: 1 });
  });

  it("send to a disabled endpoint only tests", async () => {
    const { endpoint_id } = await create();
    await write("/sp/webhook-endpoints/disable", { endpoint_id });
    expect(await stored(endpoint_id)).toMatchObject({ due_at: null, disabled_reason: "requested" });
    expect(await codeOf("/sp/webhook-deliveries/retry", { endpoint_id, event_no: 1 })).toBe(
      "webhook_endpoint_disabled",
    );
    expect(await codeOf("/sp/webhook-deliveries/replay", { endpoint_id, since: "2026-01-01" })).toBe(
      "webhook_endpoint_disabled",
    );
    await write("/sp/webhook-endpoints/test", { endpoint_id, type: "sale.recorded" });
    expect((await stored(endpoint_id))!.due_at).not.toBeNull();
  });

  it("name an event of the types of the endpoint", async () => {
    const { endpoint_id } = await create({ types: ["sale.*"] });
    const member = await happen();
    await doneTo(endpoint_id, member);
    expect(await codeOf("/sp/webhook-deliveries/retry", { endpoint_id, event_no: member })).toBe(
      "event_not_found",
    );
    expect(await codeOf("/sp/webhook-deliveries/retry", { endpoint_id, event_no: absent })).toBe(
      "event_not_found",
    );
  });

  it("replay the events of a period that the endpoint is done with: all, or those that failed", async () => {
    const { endpoint_id } = await create();
    const numbers: number[] = [];
    for (let index = 0; index < 6; index += 1) numbers.push(await happen());
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = numbers;
    // A day between one and the next.
    for (const [index, event_no] of numbers.entries()) {
      await world.sql`
        UPDATE event SET recorded_at = ('2026-06-10 12:00'::timestamp AT TIME ZONE 'Europe/Madrid') + make_interval(days => ${index})
        WHERE business_id = ${business.businessId} AND event_no = ${event_no}`;
    }
    await world.sql`
      UPDATE event SET recorded_at = '2026-06-01' WHERE business_id = ${business.businessId} AND event_no < ${first}`;
    await doneTo(endpoint_id, fifth);
    await attempted(endpoint_id, second, false);
    await attempted(endpoint_id, third, false);
    await attempted(endpoint_id, third, true);
    await attempted(endpoint_id, fourth, true);
    const replay = (fields: object) => write("/sp/webhook-deliveries/replay", { endpoint_id, ...fields });
    const dry = { dry_run: true };
    const found = (events: number, first_event_no: number | null, last_event_no: number | null) => ({
      endpoint_id,
      events,
      first_event_no,
      last_event_no,
    });
    expect(await replay({ since: "2026-06-10 12:00:00", ...dry })).toEqual(found(5, first, fifth));
    expect(await replay({ since: "2026-06-10 12:00:01", ...dry })).toEqual(found(4, second, fifth));
    expect(await replay({ since: "2026-06-11", until: "2026-06-13", ...dry })).toEqual(
      found(2, second, third),
    );
    expect(await replay({ since: "2026-06-10", only_failed: true, ...dry })).toEqual(
      found(1, second, second),
    );
    expect(await replay({ since: "2026-06-15", ...dry })).toEqual(found(0, null, null));
    expect((await replay({ since: "1900-01-01", ...dry })).last_event_no).toBe(fifth);
    expect(await retriesOf(endpoint_id)).toEqual([]);
    expect(await replay({ since: "2026-06-11", until: "2026-06-13" })).toEqual(found(2, second, third));
    expect(await retriesOf(endpoint_id)).toEqual([
      { event_no: second, test_type: null, is_replay: true },
      { event_no: third, test_type: null, is_replay: true },
    ]);
    await replay({ since: "2026-06-11" });
    expect(await retriesOf(endpoint_id)).toHaveLength(4);
  });
});

describe("a period of deliveries", () => {
  it("that ends before it begins is rejected, as in lists", async () => {
    const { endpoint_id } = await create();
    for (const until of ["2026-06-10", "2026-06-13"]) {
      const { body } = await world.write(
        "/sp/webhook-deliveries/replay",
        { endpoint_id, since: "2026-06-13", until, dry_run: true },
        business.everywhere,
      );
      expect(body.error?.details).toEqual({
        errors: [{ field: "until", code: "out_of_range", message: "until must be after since." }],
      });
    }
  });

  it("has both occurrences of its first hour and of its last, when clocks are set back", async () => {
    const shop = await world.business("Autumn", "Europe/Madrid");
    const { endpoint_id } = await create({}, shop.everywhere);
    const { businessId } = shop;
    // At 3:00 of 25 October 2026, clocks were set back to 2:00. These are 2:15 and 2:45, twice.
    const times = ["00:15", "00:45", "01:15", "01:45"];
    for (const [index, time] of times.entries()) {
      const at = `2026-10-25 ${time}:00+00`;
      await world.sql`
        INSERT INTO event (business_id, event_no, type, occurred_at, recorded_at, contact_ids, data)
        VALUES (${businessId}, ${1000 + index}, 'sale.recorded', ${at}::timestamptz, ${at}::timestamptz, '{}', '{}')`;
      await world.sql`
        INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, kind, attempt, succeeded, started_at, milliseconds)
        VALUES (${businessId}, ${endpoint_id}, ${1000 + index}, 'delivery', 1, true, ${at}::timestamptz, 5)`;
    }
    await world.sql`DELETE FROM event WHERE business_id = ${businessId} AND event_no < 1000`;
    await doneTo(endpoint_id, 1003);
    const period = async (fields: object) => {
      const asked = { endpoint_id, dry_run: true, ...fields };
      const { body } = await world.write("/sp/webhook-deliveries/replay", asked, shop.everywhere);
      return [body.data.first_event_no, body.data.last_event_no];
    };
    expect(await period({ since: "2026-10-25 02:30:00" })).toEqual([1001, 1003]);
    expect(await period({ since: "2026-10-25 02:00:00", until: "2026-10-25 02:30:00" })).toEqual([
      1000, 1002,
    ]);
    const listed = { endpoint_id, since: "2026-10-25 02:30:00" };
    const { body } = await world.ask("/sp/webhook-deliveries/list", listed, shop.everywhere);
    expect(body.data.deliveries).toHaveLength(3);
  });
});

describe("a replay", () => {
  it("looks at 100,000 events at most, and says how many there are", async () => {
    const shop = await world.business("Large", "UTC");
    const { endpoint_id } = await create({ types: ["sale.*"] }, shop.everywhere);
    const { businessId } = shop;
    const first = (await newestEventNo(world.sql, businessId)) + 1;
    const last = first + 100_000;
    // Every hundredth is of a type of the endpoint.
    await world.sql`
      INSERT INTO event (business_id, event_no, type, occurred_at, recorded_at, contact_ids, data)
      SELECT ${businessId}, no, CASE WHEN no % 100 = 0 THEN 'sale.recorded' ELSE 'member.created' END, recorded_at, recorded_at, '{}', '{}'
      FROM generate_series(${first}::bigint, ${last}::bigint) AS no
      CROSS JOIN LATERAL (SELECT '2026-06-10'::timestamptz + (no - ${first}) * interval '1 second' AS recorded_at) AS t`;
    await world.sql`UPDATE event SET recorded_at = '2026-06-01' WHERE business_id = ${businessId} AND event_no < ${first}`;
    await doneTo(endpoint_id, last);
    const replay = (fields: object) =>
      world.write("/sp/webhook-deliveries/replay", { endpoint_id, ...fields }, shop.everywhere);
    for (const dry_run of [true, false]) {
      const { body } = await replay({ since: "2026-06-10", dry_run });
      expect(body.error).toMatchObject({
        code: "validation_failed",
        details: {
          errors: [
            {
              field: "since",
              code: "out_of_range",
              message:
                "since must be later: the period has 100001 events, and a replay looks at 100000 at most.",
            },
          ],
        },
      });
    }
    expect(await world.sql`SELECT FROM webhook_retry WHERE endpoint_id = ${endpoint_id}`).toEqual([]);
    const wanted = Math.floor(last / 100) - Math.floor(first / 100);
    const until = "2026-06-11 03:46:40";
    for (const period of [{ since: "2026-06-10 00:00:01" }, { since: "2026-06-10", until }]) {
      const { body } = await replay({ ...period, dry_run: true });
      expect(body.data.events).toBe(wanted);
      // None was tried.
      expect((await replay({ ...period, dry_run: true, only_failed: true })).body.data.events).toBe(0);
    }
    expect((await replay({ since: "2026-06-10 00:00:01" })).body.data.events).toBe(wanted);
    expect(await world.sql`SELECT FROM webhook_retry WHERE endpoint_id = ${endpoint_id}`).toHaveLength(
      wanted,
    );
    // They are there already.
    await replay({ since: "2026-06-10 00:00:01" });
    expect(await world.sql`SELECT FROM webhook_retry WHERE endpoint_id = ${endpoint_id}`).toHaveLength(
      wanted,
    );
  });
});

describe("deliveries", () => {
  it("are listed page by page, newest first, by status and time", async () => {
    const { endpoint_id } = await create();
    const event_no = await happen();
    await doneTo(endpoint_id, event_no);
    for (let index = 0; index < 7; index += 1)
      await attempted(endpoint_id, event_no, index === 6, `${70 - index * 10} minutes`);
    const list = async (fields: object) => {
      const { body } = await world.ask(
        "/sp/webhook-deliveries/list",
        { endpoint_id, ...fields },
        business.everywhere,
      );
      return body.data;
    };
    const attempts: number[] = [];
    let before: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const { deliveries, next } = await list({ limit: 3, ...(before && { before }) });
      attempts.push(...deliveries.map(({ attempt }: { attempt: number }) => attempt));
      before = next;
      if (next === null) break;
    }
    expect(attempts).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await list({ status: "delivered" })).deliveries).toEqual([
      {
        event_no,
        type: "member.created",
        kind: "delivery",
        attempt: 7,
        status: "delivered",
        started_at: expect.any(String),
        milliseconds: 12,
        response_status: 200,
        error: null,
        response_body: null,
      },
    ]);
    expect((await list({ status: "failed" })).deliveries).toHaveLength(6);
    const [row] = await world.sql<{ since: string }[]>`
      SELECT to_char(now() AT TIME ZONE 'Europe/Madrid' - interval '35 minutes', 'YYYY-MM-DD HH24:MI:SS') AS since`;
    expect((await list({ since: row!.since })).deliveries).toHaveLength(3);

    const one = await world.ask("/sp/webhook-deliveries/get", { endpoint_id, event_no }, business.everywhere);
    expect(one.body.data).toMatchObject({
      status: "delivered",
      next_attempt_at: null,
      event: { type: "member.created", data: { business_id: business.businessId, sequence: event_no } },
    });
    expect(one.body.data.attempts).toHaveLength(7);
    const { body } = await world.ask("/sp/events/list", { after: event_no - 1 }, business.everywhere);
    expect(one.body.data.event).toEqual(body.data.events[0]);
  });

  it("say what waits, since when, and why", async () => {
    const { endpoint_id } = await create();
    const [first, second] = [await happen(), await happen()];
    await doneTo(endpoint_id, first);
    await attempted(endpoint_id, first, false);
    await world.sql`
      INSERT INTO webhook_retry (business_id, endpoint_id, event_no, attempts, due_at)
      VALUES (${business.businessId}, ${endpoint_id}, ${first}, 1, now() + interval '1 hour')`;
    await world.sql`
      UPDATE event SET recorded_at = now() - interval '100 seconds' WHERE business_id = ${business.businessId} AND event_no = ${first}`;
    const found = await get(endpoint_id);
    expect(found).toMatchObject({
      undelivered: 2,
      behind: 1,
      waiting: 1,
      last_error: "HTTP 500",
      status: "enabled",
      recent_attempts: 1,
      recent_failures: 1,
      next_attempt_at: expect.any(String),
    });
    expect(found.oldest_undelivered_seconds).toBeGreaterThanOrEqual(100);
    expect(found.oldest_undelivered_seconds).toBeLessThan(1000);
    const status = async (event_no: number) => {
      const { body } = await world.ask(
        "/sp/webhook-deliveries/get",
        { endpoint_id, event_no },
        business.everywhere,
      );
      return [body.data.status, body.data.next_attempt_at !== null];
    };
    expect(await status(first)).toEqual(["waiting", true]);
    expect(await status(second)).toEqual(["waiting", false]);
    await world.sql`DELETE FROM webhook_retry WHERE endpoint_id = ${endpoint_id}`;
    expect(await status(first)).toEqual(["failed", false]);
    await world.sql`UPDATE webhook_endpoint SET last_success_at = now() WHERE endpoint_id = ${endpoint_id}`;
    expect((await get(endpoint_id)).last_error).toBeNull();
  });
});

it("needs the scope", async () => {
  const by = await world.integration(business, { scopes: ["wa.events.read"] });
  const { body } = await world.ask("/sp/webhook-endpoints/list", {}, by);
  expect(body.error).toMatchObject({ code: "sp_scope_not_granted", details: { scope: "wa.webhooks.write" } });
});

it("is imported with its business, disabled: secret, headers, cursor and retries, of integrations and of operators", async () => {
  const headers = [{ name: "X-Key", value: "abc" }];
  const theirs = await create({ headers });
  const { businessId: business_id } = business;
  const own = await operatorWrite(world, "/op/webhook-endpoints/create", { business_id, url, types: ["*"] });
  const event_no = await happen();
  await doneTo(theirs.endpoint_id, event_no);
  await write("/sp/webhook-deliveries/retry", { endpoint_id: theirs.endpoint_id, event_no });
  const parent = await mkdtemp(join(tmpdir(), "loyalty-webhooks-"));
  const place = {
    ...placeOf(world.database),
    onProgress: () => undefined,
    onRows: () => undefined,
    signal: new AbortController().signal,
  };
  const target = join(parent, "export");
  await world.sql`
    UPDATE integration SET scopes = array_remove(scopes, 'wa.sandbox.write') WHERE business_id = ${business_id}`;
  await makeBackup({ ...place, target, businessId: business_id, productVersion: "1.0.0" });
  await world.sql`
    UPDATE integration SET client_id = client_id || '-old' WHERE business_id = ${business_id}`;
  const { businessId, disabledEndpoints } = await importBusiness({ ...place, source: target });
  expect(disabledEndpoints).toBe(2);
  await rm(parent, { recursive: true });
  const moved = await world.sql<EndpointRow[]>`
    SELECT e.endpoint_id, e.headers, e.cursor_event_no, i.business_id AS owner, s.sealed,
      (SELECT count(*) FROM webhook_retry r WHERE r.business_id = e.business_id AND r.endpoint_id = e.endpoint_id) AS retries
    FROM webhook_endpoint e LEFT JOIN integration i USING (integration_id)
    JOIN webhook_secret s ON s.business_id = e.business_id AND s.endpoint_id = e.endpoint_id
    WHERE e.business_id = ${businessId} ORDER BY e.endpoint_id`;
  expect(moved).toMatchObject([
    { endpoint_id: theirs.endpoint_id, owner: businessId, cursor_event_no: event_no, retries: 1 },
    { endpoint_id: own.endpoint_id, owner: null, headers: null, retries: 0 },
  ]);
  const unseal = (sealed: string, id: number) => deriveKeys(testSecret).unseal(sealed, placeOfEndpoint(id));
  expect(moved.map(({ sealed, endpoint_id }) => unseal(sealed, endpoint_id))).toEqual([
    theirs.secret,
    own.secret,
  ]);
  expect(JSON.parse(unseal(String(moved[0]?.headers), theirs.endpoint_id))).toEqual(headers);
  // The original may still send, so it gets nothing until somebody enables it.
  const { endpoint_id } = theirs;
  const seen = (path: string) => asOperator(world, path, { business_id: businessId, endpoint_id });
  const copied = { status: "disabled", disabled_reason: "copied" };
  expect((await seen("/op/webhook-endpoints/get")).body.data).toMatchObject(copied);
  const [work] = await world.sql`
    SELECT due_at FROM webhook_endpoint WHERE business_id = ${businessId} AND endpoint_id = ${endpoint_id}`;
  expect(work).toEqual({ due_at: null });
  const { stopped } = (await asOperator(world, "/op/status/get", {})).body.data.webhooks;
  expect(stopped).toContainEqual(
    expect.objectContaining({ ...copied, business_id: businessId, endpoint_id }),
  );
  const enabling = { business_id: businessId, endpoint_id, from: "stopped" };
  await operatorWrite(world, "/op/webhook-endpoints/enable", enabling);
  expect((await seen("/op/webhook-endpoints/get")).body.data).toMatchObject({
    status: "enabled",
    waiting: 1,
  });
});
