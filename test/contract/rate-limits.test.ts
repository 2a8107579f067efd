/** How many requests an integration may send, and how many wrong credentials anyone. */
import { describe, expect, it } from "vitest";
import { newCardCode } from "../../src/credentials/card-codes.ts";
import { asOperator } from "../support/operator-requests.ts";
import { newPerson, nextKey, type Reply, useWorld } from "../support/world.ts";

const world = useWorld({
  LOYALTY_RATE_LIMIT: "1",
  LOYALTY_FAILED_TOKEN_LIMIT: "4",
  LOYALTY_WRONG_CODE_LIMIT: "3",
  LOYALTY_TRUSTED_PROXIES: "127.0.0.1",
});

function expectLimited(reply: Reply): void {
  expect(reply.status).toBe(429);
  expect(reply.body).toStrictEqual({
    success: false,
    message: "Too many requests. Wait for the seconds in the header Retry-After, then retry.",
    error: { code: "rate_limited", details: {} },
  });
}

describe("an integration", () => {
  const list = (token: string) => world.call("/sp/member-tiers/list", {}, { token });

  it("may send twice at once what it may send a second, and then has to wait", async () => {
    const token = await world.token(await world.integration(world.home));
    const replies = await Promise.all(Array.from({ length: 12 }, () => list(token)));
    const limited = replies.filter(({ status }) => status === 429);
    // The bucket fills while the twelve arrive, so that a few more than two may pass.
    expect(limited.length).toBeGreaterThan(0);
    expect(replies.length - limited.length).toBeGreaterThanOrEqual(2);
    for (const reply of limited) {
      expectLimited(reply);
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    for (const { headers } of replies) {
      expect(headers.get("ratelimit-policy")).toBe('"default";q=2;w=2');
      expect(headers.get("ratelimit")).toMatch(/^"default";r=[01];t=[01]$/);
    }
    const other = await world.integration(world.home);
    expect((await list(await world.token(other))).status).toBe(200);
  });

  it("counts requests that are rejected for their body as well", async () => {
    const token = await world.token(await world.integration(world.home));
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => world.call("/sp/vouchers/get", "not json", { token })),
    );
    const statuses = new Set(replies.map(({ status }) => status));
    expect(statuses).toEqual(new Set([400, 429]));
    // All of them are in the request log.
    const { body } = await asOperator(world, "/op/requests/list", {
      business_id: world.home.businessId,
      operation: "/sp/vouchers/get",
      per_page: 100,
    });
    const codes = body.data.map(({ error_code }: { error_code: string }) => error_code);
    expect(codes).toHaveLength(12);
    expect(new Set(codes)).toEqual(new Set(["malformed_json", "rate_limited"]));
  });
});

describe("wrong credentials", () => {
  const issue = (body: object, address: string) =>
    world.call("/sp/auth/token", body, { headers: { "x-forwarded-for": address } });

  it("may be sent so many times a minute for one client_id, from wherever", async () => {
    const { client_id, client_secret } = await world.integration(world.home);
    for (let count = 1; count <= 4; count++) {
      const reply = await issue({ client_id, client_secret: "wrong" }, `10.1.0.${count}`);
      expect(reply.body.error.code).toBe("invalid_client_credentials");
    }
    const limited = await issue({ client_id, client_secret: "wrong" }, "10.1.0.5");
    expectLimited(limited);
    const retryAfter = Number(limited.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(15);
    // A caller with the right secret is not locked out by others who know the client_id.
    expect((await issue({ client_id, client_secret }, "10.1.0.6")).status).toBe(200);
  });

  it("may be sent so many times a minute from one network of IPv6", async () => {
    const wrong = { client_id: "nobody", client_secret: "wrong" };
    for (let count = 1; count <= 4; count++) {
      const reply = await issue({ ...wrong, client_id: `nobody-${count}` }, `2001:db8::${count}`);
      expect(reply.body.error.code).toBe("invalid_client_credentials");
    }
    expectLimited(await issue(wrong, "2001:db8:0:0:ffff::5"));
    expect((await issue(wrong, "2001:db8:0:1::5")).body.error.code).toBe("invalid_client_credentials");
  });

  it("may be sent so many times a minute from one address, for whatever client_id", async () => {
    for (let count = 1; count <= 4; count++) {
      const reply = await issue({ client_id: `nobody-${count}`, client_secret: "wrong" }, "10.2.0.1");
      expect(reply.body.error.code).toBe("invalid_client_credentials");
    }
    const { client_id, client_secret } = await world.integration(world.home);
    for (const form of ["10.2.0.1", "10.2.0.1:4711", "::ffff:10.2.0.1", "[::ffff:a02:1]:4712"]) {
      expectLimited(await issue({ client_id, client_secret: "wrong" }, form));
    }
    // One till with a wrong secret locks out no other behind the same address.
    expect((await issue({ client_id, client_secret }, "10.2.0.1")).status).toBe(200);
  });

  it("count for the proxy that passes on what is no address", async () => {
    const codes: string[] = [];
    for (let count = 1; count <= 6; count++) {
      const reply = await issue(
        { client_id: `nowhere-${count}`, client_secret: "wrong" },
        `nowhere-${count}`,
      );
      codes.push(reply.body.error.code);
    }
    expect(codes.at(-1)).toBe("rate_limited");
  });

  it("are all that counts there: right ones and malformed requests do not", async () => {
    for (let count = 1; count <= 8; count++) {
      const { client_id, client_secret } = await world.integration(world.home);
      expect((await issue({ client_id, client_secret }, "10.3.0.1")).status).toBe(200);
      expect((await issue({ client_id }, "10.3.0.1")).status).toBe(422);
    }
  });

  it("or right ones, an integration is issued no more tokens at once than it may make requests", async () => {
    const { client_id, client_secret } = await world.integration(world.home);
    const issued = () => issue({ client_id, client_secret }, "10.4.0.1");
    const replies = await Promise.all(Array.from({ length: 12 }, issued));
    const statuses = replies.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const first = replies.find(({ status }) => status === 200);
    expect(first?.headers.get("ratelimit-policy")).toBe('"tokens";q=2;w=2');
    for (const reply of replies.filter(({ status }) => status === 429)) {
      expectLimited(reply);
      expect(reply.headers.get("ratelimit")).toMatch(/^"tokens";r=0;t=1$/);
    }
  });
});

describe("wrong codes of cards", () => {
  it("are limited by integration, and a right code does not help", async () => {
    const one = await world.integration(world.home);
    const contact_id = await world.member(newPerson(), one);
    const other = await world.integration(world.home);
    const [token, tokenOfOther] = [await world.token(one), await world.token(other)];
    const made = await world.call(
      "/sp/cards/create",
      { idempotency_key: nextKey(), contact_id, kind: "app" },
      { token },
    );
    const { card_code } = made.body.data;
    const find = async (code: string, as = token) => {
      // Meanwhile, the limit of requests fills up.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      return (await world.call("/sp/members/find", { card_code: code }, { token: as })).status;
    };
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) statuses.push(await find(newCardCode()));
    expect([...statuses, await find(card_code)]).toEqual([404, 404, 404, 429, 429]);
    expect(await find(card_code, tokenOfOther)).toBe(200);
  });

  it("count numbers that a business has already, which a new card tells of", async () => {
    const one = await world.integration(world.home);
    const contact_id = await world.member(newPerson(), one);
    const token = await world.token(one);
    const make = async (card_code: string) => {
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const body = { idempotency_key: nextKey(), contact_id, kind: "plastic", card_code };
      return (await world.call("/sp/cards/create", body, { token })).status;
    };
    expect(await make("LC0004711")).toBe(201);
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) statuses.push(await make("LC0004711"));
    expect(statuses).toEqual([409, 409, 409, 429]);
  });
});

describe("wrong codes of vouchers", () => {
  it("are limited by integration, for claims and for sales", async () => {
    const { businessId: business_id, locationIds } = world.home;
    const [one, other] = [await world.integration(world.home), await world.integration(world.home)];
    const contact_id = await world.member(newPerson(), one);
    const [tokenOfOne, tokenOfOther] = [await world.token(one), await world.token(other)];
    const send = (path: string, body: object, token: string) =>
      world.call(path, { idempotency_key: nextKey(), contact_id, ...body }, { token });
    const claim = (code: string, token: string) => send("/sp/vouchers/claim", { code }, token);
    const statuses: number[] = [];
    // Between two requests, the limit of requests fills up.
    for (let nth = 0; nth < 4; nth += 1) {
      statuses.push((await claim(`WRONG-${nth}`, tokenOfOne)).status);
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    expect(statuses).toEqual([404, 404, 404, 429]);
    const sale = { location_id: locationIds[0], amount: 1000, use_codes: ["SUMMER 20"] };
    expect((await send("/sp/sales/record", sale, tokenOfOne)).status).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    // They count together with those of cards.
    const card = { card_code: newCardCode() };
    expect((await world.call("/sp/members/find", card, { token: tokenOfOne })).status).toBe(429);
    // Others go on.
    expect((await claim("K7QD-3MVX-9TRB", tokenOfOther)).status).toBe(200);
    const { body } = await asOperator(world, "/op/exports/codes", { business_id });
    expect(body.data.codes).toMatchObject([
      { contact_id, status: "held" },
      { contact_id: null },
      { contact_id: null },
    ]);
  });
});
