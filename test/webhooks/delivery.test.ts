/** Events reach real receivers, signed, at least once, and a receiver that fails gets them later. */

import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { newestEventNo } from "../support/events.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { accept, close, Receiver, respondWith } from "../support/receiver.ts";
import { storeEndpoint } from "../support/webhook-endpoints.ts";
import {
  addSecret,
  attemptsOf,
  type EndpointFields,
  endpointOf,
  expectInOrder,
  letTimePass,
  letTimePassUntil,
  makeEndpoint,
  newWebhookSecret,
  retriesOf,
  type TestEndpoint,
  until,
  verified,
} from "../support/webhooks.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
const receivers: Receiver[] = [];
let shop: Business;
let contact_id = 0;

async function receiver(): Promise<Receiver> {
  const started = await Receiver.start();
  receivers.push(started);
  return started;
}

/** A business of its own, with a member, a receiver and an endpoint. */
async function setUp(fields: EndpointFields = {}) {
  shop = await world.business("Shop", "UTC");
  contact_id = await world.member({}, shop.everywhere);
  const receiver_ = await receiver();
  const endpoint = await makeEndpoint(world.sql, shop.businessId, receiver_.url, fields);
  return { receiver: receiver_, endpoint };
}

/** Makes an event. */
async function adjust(location = 0): Promise<void> {
  const location_id = shop.locationIds[location];
  const reply = await world.write(
    "/sp/wallet/adjust",
    { contact_id, location_id, amount: 100, adjustment_type: "credit" },
    shop.everywhere,
  );
  if (reply.status >= 300) throw new Error(reply.text);
}
async function adjustTimes(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await adjust();
}
const lastEventNo = () => newestEventNo(world.sql, shop.businessId);
const status = async (endpoint: TestEndpoint) => (await endpointOf(world.sql, endpoint)).status;
const isDone = async (endpoint: TestEndpoint) =>
  (await endpointOf(world.sql, endpoint)).cursor_event_no === (await lastEventNo());
const untilDone = (endpoint: TestEndpoint) => until(() => isDone(endpoint));
const hasNoRetries = async (endpoint: TestEndpoint) => (await retriesOf(world.sql, endpoint)).length === 0;
/** Fails five events in a row, so that the endpoint is failing. */
async function failing(
  endpoint: TestEndpoint,
  receiver: Receiver,
  respond = respondWith(500),
): Promise<void> {
  receiver.respond = respond;
  await adjustTimes(6);
  await until(async () => (await status(endpoint)) === "failing");
}

/** Lets time pass for a failing endpoint, and waits for its next probe. */
async function untilProbedAfter(endpoint: TestEndpoint, seconds: number): Promise<void> {
  const { failures } = await endpointOf(world.sql, endpoint);
  await letTimePass(world.sql, endpoint, seconds);
  await until(async () => (await endpointOf(world.sql, endpoint)).failures > failures);
}

afterEach(async () => {
  await world.sql`UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = 'requested', failing_since = NULL,
    leased_by = NULL, due_at = NULL WHERE status <> 'disabled'`;
});
afterAll(() => Promise.all(receivers.map((one) => one.stop())));

describe("a delivery", () => {
  it("has the event as it is listed, and the headers of Standard Webhooks", async () => {
    const { receiver, endpoint } = await setUp({ headers: [{ name: "Authorization", value: "Bearer me" }] });
    await adjust();
    await until(() => receiver.received.length === 1);
    const [received] = receiver.received;
    const event = verified(received as never, endpoint.secret);
    const { body } = await world.ask("/sp/events/list", {}, shop.everywhere);
    expect(event).toEqual(body.data.events.at(-1));
    expect(received?.body.toString()).toBe(JSON.stringify(body.data.events.at(-1)));
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^loyalty\//),
      authorization: "Bearer me",
      "webhook-id": `evt_${shop.businessId}_${event.data.sequence}`,
    });
    await untilDone(endpoint);
    expect(await attemptsOf(world.sql, endpoint)).toMatchObject([
      {
        event_no: event.data.sequence,
        attempt: 1,
        kind: "delivery",
        succeeded: true,
        response_status: 204,
        error: null,
      },
    ]);
  });

  it("is signed with both secrets during a rotation", async () => {
    const { receiver, endpoint } = await setUp();
    const second = newWebhookSecret();
    await addSecret(world.sql, endpoint, second);
    await world.sql`UPDATE webhook_secret SET expires_at = now() + interval '1 hour'
      WHERE endpoint_id = ${endpoint.endpointId} AND secret_id = (
        SELECT min(secret_id) FROM webhook_secret WHERE endpoint_id = ${endpoint.endpointId})`;
    await adjust();
    await until(() => receiver.received.length === 1);
    for (const secret of [endpoint.secret, second]) verified(receiver.received[0] as never, secret);
    await world.sql`UPDATE webhook_secret SET expires_at = now() WHERE expires_at IS NOT NULL`;
    await world.sql`UPDATE webhook_endpoint SET leased_by = NULL WHERE endpoint_id = ${endpoint.endpointId}`;
    await adjust();
    await until(() => receiver.received.length >= 2);
    const last = receiver.received.at(-1) as never;
    verified(last, second);
    expect(() => verified(last, endpoint.secret)).toThrow();
  });

  it("is only of the types of the endpoint, and of the locations of its integration", async () => {
    const { receiver: all, endpoint } = await setUp({ types: ["member.*", "wallet.adjusted"] });
    const here = await receiver();
    await world.sql`UPDATE integration SET scopes = scopes || '{wa.webhooks.write}'::text[]
      WHERE integration_id = ${shop.limited.integrationId} AND NOT 'wa.webhooks.write' = ANY (scopes)`;
    const { integrationId } = shop.limited;
    await makeEndpoint(world.sql, shop.businessId, here.url, { integrationId });
    await adjust(2);
    await world.member({}, shop.everywhere);
    await adjust(0);
    await untilDone(endpoint);
    const typesAt = (one: Receiver) =>
      one.received
        .map(({ body }) => JSON.parse(body.toString()))
        .sort((earlier, later) => earlier.data.sequence - later.data.sequence)
        .map(({ type, data }) => [type, data.location_id]);
    const [first, , third] = shop.locationIds;
    expect(typesAt(all)).toEqual([
      ["wallet.adjusted", third],
      ["member.created", undefined],
      ["wallet.adjusted", first],
    ]);
    await until(() => here.received.length === 2);
    expect(typesAt(here)).toEqual([
      ["member.created", undefined],
      ["wallet.adjusted", first],
    ]);
  });

  it("is not sent to the endpoint of a disabled integration", async () => {
    const { receiver, endpoint } = await setUp();
    const { integrationId } = shop.everywhere;
    const other = await makeEndpoint(world.sql, shop.businessId, receiver.url, { integrationId });
    await world.sql`UPDATE integration SET scopes = '{wa.wallet.write}' WHERE integration_id = ${integrationId}`;
    await adjust();
    await untilDone(endpoint);
    expect((await endpointOf(world.sql, other)).cursor_event_no).toBeLessThan(await lastEventNo());
    expect(receiver.received).toHaveLength(1);
  });

  it("has the time of its attempt, so a receiver whose clock was wrong accepts it later", async () => {
    const { receiver, endpoint } = await setUp();
    // The library rejects a time that differs by more than five minutes.
    let offSeconds = 6 * 60;
    receiver.respond = (response, { body, headers }) => {
      const timestamp = Number(headers["webhook-timestamp"]) - offSeconds;
      const signature = new Webhook(endpoint.secret).sign(
        String(headers["webhook-id"]),
        new Date(timestamp * 1000),
        body.toString(),
      );
      const seen = { ...headers, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
      try {
        new Webhook(endpoint.secret).verify(body, seen as never);
        response.writeHead(204).end();
      } catch (error) {
        response.writeHead(400).end((error as Error).message);
      }
    };
    await adjustTimes(6);
    await until(async () => (await status(endpoint)) === "failing");
    const [failed] = await world.sql<{ response_body: string }[]>`
      SELECT response_body FROM webhook_attempt WHERE endpoint_id = ${endpoint.endpointId} LIMIT 1`;
    expect(failed?.response_body).toBe("Message timestamp too old");
    offSeconds = 0;
    // On a slow machine, some events have failed more than once.
    await letTimePassUntil(
      world.sql,
      endpoint,
      400,
      async () => (await isDone(endpoint)) && (await hasNoRetries(endpoint)),
    );
  });
});

describe("an event that fails among others", () => {
  it("is retried by itself, at last given up after ten attempts", async () => {
    const { receiver, endpoint } = await setUp();
    let poison = 0;
    receiver.respond = (response, received, request) => {
      const { sequence } = JSON.parse(received.body.toString()).data;
      if (poison === 0) poison = sequence;
      (sequence === poison ? respondWith(500) : accept)(response, received, request);
    };
    await adjustTimes(5);
    await untilDone(endpoint);
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 1);
    await letTimePassUntil(world.sql, endpoint, 2 * 24 * 3600, () => hasNoRetries(endpoint));
    const own = (await attemptsOf(world.sql, endpoint)).filter(({ event_no }) => event_no === poison);
    expect(own.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(own.map(({ kind }) => kind)).toEqual(["delivery", ...Array(9).fill("retry")]);
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({ status: "enabled" });
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).toBe(5);
    // Each attempt has the same body.
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(5);
  });

  it("waits as long as its receiver asks", async () => {
    const { receiver, endpoint } = await setUp();
    receiver.respond = respondWith(429, { "retry-after": "7200" });
    await adjust();
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 1);
    const [retry] = await retriesOf(world.sql, endpoint);
    expect(retry?.due_seconds).toBeGreaterThan(7000);
    expect(retry?.due_seconds).toBeLessThanOrEqual(7200);
  });
});

describe("an endpoint that fails", () => {
  it("is probed, makes no rows, and gets everything in the end", async () => {
    const { receiver, endpoint } = await setUp({ max_in_flight: 4 });
    await failing(endpoint, receiver, close);
    const before = await endpointOf(world.sql, endpoint);
    expect(before.due_seconds).toBeLessThanOrEqual(6);
    const attempts = async (isProbe: boolean) =>
      (await attemptsOf(world.sql, endpoint)).filter(({ kind }) => (kind === "probe") === isProbe);
    const isStored = async () => (await attemptsOf(world.sql, endpoint)).length === receiver.received.length;
    await until(isStored);
    const { length: others } = await attempts(false);
    await adjustTimes(20);
    // A probe comes by itself if this takes some seconds.
    for (let probes = 0; probes < 3; probes = (await attempts(true)).length) {
      await letTimePass(world.sql, endpoint, 1000);
      await until(async () => (await attempts(true)).length > probes);
    }
    await until(isStored);
    expect(await attempts(false)).toHaveLength(others);
    // Each probe sends another event, in case the receiver can't process one.
    const probed = (await attempts(true)).slice(0, 3).map(({ event_no }) => event_no);
    expect(new Set(probed).size).toBe(3);
    // Events that failed before the endpoint counted as failing, when there was nothing else to send.
    expect((await retriesOf(world.sql, endpoint)).length).toBeLessThan(5);
    expect((await endpointOf(world.sql, endpoint)).cursor_event_no).toBe(before.cursor_event_no);
    receiver.respond = accept;
    const from = receiver.received.length;
    const hasAll = async () => (await isDone(endpoint)) && (await hasNoRetries(endpoint));
    await letTimePassUntil(world.sql, endpoint, 1000, hasAll);
    const after = receiver.sequences.slice(from).sort((one, other) => one - other);
    // The first event says that events were switched on.
    expect(after).toEqual(Array.from({ length: 26 }, (_, index) => 2 + index));
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({ status: "enabled", failures: 0 });
  });

  it("fails, though it has one event only, and gets it in the end", async () => {
    const { receiver, endpoint } = await setUp({ types: ["wallet.*"] });
    receiver.respond = respondWith(503);
    await adjust();
    const event_no = await lastEventNo();
    const hour = 3600;
    const is = (wanted: string) => async () => (await status(endpoint)) === wanted;
    await letTimePassUntil(world.sql, endpoint, 10 * hour, is("failing"));
    // It is probed with the event, for longer than an event is retried.
    await untilProbedAfter(endpoint, 90 * hour);
    await letTimePassUntil(world.sql, endpoint, 40 * hour, is("disabled"));
    expect(await retriesOf(world.sql, endpoint)).toMatchObject([{ event_no, attempts: 5 }]);
    // The attempts begin anew, and the event is not given up while all fail.
    const { businessId: business_id, endpointId: endpoint_id } = endpoint;
    await operatorWrite(world, "/op/webhook-endpoints/enable", { business_id, endpoint_id, from: "stopped" });
    const first = async () => (await attemptsOf(world.sql, endpoint)).filter(({ attempt }) => attempt === 1);
    await until(async () => (await first()).length === 2);
    receiver.respond = accept;
    await letTimePassUntil(world.sql, endpoint, hour, () => hasNoRetries(endpoint));
    expect((await attemptsOf(world.sql, endpoint)).at(-1)).toMatchObject({ kind: "retry", succeeded: true });
    expect(await status(endpoint)).toBe("enabled");
  });

  it("gets the others, if it rejects many events in a row of one type", async () => {
    const { receiver, endpoint } = await setUp();
    const rejects = (type: string) => type === "wallet.adjusted";
    receiver.respond = (response, received, request) =>
      (rejects(JSON.parse(received.body.toString()).type) ? respondWith(400) : accept)(
        response,
        received,
        request,
      );
    await adjustTimes(5);
    await until(async () => (await status(endpoint)) === "failing");
    await adjustTimes(20);
    const first = await lastEventNo();
    for (let count = 0; count < 3; count += 1) await world.member({}, shop.everywhere);
    const delivered = async () =>
      (await attemptsOf(world.sql, endpoint))
        .filter(({ succeeded }) => succeeded)
        .map(({ event_no }) => event_no);
    const isProbed = async () => {
      const { status, due_seconds } = await endpointOf(world.sql, endpoint);
      return status !== "failing" || (due_seconds ?? 0) > 0;
    };
    while ((await status(endpoint)) === "failing") {
      await letTimePass(world.sql, endpoint, 100);
      await until(isProbed);
    }
    await untilDone(endpoint);
    expect(await status(endpoint)).toBe("enabled");
    expect(new Set(await delivered())).toEqual(new Set([first + 1, first + 2, first + 3]));
    // The rejected ones wait, each by itself.
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 25);
    receiver.respond = accept;
    await letTimePassUntil(world.sql, endpoint, 24 * 3600, () => hasNoRetries(endpoint));
    expect(new Set(await delivered()).size).toBe(28);
  });

  it("is disabled after five days, which others are told", async () => {
    const { receiver: other } = await setUp({ types: ["webhook_endpoint.*"] });
    const one = await receiver();
    const endpoint = await makeEndpoint(world.sql, shop.businessId, one.url);
    await failing(endpoint, one);
    const { cursor_event_no } = await endpointOf(world.sql, endpoint);
    await untilProbedAfter(endpoint, 4 * 24 * 3600);
    expect(await status(endpoint)).toBe("failing");
    const isDisabled = async () => (await status(endpoint)) === "disabled";
    await letTimePassUntil(world.sql, endpoint, 2 * 24 * 3600, isDisabled);
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({
      disabled_reason: "no_success",
      cursor_event_no,
      leased_by: null,
    });
    await until(() => other.received.length === 1);
    const facts = { endpoint_id: endpoint.endpointId, disabled_reason: "no_success" };
    expect(JSON.parse(String(other.received[0]?.body))).toMatchObject({
      type: "webhook_endpoint.disabled",
      data: facts,
    });
    const audited = await world.sql`SELECT after FROM audit_entry
      WHERE business_id = ${shop.businessId} AND event = 'webhook_endpoint.disabled'`;
    expect(audited).toMatchObject([{ after: facts }]);
    const asked = one.received.length;
    // What it missed is sent when it is enabled again, from where it stopped.
    one.respond = accept;
    await world.sql`UPDATE webhook_endpoint SET status = 'enabled', disabled_reason = NULL, due_at = now()
      WHERE endpoint_id = ${endpoint.endpointId}`;
    await untilDone(endpoint);
    expect(one.sequences.slice(asked)).toContain(cursor_event_no + 1);
  });

  it("is disabled at once by a 410", async () => {
    const { receiver, endpoint } = await setUp();
    receiver.respond = respondWith(410);
    await adjustTimes(3);
    await until(async () => (await status(endpoint)) === "disabled");
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({ disabled_reason: "gone" });
    const asked = receiver.received.length;
    await adjust();
    expect(receiver.received).toHaveLength(asked);
  });

  it("is disabled if its secret is of another LOYALTY_SECRET, until it gets a new one; the others go on", async () => {
    const { receiver: own, endpoint: readable } = await setUp();
    const { businessId: business_id } = shop;
    const theirs = await receiver();
    // As after an import from an installation with another secret.
    const moved = await storeEndpoint(
      world.sql,
      "the secret of another installation, long enough",
      { businessId: business_id, url: theirs.url },
      { headers: [{ name: "X-Key", value: "abc" }] },
    );
    const { endpointId: endpoint_id } = moved;
    const change = (verb: string, fields: object = {}) =>
      operatorWrite(world, `/op/webhook-endpoints/${verb}`, { business_id, endpoint_id, ...fields });
    await adjustTimes(3);
    await until(async () => (await status(moved)) === "disabled");
    await untilDone(readable);
    expect(theirs.received).toEqual([]);
    expect(own.received.map(({ body }) => JSON.parse(body.toString()))).toContainEqual(
      expect.objectContaining({
        type: "webhook_endpoint.disabled",
        data: expect.objectContaining({ endpoint_id, disabled_reason: "secret_unreadable" }),
      }),
    );
    const { body } = await asOperator(world, "/op/status/get", {});
    const stopped = { business_id, endpoint_id, status: "disabled", disabled_reason: "secret_unreadable" };
    expect(body.data.webhooks.stopped).toContainEqual(expect.objectContaining(stopped));

    // A secret that can't be decrypted is not kept beside the new one.
    const rotated = await change("rotate-secret", { overlap_seconds: 3600 });
    expect(rotated.previous_secret_expires_at).toBeNull();
    await change("update", { headers: [{ name: "X-Key", value: "def" }] });
    await change("enable", { from: "stopped" });
    await untilDone(moved);
    expect(theirs.sequences.length).toBeGreaterThanOrEqual(3);
    for (const received of theirs.received) verified(received, rotated.secret);
    expect(theirs.received[0]?.headers).toMatchObject({ "x-key": "def" });
    expect(own.sequences).toEqual(expect.arrayContaining(theirs.sequences));
  });

  it("is told why, if its name has no address, and is tried again", async () => {
    const { endpoint } = await setUp();
    await world.sql`UPDATE webhook_endpoint SET url = 'http://receiver.invalid/' WHERE endpoint_id = ${endpoint.endpointId}`;
    await adjust();
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 1);
    await letTimePass(world.sql, endpoint, 60);
    await until(async () => ((await retriesOf(world.sql, endpoint))[0]?.attempts ?? 0) >= 2);
    const [first] = await attemptsOf(world.sql, endpoint);
    expect(first).toMatchObject({ succeeded: false, response_status: null, error: expect.any(String) });
  });
});

describe("an ordered endpoint", () => {
  it("gets its events one at a time in their order, also after failures", async () => {
    const { receiver, endpoint } = await setUp({ ordered: true });
    let inFlight = 0;
    let most = 0;
    const slowly =
      (respond: typeof accept): typeof accept =>
      (response, ...rest) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        setTimeout(() => {
          inFlight -= 1;
          respond(response, ...rest);
        }, 5);
      };
    receiver.respond = slowly(accept);
    await adjustTimes(10);
    await untilDone(endpoint);
    receiver.respond = slowly(respondWith(503));
    await adjustTimes(5);
    await until(async () => (await status(endpoint)) === "failing");
    receiver.respond = slowly(accept);
    await letTimePassUntil(world.sql, endpoint, 1000, () => isDone(endpoint));
    expect(most).toBe(1);
    expectInOrder(receiver.sequences);
    expect(new Set(receiver.sequences).size).toBe(15);
  });
});

describe("what requests queue", () => {
  const queue = (
    endpoint: TestEndpoint,
    rows: readonly { event_no: number; is_replay?: boolean; test_type?: string }[],
  ) =>
    Promise.all(
      rows.map(
        ({ event_no, is_replay = false, test_type = null }) => world.sql`
        INSERT INTO webhook_retry (business_id, endpoint_id, event_no, is_replay, test_type)
        VALUES (${endpoint.businessId}, ${endpoint.endpointId}, ${event_no}, ${is_replay}, ${test_type})`,
      ),
    );

  it("is sent: replays, and a test with the example of its type", async () => {
    const { receiver, endpoint } = await setUp();
    await adjustTimes(3);
    await untilDone(endpoint);
    const last = await lastEventNo();
    await queue(endpoint, [
      { event_no: last, is_replay: true },
      { event_no: 1, is_replay: true },
      { event_no: 0, test_type: "sale.recorded" },
    ]);
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 0);
    const kinds = (await attemptsOf(world.sql, endpoint))
      .slice(3)
      .map(({ kind, event_no }) => `${kind} ${event_no}`);
    expect(kinds.sort()).toEqual([`replay ${last}`, "replay 1", "test 0"].sort());
    const test = receiver.received.find(({ headers }) =>
      String(headers["webhook-id"]).startsWith("evt_test_"),
    );
    const event = verified(test as never, endpoint.secret);
    expect(event).toMatchObject({ type: "sale.recorded", data: { sale_id: expect.any(Number) } });
  });

  it("is dropped if the event is not kept any more", async () => {
    const { receiver, endpoint } = await setUp();
    await queue(endpoint, [{ event_no: 99_999, is_replay: true }]);
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 0);
    expect(receiver.received).toEqual([]);
  });

  it("tests a disabled endpoint without enabling it", async () => {
    const { receiver, endpoint } = await setUp();
    await world.sql`UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = 'requested', due_at = now()
      WHERE endpoint_id = ${endpoint.endpointId}`;
    await queue(endpoint, [{ event_no: 0, test_type: "wallet.adjusted" }]);
    await until(async () => (await retriesOf(world.sql, endpoint)).length === 0);
    await adjust();
    expect(receiver.received).toHaveLength(1);
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({
      status: "disabled",
      disabled_reason: "requested",
      due_seconds: null,
    });
  });
});

it("is counted in the metrics, with the endpoints by status", async () => {
  const { receiver } = await setUp();
  await adjust();
  await until(() => receiver.received.length === 1);
  await until(async () =>
    /^loyalty_webhook_deliveries_total\{outcome="delivered"\} [1-9]/m.test(await world.service.metrics()),
  );
  const text = await world.service.metrics();
  expect(text).toMatch(/^loyalty_webhook_deliveries_total\{outcome="failed"\} [1-9]/m);
  expect(text).toMatch(/^loyalty_webhook_lag_seconds_count [1-9]/m);
  // The endpoints are counted every 15 s, and those of the tests before were disabled.
  await until(async () =>
    /^loyalty_webhook_endpoints\{status="disabled_by_request"\} [1-9]/m.test(await world.service.metrics()),
  );
});

it("continues with the oldest event that is kept, if events are not kept any more", async () => {
  const { receiver, endpoint } = await setUp();
  await failing(endpoint, receiver);
  // Nothing is sent while events are deleted.
  const lease = (by: string | null) =>
    world.sql`
      UPDATE webhook_endpoint SET leased_by = ${by}, leased_until = now() + interval '1 hour'
      WHERE endpoint_id = ${endpoint.endpointId}`;
  await lease("nobody");
  await adjustTimes(3);
  const last = await lastEventNo();
  const first = (await endpointOf(world.sql, endpoint)).cursor_event_no + 1;
  await world.sql`DELETE FROM event WHERE business_id = ${shop.businessId} AND event_no < ${last}`;
  const from = receiver.received.length;
  receiver.respond = accept;
  // Nothing is passed over before that is recorded.
  await world.sql`ALTER TABLE audit_entry ADD CONSTRAINT full_disk CHECK (event <> 'webhook_endpoint.skipped')`;
  await lease(null);
  const failures = () => world.faults.list().filter((line) => line.includes("full_disk"));
  await letTimePassUntil(world.sql, endpoint, 1000, async () => failures().length > 0);
  expect((await endpointOf(world.sql, endpoint)).cursor_event_no).toBe(first - 1);
  await world.sql`ALTER TABLE audit_entry DROP CONSTRAINT full_disk`;
  await letTimePassUntil(world.sql, endpoint, 1000, () => isDone(endpoint));
  expect(new Set(receiver.sequences.slice(from))).toEqual(new Set([last]));
  const skipped = () => world.sql`
    SELECT after FROM audit_entry WHERE business_id = ${shop.businessId} AND event = 'webhook_endpoint.skipped'`;
  const after = { endpoint_id: endpoint.endpointId, first_event_no: first, last_event_no: last - 1 };
  expect(await skipped()).toEqual([{ after }]);
});
