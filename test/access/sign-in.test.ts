/** Sessions of operators: sign-in, the cookie, requests from other sites, expiry and revocation. */
import { beforeAll, describe, expect, it } from "vitest";
import { hashSecret } from "../../src/credentials/keys.ts";
import { findOperatorBySession, insertSession } from "../../src/database/access/operator-sessions.ts";
import { findOperatorByKey, holdPassword, type OperatorPools } from "../../src/database/access/operators.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { inviteOperator, makeKey, makeOperator, signInAs, testPassword } from "../support/operators.ts";
import { nextKey, type Reply, startService, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();

const sameOrigin = { "sec-fetch-site": "same-origin" };
const cookieOf = (reply: Reply) => reply.headers.getSetCookie()[0] ?? "";
const tokenOf = (reply: Reply) => /=(loyses_[\w-]{43});/.exec(cookieOf(reply))?.[1] ?? "";
const signIn = (name: string, password = testPassword, headers: Record<string, string> = {}) =>
  world.call("/op/session/create", { name, password }, { headers });
const withCookie = (token: string, headers: Record<string, string> = sameOrigin) => ({
  headers: { cookie: `loyalty_console=${token}`, ...headers },
});
/** The rejected passwords of an account, each with the problem that is named. */
const weak = (name: string) => [
  ["short", "must have at least 8 characters."],
  ["password123", "is one of the most used passwords."],
  [name, "must not be the name of the account."],
];
const who = (token: string) => world.call("/op/session/get", {}, { token });

describe("a sign-in", () => {
  it("sets a cookie with a session, and stores only its hash", async () => {
    const { name, operator_id } = await makeOperator(world, { role: "support", limit_amount: 2000 });
    const reply = await signIn(name);
    expect(reply.body.data).toMatchObject({
      kind: "account",
      operator: { operator_id, key_id: null, name, role: "support", business_ids: null, limit_amount: 2000 },
    });
    const token = tokenOf(reply);
    expect(cookieOf(reply)).toBe(
      `loyalty_console=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${7 * 24 * 60 * 60}`,
    );
    const stored = await world.sql<{ session_hash: string }[]>`
      SELECT encode(session_hash, 'hex') AS session_hash FROM operator_session
      WHERE operator_id = ${operator_id} ORDER BY session_id DESC`;
    expect(stored[0]?.session_hash).toBe(hashSecret(token).toString("hex"));
    expect((await world.call("/op/session/get", {}, withCookie(token))).body.data).toEqual(reply.body.data);
  });

  it("sets a secure cookie of this host unless it is HTTP on this machine", async () => {
    const { name } = await makeOperator(world);
    const { baseUrl } = world;
    const { port } = new URL(baseUrl);
    const { request } = await import("node:http");
    const cookie = await new Promise<string>((resolve, reject) => {
      const headers = { host: "loyalty.example", "content-type": "application/json" };
      const options = { port, host: "127.0.0.1", method: "POST", path: "/api/op/session/create", headers };
      const sent = request(options, (response) => {
        response.resume();
        resolve(String(response.headers["set-cookie"]?.[0]));
      });
      sent.on("error", reject).end(JSON.stringify({ name, password: testPassword }));
    });
    expect(cookie).toMatch(
      /^__Host-loyalty_console=loyses_[\w-]{43}; HttpOnly; Secure; SameSite=Strict; Path=\/; Max-Age=604800$/,
    );
  });

  it("ignores the case of the name", async () => {
    const { name } = await makeOperator(world);
    expect((await signIn(name.toUpperCase())).status).toBe(200);
  });

  it("makes a new session, and ends the one that the browser had", async () => {
    const { name } = await makeOperator(world);
    const fixed = tokenOf(await signIn(name));
    const reply = await signIn(name, testPassword, withCookie(fixed).headers);
    const token = tokenOf(reply);
    expect(token).not.toBe(fixed);
    expect((await who(fixed)).status).toBe(401);
    expect((await who(token)).status).toBe(200);
  });

  it("never takes over a session that somebody else has chosen", async () => {
    const { name } = await makeOperator(world);
    const chosen = `loyses_${"a".repeat(43)}`;
    const token = tokenOf(await signIn(name, testPassword, withCookie(chosen).headers));
    expect(token).not.toBe(chosen);
    expect((await who(chosen)).status).toBe(401);
  });

  it.each([
    ["a wrong password", async () => signIn((await makeOperator(world)).name, "another battery staple")],
    ["an unknown name", () => signIn("nobody at all")],
    ["an account without a password", async () => signIn((await inviteOperator(world)).name)],
    [
      "a disabled account",
      async () => {
        const { name, operator_id } = await makeOperator(world);
        await operatorWrite(world, "/op/operators/disable", { operator_id });
        return signIn(name);
      },
    ],
  ])("rejects %s in the same way", async (_what, attempt) => {
    const reply = await attempt();
    expect(reply.status).toBe(401);
    expect(reply.body.error).toEqual({ code: "sign_in_failed", details: {} });
    expect(reply.headers.get("set-cookie")).toBeNull();
  });
});

describe("a cookie", () => {
  let token: string;
  beforeAll(async () => {
    token = (await makeOperator(world)).session;
  });
  const codeOf = async (path: string, headers: Record<string, string>, contentType = "application/json") => {
    const options = {
      headers: { ...headers, "content-type": contentType, cookie: `loyalty_console=${token}` },
    };
    const { body } = await world.call(path, {}, options);
    return body.success === true ? "served" : body.error.code;
  };

  it("counts in requests of a page of the service itself", async () => {
    expect(await codeOf("/op/businesses/list", sameOrigin)).toBe("served");
    const origin = new URL(world.baseUrl).origin;
    expect(await codeOf("/op/businesses/list", { origin })).toBe("served");
  });

  it.each<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another host of the same site", { "sec-fetch-site": "same-site" }],
    ["an address that a person has typed", { "sec-fetch-site": "none" }],
    ["another origin", { origin: "https://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    [
      "another origin that claims to be the same",
      { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1" },
    ],
    ["a program that sends neither header", {}],
  ])("does not count in requests of %s", async (_who, headers) => {
    expect(await codeOf("/op/businesses/list", headers)).toBe("unauthorized");
    expect(await codeOf("/op/session/delete", headers)).toBe("unauthorized");
  });

  it("does not count in a form", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      expect(await codeOf("/op/businesses/list", sameOrigin, type)).toBe("invalid_content_type");
  });

  it("does not count for partners, nor twice, nor under the name for TLS", async () => {
    expect(await codeOf("/sp/locations/list", sameOrigin)).toBe("unauthorized");
    const cookies = [`loyalty_console=${token}; loyalty_console=${token}`, `__Host-loyalty_console=${token}`];
    for (const cookie of cookies) {
      const { body } = await world.call("/op/session/get", {}, { headers: { ...sameOrigin, cookie } });
      expect(body.error?.code, cookie).toBe("unauthorized");
    }
  });

  it("gets no header that lets a page of another origin read a response", async () => {
    const { headers } = await world.call("/op/session/get", {}, withCookie(token, { ...sameOrigin }));
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

/** Changes the times of a session. */
const setSession = (token: string, times: { idle?: string; left?: string; confirmed?: string }) =>
  world.sql`
    UPDATE operator_session SET
      last_seen_at = now() - ${times.idle ?? "0"}::interval,
      expires_at = now() + ${times.left ?? "7 days"}::interval,
      authenticated_at = now() - ${times.confirmed ?? "0"}::interval
    WHERE session_hash = ${hashSecret(token)}`;

describe("a session", () => {
  it.each<[string, Parameters<typeof setSession>[1], number]>([
    ["a minute before it was idle for 12 hours", { idle: "11:59:00" }, 200],
    ["when it was idle for 12 hours", { idle: "12:00:01" }, 401],
    ["a minute before its end", { left: "00:01:00" }, 200],
    ["at its end", { left: "-1 second" }, 401],
  ])("%s", async (_when, times, status) => {
    const { operator_id } = await makeOperator(world);
    const token = await signInAs(world, operator_id);
    await setSession(token, times);
    expect((await who(token)).status).toBe(status);
  });

  it("counts, as a key does, while its use can't be recorded", async () => {
    const { session, operator_id } = await makeOperator(world);
    const { key, key_id } = await makeKey(world);
    await setSession(session, { idle: "00:02:00" });
    const find = async <Found>(by: (pools: OperatorPools) => Promise<Found>) => {
      const found: Found[] = [];
      const recording = world.sql.begin(async (tx) => {
        await tx`SET TRANSACTION READ ONLY`;
        found.push(await by({ lookUps: world.sql, sql: tx }));
      });
      await expect(recording).rejects.toThrow("read-only transaction");
      return found[0];
    };
    const ofSession = await find((pools) => findOperatorBySession(pools, hashSecret(session)));
    expect(ofSession).toMatchObject({ kind: "account", id: operator_id });
    const ofKey = await find((pools) => findOperatorByKey(pools, hashSecret(key)));
    expect(ofKey).toMatchObject({ kind: "key", id: key_id });
    const [unused] = await world.sql`SELECT last_used_at FROM operator_key WHERE key_id = ${key_id}`;
    expect(unused).toEqual({ last_used_at: null });
  });

  it("is used at most once a minute", async () => {
    const { session } = await makeOperator(world);
    await setSession(session, { idle: "00:02:00" });
    await who(session);
    const [used] = await world.sql<{ seconds: number }[]>`
      SELECT extract(epoch FROM now() - last_seen_at)::int AS seconds FROM operator_session
      WHERE session_hash = ${hashSecret(session)}`;
    expect(used?.seconds).toBeLessThan(60);
  });

  it.each<[string, (id: number) => Promise<unknown>]>([
    ["its person signs out", async () => undefined],
    [
      "the account is disabled",
      (operator_id) => operatorWrite(world, "/op/operators/disable", { operator_id }),
    ],
    ["the password is reset", (operator_id) => operatorWrite(world, "/op/operators/reset", { operator_id })],
    [
      "the role changes",
      (operator_id) => operatorWrite(world, "/op/operators/update", { operator_id, role: "viewer" }),
    ],
    [
      "a limit changes",
      (operator_id) => operatorWrite(world, "/op/operators/update", { operator_id, limit_points: 5 }),
    ],
  ])("ends when %s, in other processes within five seconds", async (what, end) => {
    await makeOperator(world);
    const { operator_id, session: token } = await makeOperator(world);
    const other = await startService(world, {});
    try {
      const there = async () =>
        (await world.call("/op/session/get", {}, { token, baseUrl: other.baseUrl })).status;
      expect([(await who(token)).status, await there()]).toEqual([200, 200]);
      if (what === "its person signs out") await world.call("/op/session/delete", {}, withCookie(token));
      else await end(operator_id);
      expect((await who(token)).status).toBe(401);
      await expect.poll(there, { interval: 200 }).toBe(401);
    } finally {
      await other.close();
    }
  });

  it("is listed to its person, and to owners, who can revoke it", async () => {
    const owner = await makeOperator(world);
    const viewer = await makeOperator(world, { role: "viewer" });
    const another = await signInAs(world, viewer.operator_id);
    const list = async (token: string) =>
      (await world.call("/op/sessions/list", { operator_id: viewer.operator_id }, { token })).body.data;
    expect(await list(viewer.session)).toHaveLength(2);
    expect(await list(owner.session)).toHaveLength(2);
    expect(await list((await makeOperator(world, { role: "manager" })).session)).toEqual([]);
    const [{ session_id }] = await list(viewer.session);
    const revoke = async (token: string, id: number) =>
      (await world.call("/op/sessions/revoke", { idempotency_key: nextKey(), session_id: id }, { token }))
        .body;
    const otherKey = await makeKey(world, { role: "manager" });
    expect((await revoke(otherKey.key, session_id)).error.code).toBe("session_not_found");
    expect((await revoke(owner.session, session_id)).success).toBe(true);
    expect((await who(another)).status).toBe(401);
    expect((await who(viewer.session)).status).toBe(200);
  });
});

it("ends with a reset, even if the sign-in was under way at that moment", async () => {
  await makeOperator(world);
  const { operator_id } = await makeOperator(world);
  let reset: Promise<unknown> | undefined;
  await world.sql.begin(async (tx) => {
    await holdPassword(tx, operator_id);
    await insertSession(tx, operator_id, hashSecret("a new session"), "127.0.0.1");
    reset = operatorWrite(world, "/op/operators/reset", { operator_id });
    const waiting = async () => (await world.sql`SELECT FROM pg_locks WHERE NOT granted`).length;
    await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0);
  });
  await reset;
  const left = await world.sql`SELECT FROM operator_session WHERE operator_id = ${operator_id}`;
  expect(left).toHaveLength(0);
});

describe("a sensitive operation", () => {
  const sensitive = operatorOperations.filter((operation) => "sensitive" in operation);

  it("is each one that shows a secret, or gives rights to a person, a key or an integration", () => {
    const paths = sensitive.map(({ path }) => path);
    const secret = operatorOperations.filter((one) => "confidential" in one && one.confidential);
    expect(secret.length).toBeGreaterThan(6);
    expect(paths).toEqual(expect.arrayContaining(secret.map(({ path }) => path)));
    const giving = ["operators", "integrations"].flatMap((noun) => [`${noun}/update`, `${noun}/enable`]);
    expect(paths).toEqual(expect.arrayContaining(giving.map((path) => `/op/${path}`)));
  });

  it("needs the password of a person again after ten minutes, and not that of keys and root", async () => {
    expect(sensitive.length).toBeGreaterThan(8);
    const { session, name, operator_id } = await makeOperator(world);
    const { key } = await makeKey(world);
    const codeOf = async (path: string, token: string) =>
      (await world.call(path, {}, { token })).body.error.code;
    for (const { path } of sensitive) {
      // Ten seconds are left for a request.
      await setSession(session, { confirmed: "00:09:50" });
      expect(await codeOf(path, session), path).toBe("idempotency_key_required");
    }
    const older = await signInAs(world, operator_id);
    await setSession(older, { confirmed: "00:10:01" });
    for (const { path } of sensitive) {
      expect(await codeOf(path, older), path).toBe("reauthentication_required");
      expect(await codeOf(path, key), path).toBe("idempotency_key_required");
    }
    const confirmed = tokenOf(await signIn(name, testPassword, withCookie(older).headers));
    for (const { path } of sensitive)
      expect(await codeOf(path, confirmed), path).toBe("idempotency_key_required");
    expect((await who(older)).status).toBe(401);
  });
});

describe("an invitation", () => {
  const accept = (token: string, password = testPassword) =>
    world.call("/op/operators/accept", { token, password });

  it("sets the password once, and signs in", async () => {
    const { token, name, operator_id } = await inviteOperator(world, { role: "viewer" });
    const reply = await accept(token);
    expect(reply.body.data.operator).toMatchObject({ operator_id, name, role: "viewer" });
    expect((await who(tokenOf(reply))).status).toBe(200);
    expect((await accept(token)).body.error.code).toBe("invitation_not_valid");
    expect((await signIn(name)).status).toBe(200);
  });

  it("says whose it is, and stays valid", async () => {
    const { token, name } = await inviteOperator(world);
    const reply = await world.call("/op/operators/get-invitation", { token });
    expect(reply.body.data).toEqual({ name });
    expect(reply.headers.get("set-cookie")).toBeNull();
    expect((await accept(token)).status).toBe(200);
    const { body } = await world.call("/op/operators/get-invitation", { token });
    expect(body.error.code).toBe("invitation_not_valid");
  });

  it("works for one of two at the same moment", async () => {
    const { token } = await inviteOperator(world);
    const statuses = (await Promise.all([accept(token), accept(token)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 403]);
  });

  it.each([
    [
      "after 24 hours",
      (id: number) => world.sql`
      UPDATE operator_account SET invitation_expires_at = now() - interval '1 second' WHERE operator_id = ${id}`,
    ],
    [
      "of a disabled account",
      (operator_id: number) => operatorWrite(world, "/op/operators/disable", { operator_id }),
    ],
    [
      "after the account was disabled and enabled",
      async (operator_id: number) => {
        await operatorWrite(world, "/op/operators/disable", { operator_id });
        await operatorWrite(world, "/op/operators/enable", { operator_id });
      },
    ],
    [
      "after the rights have changed",
      (operator_id: number) => operatorWrite(world, "/op/operators/update", { operator_id, role: "owner" }),
    ],
    [
      "after a newer one",
      (operator_id: number) => operatorWrite(world, "/op/operators/reset", { operator_id }),
    ],
  ])("is not valid %s", async (_when, change) => {
    const { token, operator_id } = await inviteOperator(world);
    await change(operator_id);
    expect((await accept(token)).body.error.code).toBe("invitation_not_valid");
  });

  it("rejects passwords as those of members", async () => {
    const { token, name } = await inviteOperator(world);
    for (const [password, problem] of weak(name)) {
      const { body } = await accept(token, password);
      const errors = [{ field: "password", message: `password ${problem}` }];
      expect(body.error, password).toMatchObject({ code: "validation_failed", details: { errors } });
    }
    expect((await accept(token)).status).toBe(200);
  });
});

describe("a change of the own password", () => {
  const path = "/op/session/change-password";
  const next = "seven quiet lighthouses";
  const change = (token: string | undefined, body: object) =>
    world.call(path, { password: testPassword, new_password: next, ...body }, token ? { token } : {});

  it("ends all sessions of the person, and opens one", async () => {
    const { name, session } = await makeOperator(world);
    const elsewhere = tokenOf(await signIn(name));
    const reply = await change(session, { name });
    expect(reply.body).toMatchObject({ message: "Password changed.", data: { operator: { name } } });
    for (const token of [session, elsewhere]) expect((await who(token)).status).toBe(401);
    expect((await who(tokenOf(reply))).status).toBe(200);
    expect((await signIn(name)).body.error.code).toBe("sign_in_failed");
    expect((await signIn(name, next)).status).toBe(200);
    const [entry] = await world.sql<{ event: string }[]>`
      SELECT event FROM audit_entry WHERE actor_name = ${name} AND event = 'operator_account.password_changed'`;
    expect(entry).toBeDefined();
  });

  it("needs a session, the current password of its own account, and a password that is not weak", async () => {
    const { name, session } = await makeOperator(world);
    const other = await makeOperator(world);
    const codeOf = async (token: string | undefined, body: object) => (await change(token, body)).body.error;
    expect(await codeOf(undefined, { name })).toMatchObject({ code: "unauthorized" });
    expect(await codeOf(`loyses_${"a".repeat(43)}`, { name })).toMatchObject({ code: "unauthorized" });
    expect(await codeOf(session, { name, password: "not the password" })).toMatchObject({
      code: "sign_in_failed",
    });
    expect(await codeOf(session, { name: other.name })).toMatchObject({ code: "sign_in_failed" });
    for (const [new_password, problem] of weak(name)) {
      const errors = [{ field: "new_password", message: `new_password ${problem}` }];
      expect(await codeOf(session, { name, new_password })).toMatchObject({
        code: "validation_failed",
        details: { errors },
      });
    }
    expect((await who(session)).status).toBe(200);
    expect((await signIn(other.name)).status).toBe(200);
  });
});

describe("the language of the console", () => {
  const path = "/op/session/set-language";
  const choose = (token: string | undefined, language: string | null) =>
    world.call(path, { language }, token ? { token } : {});
  const languageOf = async (token: string) => (await who(token)).body.data.language;

  it("is the one that the person chose, in all sessions of the account and in no other", async () => {
    const { name, session } = await makeOperator(world, { role: "viewer" });
    const other = await makeOperator(world);
    expect(await languageOf(session)).toBeNull();
    expect((await choose(session, "de")).body.data).toEqual({ language: "de" });
    // Rights are cached, and a page that is loaded after the choice must have it.
    expect(await languageOf(session)).toBe("de");
    const elsewhere = await signIn(name);
    expect(elsewhere.body.data.language).toBe("de");
    expect(await languageOf(other.session)).toBeNull();
    await choose(tokenOf(elsewhere), null);
    expect(await languageOf(session)).toBeNull();
    const entries =
      await world.sql`SELECT FROM audit_entry WHERE actor_name = ${name} AND event LIKE '%language%'`;
    expect(entries).toHaveLength(0);
  });

  it("needs a session, and a language that the console has", async () => {
    const { session } = await makeOperator(world);
    expect((await choose(undefined, "de")).body.error.code).toBe("unauthorized");
    expect((await choose(`loyses_${"a".repeat(43)}`, "de")).body.error.code).toBe("unauthorized");
    expect((await world.call(path, { language: "de" }, { token: testOperatorKey })).body.error.code).toBe(
      "unauthorized",
    );
    expect((await choose(session, "it")).body.error.code).toBe("validation_failed");
    expect((await who(testOperatorKey)).body.data.language).toBeNull();
  });
});
