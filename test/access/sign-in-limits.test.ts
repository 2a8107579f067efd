/** Failed sign-ins are limited, and don't keep anybody out. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { holdsOnce } from "../support/measurements.ts";
import { asOperator } from "../support/operator-requests.ts";
import { makeOperator, testPassword } from "../support/operators.ts";
import { type Reply, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_FAILED_TOKEN_LIMIT: "10", LOYALTY_TRUSTED_PROXIES: "127.0.0.1" });

const signIn = (name: string, password: string, address = "192.0.2.1") =>
  world.call("/op/session/create", { name, password }, { headers: { "x-forwarded-for": address } });

it("is never blocked by the failures of others, which are limited and in the audit log", async () => {
  const { name } = await makeOperator(world);
  const codes: string[] = [];
  for (let tries = 0; tries < 15; tries++) codes.push((await signIn(name, "wrong password")).body.error.code);
  expect(codes).toContain("rate_limited");
  expect((await signIn(name, testPassword, "192.0.2.2")).status).toBe(200);
  const log = () => asOperator(world, "/op/audit/list", { event: "operator_session.rejected", per_page: 1 });
  await expect.poll(async () => (await log()).body.data[0]?.after, { interval: 50 }).toEqual({ name });
  expect((await log()).body.data[0]).toMatchObject({ actor_kind: "service", actor_name: "unknown" });
});

it("leaves no trace of a name that no account has, because it may be a password", async () => {
  const { status, headers } = await signIn("hunter2 hunter2", testPassword, "203.0.113.1");
  expect(status).toBe(401);
  const find = async () => {
    const listed = await asOperator(world, "/op/audit/list", { event: "operator_session.rejected" });
    return listed.body.data.find((entry: Body) => entry.request_id === headers.get("x-request-id"));
  };
  await expect.poll(find, { interval: 50 }).toMatchObject({ after: {}, address: "203.0.113.1" });
});

it("is not verified from a network that has failed too often for the name", async () => {
  const { name } = await makeOperator(world);
  const address = "198.51.100.1";
  const afterFailures = async () => {
    await Promise.all(Array.from({ length: 30 }, () => signIn(name, "wrong password", address)));
    return signIn(name.toUpperCase(), testPassword, address);
  };
  let limited: Reply | undefined;
  const isLimited = async () => {
    limited = await afterFailures();
    return limited.status === 429;
  };
  // One more sign-in is allowed every six seconds, which a slow machine may need for the failures.
  expect(await holdsOnce(isLimited)).toBe(true);
  expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
  // Others in this network, and the person elsewhere, can sign in.
  const { name: colleague } = await makeOperator(world);
  expect((await signIn(colleague, testPassword, address)).status).toBe(200);
  expect((await signIn(name, testPassword, "198.51.100.2")).status).toBe(200);
});

it("does not count sessions that have ended", async () => {
  const token = `loyses_${"a".repeat(43)}`;
  for (let tries = 0; tries < 15; tries++) {
    expect((await world.call("/op/session/get", {}, { token })).body.error.code).toBe("unauthorized");
  }
});
