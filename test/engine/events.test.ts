/** Events over HTTP: each change is in exactly one of them, and callers see those that concern them. */

import fc from "fast-check";
import { Compile } from "typebox/compile";
import { beforeAll, describe, expect, it } from "vitest";
import { lastEntryNo } from "../../src/database/ledger/ledger.ts";
import { eventNames } from "../../src/domain/events.ts";
import { eventSchemas } from "../../src/operations/events/event-data.ts";
import { sweepOldEvents } from "../../src/sweeper.ts";
import { type EventPage, expectSameAsLedger, followEvents, type ListedEvent } from "../support/events.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { runs } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { type Credentials, newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

const switchEvents = (business_id: number, events_enabled: boolean) =>
  operatorWrite(world, "/op/businesses/update", { business_id, events_enabled });
const listBy =
  (credentials?: Credentials) =>
  async (body: object): Promise<EventPage> => {
    const reply = await world.ask("/sp/events/list", body, credentials);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.data;
  };
const eventsBy = (credentials?: Credentials, filter?: object) => followEvents(listBy(credentials), 0, filter);
const countEntries = async (businessId: number) => {
  const [row] = await world.sql<{ last: number }[]>`SELECT ${lastEntryNo(businessId)} AS last`;
  return row?.last ?? 0;
};
const typesOf = (events: readonly ListedEvent[]) => events.map(({ type }) => type);

const declared = Object.fromEntries(
  eventSchemas.map(({ type, data }) => [type, Compile({ ...data, additionalProperties: false })]),
);
/** Checks that the data of an event has the declared fields, and no others. */
function expectDeclared({ type, data }: ListedEvent): void {
  const problems = [...(declared[type]?.Errors(data) ?? ["unknown type"])];
  expect(problems, `${type} ${JSON.stringify(data)}`).toEqual([]);
}

type Step = readonly [kind: string, amount: number, which: number];

/** A sandbox with events, whose vouchers lapse and whose points mature after some days. */
interface Shop extends Sandbox {
  readonly voucherId: number;
  readonly tierIds: readonly number[];
}

async function makeShop(withCard = false): Promise<Shop> {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, points_price: 5 };
  const business_id = shop.businessId;
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    business_id,
    ...voucher,
    validity: 1,
    validity_period: "month",
  });
  await shop.rules({ pending_days: 3, points_validity: 1, points_expiry_rounding: "day" });
  const tierIds: number[] = [];
  for (const [name, qualifying_sales] of [
    ["Silver", 3000],
    ["Gold", 9000],
  ]) {
    const tier = { business_id, name, qualifying_sales, expiry: 1, expiry_period: "month" };
    tierIds.push((await operatorWrite(world, "/op/tiers/create", tier)).tier_id);
  }
  await switchEvents(business_id, true);
  if (!withCard) return { ...shop, voucherId: voucher_id, tierIds };
  const visits = { name: "Visits", counts: "visit", most_per_day: null, stamps_needed: 2, voucher_id };
  const validity = { validity: 45, validity_period: "day" };
  await operatorWrite(world, "/op/stamp-cards/create", { business_id, ...visits, ...validity });
  const missed = { name: "Missed", kind: "inactive", inactive_days: 50, points: 5 };
  await operatorWrite(world, "/op/occasions/create", { business_id, ...missed });
  return { ...shop, voucherId: voucher_id, tierIds };
}

/** Does steps; those that are rejected change nothing. @returns the secrets that no event may have */
async function live(shop: Shop, steps: readonly Step[]): Promise<string[]> {
  const { businessId: business_id, locationId: location_id, voucherId: voucher_id } = shop;
  const people = [newPerson(), newPerson(), newPerson()];
  const contacts: number[] = [];
  for (const person of people)
    contacts.push(await world.member({ ...person, first_name: "Philomena" }, shop.credentials));
  const ids: Record<string, number[]> = {
    sale_id: [],
    movement_id: [],
    redemption_id: [],
    held_voucher_id: [],
  };
  const pick = (name: string, which: number) => ids[name]?.[which % (ids[name]?.length || 1)] ?? 1;
  const send = async (path: string, body: object) => {
    const reply = path.startsWith("/op")
      ? await asOperator(world, path, { idempotency_key: nextKey(), business_id, ...body })
      : await world.write(path, body, shop.credentials);
    expect(reply.status, reply.text).toBeLessThan(500);
    for (const [name, list] of Object.entries(ids)) {
      const made = reply.body.data?.[name];
      if (typeof made === "number" && !list.includes(made)) list.push(made);
    }
  };
  const pickContact = (which: number) => contacts[which % contacts.length] as number;
  for (const [kind, amount, which] of steps) {
    const contact_id = pickContact(which);
    const at = { contact_id, location_id };
    const card_code = `LC${100_000 + amount}`;
    const kinds: Record<string, () => Promise<unknown>> = {
      sale: () => send("/sp/sales/record", { ...at, amount: amount * 100 }),
      mixed: () =>
        send("/sp/sales/record", {
          ...at,
          amount: amount * 100,
          use_wallet: 100,
          use_vouchers: [pick("held_voucher_id", which)],
        }),
      refund: () =>
        send("/sp/sales/refund", { sale_id: pick("sale_id", which), location_id, amount: amount * 30 }),
      topup: () => send("/sp/wallet/topup", { ...at, amount: amount * 50 }),
      pay: () => send("/sp/wallet/pay", { ...at, amount }),
      reverse: () => send("/sp/wallet/reverse", { movement_id: pick("movement_id", which), location_id }),
      wallet: () =>
        send("/sp/wallet/adjust", { ...at, amount, adjustment_type: which % 2 ? "credit" : "debit" }),
      points: () =>
        send("/op/members/adjust-points", {
          contact_id,
          points: amount,
          adjustment_type: "credit",
          reason: "Sorry",
        }),
      redeem: () => send("/sp/reward-points/redeem", { ...at, points: 3 }),
      buy: () => send("/sp/reward-points/redeem", { ...at, voucher_id }),
      restore: () => send("/sp/reward-points/reverse", { redemption_id: pick("redemption_id", which) }),
      issue: () => send("/sp/vouchers/issue", { contact_id, voucher_id }),
      use: () => send("/sp/vouchers/redeem", { ...at, held_voucher_id: pick("held_voucher_id", which) }),
      unuse: () => send("/sp/vouchers/reverse", { held_voucher_id: pick("held_voucher_id", which) }),
      wait: () => shop.advance(daysLater(amount)),
      rename: () => send("/sp/members/update", { contact_id, last_name: "Quattlebaum" }),
      operator: () => send("/op/members/update", { contact_id, email: `p${amount}@quattlebaum.example` }),
      standing: () => send(amount % 2 ? "/op/members/activate" : "/op/members/deactivate", { contact_id }),
      settle: () => send("/op/members/settle", { contact_id }),
      join: () =>
        send("/op/imports/members", {
          lines: [{ line: 1, ...newPerson(), wallet_balance: amount, points_balance: amount }],
          points_valid_through: undefined,
        }),
      past: () =>
        send("/op/imports/sales", {
          earn: which % 2 === 0,
          location_id,
          lines: [
            {
              line: 1,
              contact_id,
              sold_at: "2026-01-01 10:00:00",
              amount: amount * 100,
              reference_id: nextKey(),
            },
          ],
        }),
      merge: () =>
        send("/op/members/merge", { from_contact_id: contact_id, contact_id: pickContact(amount) }),
      tier: () => send("/op/members/assign-tier", { contact_id, tier_id: shop.tierIds[amount % 3] ?? null }),
      given: () =>
        send("/op/imports/vouchers", {
          lines: [{ line: 1, contact_id, coupon_code: "COFFEE", reference_id: nextKey() }],
        }),
      card: () => send("/sp/cards/create", { contact_id, kind: "plastic", card_code }),
      lose: () => send("/sp/cards/replace", { card_code }),
      block: () => send("/sp/cards/block", { card_code }),
      claim: async () => {
        const code = `${card_code}A`;
        await send("/sp/cards/issue", { location_id, kind: "plastic", card_code: code });
        await send("/sp/cards/claim", { card_code: code, contact_id });
      },
      erase: () => send("/op/members/erase", { contact_id, reason: "Asked" }),
    };
    await kinds[kind]?.();
  }
  return [
    ...people.flatMap(({ last_name, phone_number }) => [last_name, phone_number]),
    "Philomena",
    "uattlebaum",
  ];
}

const kindsOfSteps = (
  "sale sale sale mixed refund topup pay reverse wallet points redeem buy restore issue issue use unuse wait wait " +
  "rename operator standing settle join past tier given card lose block claim merge erase"
).split(" ");
const step = fc.tuple(fc.constantFrom(...kindsOfSteps), fc.integer({ min: 1, max: 60 }), fc.nat(7));

let day = Date.parse("2026-01-10");
const daysLater = (days: number) => {
  day += days * 86_400_000;
  return new Date(day).toISOString().slice(0, 10);
};

describe("random histories", () => {
  const seen = new Set<string>();

  it("have each ledger entry in exactly one event, without gaps and without personal data", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
        day = Date.parse("2026-01-10");
        const shop = await makeShop(true);
        const secrets = await live(shop, steps);
        const events = await eventsBy(shop.credentials);
        await expectSameAsLedger(world.sql, shop.businessId, events, { sequence: 1, entryNo: 0 });
        const text = JSON.stringify(events);
        for (const secret of secrets) expect(text).not.toContain(secret);
        for (const { type, data, timestamp } of events) {
          seen.add(type);
          expect(data.sandbox).toBe(true);
          expect(timestamp.slice(0, 4)).toBe("2026");
        }
        for (const each of events) expectDeclared(each);
        expect(await eventsBy(shop.credentials)).toEqual(events);
      }),
      { numRuns: runs(6), endOnFailure: true },
    );
  });

  it("have events of all types", async () => {
    day = Date.parse("2026-01-10");
    const shop = await makeShop(true);
    const all = kindsOfSteps.filter((kind) => !["erase", "standing", "wait", "merge"].includes(kind));
    const steps: Step[] = [
      ...[...all, ...all].map((kind) => [kind, 20, 0] as const),
      ...[
        ["reverse", 1, 0],
        ["wait", 5, 0],
        ["sale", 5, 0],
        ["sale", 5, 2],
        ["buy", 5, 0],
        ["restore", 5, 1],
        ["issue", 5, 0],
      ],
      ...[
        ["use", 5, 2],
        ["unuse", 5, 2],
        ["card", 1, 2],
        ["block", 1, 2],
        ["issue", 1, 0],
        ["wait", 60, 0],
        ["standing", 2, 0],
        ["standing", 1, 0],
      ],
      ...[
        ["sale", 60, 0],
        ["wait", 20, 0],
        ["sale", 60, 0],
        ["wait", 60, 0],
        ["wait", 300, 0],
      ],
      ...[
        ["standing", 1, 2],
        ["merge", 1, 2],
        ["erase", 1, 1],
      ],
    ] as Step[];
    await live(shop, steps);
    // Its money lapses on the days that follow.
    await shop.rules({ gift_validity: 1, gift_validity_period: "day" });
    await shop.write("/sp/cards/issue", { location_id: shop.locationId, kind: "gift", amount: 500 });
    await bringTwo(shop);
    const events = await eventsBy(shop.credentials);
    await expectSameAsLedger(world.sql, shop.businessId, events, { sequence: 1, entryNo: 0 });
    for (const each of events) expectDeclared(each);
    expect(() => expectDeclared({ ...(events[1] as ListedEvent), type: "voucher.lapsed" })).toThrow();
    const types = new Set([...seen, ...typesOf(events)]);
    // Webhooks have tests of their own.
    const names = eventNames.filter((name) => name !== "webhook_endpoint.disabled");
    expect([...types].sort()).toEqual(names.sort());
  });
});

/** A member brings two others, of whom one buys too little. */
async function bringTwo(shop: Sandbox) {
  const { businessId: business_id, locationId: location_id } = shop;
  await operatorWrite(world, "/op/occasions/create", {
    business_id,
    name: "Brings",
    kind: "referrer",
    points: 5,
  });
  await operatorWrite(world, "/op/reward-settings/rules/update", {
    business_id,
    referral_minimum_amount: 1000,
  });
  const { referral_code } = await shop.write("/sp/referrals/code", { contact_id: await shop.member() });
  for (const amount of [999, 1000]) {
    const contact_id = await shop.member();
    await shop.write("/sp/referrals/create", { contact_id, referral_code });
    await shop.write("/sp/sales/record", { contact_id, location_id, amount });
  }
  const { clock_at } = await shop.ask("/sp/sandbox/clock/get", {});
  const later = new Date(Date.parse(`${clock_at.slice(0, 10)}T00:00:00Z`) + 20 * 86_400_000);
  await shop.advance(later.toISOString().slice(0, 10));
}

describe("the events of an operation", () => {
  it("have its numbers, its balances and its entries", async () => {
    const shop = await makeShop();
    const { locationId: location_id } = shop;
    const contact_id = await shop.member();
    const sale = await shop.write("/sp/sales/record", {
      contact_id,
      location_id,
      amount: 2500,
      reference_id: "R-1",
    });
    await shop.advance("2026-03-01");
    const events = await eventsBy(shop.credentials);
    expect(typesOf(events)).toEqual([
      ...["events.enabled", "member.created", "sale.recorded"],
      ...[
        "reward_points.matured",
        "reward_points.expiring",
        "reward_points.expired",
        "sandbox.clock_advanced",
      ],
    ]);
    const [, created, recorded, matured, , expired, advanced] = events;
    expect(created?.data).toMatchObject({ contact_id, member_id: expect.any(Number), entries: [] });
    const { entries, ...data } = recorded?.data ?? {};
    expect(data).toMatchObject({
      ...sale,
      business_id: shop.businessId,
      sandbox: true,
      contact_id,
      sequence: 3,
      location_id,
    });
    expect(entries).toEqual([
      {
        entry_no: sale.sale_id,
        contact_id,
        event_type: "sale",
        amount: 2500,
        balance_after: 2500,
        created_at: "2026-01-10T08:00:00Z",
      },
    ]);
    expect(recorded?.timestamp).toBe("2026-01-10T08:00:00.000000Z");
    expect(matured).toMatchObject({
      timestamp: "2026-01-12T23:00:00.000000Z",
      data: { points: 25, entries: [{ amount: 25, lot_id: sale.sale_id }] },
    });
    expect(expired).toMatchObject({
      data: { contact_id, points: 25, entries: [{ amount: -25, day: "2026-02-14" }] },
    });
    expect(advanced?.data).toMatchObject({
      from: "2026-01-10 09:00:00",
      to: "2026-03-01 00:00:00",
      contact_id: null,
    });
  });

  it("are one for a request that is repeated, and none for one that is rejected or tried", async () => {
    const shop = await makeShop();
    const contact_id = await shop.member();
    const key = nextKey();
    const adjust = {
      contact_id,
      location_id: shop.locationId,
      amount: 5,
      adjustment_type: "credit",
      idempotency_key: key,
    };
    await shop.write("/sp/wallet/adjust", adjust);
    await shop.write("/sp/wallet/adjust", adjust);
    const update = { contact_id, first_name: "Eva", idempotency_key: nextKey() };
    await shop.write("/sp/members/update", update);
    await shop.write("/sp/members/update", update);
    await shop.rejected("/sp/wallet/adjust", {
      ...adjust,
      idempotency_key: nextKey(),
      amount: 6,
      adjustment_type: "debit",
    });
    await shop.rejected("/sp/members/update", { contact_id: 1, first_name: "Eva" });
    const lines = [{ line: 1, contact_id, sold_at: "2026-01-01 10:00:00", amount: 100 }];
    await operatorWrite(world, "/op/imports/sales", { business_id: shop.businessId, lines, dry_run: true });
    const events = await eventsBy(shop.credentials);
    expect(typesOf(events).slice(2)).toEqual(["wallet.adjusted", "member.updated"]);
    expect(events.at(-1)?.data).toMatchObject({ contact_id, changed: ["first_name"] });
  });

  it("are several small ones for many members or lines", async () => {
    const shop = await makeShop();
    const { businessId: business_id, locationId: location_id } = shop;
    const members = Array.from({ length: 250 }, (_, index) => {
      return { line: index + 1, ...newPerson(), wallet_balance: 100, points_balance: 7 };
    });
    const imported = { business_id, lines: members, points_valid_through: "2026-02-01" };
    await operatorWrite(world, "/op/imports/members", imported);
    const rows = await world.sql<{ contact_id: number }[]>`
      SELECT contact_id FROM member WHERE business_id = ${business_id} ORDER BY contact_id`;
    const lines = rows.map(({ contact_id }, index) => {
      return { line: index + 1, contact_id, sold_at: "2026-01-05 10:00:00", amount: 300 };
    });
    await operatorWrite(world, "/op/imports/sales", { business_id, location_id, lines, earn: true });
    await shop.advance("2026-02-05");
    const events = await eventsBy(shop.credentials);
    await expectSameAsLedger(world.sql, business_id, events, { sequence: 1, entryNo: 0 });
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect(count("members.imported")).toBeGreaterThanOrEqual(3);
    expect(count("members.imported")).toBeLessThan(10);
    expect(count("sales.imported")).toBeLessThan(10);
    expect(count("reward_points.expired")).toBe(3);
    const expired = events.filter(({ type }) => type === "reward_points.expired");
    expect(expired.map(({ data }) => data.entries.length)).toEqual([100, 100, 50]);
    const contact_id = rows[120]?.contact_id as number;
    const ofOne = await eventsBy(shop.credentials, { contact_id });
    const entries = ofOne
      .flatMap(({ data }) => data.entries)
      .filter((entry) => entry.contact_id === contact_id);
    expect(entries.map(({ event_type }) => event_type)).toContain("reward_points_expired");
    expect(ofOne.every(({ data }) => JSON.stringify(data).includes(String(contact_id)))).toBe(true);
  });
});

describe("a business", () => {
  it("has no events until they are switched on, and none while they are off", async () => {
    const shop = await makeSandbox(world, "2026-01-10 09:00:00");
    const { businessId } = shop;
    const contact_id = await shop.member();
    const credit = { contact_id, location_id: shop.locationId, amount: 5, adjustment_type: "credit" };
    await shop.write("/sp/wallet/adjust", credit);
    expect(await listBy(shop.credentials)({})).toEqual({ events: [], next: 0, last: 0, enabled: false });
    expect(await world.sql`SELECT FROM event_head WHERE business_id = ${businessId}`).toHaveLength(0);

    const entryNo = await countEntries(businessId);
    expect(await switchEvents(businessId, true)).toMatchObject({ events_enabled: true });
    await switchEvents(businessId, true);
    await shop.write("/sp/wallet/adjust", credit);
    await shop.write("/sp/members/update", { contact_id, first_name: "Eva" });
    const events = await eventsBy(shop.credentials);
    expect(typesOf(events)).toEqual(["events.enabled", "wallet.adjusted", "member.updated"]);
    await expectSameAsLedger(world.sql, businessId, events, { sequence: 1, entryNo });

    await switchEvents(businessId, false);
    await shop.write("/sp/wallet/adjust", credit);
    await shop.member();
    await switchEvents(businessId, true);
    await shop.write("/sp/wallet/adjust", credit);
    const later = await eventsBy(shop.credentials);
    expect(typesOf(later).slice(3)).toEqual(["events.enabled", "wallet.adjusted"]);
    expect(later.map(({ data }) => data.sequence)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("a list of events", () => {
  let member: number;
  let home: { business_id: number; first: number; third: number };
  beforeAll(async () => {
    const { businessId: business_id, locationIds } = world.home;
    home = { business_id, first: locationIds[0] as number, third: locationIds[2] as number };
    await switchEvents(business_id, true);
    await switchEvents(world.away.businessId, true);
    member = await world.member();
    const credit = { contact_id: member, amount: 5, adjustment_type: "credit" };
    for (const location_id of [home.first, home.third])
      await world.write("/sp/wallet/adjust", { ...credit, location_id });
    const points = { contact_id: member, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", points);
    await world.member({}, world.away.everywhere);
    await world.member();
  });

  it("has the events of the caller's business and locations, and those without a location", async () => {
    const [everywhere, limited, away] = await Promise.all([
      eventsBy(),
      eventsBy(world.home.limited),
      eventsBy(world.away.everywhere),
    ]);
    expect(everywhere).toHaveLength(6);
    expect(limited).toEqual(everywhere.filter(({ data }) => data.location_id !== home.third));
    expect(limited).toHaveLength(5);
    expect(typesOf(away)).toEqual(["events.enabled", "member.created"]);
    const { body } = await asOperator(world, "/op/events/list", { business_id: home.business_id });
    expect(body.data.events).toEqual(everywhere);
  });

  it("can be limited to types, groups of types and a member, and is read page by page", async () => {
    expect(typesOf(await eventsBy(undefined, { types: ["wallet.*"] }))).toEqual([
      "wallet.adjusted",
      "wallet.adjusted",
    ]);
    const types = ["reward_points.adjusted", "member.*"];
    expect(typesOf(await eventsBy(undefined, { types }))).toEqual([
      ...["member.created", "reward_points.adjusted", "member.created"],
    ]);
    expect(await eventsBy(undefined, { contact_id: member })).toHaveLength(4);
    expect(await eventsBy(undefined, { limit: 1, types: ["*"] })).toEqual(await eventsBy());
    const page = await world.ask("/sp/events/list", { after: 2, limit: 2 });
    expect(page.body.data).toMatchObject({
      next: 4,
      last: 6,
      events: [{ data: { sequence: 3 } }, { data: { sequence: 4 } }],
    });
    const unknown = await world.ask("/sp/events/list", { types: ["sale.shipped"] });
    expect(unknown.body.error).toMatchObject({ code: "validation_failed" });
  });

  it("is read from the newest event on, too", async () => {
    const backwards = async (filter: object) => {
      const found: ListedEvent[] = [];
      for (let before = 1_000_000; before !== 0; ) {
        const { events, next } = await listBy()({ before, limit: 2, ...filter });
        found.push(...events);
        expect(next).toBeLessThan(before);
        before = next;
      }
      return found;
    };
    expect(await backwards({})).toEqual((await eventsBy()).toReversed());
    const filter = { types: ["wallet.*"], contact_id: member };
    expect(await backwards(filter)).toEqual((await eventsBy(undefined, filter)).toReversed());
    expect(await listBy()({ before: 3 })).toMatchObject({
      next: 0,
      last: 6,
      events: [{ data: { sequence: 2 } }, { data: { sequence: 1 } }],
    });
    expect(await listBy()({ before: 0 })).toMatchObject({ next: 0, events: [] });
    const both = await world.ask("/sp/events/list", { before: 3, after: 1 });
    expect(both.body.error).toMatchObject({ code: "validation_failed" });
  });

  it("has imported sales of the caller's locations only", async () => {
    const limited = await eventsBy(world.home.limited);
    const lines = [home.first, home.third, home.third].map((location_id, index) => {
      return {
        line: index + 1,
        contact_id: member,
        location_id,
        sold_at: `2026-01-0${index + 1}`,
        amount: 100,
      };
    });
    await operatorWrite(world, "/op/imports/sales", { business_id: home.business_id, lines });
    const [one, ...others] = (await eventsBy(world.home.limited)).slice(limited.length);
    expect(one).toMatchObject({
      type: "sales.imported",
      data: { contact_id: member, entries: [{ amount: 100 }] },
    });
    expect(others).toEqual([]);
    const [, elsewhere] = await eventsBy(undefined, { types: ["sales.imported"] });
    expect(elsewhere?.data.entries).toHaveLength(2);
  });

  it("goes on behind many events that don't match", async () => {
    const business = await world.business("Large", "UTC");
    await switchEvents(business.businessId, true);
    await world.sql`
      INSERT INTO event (business_id, event_no, type, occurred_at, contact_ids, data)
      SELECT ${business.businessId}, n, 'member.updated', now(), '{1}', '{"contact_id":1,"entries":[]}'
      FROM generate_series(2, 4500) AS n`;
    const contact_id = await world.member({}, business.everywhere);
    const first = await world.ask("/sp/events/list", { contact_id }, business.everywhere);
    expect(first.body.data).toMatchObject({ events: [], next: 2000, last: 4501 });
    expect(await eventsBy(business.everywhere, { contact_id })).toMatchObject([{ type: "member.created" }]);
    const list = listBy(business.everywhere);
    expect(await list({ before: 9000, contact_id })).toMatchObject({
      events: [{ type: "member.created" }],
      next: 2502,
    });
    expect(await list({ before: 2502, contact_id })).toMatchObject({ events: [], next: 502 });
    expect(await list({ before: 502, contact_id })).toMatchObject({ events: [], next: 0 });
  });

  it("rejects a number whose events are deleted, or that has not been reached", async () => {
    const business = await world.business("Old", "UTC");
    const { businessId, everywhere } = business;
    await switchEvents(businessId, true);
    for (let count = 0; count < 4; count++) await world.member({}, everywhere);
    await world.sql`
      UPDATE event SET recorded_at = now() - interval '31 days' WHERE business_id = ${businessId} AND event_no < 4`;
    await sweepOldEvents(world.sql, 30, { stopped: () => false });
    const list = (body: object) => world.ask("/sp/events/list", body, everywhere);
    expect((await list({ after: 2 })).body.error).toMatchObject({
      code: "events_expired",
      details: { oldest: 4 },
    });
    expect((await list({ after: 3 })).body.data.events).toHaveLength(2);
    expect((await list({})).body.data.events).toHaveLength(2);
    expect((await list({ before: 9 })).body.data).toMatchObject({
      next: 0,
      events: [{ data: { sequence: 5 } }, { data: { sequence: 4 } }],
    });
    expect((await list({ before: 4 })).body.data).toMatchObject({ events: [], next: 0 });
    expect((await list({ after: 6 })).body.error).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "after", code: "out_of_range" }] },
    });
    await world.sql`UPDATE event SET recorded_at = now() - interval '31 days' WHERE business_id = ${businessId}`;
    await sweepOldEvents(world.sql, 30, { stopped: () => false });
    expect((await list({ after: 3 })).body.error).toMatchObject({
      code: "events_expired",
      details: { oldest: 5 },
    });
    // The last event is kept.
    expect((await list({ after: 4 })).body.data).toMatchObject({ events: [{ data: { sequence: 5 } }] });
    expect((await list({ after: 5 })).body.data).toMatchObject({ events: [], next: 5, last: 5 });
    const { body } = await asOperator(world, "/op/events/list", { business_id: businessId, after: 1 });
    expect(body.error).toMatchObject({ code: "events_expired", details: { oldest: 5 } });
  });
});
