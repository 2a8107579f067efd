import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { ApiError, balanceOf, LoyaltyClient, NotFoundError, ValidationError } from "loyalty-sdk";
import { describe, expect, it, vi } from "vitest";
import { bodyOf } from "../../src/contract/operation.ts";
import { eventTypeNames, eventTypes } from "../../src/domain/ledger.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { freePort } from "../support/service-process.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();

function clientOf(integration = world.home.everywhere): LoyaltyClient {
  const { client_id, client_secret } = integration;
  return new LoyaltyClient({ baseUrl: world.baseUrl, clientId: client_id, clientSecret: client_secret });
}

type Method = (request: object, options?: object) => PromiseLike<unknown>;

function namesOf(path: string): string[] {
  const segments = path.split("/").slice(2);
  return segments.map((segment) => segment.replace(/-./g, (letters) => letters.charAt(1).toUpperCase()));
}

/** The method at an operation's path, found as a reader of the path would find it. */
function methodAt(client: LoyaltyClient, path: string): Method {
  const names = namesOf(path);
  const name = names.pop()!;
  const resource = names.reduce(
    (at, next) => at[next] as never,
    client as unknown as Record<string, unknown>,
  );
  return (resource[name] as Method).bind(resource);
}

const readme = readFileSync(join(import.meta.dirname, "../../packages/sdk/README.md"), "utf8");

describe("members.findByPhone", () => {
  it("finds a member by the whole number, however it is written, and nobody by a part of it", async () => {
    const client = clientOf();
    const contact_id = await world.member({ phone_number: "+34699555123" });
    for (const written of ["+34699555123", "0034 699 555 123", "+34 (699) 555-123"]) {
      expect(await client.members.findByPhone(written)).toMatchObject({ contact_id });
    }
    expect(await client.members.findByPhone("\u202a+34\u00a0699\u00a0555\u00a0123\u202c")).toMatchObject({
      contact_id,
    });
    for (const nobody of ["+3469955512", "0999 1", "+34 0999 1", "abc", ""]) {
      expect(await client.members.findByPhone(nobody)).toBeUndefined();
    }
    // Without a country, a number needs its country code.
    await expect(client.members.findByPhone("699 555 123")).rejects.toThrow(ValidationError);
    const { businessId: business_id } = world.home;
    await operatorWrite(world, "/op/businesses/update", { business_id, country: "ES" });
    expect(await client.members.findByPhone("699 555 123")).toMatchObject({ contact_id });
    expect(await client.members.findByPhone("0999 123 456")).toBeUndefined();
    await operatorWrite(world, "/op/businesses/update", { business_id, country: null });
  });
});

describe("an error", () => {
  it("has details of a type by its code", async () => {
    const contact_id = await world.member();
    const debit = { contact_id, points: 5, adjustment_type: "debit" } as const;
    const error = await clientOf()
      .rewardPoints.adjust(debit)
      .catch((reason: unknown) => reason);
    if (!(error instanceof ApiError) || !error.is("insufficient_balance")) throw error;
    const { balance } = error.details;
    expect(balance satisfies number).toBe(0);
    expect(error.is("member_not_found")).toBe(false);
  });
});

describe.each(operationsInRealTime)("$path", (operation) => {
  it("is in the table of the README", () => {
    const [, method] = new RegExp(`\\| \`${operation.path}\` +\\| \`client\\.([^(]+)\\(`).exec(readme)!;
    expect(method).toBe(namesOf(operation.path).join("."));
  });

  it("has a method at its path, which brings what the operation returns", async () => {
    const client = clientOf();
    const body = validBody(operation, world.home, await makeRecords(world, world.home));
    const takesBody = Object.keys(bodyOf(operation).properties).length > 0;
    const compare = async () => {
      const responded = await methodAt(client, operation.path)(...((takesBody ? [body] : []) as [object]));
      const reply = await world.ask(operation.path, body);
      expect(reply.body).toMatchObject({ success: true });
      if (operation.kind === "list") {
        const { pagination, next } = reply.body.meta;
        expect(responded).toMatchObject({ data: reply.body.data, pagination, after: next });
      } else if (operation.kind === "token") {
        expect(Object.keys(responded as object)).toEqual(Object.keys(reply.body.data));
      } else {
        // For those that write, the key is the same: the plain request replays the client's.
        const { data } = reply.body;
        expect(responded).toEqual(isWrite(operation) ? { ...data, replayed: false, retries: 0 } : data);
      }
    };
    if (isWrite(operation)) await compare();
    // A second may end between the two, or a delivery.
    else await vi.waitFor(compare, { timeout: 60_000, interval: 3_000 });
  });
});

describe("a client", () => {
  it("takes and gives what its types say", async () => {
    const client = clientOf();
    const person = newPerson();
    const member = await client.members.create({ ...person, email: undefined });
    const email: string | null = member.email;
    expect(email).toBeNull();
    const { balance_after } = await client.wallet.adjust({
      contact_id: member.contact_id,
      location_id: world.home.locationIds[0],
      amount: 1250,
      adjustment_type: "credit",
    });
    expect(balance_after).toBe(1250);
    // @ts-expect-error: there is no such field
    await expect(client.vouchers.get({ voucher: 1 })).rejects.toMatchObject({ code: "validation_failed" });
    // @ts-expect-error: it is required
    await expect(client.members.update({ first_name: "Ana" })).rejects.toMatchObject({
      errors: [{ field: "contact_id", code: "required" }],
    });
  });

  it("knows what a member has", async () => {
    const client = clientOf();
    const { contact_id } = await client.members.create(newPerson());
    const both = () =>
      Promise.all([balanceOf(client, "wallet", contact_id), balanceOf(client, "points", contact_id)]);
    expect(await both()).toEqual([0, 0]);
    const [location_id] = world.home.locationIds;
    const adjust = { contact_id, location_id, adjustment_type: "credit" } as const;
    await client.wallet.adjust({ ...adjust, amount: 3000 });
    await client.rewardPoints.adjust({ contact_id, points: 7, adjustment_type: "credit" });
    await client.wallet.adjust({ ...adjust, amount: 450, adjustment_type: "debit" });
    expect(await both()).toEqual([2550, 7]);
    await expect(balanceOf(client, "points", undefined as never)).rejects.toThrow(TypeError);
  });

  it.each(["wallet", "points"] as const)("asks for every kind of entry that moves %s", async (account) => {
    const asked: unknown[] = [];
    const transactions = {
      list: async (request: unknown) => {
        asked.push(request);
        return { data: [] };
      },
    };
    await balanceOf({ transactions } as never, account, 7);
    const kinds = eventTypeNames.filter((name) => eventTypes[name].account === account);
    expect(asked).toEqual([{ contact_id: 7, event_types: kinds, per_page: 1 }]);
  });

  it("tells the whole response to who asks for it", async () => {
    const client = clientOf();
    const request = { ...newPerson(), idempotency_key: "member-of-the-day" };
    const first = await client.members.create(request).withResponse();
    const again = await client.members.create(request).withResponse();
    expect(first).toMatchObject({ status: 201, replayed: false, idempotencyKey: "member-of-the-day" });
    expect(again).toMatchObject({ status: 201, replayed: true, data: { ...first.data, replayed: true } });
    expect(first.data).toMatchObject({ replayed: false, retries: 0 });
    expect(again.requestId).not.toBe(first.requestId);
    const missing = client.vouchers.get({ voucher_id: 2 ** 40 }).withResponse();
    await expect(missing).rejects.toThrow(NotFoundError);
  });

  it("says nothing of its secret and its token when it is shown", async () => {
    const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
    let authorization = "";
    const client = new LoyaltyClient({
      baseUrl: world.baseUrl,
      clientId,
      clientSecret,
      fetch: (input, init) => {
        authorization = new Headers(init?.headers).get("authorization") ?? "";
        return fetch(input, init);
      },
    });
    const error = await client.vouchers.get({ voucher_id: 2 ** 40 }).catch((reason: unknown) => reason);
    const shown = [client, error].map(
      (it) => inspect(it, { depth: 20, showHidden: true }) + JSON.stringify(it),
    );
    expect(authorization).toMatch(/^Bearer .{100}/);
    for (const secret of [clientSecret, authorization.slice("Bearer ".length)]) {
      expect(shown.join()).not.toContain(secret);
    }
  });

  it("says what to mend when its baseUrl is not the service's", async () => {
    const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
    const { origin, host } = new URL(world.baseUrl);
    const failing = (baseUrl: string) =>
      new LoyaltyClient({ baseUrl, clientId, clientSecret, maxRetries: 0 }).memberTiers.list();
    await expect(failing(origin)).rejects.toThrow(
      `The URL was ${origin}/sp/auth/token: baseUrl probably lacks its base path, such as /api`,
    );
    await expect(failing(`https://${host}/api`)).rejects.toThrow("a service that speaks plain http");
    await expect(failing(`http://127.0.0.1:${await freePort()}/api`)).rejects.toThrow(
      "is the service running there?",
    );
  });

  it("works with a token from elsewhere, and asks for another when it is rejected", async () => {
    const fixed = new LoyaltyClient({ baseUrl: world.baseUrl, accessToken: await world.token() });
    expect(await fixed.memberTiers.list()).not.toEqual([]);
    let asked = 0;
    const accessToken = async () => (++asked === 1 ? "stale" : world.token());
    const fresh = new LoyaltyClient({ baseUrl: world.baseUrl, accessToken });
    expect(await fresh.memberTiers.list()).not.toEqual([]);
    expect(asked).toBe(2);
    const stale = new LoyaltyClient({ baseUrl: world.baseUrl, accessToken: "stale" });
    await expect(stale.memberTiers.list()).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });

  it("says of a replayed write whether its own retry caused that", async () => {
    const { client_id: clientId, client_secret: clientSecret } = world.home.everywhere;
    let losesResponse = true;
    const client = new LoyaltyClient({
      baseUrl: world.baseUrl,
      clientId,
      clientSecret,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith("/sp/members/create") || !losesResponse) return response;
        losesResponse = false;
        throw new TypeError("the response is lost");
      },
    });
    const request = { ...newPerson(), idempotency_key: "member-of-a-bad-night" };
    expect(await client.members.create(request)).toMatchObject({ replayed: true, retries: 1 });
    expect(await client.members.create(request)).toMatchObject({ replayed: true, retries: 0 });
  });

  it("takes a new secret while it runs, when the old one ends", async () => {
    const { integrationId: integration_id, ...credentials } = await world.integration(world.home);
    const of = { business_id: world.home.businessId, integration_id, overlap_seconds: 0 };
    let secret = credentials.client_secret;
    const clientSecret = async () => secret;
    const client = new LoyaltyClient({
      baseUrl: world.baseUrl,
      clientId: credentials.client_id,
      clientSecret,
    });
    await client.memberTiers.list();
    const token = await world.token({ integrationId: integration_id, ...credentials });
    secret = (await operatorWrite(world, "/op/integrations/rotate-secret", of)).client_secret;
    const { overlap_seconds: _, ...revoked } = of;
    await operatorWrite(world, "/op/integrations/revoke-tokens", revoked);
    await expect
      .poll(async () => (await world.call("/sp/member-tiers/list", {}, { token })).status)
      .toBe(401);
    expect(await client.memberTiers.list()).not.toEqual([]);
  });

  it("gets a new token when its tokens were revoked", async () => {
    const integration = await world.integration(world.home);
    const client = clientOf(integration);
    await client.memberTiers.list();
    const token = await world.token(integration);
    await world.sql`
      UPDATE integration SET token_generation = token_generation + 1
      WHERE integration_id = ${integration.integrationId}`;
    await expect
      .poll(async () => (await world.call("/sp/member-tiers/list", {}, { token })).status)
      .toBe(401);
    expect(await client.memberTiers.list()).not.toEqual([]);
  });
});
