/** The operator key against guessing: wrong ones are counted by address, and told to the audit log. */
import { expect, it } from "vitest";
import { asOperator } from "../support/operator-requests.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_FAILED_TOKEN_LIMIT: "3", LOYALTY_TRUSTED_PROXIES: "127.0.0.1" });

const call = (token: string, address: string) =>
  world.call("/op/status/get", {}, { token, headers: { "x-forwarded-for": address } });

it("limits wrong keys by address, and never the right one", async () => {
  const address = "203.0.113.7";
  for (let tries = 0; tries < 3; tries++) {
    const reply = await call("wrong".repeat(10), address);
    expect(reply.body.error.code).toBe("unauthorized");
  }
  for (const form of [address, `${address}:4711`, `[::ffff:${address}]:4712`, `::ffff:${address}`]) {
    const reply = await call("wrong".repeat(10), form);
    expect(reply.status).toBe(429);
    expect(reply.body.error.code).toBe("rate_limited");
    const seconds = Number(reply.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  expect((await call(testOperatorKey, address)).status).toBe(200);
  expect((await call("wrong".repeat(10), "203.0.113.8")).body.error.code).toBe("unauthorized");
});

it("does not count requests with the right key, nor without any", async () => {
  const address = "203.0.113.9";
  for (let tries = 0; tries < 10; tries++) {
    expect((await call(testOperatorKey, address)).status).toBe(200);
    const none = await world.call("/op/status/get", {}, { headers: { "x-forwarded-for": address } });
    expect(none.body.error.code).toBe("unauthorized");
  }
});

it("tells the audit log who was rejected, but not the key", async () => {
  const address = "203.0.113.10";
  const key = "not-the-key-but-something-like-a-secret";
  const rejected = await call(key, address);
  const entry = {
    business_id: null,
    actor_kind: "service",
    actor_id: null,
    actor_name: "unknown",
    note: null,
    address,
    request_id: rejected.headers.get("x-request-id"),
    event: "operator_key.rejected",
    before: null,
    after: {},
  };
  // The caller does not wait for the entry.
  await expect
    .poll(async () => {
      const { body } = await asOperator(world, "/op/audit/list", { event: "operator_key.rejected" });
      return body.data;
    })
    .toContainEqual(expect.objectContaining(entry));
  const { text } = await asOperator(world, "/op/audit/list", {});
  expect(text).not.toContain(key);
});
