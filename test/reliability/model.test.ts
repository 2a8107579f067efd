/** The short form of `npm run chaos -- --only model`: some hundred sequences against the model of the partner API. */
import { describe, expect, it } from "vitest";
import type { Business, Member } from "../../chaos/model/business.ts";
import { type Exchange, explain } from "../../chaos/model/explain.ts";
import type { Integration, Setting } from "../../chaos/model/setting.ts";
import { model } from "../../chaos/scenarios/model.ts";
import { runs, seed } from "../support/random-cases.ts";
import { testOperatorKey, testSecret, useWorld } from "../support/world.ts";
import { keptPromisesInTheEnd } from "./promises.ts";

const world = useWorld();

it("responds to every sequence of requests as the model does in some order of those sent at once", async () => {
  const target = {
    port: Number(new URL(world.baseUrl).port),
    basePath: world.config.basePath,
    operatorKey: testOperatorKey,
    secret: testSecret,
    sql: world.sql,
  };
  const chaos = { seed, goesOn: (reached: boolean) => !reached, say: () => undefined };
  const figure = keptPromisesInTheEnd(await model(chaos, target, { sequences: runs(200), writers: 6 }));
  expect(figure.sequences).toBe(runs(200));
  expect(figure["of these replayed"]).toBeGreaterThan(20);
  expect(figure["of these rejected"]).toBeGreaterThan(200);
  expect(figure["volleys at once over several connections"]).toBeGreaterThan(200);
  // Of 17 operations and about 30 error codes, those that come seldom may be missing.
  expect(figure["different outcomes"]).toBeGreaterThan(35);
});

describe("the model explains", () => {
  const ana = { contact_id: 7, first_name: "Ana", last_name: "López", phone_number: "+34600000001" };
  const member: Member = { ...ana, member_id: 1, email: null, active: true, since: -1 };
  const empty = { benefits: [], tiers: [], programs: [], vouchers: [], settings: {}, written: {} };
  const home: Business = {
    businessId: 1,
    timeZone: "UTC",
    locationIds: [1],
    members: [member],
    entries: [],
    ...empty,
  };
  const businesses = { home, away: { ...home, businessId: 2 } };
  const scopes = ["wa.rewards.write"];
  const integration = { side: "home", enabled: true, granted: scopes, inToken: scopes, locationIds: [1] };
  const setting = {
    businesses,
    integrations: { everywhere: integration as unknown as Integration },
  } as unknown as Setting;
  const span = { volley: 0, from: 0, to: 0 };

  function credited(points: number, balance_after: number, key = `${points}`, replayed = false): Exchange {
    const body = { idempotency_key: key, contact_id: 7, points, adjustment_type: "credit" };
    const data = { contact_id: 7, points, adjustment_type: "credit", balance_after };
    const request = {
      path: "/sp/reward-points/adjust",
      method: "POST",
      query: "",
      contentType: "application/json",
      token: "valid" as const,
      caller: "everywhere" as const,
      body,
      text: JSON.stringify(body),
    };
    const text = JSON.stringify({ success: true, message: "Adjusted.", data, meta: {} });
    return { sent: { request }, response: { status: 200, replayed, body: text } };
  }
  const orders = (...exchanges: Exchange[]) => explain([businesses], exchanges, setting, span).length;

  it("accepts whichever order gives them", () => {
    expect(orders(credited(5, 5), credited(7, 12))).toBe(1);
    expect(orders(credited(5, 12), credited(7, 7))).toBe(1);
    expect(orders(credited(5, 5, "same"), credited(5, 5, "same", true))).toBe(1);
  });

  it("no lost update, no second effect, no other response under a key", () => {
    expect(orders(credited(5, 5), credited(7, 7))).toBe(0);
    expect(orders(credited(5, 5, "same"), credited(5, 10, "same"))).toBe(0);
    expect(orders(credited(5, 5, "same"), credited(5, 6, "same", true))).toBe(0);
    expect(orders(credited(5, 5, "same"), credited(7, 12, "same"))).toBe(0);
  });

  it("no response with a field too many, or another status", () => {
    const { sent, response } = credited(5, 5);
    expect(orders({ sent, response: { ...response, status: 201 } })).toBe(0);
    expect(orders({ sent, response: { ...response, body: response.body.replace("{}", '{"more":1}') } })).toBe(
      0,
    );
  });
});
