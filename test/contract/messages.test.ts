/**
 * What a developer makes of a message who sees nothing else: each row is a mistake, and the words without which the message would
 * not say what to change.
 */
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { nextKey, signToken, useWorld } from "../support/world.ts";

const world = useWorld();
const list = "/sp/members/list";

let contact_id: number;
let location_id: number;
let third: number;
/** Held vouchers of the member, by what became of them. */
const vouchers: Record<string, number> = {};

beforeAll(async () => {
  [location_id, , third] = world.home.locationIds;
  contact_id = await world.member();
  await world.write("/sp/wallet/adjust", { contact_id, location_id, adjustment_type: "credit", amount: 100 });
  await world.write("/sp/reward-points/adjust", {
    contact_id,
    adjustment_type: "credit",
    points: 35,
  });
  const issue = async (voucher_id: number) =>
    (await world.write("/sp/vouchers/issue", { contact_id, voucher_id })).body.data.held_voucher_id;
  vouchers.first = await issue(world.home.vouchers.first);
  vouchers.used = await issue(world.home.vouchers.everywhere);
  vouchers.good = await issue(world.home.vouchers.everywhere);
  await world.write("/sp/vouchers/redeem", { contact_id, location_id, held_voucher_id: vouchers.used });
});

interface Answer {
  readonly status: number;
  readonly message: string;
}

/** Sends a request with exactly these headers. */
function send(
  path: string,
  headers: readonly string[],
  body: string | Buffer = "{}",
  method = "POST",
): Promise<Answer> {
  const { origin } = new URL(world.baseUrl);
  return new Promise((resolve, reject) => {
    const sending = request(origin + path, { method }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, message: JSON.parse(text).message }),
      );
    });
    const values = new Map<string, string[]>();
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string;
      values.set(name, [...(values.get(name) ?? []), headers[index + 1] as string]);
    }
    for (const [name, sent] of values)
      sending.setHeader(name, sent.length === 1 ? (sent[0] as string) : sent);
    sending.on("error", reject).end(method === "POST" ? body : undefined);
  });
}

const json = ["Content-Type", "application/json"];
const bearer = async () => ["Authorization", `Bearer ${await world.token()}`];
const sale = (fields: object) => ({ contact_id, location_id, amount: 1000, ...fields });
const asked = async (path: string, body: object): Promise<Answer> => {
  const { status, body: envelope } = await world.ask(path, body);
  return { status, message: envelope.message };
};
const written = (path: string, body: object) => asked(path, { idempotency_key: nextKey(), ...body });

describe("headers", () => {
  it.each<[mistake: string, headers: () => Promise<string[]>, status: number, words: string[]]>([
    ["no Content-Type", bearer, 415, ["no Content-Type", "application/json"]],
    ["a form", async () => ["Content-Type", "text/plain"], 415, ["another", "application/json"]],
    [
      "Latin-1",
      async () => ["Content-Type", "application/json; charset=iso-8859-1"],
      415,
      ["charset", "UTF-8"],
    ],
    ["gzip", async () => [...json, "Content-Encoding", "gzip"], 415, ["compressed", "uncompressed"]],
    ["gzip and no type", async () => ["Content-Encoding", "gzip"], 415, ["compressed"]],
    [
      "nothing that authorizes",
      async () => json,
      401,
      ["Authorization: Bearer", "missing", "/sp/auth/token"],
    ],
    [
      "Basic",
      async () => [...json, "Authorization", "Basic YTpi"],
      401,
      ["begin with Bearer", "client_secret"],
    ],
    ["a bare token", async () => [...json, "Authorization", await world.token()], 401, ["begin with Bearer"]],
    ["quotes", async () => [...json, "Authorization", 'Bearer "a.b.c"'], 401, ["without quotes"]],
    ["Bearer twice", async () => [...json, "Authorization", "Bearer Bearer abc"], 401, ["blanks"]],
    ["the secret", async () => [...json, "Authorization", "Bearer abc"], 401, ["expired", "/sp/auth/token"]],
    [
      "a revoked token",
      async () => {
        const { integrationId } = world.home.everywhere;
        const claims = { integrationId, businessId: world.home.businessId, scopes: [], generation: 0 };
        return [...json, "Authorization", `Bearer ${await signToken(claims)}`];
      },
      401,
      ["revoked", "/sp/auth/token", "client_secret"],
    ],
    [
      "two Authorization headers",
      async () => [...json, ...(await bearer()), "Authorization", "Bearer x"],
      400,
      ["twice", "header authorization"],
    ],
    [
      "another coding of the transfer",
      async () => [...json, ...(await bearer()), "Transfer-Encoding", "gzip, chunked"],
      400,
      ["Transfer-Encoding", "chunked"],
    ],
  ])("with %s", async (_mistake, headers, status, words) => {
    const sent = await headers();
    const answer = await send(`/api${list}`, sent, sent.includes("gzip") ? gzipSync("{}") : "{}");
    expect(answer.status).toBe(status);
    for (const word of words) expect(answer.message).toContain(word);
  });

  it("with the key in a header", async () => {
    const headers = [...json, ...(await bearer()), "Idempotency-Key", "abc"];
    const answer = await send("/api/sp/wallet/adjust", headers, JSON.stringify({ contact_id, amount: 1 }));
    expect(answer.status).toBe(400);
    expect(answer.message).toContain("JSON body needs the field idempotency_key");
    expect(answer.message).toContain("header Idempotency-Key is not read");
  });
});

describe("paths", () => {
  const right = "/api/sp/reward-points/adjust";
  it.each([
    ["a trailing slash", "/api/sp/reward-points/adjust/", right],
    ["a doubled slash", "/api/sp//reward-points/adjust", right],
    ["a doubled slash before it", "//api/sp/reward-points/adjust", right],
    ["upper case", "/api/sp/Reward-Points/Adjust", right],
    ["no base path", "/sp/reward-points/adjust", right],
    ["the base path twice", "/api/api/sp/reward-points/adjust", right],
    ["another base path", "/v1/sp/reward-points/adjust", right],
    ["no sp", "/api/reward-points/adjust", right],
    ["an underscore", "/api/sp/reward_points/adjust", right],
    ["camel case", "/api/sp/rewardPoints/adjust", right],
    ["a singular", "/api/sp/reward-point/adjust", right],
    ["a plural", "/api/sp/sales/quotes", "/api/sp/sales/quote"],
    ["a singular of a member", "/api/sp/member/find", "/api/sp/members/find"],
    ["a query", "/api/sp/reward_points/adjust?page=1", right],
    ["an operator's path", "/op/member/find/", "/api/op/members/find"],
  ])("with %s", async (_mistake, path, use) => {
    for (const method of ["POST", "GET"]) {
      const answer = await send(path, [...json, "Accept", "application/json"], "{}", method);
      expect(answer).toEqual({ status: 404, message: `There is no operation at this path (use ${use}).` });
    }
  });

  it("says nothing of a path that resembles none", async () => {
    const answer = await send("/api/sp/customers/search", json);
    expect(answer).toEqual({ status: 404, message: "There is no operation at this path." });
  });

  it("with GET, or with a query", async () => {
    expect((await send(right, json, "", "GET")).message).toContain("is a POST");
    expect((await send(`${right}?page=1`, json)).message).toContain("JSON body");
  });
});

describe("fields and rules", () => {
  it.each<[mistake: string, answer: () => Promise<Answer>, code: number, words: string[]]>([
    [
      "a customer who joins with a national number",
      () => written("/sp/members/create", { first_name: "A", last_name: "B", phone_number: "020 910 0016" }),
      422,
      ["+34600111222", "country code", "without blanks"],
    ],
    [
      "find without a field",
      () => asked("/sp/members/find", {}),
      422,
      ["must have one of phone_number, email, external_ref"],
    ],
    [
      "more of the wallet than it has",
      () => written("/sp/sales/record", sale({ use_wallet: 200 })),
      409,
      ["balance", "wallet", "100"],
    ],
    [
      "more of the wallet than it has and than the sale needs",
      () => asked("/sp/sales/quote", sale({ amount: 150, use_wallet: 200 })),
      409,
      ["than they can", "maximum amount 100"],
    ],
    [
      "more points than the sale needs",
      () => asked("/sp/sales/quote", sale({ amount: 100, use_points: 30 })),
      409,
      ["than they can", "maximum points 20"],
    ],
    [
      "fewer points than the minimum",
      () => asked("/sp/sales/quote", sale({ use_points: 5 })),
      409,
      ["minimum points 10"],
    ],
    [
      "a part of a step",
      () => asked("/sp/sales/quote", sale({ use_points: 15 })),
      409,
      ["multiple", "step 10"],
    ],
    [
      "more points than the member has",
      () => asked("/sp/sales/quote", sale({ use_points: 40 })),
      409,
      ["points", "balance 35"],
    ],
    [
      "a redemption below the minimum",
      () => written("/sp/reward-points/redeem", { contact_id, points: 3 }),
      409,
      ["minimum points 10"],
    ],
    [
      "a voucher that was used",
      () => asked("/sp/sales/quote", sale({ use_vouchers: [vouchers.used] })),
      409,
      ["has been used", `held voucher id`],
    ],
    [
      "a voucher of another location",
      () => asked("/sp/sales/quote", { ...sale({ use_vouchers: [vouchers.first] }), location_id: third }),
      409,
      ["another location", "location id "],
    ],
    [
      "a voucher that is not needed",
      () => asked("/sp/sales/quote", sale({ use_vouchers: [vouchers.good, vouchers.first] })),
      409,
      ["Leave this one out"],
    ],
    [
      "a debit of too much",
      () => written("/sp/wallet/adjust", { contact_id, location_id, adjustment_type: "debit", amount: 101 }),
      409,
      ["balance 100"],
    ],
    [
      "a key that is no key",
      () => written("/sp/sales/record", { ...sale({}), idempotency_key: "ü" }),
      422,
      ["idempotency_key must be printable ASCII"],
    ],
    [
      "a name of another interface",
      () => written("/sp/sales/record", { ...sale({}), member_id: 1 }),
      400,
      ["member_id", "contact_id"],
    ],
    [
      "an amount in euros",
      () => written("/sp/sales/record", sale({ amount: 12.5 })),
      422,
      ["amount must be an integer"],
    ],
    [
      "a misspelt field",
      () => written("/sp/sales/record", sale({ use_point: 5 })),
      422,
      ["use_point is not a field"],
    ],
  ])("%s", async (_mistake, answer, status, words) => {
    const { status: got, message } = await answer();
    expect([got, message]).toEqual([status, expect.any(String)]);
    for (const word of words) expect(message).toContain(word);
  });
});

it.each<[reason: string, quote: object, no_points: object | null]>([
  ["too few points", { amount: 1000, contact_id: undefined }, { code: "too_few_points", minimum_points: 10 }],
  ["a sale that is too small", { amount: 49 }, { code: "sale_too_small", fewest_points_amount: 50 }],
  ["none, if points can pay", { amount: 1000 }, null],
])("a quote says why no points can pay: %s", async (_reason, fields, no_points) => {
  const without = "contact_id" in fields ? { contact_id: await world.member() } : {};
  const { body } = await world.ask("/sp/sales/quote", { ...sale({}), ...fields, ...without });
  expect(body.data.usable).toMatchObject({ points: no_points === null ? 30 : 0, no_points });
});

describe("texts that were pasted", () => {
  // Around a number that was copied from a contact, and around texts of pages in other scripts.
  const wrapped = (text: string) => `\u202a${text}\u202c\u00a0`;

  it("are read where something is looked up", async () => {
    const person = { phone_number: "+34699000123", external_ref: "C-99000" };
    const found = await world.member(person);
    const phones = [
      wrapped("+34 699 000 123"),
      "\u200e+34\u00a0699\u00a0000\u00a0123",
      "\u2066+34699000123\u2069",
    ];
    for (const phone_number of phones) {
      const reply = await world.ask("/sp/members/find", { phone_number });
      expect(reply.body.data).toMatchObject({ contact_id: found });
    }
    const byCard = await world.ask("/sp/members/find", { external_ref: "\u2068C-99000\u2069" });
    expect(byCard.body.data).toMatchObject({ contact_id: found });
    for (const search of [...phones, wrapped("c-99000")]) {
      const { body } = await world.ask("/sp/members/list", { search });
      expect(body.data).toMatchObject([{ contact_id: found }]);
    }
    await world.write("/sp/vouchers/issue", {
      contact_id: found,
      voucher_id: world.home.vouchers.everywhere,
    });
    const coupon_code = wrapped("summer ");
    const used = await world.write("/sp/vouchers/redeem", { contact_id: found, location_id, coupon_code });
    expect(used.status).toBe(200);
  });

  it("are rejected where they would be stored", async () => {
    const { status, message } = await written("/sp/members/create", {
      first_name: wrapped("Ana"),
      last_name: "B",
      phone_number: "+34699000124",
    });
    expect([status, message]).toEqual([422, expect.stringContaining("first_name must be text without")]);
  });
});

it("says what today is where the business is, for a till that is further east", async () => {
  const sold_on = "2999-01-01";
  const { message } = await asked("/sp/sales/quote", sale({ sold_on }));
  const [{ today }] = await world.sql<
    [{ today: string }]
  >`SELECT (now() AT TIME ZONE 'Europe/Madrid')::date::text AS today`;
  expect(message).toContain(`to ${today}, which is today in the business's time zone`);
});
