/**
 * An integration that is limited to some locations, and everything that has a location. Operations are found by the names of the fields
 * of their inputs and outputs, and each name of an id is in one of the tables below. So a new operation or field is tested, too.
 */
import { Type } from "typebox";
import { beforeAll, describe, expect, it } from "vitest";
import { isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import type { LeasedEndpoint } from "../../src/database/webhooks/leases.ts";
import { balanceLimit } from "../../src/domain/ledger.ts";
import { createMessages } from "../../src/events/messages.ts";
import { eventSchemas } from "../../src/operations/events/event-data.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { tableDigests } from "../support/table-digests.ts";
import { type Business, type Credentials, testSecret, useWorld } from "../support/world.ts";

const world = useWorld();
beforeAll(() => holdBackgroundWrites(world.sql));

/** By the name of a field, the kind of thing with a location that it names. */
const located: Readonly<Record<string, string>> = {
  location_id: "location",
  voucher_id: "voucher",
  coupon_code: "coupon",
  public_code: "coupon",
  use_codes: "coupon",
  code: "coupon",
  held_voucher_id: "held voucher",
  use_vouchers: "held voucher",
  vouchers_back: "held voucher",
  vouchers_taken: "held voucher",
  vouchers_excused: "held voucher",
  held_voucher_ids: "held voucher",
  benefit_id: "benefit",
  sale_id: "sale",
  cause_sale_id: "sale",
  lot_id: "sale",
  movement_id: "movement",
  redemption_id: "redemption",
  event_no: "event",
  first_event_no: "event",
  last_event_no: "event",
  sequence: "event",
  reference_id: "reference",
};

/** Names of ids of what belongs to the whole business, or to the integration itself. */
const withoutLocation = [
  ...[
    "contact_id",
    "from_contact_id",
    "referrer_contact_id",
    "merged_into",
    "member_id",
    "tier_id",
    "tier_ids",
    // Of a promotion, only those that the integration may use: test/engine/promotions.test.ts.
    "location_ids",
    "from",
    "to",
    "program_id",
  ],
  ...["promotion_id", "stamp_card_id", "occasion_id"],
  ...["card_id", "referral_code", "card_code", "new_card_code", "replaced_card_id"],
  ...["business_id", "integration_id", "client_id", "endpoint_id", "external_ref", "default_program_id"],
  ...["error_code", "request_id", "entry_no", "contact_ids", "merged_contact_ids", "field_errors"],
];

type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/** The names of the fields of a schema that name records: numbers without a unit, or texts that are called ids, codes or references. */
function idsIn({ properties = {}, items, anyOf = [] }: Schema, name?: string): string[] {
  return [
    ...Object.entries(properties).flatMap(([field, schema]) => [
      ...(isId(field, schema) ? [field] : []),
      ...idsIn(schema, field),
    ]),
    ...(items === undefined
      ? []
      : [...(name !== undefined && isId(name, items) ? [name] : []), ...idsIn(items, name)]),
    ...anyOf.flatMap((one) => idsIn(one, name)),
  ];
}

function isId(name: string, { type, minimum, maximum, anyOf = [] }: Schema): boolean {
  if (/(?:_ids?|_no|_code|_ref)$/.test(name)) return true;
  return (
    (type === "integer" && minimum === 1 && maximum === balanceLimit) || anyOf.some((one) => isId(name, one))
  );
}

it("knows of every id whether what it names has a location", () => {
  const schemas: Schema[] = [
    ...partnerOperations.flatMap(({ input, output }) => [
      input as unknown as Schema,
      output as unknown as Schema,
    ]),
    ...eventSchemas.map(({ data }) => data as unknown as Schema),
  ];
  const names = new Set(schemas.flatMap((schema) => idsIn(schema)));
  // The numbers of a page and of a line are none.
  const unknown = [...names].filter(
    (name) => !(name in located) && !withoutLocation.includes(name) && !["page", "line_no"].includes(name),
  );
  expect(unknown).toEqual([]);
});

/** The log of tokens is written in the background. */
const tokens = ["audit_entry"];

/** Things at the third location, which the limited integration may not use. */
interface Elsewhere {
  readonly value: unknown;
  /** What else the request needs. */
  readonly also?: Body;
}
let ours: Records;
let third: number;
const things: Record<string, Elsewhere> = {};

beforeAll(async () => {
  const { home } = world;
  ours = await makeRecords(world, home);
  third = home.locationIds[2];
  const contact_id = ours.buyer_contact_id;
  await world.sql`UPDATE voucher SET points_price = 10 WHERE voucher_id = ${home.vouchers.third}`;
  const issue = { contact_id, voucher_id: home.vouchers.third };
  const held = (await world.write("/sp/vouchers/issue", issue)).body.data;
  const benefit = { title: "There", amount: 5, location_id: third };
  const { benefit_id } = (await world.write("/sp/wallet/topup-benefits/create", benefit)).body.data;
  Object.assign(things, {
    location_id: { value: third },
    voucher_id: { value: home.vouchers.third },
    held_voucher_id: { value: held.held_voucher_id, also: { contact_id } },
    use_vouchers: { value: [held.held_voucher_id], also: { contact_id } },
    coupon_code: { value: "THIRD", also: { contact_id } },
    use_codes: { value: ["THIRD 20"] },
    code: { value: "K7QD-3MVX-9TRD" },
    benefit_id: { value: benefit_id },
    sale_id: { value: ours.third_sale_id },
    movement_id: { value: ours.third_movement_id },
    redemption_id: { value: ours.third_redemption_id },
    event_no: { value: ours.third_event_no, also: { endpoint_id: ours.limited_endpoint_id } },
  });
});

/**
 * Every operation with each field by which it names something that has a location. A reference is a filter of lists, and an endpoint is
 * enabled at a place in the log, which has the numbers of all events.
 */
const namings = operationsInRealTime.flatMap((operation) =>
  Object.keys(operation.input.properties)
    .filter((field) => field in located && field !== "reference_id")
    .filter(() => operation.path !== "/sp/webhook-endpoints/enable")
    .map((field) => ({ operation, path: operation.path, field })),
);

/** A valid request that names a thing, without the fields that can't be sent together with it. */
function bodyNaming(operation: Operation, field: string): Body {
  const { value, also } = things[field] as Elsewhere;
  const body = { ...validBody(operation, world.home, ours), ...also, [field]: value };
  const choice = [...(operation.exactlyOneOf ?? operation.onlyOneOf ?? [])] as string[];
  if (choice.includes(field)) for (const other of choice) if (other !== field) delete body[other];
  if (Object.hasOwn(operation.input.properties, "contact_id") === false) delete body.contact_id;
  return body;
}

describe("a thing at a location that the integration may not use", () => {
  it.each(namings)("is rejected by $path as $field, and nothing changes", async ({ operation, field }) => {
    const before = await tableDigests(world.sql, tokens, world.home.businessId);
    const reply = await world.ask(operation.path, bodyNaming(operation, field), world.home.limited);
    expect([reply.status, reply.body.error]).toEqual([
      403,
      { code: "sp_location_not_allowed", details: { location_id: third } },
    ]);
    expect(await tableDigests(world.sql, tokens, world.home.businessId)).toEqual(before);
  });

  it.each(namings)("is found by $path as $field by one that may use all", async ({ operation, field }) => {
    const body = { ...bodyNaming(operation, field), endpoint_id: ours.endpoint_id };
    if (!("endpoint_id" in operation.input.properties)) Reflect.deleteProperty(body, "endpoint_id");
    const reply = await world.ask(operation.path, body);
    expect(reply.body.error?.code ?? "").not.toMatch(/location_not_allowed|_not_found/);
  });

  it("is rejected if a voucher that was bought with points is good there only", async () => {
    const { home } = world;
    const contact_id = ours.buyer_contact_id;
    const buy = { contact_id, voucher_id: home.vouchers.third, location_id: home.locationIds[0] };
    const { redemption_id } = (await world.write("/sp/reward-points/redeem", buy)).body.data;
    const reverse = (as: Credentials) => world.write("/sp/reward-points/reverse", { redemption_id }, as);
    expect((await reverse(home.limited)).body.error).toEqual({
      code: "sp_location_not_allowed",
      details: { location_id: third },
    });
    expect((await reverse(home.everywhere)).status).toBe(200);
  });
});

/** What a text names that is elsewhere. */
const mark = "XX-ELSEWHERE";

/** Everything that data names, as "kind value". */
function namedIn(data: unknown, name = ""): string[] {
  if (Array.isArray(data)) return data.flatMap((one) => namedIn(one, name));
  if (typeof data === "object" && data !== null) {
    return Object.entries(data).flatMap(([field, value]) => namedIn(value, field));
  }
  if (typeof data === "string" && data.includes(mark)) return [data];
  const kind = located[name];
  return kind === undefined || data === null ? [] : [`${kind} ${data}`];
}

describe("what happened at a location that the integration may not use", () => {
  let shop: Sandbox;
  let limited: Credentials;
  let unlimited: Credentials;
  let contact_id: number;
  let card_code: string;
  let endpoint_id: number;
  let here: number;
  let there: number;
  /** What is elsewhere, as namedIn says it. */
  const elsewhere = new Set<string>();

  beforeAll(async () => {
    shop = await makeSandbox(world, "2026-01-10 09:00:00");
    const { businessId: business_id } = shop;
    here = shop.locationId;
    const operator = (path: string, body: Body) => operatorWrite(world, path, { business_id, ...body });
    await operator("/op/businesses/update", { events_enabled: true });
    ({ location_id: there } = await operator("/op/locations/create", { name: mark }));
    await operator("/op/tiers/create", {
      name: "Gold",
      expiry: 1,
      expiry_period: "year",
      qualifying_sales: 5000,
    });
    limited = await world.integration({ businessId: business_id } as Business, { locationIds: [here] });
    unlimited = await world.integration({ businessId: business_id } as Business);
    const endpoint = { url: "https://receiver.invalid/", types: ["*"] };
    const made = await world.write("/sp/webhook-endpoints/create", endpoint, limited);
    endpoint_id = made.body.data.endpoint_id;
    contact_id = await shop.member();
    const add = (kind: string, value: unknown) => elsewhere.add(`${kind} ${value}`);
    add("location", there);
    const reference_id = mark;

    const definition = {
      campaign_name: mark,
      coupon_code: mark,
      coupon_value: 500,
      location_id: there,
      points_price: 5,
      validity: 3,
      validity_period: "day",
    };
    const { voucher_id } = await operator("/op/vouchers/create", definition);
    add("voucher", voucher_id);
    const issue = async () => {
      const { held_voucher_id } = await shop.write("/sp/vouchers/issue", {
        contact_id,
        voucher_id,
        reference_id,
      });
      add("held voucher", held_voucher_id);
      return held_voucher_id as number;
    };
    const benefit = { title: mark, amount: 1000, promo_amount: 100, location_id: there };
    const { benefit_id } = await shop.write("/sp/wallet/topup-benefits/create", benefit);
    add("benefit", benefit_id);
    ({ card_code } = await shop.write("/sp/cards/create", { contact_id, kind: "app" }));
    const sell = async (body: Body) => {
      const sale = { contact_id, location_id: there, amount: 3000, reference_id, ...body };
      const { sale_id } = await shop.write("/sp/sales/record", sale);
      add("sale", sale_id);
      return sale_id as number;
    };

    // Two sales reach the tier. The points of the second one mature on the next day.
    const first = await sell({});
    await shop.rules({ pending_days: 1 });
    await sell({ amount: 4000, use_vouchers: [await issue()] });
    // The member spends the points of the first sale, which is refunded, and owes them. A sale pays.
    const spent = await shop.write("/sp/reward-points/redeem", {
      contact_id,
      points: 25,
      location_id: there,
      reference_id,
    });
    add("redemption", spent.redemption_id);
    await shop.write("/sp/sales/refund", { sale_id: first, location_id: there, reference_id });
    await shop.rules({ pending_days: 0 });
    await shop.write("/sp/sales/record", { contact_id, location_id: here, amount: 1000 });
    const topup = await shop.write("/sp/wallet/topup", {
      contact_id,
      location_id: there,
      benefit_id,
      reference_id,
    });
    add("movement", topup.movement_id);
    const paid = await shop.write("/sp/wallet/pay", {
      contact_id,
      location_id: there,
      amount: 50,
      reference_id,
    });
    add("movement", paid.movement_id);
    await shop.write("/sp/wallet/reverse", { movement_id: paid.movement_id, location_id: there });
    await shop.write("/sp/wallet/adjust", {
      contact_id,
      location_id: there,
      amount: 7,
      adjustment_type: "credit",
    });
    const used = await issue();
    await shop.write("/sp/vouchers/redeem", { contact_id, location_id: there, held_voucher_id: used });
    await shop.write("/sp/vouchers/reverse", { held_voucher_id: used });
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 50, adjustment_type: "credit" });
    const bought = await shop.write("/sp/reward-points/redeem", { contact_id, voucher_id, reference_id });
    add("redemption", bought.redemption_id);
    add("held voucher", bought.held_voucher_id);
    await shop.write("/sp/reward-points/reverse", { redemption_id: bought.redemption_id });
    await issue();
    const imported = {
      line: 1,
      contact_id,
      voucher_id,
      valid_through: "2026-01-12",
      reference_id: `${mark}-2`,
    };
    await operator("/op/imports/vouchers", { lines: [imported] });
    const { data: all } = (await world.ask("/sp/vouchers/list", { contact_id }, unlimited)).body;
    for (const { held_voucher_id } of all) add("held voucher", held_voucher_id);
    // Points mature, vouchers are announced and lapse.
    await shop.advance("2026-01-20 09:00:00");
  });

  /** The lists and reads that name nothing that has a location. */
  const reads = partnerOperations.filter(
    (operation) =>
      isAuthorized(operation) &&
      !isWrite(operation) &&
      !Object.entries(operation.input.properties).some(
        ([field, schema]) => field in located && !Type.IsOptional(schema),
      ),
  );

  async function seen(operation: Operation, as: Credentials): Promise<string[]> {
    const { properties } = operation.input;
    const body: Body = {
      ...("contact_id" in properties && { contact_id }),
      ...("endpoint_id" in properties && { endpoint_id }),
      ...("include_closed" in properties && { include_closed: true }),
      ...("per_page" in properties && { per_page: 100 }),
    };
    if (operation.path === "/sp/members/find") {
      Object.assign(body, { phone_number: (await shop.ask("/sp/members/get", { contact_id })).phone_number });
    }
    if (operation.path === "/sp/cards/balance") body.card_code = card_code;
    const reply = await world.ask(operation.path, body, as);
    expect([operation.path, reply.body.error?.code]).toEqual([operation.path, undefined]);
    return namedIn(reply.body.data);
  }

  const hidden = (names: readonly string[]) =>
    names.filter((name) => elsewhere.has(name) || name.includes(mark));

  it.each(reads)("is in nothing that $path returns", async (operation) => {
    if (operation.path.startsWith("/sp/requests/")) return;
    expect(hidden(await seen(operation, limited))).toEqual([]);
  });

  it("is returned to an integration that may use all locations", async () => {
    const own = new Set(["/sp/webhook-endpoints/get", "/sp/webhook-deliveries/list", "/sp/requests/list"]);
    const names = new Set<string>();
    for (const operation of reads) {
      if (own.has(operation.path)) continue;
      for (const name of await seen(operation, unlimited)) names.add(name);
    }
    expect([...elsewhere].filter((name) => !names.has(name))).toEqual([]);
    expect(names).toContain(mark);
  });

  it("is in no webhook, and in no event that is looked up for one", async () => {
    const endpoint = {
      business_id: shop.businessId,
      types: ["*"],
      location_ids: [here],
    } as unknown as LeasedEndpoint;
    const messages = createMessages({
      sql: world.sql,
      keys: deriveKeys(testSecret),
      exampleOf: () => ({}),
      version: "test",
      now: Date.now,
    });
    const read = async (location_ids: number[] | null) => {
      const { deliveries } = await messages.readEvents({ ...endpoint, location_ids }, 0, 1000);
      return deliveries.map(({ event_no, type, body = "" }) => ({ event_no, type, data: JSON.parse(body) }));
    };
    const [some, all] = [await read([here]), await read(null)];
    expect(some.flatMap((event) => hidden(namedIn(event)))).toEqual([]);
    const types = (events: typeof all) => [...new Set(events.map(({ type }) => type))].sort();
    const ofThere = all.filter((event) => hidden(namedIn(event)).length > 0);
    // The tier is the member's at all locations, so only the sale is hidden.
    expect(types(some)).toContain("tier.upgraded");
    expect(types(ofThere)).toEqual([
      ...["reward_points.matured", "reward_points.redeemed", "reward_points.restored", "sale.recorded"],
      ...["sale.refunded", "tier.upgraded", "voucher.expiring", "voucher.issued", "voucher.lapsed"],
      ...["voucher.redeemed", "voucher.reversed", "wallet.adjusted", "wallet.paid", "wallet.reversed"],
      "wallet.topped_up",
    ]);
    for (const { event_no } of some) {
      const reply = await world.ask("/sp/webhook-deliveries/get", { endpoint_id, event_no }, limited);
      expect(hidden(namedIn(reply.body.data))).toEqual([]);
    }
  });
});
