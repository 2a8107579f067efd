/** Failed sign-ins are limited, and don't keep anybody out. */
import { describe, expect, it } from "vitest";
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

it("keeps nobody waiting who has signed in, in a network that has sent too many wrong passwords", async () => {
  const address = "198.51.100.11";
  const { name, session } = await makeOperator(world);
  const headers = { "x-forwarded-for": address };
  const isLimited = async () => {
    const tries = Array.from({ length: 40 }, (_, nth) => signIn(`nobody ${nth}`, "wrong password", address));
    await Promise.all(tries);
    return (await signIn(name, testPassword, address)).status === 429;
  };
  expect(await holdsOnce(isLimited)).toBe(true);
  for (const [path, body] of [
    ["/op/session/get", {}],
    ["/op/sessions/list", {}],
    ["/op/session/set-language", { language: "de" }],
    ["/op/session/delete", {}],
  ] as const)
    expect((await world.call(path, body, { token: session, headers })).status, path).toBe(200);
});

describe("a browser that has signed in with a name before", () => {
  const from = (device: string, address: string) => ({
    headers: {
      host: "localhost",
      "x-forwarded-for": address,
      "sec-fetch-site": "same-origin",
      cookie: `__Host-loyalty_console_device=${device}`,
    },
  });
  const signInWith = (device: string, name: string, password: string, address: string) =>
    world.call("/op/session/create", { name, password }, from(device, address));
  const deviceOf = (reply: Reply) =>
    /^__Host-loyalty_console_device=([^;]+); HttpOnly; Secure; SameSite=Strict; Path=\/; Max-Age=15552000$/.exec(
      reply.headers.getSetCookie()[1] ?? "",
    )?.[1] ?? "";

  it("is verified in a network that has sent too many wrong passwords for anybody else", async () => {
    const { name } = await makeOperator(world);
    const { name: colleague } = await makeOperator(world);
    const address = "198.51.100.7";
    const device = deviceOf(await signIn(name, testPassword, address));
    expect(device).not.toBe("");
    const crowd = () =>
      Promise.all(Array.from({ length: 40 }, (_, nth) => signIn(`nobody ${nth}`, "wrong password", address)));
    // Above the limit of the network, no password is verified.
    const isLimited = async () => {
      await crowd();
      return (await signIn(colleague, testPassword, address)).status === 429;
    };
    expect(await holdsOnce(isLimited)).toBe(true);
    expect((await signInWith(device, name, testPassword, address)).status).toBe(200);
  });

  it("is limited by itself, too", async () => {
    const { name } = await makeOperator(world);
    const device = deviceOf(await signIn(name, testPassword, "198.51.100.8"));
    const isLimited = async () => {
      for (let tries = 0; tries < 11; tries++)
        await signInWith(device, name, "wrong password", "198.51.100.9");
      return (await signInWith(device, name, testPassword, "198.51.100.9")).status === 429;
    };
    expect(await holdsOnce(isLimited)).toBe(true);
    expect((await signIn(name, testPassword, "198.51.100.10")).status).toBe(200);
  });
});

it("counts all spellings of a name as one", async () => {
  const { name } = await makeOperator(world, { name: `\u0130\u1e9e ${Math.random()}` });
  const spellings = [
    name,
    name.toLowerCase(),
    name.replace("\u0130", "I"),
    name.replace("\u1e9e", "SS"),
    ` ${name}`,
  ];
  for (const spelling of spellings)
    expect((await signIn(spelling, testPassword, "203.0.113.9")).status).toBe(200);
  const isLimited = async () => {
    for (let tries = 0; tries < 11; tries++) {
      await signIn(spellings[tries % spellings.length] as string, "wrong password", "203.0.113.9");
    }
    return (await signIn(name, testPassword, "203.0.113.9")).status === 429;
  };
  expect(await holdsOnce(isLimited)).toBe(true);
});
