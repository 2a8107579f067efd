/** The requests that the guides show for a till, sent as they stand. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { eventTypeNames, eventTypes } from "../../src/domain/ledger.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const guideText = (name: string) =>
  readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");
const guide = guideText("members");
const [, section = ""] = /^## Get the balances of a member\n(.*?)^## /ms.exec(guide) ?? [];
const requests = [...section.matchAll(/-d '([^']+)'/g)].map(([, body = ""]) => JSON.parse(body));

async function credit(path: string, body: object): Promise<number> {
  const reply = await world.ask(path, { idempotency_key: nextKey(), adjustment_type: "credit", ...body });
  expect(reply.status).toBe(200);
  return reply.body.data.balance_after;
}

it("tells what a member has in the wallet and in points", async () => {
  const [wallet, points] = requests;
  for (const [request, account] of [
    [wallet, "wallet"],
    [points, "points"],
  ]) {
    expect(request.event_types).toEqual(
      eventTypeNames.filter((name) => eventTypes[name].account === account),
    );
    expect(request.per_page).toBe(1);
  }
  const contact_id = await world.member();
  const balance = async (request: object) => {
    const { body } = await world.ask("/sp/transactions/list", { ...request, contact_id });
    return body.data[0]?.balance_after ?? 0;
  };
  expect([await balance(wallet), await balance(points)]).toEqual([0, 0]);
  const location_id = world.home.locationIds[0];
  const held = await credit("/sp/wallet/adjust", { contact_id, location_id, amount: 2550 });
  await credit("/sp/reward-points/adjust", { contact_id, points: 3 });
  const earned = await credit("/sp/reward-points/adjust", { contact_id, points: 4 });
  expect([await balance(wallet), await balance(points)]).toEqual([held, earned]);
});

it("says how amounts are taken", async () => {
  const shown = [...guide.matchAll(/^\| `"amount": ([\d.]+)` \| (.*) \|$/gm)].map(([, amount, taken]) => [
    amount,
    taken,
  ]);
  expect(shown.map(([amount]) => amount)).toEqual(["2550", "25.50", "25.00"]);
  const taken = async (amount: string) => {
    const body = {
      contact_id: await world.member(),
      location_id: world.home.locationIds[0],
      adjustment_type: "credit",
    };
    const text = JSON.stringify({ ...body, idempotency_key: nextKey(), amount: 0 }).replace(
      '"amount":0',
      `"amount":${amount}`,
    );
    const response = await fetch(`${world.baseUrl}/sp/wallet/adjust`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await world.token()}` },
      body: text,
    });
    const { data, error } = (await response.json()) as {
      data?: { amount: number };
      error?: { details: { errors: { message: string }[] } };
    };
    return data?.amount ?? error?.details.errors[0]?.message;
  };
  expect(await taken("2550")).toBe(2550);
  expect(await taken("25.50")).toBe("amount must be an integer.");
  expect(await taken("25.00")).toBe(25);
});

it("shows a program that copies all balances from the events", async () => {
  const { home } = world;
  const contact_id = await world.member();
  await operatorWrite(world, "/op/businesses/update", { business_id: home.businessId, events_enabled: true });
  const balance = await credit("/sp/wallet/adjust", {
    contact_id,
    location_id: home.locationIds[0],
    amount: 2550,
  });
  await credit("/sp/reward-points/adjust", { contact_id, points: 3 });
  const points = await credit("/sp/reward-points/adjust", { contact_id, points: 4 });
  const [, program = ""] = /```js\n(.*?)```/s.exec(guideText("events")) ?? [];
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = home.everywhere;
  const env = { PATH: process.env.PATH, BASE_URL: world.baseUrl, CLIENT_ID, CLIENT_SECRET };
  const arguments_ = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env });
  const { balances } = JSON.parse(stdout);
  expect(balances[`${contact_id} wallet`]).toMatchObject({ balance });
  expect(balances[`${contact_id} points`]).toMatchObject({ balance: points });
});

it.each(["access-tokens", "demo-business", "../pages/index"])("gets the token: %s", async (name) => {
  const [line, ...others] = guideText(name).match(/^export TOKEN=(?:.*\\\n)*.*$/gm) ?? [];
  expect(others).toEqual([]);
  for (const part of line?.split("\n") ?? []) expect(part.length).toBeLessThan(100);
  const { client_id, client_secret } = world.home.everywhere;
  const environment = { BASE_URL: world.baseUrl, CLIENT_ID: client_id, CLIENT_SECRET: client_secret };
  const { stdout } = await promisify(execFile)("sh", ["-c", `${line}; printf %s "$TOKEN"`], {
    env: { ...environment, PATH: process.env.PATH },
  });
  expect((await world.call("/sp/members/list", {}, { token: stdout })).status).toBe(200);
});

describe("the changes for partners", () => {
  const changes = guideText("changes");
  const versionsOf = (text: string) =>
    [...text.matchAll(/^## (\d+\.\d+\.\d+ .*)$/gm)].map(([, version]) => version);

  it("have the versions of the change log", () => {
    const changeLog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
    expect(versionsOf(changes)).toEqual(versionsOf(changeLog));
  });

  it("name each operation once", () => {
    const named = [...changes.matchAll(/`(\/sp\/[^`]+)`/g)].map(([, path = ""]) => path);
    expect(named.toSorted(), "Name new operations in docs/guides/changes.md.").toEqual(
      partnerOperations.map(({ path }) => path).toSorted(),
    );
  });
});

it("names the scope by which a customer can join at a till", () => {
  const [joining = ""] = /The customer can join.*?(?=\n\n)/s.exec(guideText("till")) ?? [];
  expect(joining).toContain("`wa.members.write`");
});

it.each(["sales/quote", "sales/record"])("names each reason for the points of a sale: %s", (path) => {
  const operation = partnerOperations.find((one) => one.path === `/sp/${path}`);
  const { why } = (operation as unknown as { output: { properties: { why: WhySchema } } }).output.properties;
  const codes = why.items.anyOf.flatMap(({ properties }) => properties.code.enum);
  expect(codes).toContain("earned");
  const [, told = ""] = /^\| `why` \| (.*) \|$/m.exec(guideText("sales")) ?? [];
  const named = [...told.matchAll(/`(\w+)`/g)].map(([, code]) => code);
  expect(
    named,
    "Name the codes of `why` (src/operations/sales/sale-reasons.ts) in docs/guides/sales.md.",
  ).toEqual(codes);
});

interface WhySchema {
  readonly items: { readonly anyOf: readonly { properties: { code: { enum: readonly string[] } } }[] };
}

it.each([
  ["timezone", "sales"],
  ["Idempotency-Key", "idempotency"],
  ["versioning", "changes"],
  ["cursor", "pagination"],
  ["void", "sales"],
  ["birthday", "members"],
  ["gdpr", "members"],
  ["test mode", "sandbox"],
  ["429", "limits"],
  ["checklist", "going-live"],
  ["X-Request-Id", "support"],
])("the word %s leads to the guide %s, which has it among its keywords", (word, name) => {
  const [, keywords = ""] = /^---\nkeywords: (.*)\n---\n/.exec(guideText(name)) ?? [];
  expect(keywords).toContain(word);
});

it("the limits in the guide are those of the service", () => {
  const { rateLimit, failedTokenLimit } = readConfig({ LOYALTY_SECRET: "x".repeat(32) });
  const text = guideText("limits");
  expect(text).toContain(`${rateLimit} requests per second, and ${2 * rateLimit} at once`);
  expect(text).toContain(`| ${failedTokenLimit} per minute`);
});
