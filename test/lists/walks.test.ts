/**
 * Lists that are walked by cursors while others add to them: each item that was there at the beginning comes once, in its order. The
 * table has every list, by the declarations.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { insertEvents } from "../../src/database/events.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeKey, makeOperator, signInAs } from "../support/operators.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { makeEndpoint } from "../support/webhooks.ts";
import { type Business, type Credentials, nextKey, startService, useWorld } from "../support/world.ts";

const consoles = Array.from({ length: 5 }, (_, n) => `cell${n}=https://cell${n}.example.com/api/console/`);
const world = useWorld({ LOYALTY_CONSOLES: consoles.join(",") });

let shop: Sandbox;
let partner: Credentials;
let contact_id: number;
let voucher_id: number;
let endpoint_id: number;
let operator_id: number;
let import_id: number;
let count = 0;

beforeAll(async () => {
  // Its clock stands still, so that all entries have the same time.
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const business_id = shop.businessId;
  partner = await world.integration({ businessId: business_id } as Business);
  contact_id = await shop.member();
  // Gets what is given to many members.
  const july = {
    first_name: "July",
    last_name: "Ruiz",
    phone_number: "+34600999777",
    date_of_birth: "1990-07-01",
  };
  await operatorWrite(world, "/op/members/create", { business_id, ...july });
  const voucher = { business_id, campaign_name: "Spring", coupon_code: "SPRING", coupon_value: 500 };
  ({ voucher_id } = await operatorWrite(world, "/op/vouchers/create", voucher));
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  const referred = { business_id, name: "Referred", kind: "referred", points: 1 };
  await operatorWrite(world, "/op/occasions/create", referred);
  await shop.rules({ referral_most_per_year: null });
  ({ endpointId: endpoint_id } = await newEndpoint());
  ({ operator_id } = await makeOperator(world));
  ({ import_id } = await newImport());
  // A row of points that were credited by hand precedes the sales.
  await shop.write("/sp/reward-points/adjust", { contact_id, points: 5, adjustment_type: "credit" });
}, 60_000);

const newEndpoint = () =>
  makeEndpoint(world.sql, shop.businessId, "https://receiver.invalid/", {
    integrationId: partner.integrationId,
    // It gets nothing of what happens here, so that all attempts are made by the test.
    types: ["member.merged"],
  });

const maker = (path: string, fields: () => Body) => () =>
  operatorWrite(world, path, { business_id: shop.businessId, ...fields() });
const numbered = (name: string) => `${name} ${++count}`;

const sell = () =>
  shop.write("/sp/sales/record", {
    contact_id,
    location_id: shop.locationId,
    amount: 1000 + count,
    reference_id: numbered("receipt"),
  });
const credit = () =>
  shop.write("/sp/reward-points/adjust", {
    contact_id,
    points: 1,
    adjustment_type: "credit",
    reference_id: numbered("credit"),
  });
/** The member brings another one. */
const newReferral = async () => {
  const { referral_code } = await shop.write("/sp/referrals/code", { contact_id });
  return shop.write("/sp/referrals/create", { contact_id: await shop.member(), referral_code });
};
const newCard = () => shop.write("/sp/cards/create", { contact_id, kind: "app" });
const issue = () => shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
const makeCodes = () =>
  operatorWrite(world, "/op/vouchers/create-codes", { business_id: shop.businessId, voucher_id, count: 1 });
const newLocation = maker("/op/locations/create", () => ({ name: numbered("Shop") }));
const newTier = maker("/op/tiers/create", () => ({
  name: numbered("Tier"),
  expiry: 1,
  expiry_period: "year",
  qualifying_sales: 1_000_000 - ++count,
}));
const newProgram = maker("/op/programs/create", () => ({
  membership_name: numbered("Club"),
  maximum_points_per_order: 50,
}));
const newVoucher = maker("/op/vouchers/create", () => ({
  campaign_name: numbered("Campaign"),
  coupon_code: numbered("CODE"),
  coupon_value: 500,
}));
const newBenefit = maker("/op/topup-benefits/create", () => ({
  title: numbered("Top-up"),
  amount: 5000,
  promo_amount: 500,
  location_id: shop.locationId,
  status: "active",
}));
const newPromotion = maker("/op/promotions/create", () => ({ name: numbered("Promotion"), multiply: 200 }));
const newStampCard = maker("/op/stamp-cards/create", () => ({
  ...{ name: numbered("Card"), counts: "visit", stamps_needed: 9, voucher_id, minimum_amount: 10 ** 12 },
}));
const newOccasion = maker("/op/occasions/create", () => ({
  ...{ name: numbered("Occasion"), kind: "birthday", points: 1, status: "draft" },
}));
const newBulkGrant = maker("/op/bulk-grants/start", () => ({
  ...{ name: numbered("Sorry"), voucher_id, birthday_month: 7 },
}));
const newSegment = maker("/op/segments/create", () => ({ name: numbered("Segment"), has_email: true }));
const newBusiness = () => operatorWrite(world, "/op/businesses/create", { name: "Other", currency: "EUR" });
const newImport = maker("/op/imports/upload", () => ({
  file_name: numbered("sales.csv"),
  part: 0,
  content: "YQ==",
  last: true,
}));
const rejectLine = () => world.sql`
  INSERT INTO import_rejection (business_id, import_id, line, reasons, content)
  VALUES (${shop.businessId}, ${import_id}, ${++count}, '[]', 'a')`;
const newIntegration = () => world.integration({ businessId: shop.businessId } as Business);
const tried = partnerOperations.filter(({ path }) => path !== "/sp/auth/token").map(({ path }) => path);
const reject = () => world.ask(tried[++count % tried.length] as string, { wrong: true }, partner);
const countRequest = () => world.sql`
  INSERT INTO request_count (business_id, integration_id, hour, operation, succeeded, rejected, failed, unlisted)
  VALUES (${shop.businessId}, ${partner.integrationId + ++count}, date_trunc('hour', now()), '', 1, 0, 0, 0)`;
const attempt = () => world.sql`
  INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
  VALUES (${shop.businessId}, ${endpoint_id}, ${++count}, 1, 'delivery', now(), 5, ${count % 2 === 0})`;
const emit = () =>
  world.sql.begin((tx) =>
    insertEvents(tx, [
      {
        business_id: shop.businessId,
        occurred_at: null,
        location_id: null,
        entries: [],
        type: "member.updated",
        contact_ids: [contact_id],
        data: { fields: ["email"] },
      },
    ]),
  );

type Item = Record<string, unknown>;

interface Walked {
  /** Adds an item. Undefined: the items are always the same. */
  readonly grow: (() => Promise<unknown>) | undefined;
  readonly body?: () => Body;
  /** What identifies an item; by default, its first field. */
  readonly key?: (item: Item) => unknown;
}

const of = () => ({ contact_id });
const byReference: Walked = {
  grow: credit,
  body: of,
  key: ({ event_type, reference_id }) => `${event_type} ${reference_id}`,
};
const lots: Walked = { grow: sell, body: of, key: ({ reference_id }) => reference_id };
const rejected: Walked = { grow: reject, key: ({ request_id }) => request_id };
const deliveries: Walked = {
  grow: attempt,
  body: () => ({ endpoint_id }),
  key: ({ event_no }) => event_no,
};
const events: Walked = { grow: emit, key: (item) => (item as { data: Item }).data.sequence };

/** The lists, without the first segment of their paths. */
const walks: Readonly<Record<string, Walked>> = {
  "transactions/list": byReference,
  "members/list": { grow: () => shop.member() },
  "sales/list": { grow: sell },
  "cards/list": { grow: newCard, body: of },
  "referrals/list": { grow: newReferral, body: of },
  "reward-points/list": lots,
  "vouchers/list": { grow: issue, body: of },
  "vouchers/definitions/list": { grow: newVoucher },
  "locations/list": { grow: newLocation },
  "reward-programs/list": { grow: newProgram },
  "wallet/topup-benefits/list": { grow: newBenefit },
  "promotions/list": { grow: newPromotion },
  "stamp-cards/list": { grow: newStampCard, body: of },
  "requests/list": rejected,
  "webhook-endpoints/list": { grow: newEndpoint },
  "events/list": events,
  "webhook-deliveries/list": deliveries,
};

const operatorWalks: Readonly<Record<string, Walked>> = {
  ...walks,
  "vouchers/list": { grow: newVoucher },
  "vouchers/held": { grow: issue, body: of },
  "cards/list": { grow: newCard },
  "cards/of-member": { grow: newCard, body: of },
  "occasions/list": { grow: newOccasion },
  "bulk-grants/list": { grow: newBulkGrant },
  "segments/list": { grow: newSegment },
  "stamp-cards/list": { grow: newStampCard },
  "stamp-cards/of-member": { grow: newStampCard, body: of },
  "programs/list": { grow: newProgram },
  "topup-benefits/list": { grow: newBenefit },
  "tiers/list": { grow: newTier },
  "businesses/list": { grow: newBusiness, body: () => ({ business_id: undefined }) },
  "integrations/list": { grow: newIntegration },
  "audit/list": { grow: newLocation },
  "requests/counts": {
    grow: countRequest,
    key: ({ integration_id, operation }) => `${integration_id} ${operation}`,
  },
  "operators/list": { grow: () => makeOperator(world), body: () => ({ business_id: undefined }) },
  "operator-keys/list": { grow: () => makeKey(world), body: () => ({ business_id: undefined }) },
  "sessions/list": { grow: () => signInAs(world, operator_id), body: () => ({ business_id: undefined }) },
  "imports/list": { grow: newImport },
  "imports/rejected": { grow: rejectLine, body: () => ({ import_id }) },
  "consoles/list": { grow: undefined, body: () => ({ business_id: undefined }) },
  "reports/activity": { grow: undefined },
  "reports/locations": { grow: newLocation },
  "reports/tiers": { grow: newTier },
  "exports/members": { grow: () => shop.member() },
  "exports/sales": { grow: sell },
  "exports/transactions": { grow: credit },
  "exports/vouchers": { grow: issue },
  "exports/codes": { grow: makeCodes },
};

/** The fields of the place for reads that list as much as asked, and continue where their response says. */
const nextFields = ({ kind, input, output }: Operation): readonly [string, string] | undefined => {
  const { properties = {} } = output as { properties?: object };
  const [next] = Object.keys(properties).filter((name) => /^next(_after_\w+)?$/.test(name));
  if (kind !== "read" || next === undefined || !("limit" in input.properties)) return undefined;
  const places = ["before", next.replace("next_", "")].filter((name) => name in input.properties);
  return places[0] === undefined ? undefined : [places[0], next];
};

const listed = [...partnerOperations, ...operatorOperations].filter(
  (operation) => operation.kind === "list" || nextFields(operation) !== undefined,
);

const isOperators = ({ path }: Operation) => path.startsWith("/op/");
const rowOf = (operation: Operation) =>
  (isOperators(operation) ? operatorWalks : walks)[operation.path.slice("/sp/".length)];
const inTable = listed.filter((operation) => rowOf(operation) !== undefined);

async function send(operation: Operation, body: Body) {
  const reply = isOperators(operation)
    ? await asOperator(world, operation.path, { business_id: shop.businessId, ...body })
    : await world.ask(operation.path, body, partner);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

interface Part {
  readonly items: readonly Item[];
  readonly next: unknown;
}

/** The items after a place; undefined: from the first on. */
async function part(operation: Operation, place: unknown, size: number): Promise<Part> {
  const own = rowOf(operation)?.body?.() ?? {};
  const fields = nextFields(operation);
  if (fields === undefined) {
    const { data, meta } = await send(operation, { ...own, per_page: size, after: place });
    expect("pagination" in meta).toBe(place === undefined);
    return { items: data, next: meta.next };
  }
  const [field, next] = fields;
  // The newest events come first only from a place on.
  const first = operation.path.endsWith("/events/list") ? Number.MAX_SAFE_INTEGER : undefined;
  const { data } = await send(operation, { ...own, limit: size, [field]: place ?? first });
  return { items: Object.values(data).find(Array.isArray) as Item[], next: data[next] || null };
}

async function walk(operation: Operation, size: number, between: () => Promise<unknown> = async () => {}) {
  const items: Item[] = [];
  let pages = 0;
  for (let place: unknown; place !== null; pages += 1) {
    if (place !== undefined) await between();
    const { items: more, next } = await part(operation, place, size);
    expect(more.length).toBeLessThanOrEqual(size);
    items.push(...more);
    place = next;
  }
  return { items, pages };
}

it("is about every list, and each has a row in the table", () => {
  expect(listed.length).toBeGreaterThan(35);
  const missing = listed.filter((operation) => !inTable.includes(operation)).map(({ path }) => path);
  expect(
    missing,
    "Say in `walks` or `operatorWalks` of test/lists/walks.test.ts how their lists grow.",
  ).toEqual([]);
});

describe.each(inTable)("$path", (operation) => {
  const { grow, key = (item: Item) => Object.values(item)[0] } = rowOf(operation) as Walked;
  const keysOf = (items: readonly Item[]) => items.map(key);

  it("gives what was there once, in its order, while others are added", async () => {
    for (let n = 0; n < 6; n += 1) await grow?.();
    const start = keysOf((await walk(operation, 100)).items);
    expect(start.length).toBeGreaterThan(4);
    expect(new Set(start).size).toBe(start.length);
    const size = Math.floor(start.length / 4);
    // The newest come last in some lists, so that a walk would not end as long as they are added.
    let left = 6;
    const { items, pages } = await walk(operation, size, async () => {
      for (const _ of [1, 2]) if (left-- > 0) await grow?.();
    });
    expect(pages).toBeGreaterThan(3);
    const given = keysOf(items);
    expect(new Set(given).size).toBe(given.length);
    expect(given.filter((one) => start.includes(one))).toEqual(start);
    if (grow !== undefined)
      expect((await walk(operation, 100)).items.length).toBeGreaterThan(start.length + 5);
  });

  it.skipIf(operation.kind !== "list")("begins after the last item of any page", async () => {
    const numbers = { ...rowOf(operation)?.body?.(), per_page: 2 };
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((page) => send(operation, { ...numbers, page })),
    );
    const follow = (meta: { next: string }) => send(operation, { ...numbers, after: meta.next });
    expect(keysOf((await follow(first.meta)).data)).toEqual(keysOf(second.data));
    expect(keysOf((await follow(second.meta)).data)).toEqual(keysOf(third.data));
    const last = await send(operation, { ...numbers, page: first.meta.pagination.last_page });
    expect(last.meta.next).toBeNull();
    const beyond = await send(operation, { ...numbers, page: first.meta.pagination.last_page + 1 });
    expect(beyond).toMatchObject({ data: [], meta: { next: null } });
  });
});

describe("a cursor", () => {
  const path = "/sp/transactions/list";
  const filter = () => ({ contact_id, event_types: ["reward_points_adjustment"], per_page: 1 });
  const cursor = async () => (await world.ask(path, filter(), partner)).body.meta.next as string;
  const wrong = {
    status: 422,
    body: {
      error: {
        code: "validation_failed",
        details: {
          errors: [
            {
              field: "after",
              code: "not_allowed_value",
              message:
                "after must be meta.next of this list with the same filters; without after, the list begins again.",
            },
          ],
        },
      },
    },
  };

  it("is valid for its list, business and filters only, and with any size of page", async () => {
    const after = await cursor();
    expect(await world.ask(path, { ...filter(), per_page: 100, after }, partner)).toMatchObject({
      status: 200,
    });
    // The same filters, written in another order.
    const { event_types } = filter();
    expect(await world.ask(path, { after, event_types, contact_id }, partner)).toMatchObject({ status: 200 });
    for (const body of [
      ...[{ event_types }, { contact_id }, { ...filter(), event_types: ["sale"] }],
      { ...filter(), start_date: "2026-01-01" },
    ])
      expect(await world.ask(path, { ...body, after }, partner)).toMatchObject(wrong);
    expect(await world.ask("/sp/sales/list", { contact_id, after }, partner)).toMatchObject(wrong);
    expect(await world.ask(path, { ...filter(), after }, world.home.everywhere)).toMatchObject(wrong);
    const ofOperator = { business_id: shop.businessId, ...filter(), after };
    expect(await asOperator(world, "/op/transactions/list", ofOperator)).toMatchObject(wrong);
    const changed = after.slice(0, -1) + (after.endsWith("A") ? "B" : "A");
    for (const forged of [changed, "A", Buffer.from('["1"]').toString("base64url")])
      expect(await world.ask(path, { ...filter(), after: forged }, partner)).toMatchObject(wrong);
  });

  it("is not sent together with the number of a page", async () => {
    const reply = await world.ask(path, { ...filter(), after: await cursor(), page: 2 }, partner);
    expect(reply.body.error).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "after", message: "after must not be sent together with page." }] },
    });
  });

  it("survives a restart of the service, and not another secret", async () => {
    const after = await cursor();
    const token = await world.token(partner);
    const next = (baseUrl: string, as: string) =>
      world.call(path, { ...filter(), after, idempotency_key: nextKey() }, { token: as, baseUrl });
    const expected = await next(world.baseUrl, token);
    const restarted = await startService(world, {});
    expect((await next(restarted.baseUrl, token)).text).toBe(expected.text);
    await restarted.close();
    const other = await startService(world, { secret: "another secret for tests, long enough too" });
    const { client_id, client_secret } = partner;
    const issued = await world.call(
      "/sp/auth/token",
      { client_id, client_secret },
      { baseUrl: other.baseUrl },
    );
    expect(await next(other.baseUrl, issued.body.data.access_token)).toMatchObject(wrong);
    await other.close();
  });
});
