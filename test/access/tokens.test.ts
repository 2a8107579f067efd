/** Access tokens and the credentials behind them, over HTTP, as integrations change under them. */

import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashSecret, newClientSecret } from "../../src/credentials/keys.ts";
import { tokenLifetimeSeconds } from "../../src/credentials/tokens.ts";
import { nameInSql, type SqlValue } from "../../src/database/sql.ts";
import { allScopes } from "../../src/domain/access/access.ts";
import { wallClockAt } from "../support/local-times.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import {
  type Credentials,
  type Reply,
  type StartedService,
  signToken,
  startService,
  useWorld,
} from "../support/world.ts";

const world = useWorld();

const issue = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
  world.call("/sp/auth/token", { client_id, client_secret });
const wrongCredentials = {
  success: false,
  message:
    "No enabled integration has this client_id and client_secret. If the secret was lost, ask the operator for a new one.",
  error: { code: "invalid_client_credentials", details: {} },
};
/** What the whole table of an integration's state is changed with. */
const change = async ({ integrationId }: Credentials, set: Readonly<Record<string, SqlValue>>) => {
  for (const [column, value] of Object.entries(set)) {
    await world.sql`UPDATE integration SET ${nameInSql(column)} = ${value} WHERE integration_id = ${integrationId}`;
  }
};

describe("a token", () => {
  it("has its local time from PostgreSQL's time zones, not from Node's", async () => {
    // This zone changed lately, so the two often differ.
    const zone = "America/Vancouver";
    const { access_token, expires_at } = (await issue((await world.business("West", zone)).everywhere)).body
      .data;
    const [row] = await world.sql<{ local: string }[]>`
      SELECT to_char(to_timestamp(${decodeJwt(access_token).exp as number}) AT TIME ZONE ${zone}, 'YYYY-MM-DD HH24:MI:SS')
        AS local`;
    expect(expires_at).toBe(row?.local);
  });

  it.each(["home", "away"] as const)(
    "says when it expires, in the time of its business: %s",
    async (name) => {
      const zone = name === "home" ? "Europe/Madrid" : "UTC";
      const before = Math.floor(Date.now() / 1000);
      const reply = await issue(world[name].everywhere);
      const after = Math.floor(Date.now() / 1000);
      expect(reply.status).toBe(200);
      const { access_token, expires_in, expires_at, ...rest } = reply.body.data;
      const { exp = 0 } = decodeJwt(access_token);
      expect(exp).toBeGreaterThanOrEqual(before + tokenLifetimeSeconds);
      expect(exp).toBeLessThanOrEqual(after + tokenLifetimeSeconds);
      expect([expires_in, expires_at]).toEqual([7200, wallClockAt(exp * 1000, zone)]);
      expect(rest).toEqual({
        token_type: "Bearer",
        scope: allScopes.join(" "),
        business_id: world[name].businessId,
        integration_id: world[name].everywhere.integrationId,
      });
      expect(reply.headers.get("cache-control")).toBe("no-store");
    },
  );

  it("is rejected from the second on at which it expires", async () => {
    const { integrationId } = world.home.everywhere;
    const claims = { integrationId, businessId: world.home.businessId, scopes: allScopes, generation: 1 };
    const aged = async (seconds: number) => {
      const token = await signToken(claims, { issuedAt: Date.now() - seconds * 1000 });
      return world.call("/sp/member-tiers/list", {}, { token });
    };
    expect((await aged(tokenLifetimeSeconds - 60)).status).toBe(200);
    const expired = await aged(tokenLifetimeSeconds);
    expect([expired.status, expired.body.error]).toEqual([
      401,
      { code: "unauthorized", details: { token: "invalid_or_expired" } },
    ]);
    expect(expired.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  it("names as its scope what the integration has when it is issued, be it nothing", async () => {
    const credentials = await world.integration(world.home, { scopes: [] });
    expect((await issue(credentials)).body.data.scope).toBe("");
    await change(credentials, { scopes: ["wa.tiers.read", "wa.wallet.read"] });
    expect((await issue(credentials)).body.data.scope).toBe("wa.tiers.read wa.wallet.read");
  });
});

describe("a change of an integration", () => {
  /** A service that remembers nothing, so that it sees the change at once. */
  let fresh: StartedService;
  const tiers = (token: string, baseUrl: string): Promise<Reply> =>
    world.call("/sp/member-tiers/list", {}, { token, baseUrl });
  const seen = async (token: string) => {
    fresh = await startService(world, {});
    const { status, body } = await tiers(token, fresh.baseUrl);
    await fresh.close();
    return status === 200 ? "served" : body.error.code;
  };

  it("opens an operation to new tokens only, and closes it to all", async () => {
    const credentials = await world.integration(world.home, { scopes: ["wa.members.read"] });
    const early = await world.freshToken(credentials);
    expect(await seen(early)).toBe("sp_scope_not_granted");
    await change(credentials, { scopes: ["wa.members.read", "wa.tiers.read"] });
    expect(await seen(early)).toBe("sp_token_scope_missing");
    const late = await world.freshToken(credentials);
    expect(await seen(late)).toBe("served");
    await change(credentials, { scopes: ["wa.members.read"] });
    expect([await seen(early), await seen(late)]).toEqual(["sp_scope_not_granted", "sp_scope_not_granted"]);
  });

  it("gets a rejection for a request whose body came only after it was disabled", async () => {
    const credentials = await world.integration(world.home);
    const token = await world.freshToken(credentials);
    const body = "{}";
    const { hostname, port, pathname } = new URL(`${world.baseUrl}/sp/members/list`);
    const sending = request({
      hostname,
      port,
      path: pathname,
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": body.length,
      },
    });
    const responded = once(sending, "response");
    sending.write(body.slice(0, 1));
    // What it may do has been looked at by now.
    await sleep(300);
    const { integrationId: integration_id } = credentials;
    await operatorWrite(world, "/op/integrations/disable", {
      business_id: world.home.businessId,
      integration_id,
    });
    sending.end(body.slice(1));
    const [response] = await responded;
    response.resume();
    expect(response.statusCode).toBe(404);
  });

  it("disables and enables it, tokens and credentials alike", async () => {
    const credentials = await world.integration(world.home);
    const token = await world.freshToken(credentials);
    await change(credentials, { enabled: false });
    expect(await seen(token)).toBe("sp_integration_not_found");
    const rejected = await issue(credentials);
    expect([rejected.status, rejected.body]).toEqual([401, wrongCredentials]);
    await change(credentials, { enabled: true });
    expect(await seen(token)).toBe("served");
    expect((await issue(credentials)).status).toBe(200);
  });

  it("revokes all tokens that were issued before, and none after", async () => {
    const credentials = await world.integration(world.home);
    const early = await world.freshToken(credentials);
    await change(credentials, { token_generation: 2 });
    expect(await seen(early)).toBe("unauthorized");
    expect(await seen(await world.freshToken(credentials))).toBe("served");
  });

  it("ends it: a token of one that was deleted or belongs elsewhere finds none", async () => {
    const credentials = await world.integration(world.home);
    const token = await world.freshToken(credentials);
    await change(credentials, { business_id: world.away.businessId });
    expect(await seen(token)).toBe("sp_integration_not_found");
    await world.sql`DELETE FROM integration WHERE integration_id = ${credentials.integrationId}`;
    expect(await seen(token)).toBe("sp_integration_not_found");
  });

  it("reaches a service that has just served it, without being told", async () => {
    const credentials = await world.integration(world.home);
    const token = await world.freshToken(credentials);
    const code = async () => (await tiers(token, world.baseUrl)).body.error?.code ?? "served";
    expect(await code()).toBe("served");
    await change(credentials, { scopes: ["wa.members.read"] });
    await expect.poll(code, { interval: 200 }).toBe("sp_scope_not_granted");
    await change(credentials, { enabled: false });
    await expect.poll(code, { interval: 200 }).toBe("sp_integration_not_found");
  });
});

describe("a new token, with several processes on the database", () => {
  let other: StartedService;
  beforeAll(async () => {
    other = await startService(world, {});
  });
  afterAll(() => other.close());

  const operate = (path: string, { integrationId: integration_id }: Credentials, fields: object = {}) =>
    operatorWrite(world, `/op/integrations/${path}`, {
      business_id: world.home.businessId,
      integration_id,
      ...fields,
    });
  /** Calls both processes many times, some at once and some one after the other. */
  const serve = async (token: string) => {
    const codes: string[] = [];
    for (let round = 0; round < 5; round++) {
      const calls = [world.baseUrl, other.baseUrl, world.baseUrl, other.baseUrl].map((baseUrl) =>
        world.call("/sp/member-tiers/list", {}, { token, baseUrl }),
      );
      codes.push(...(await Promise.all(calls)).map(({ body }) => body.error?.code ?? "served"));
    }
    return new Set(codes);
  };
  const changes = {
    "its tokens were revoked": (credentials: Credentials) => operate("revoke-tokens", credentials),
    "it was disabled and enabled": async (credentials: Credentials) => {
      const token = await world.freshToken(credentials);
      await operate("disable", credentials);
      // Both processes learn of it.
      for (const { baseUrl } of [world, other]) {
        const code = async () =>
          (await world.call("/sp/member-tiers/list", {}, { token, baseUrl })).body.error?.code;
        await expect.poll(code).toBe("sp_integration_not_found");
      }
      return operate("enable", credentials);
    },
    "it was granted a scope": (credentials: Credentials) =>
      operate("update", credentials, { scopes: ["wa.members.read", "wa.tiers.read"] }),
  };

  it.each(Object.entries(changes))("works at once in all of them after %s", async (_change, make) => {
    for (let round = 0; round < 2; round++) {
      const scoped = make === changes["it was granted a scope"];
      const credentials = await world.integration(world.home, {
        scopes: scoped ? ["wa.members.read"] : [...allScopes],
      });
      const early = await world.freshToken(credentials);
      expect(await serve(early)).toEqual(new Set([scoped ? "sp_scope_not_granted" : "served"]));
      await make(credentials);
      expect(await serve(await world.freshToken(credentials))).toEqual(new Set(["served"]));
    }
  });
});

describe("credentials", () => {
  const add = ({ integrationId }: Credentials, secret: string, expires: "never" | "soon" | "past") => {
    const hash = hashSecret(secret);
    const times = { never: null, soon: "1 hour", past: "-1 second" };
    return world.sql`
      INSERT INTO integration_secret (business_id, integration_id, secret_hash, expires_at)
      SELECT business_id, integration_id, ${hash}, now() + ${times[expires]}::interval FROM integration
      WHERE integration_id = ${integrationId}`;
  };

  it("are valid with either of two secrets during a rotation, and with the newer alone after it", async () => {
    const credentials = await world.integration(world.home);
    const { client_id, client_secret, integrationId } = credentials;
    const next = newClientSecret();
    await add(credentials, next, "never");
    await world.sql`
      UPDATE integration_secret SET expires_at = now() + interval '1 hour'
      WHERE integration_id = ${integrationId} AND secret_hash = ${hashSecret(client_secret)}`;
    for (const secret of [client_secret, next]) {
      expect((await issue({ client_id, client_secret: secret })).status).toBe(200);
    }
    await world.sql`
      UPDATE integration_secret SET expires_at = now()
      WHERE integration_id = ${integrationId} AND secret_hash = ${hashSecret(client_secret)}`;
    expect((await issue(credentials)).body).toEqual(wrongCredentials);
    expect((await issue({ client_id, client_secret: next })).status).toBe(200);
  });

  it("are wrong once every secret has expired", async () => {
    const credentials = await world.integration(world.home);
    await world.sql`DELETE FROM integration_secret WHERE integration_id = ${credentials.integrationId}`;
    await add(credentials, credentials.client_secret, "past");
    expect((await issue(credentials)).body).toEqual(wrongCredentials);
    await world.sql`DELETE FROM integration_secret WHERE integration_id = ${credentials.integrationId}`;
    await add(credentials, credentials.client_secret, "soon");
    expect((await issue(credentials)).status).toBe(200);
  });

  it("that are wrong are told nothing about what is wrong", async () => {
    const { client_id, client_secret } = world.home.everywhere;
    const disabled = await world.integration(world.home);
    await change(disabled, { enabled: false });
    const wrong = [
      { client_id: "nobody", client_secret },
      { client_id, client_secret: "wrong" },
      { client_id, client_secret: `${client_secret} ` },
      { client_id: client_id.toUpperCase(), client_secret },
      { client_id: `${client_id}' OR '1'='1`, client_secret },
      { client_id: world.away.everywhere.client_id, client_secret },
      disabled,
    ];
    for (const credentials of wrong) {
      const reply = await issue(credentials);
      expect([reply.status, reply.body]).toEqual([401, wrongCredentials]);
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
      expect(reply.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("are stored as hashes only", async () => {
    const credentials = await world.integration(world.home);
    await issue(credentials);
    const rows = await world.sql`
      SELECT i::text, s::text FROM integration i JOIN integration_secret s USING (integration_id)
      WHERE integration_id = ${credentials.integrationId}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(credentials.client_secret);
    const plain = Buffer.from(credentials.client_secret).toString("hex");
    expect(JSON.stringify(rows)).not.toContain(plain);
  });
});

describe("a secret of the service", () => {
  let other: StartedService;
  beforeAll(async () => {
    other = await startService(world, { secret: "another secret, just as long as the first" });
  });
  afterAll(() => other.close());

  it("is what makes its tokens good: those of another are rejected", async () => {
    const token = await world.token();
    const reply = await world.call("/sp/member-tiers/list", {}, { token, baseUrl: other.baseUrl });
    expect(reply.body.error).toEqual({ code: "unauthorized", details: { token: "invalid_or_expired" } });
  });
});
