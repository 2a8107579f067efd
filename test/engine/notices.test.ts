/** Events about what expires soon: once for each member and last day, and with what a member really has. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startSettling } from "../../src/pipeline/postings/settling.ts";
import { followEvents, type ListedEvent } from "../support/events.ts";
import { dayOf, zoneAtNoon } from "../support/local-times.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { runs } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const types = ["reward_points.expiring", "voucher.expiring", "tier.expiring"];

const enable = (business_id: number, events_enabled = true) =>
  operatorWrite(world, "/op/businesses/update", { business_id, events_enabled });
const noticesOf = (shop: Sandbox, after = 0) =>
  followEvents((body) => shop.ask("/sp/events/list", body), after, { types });

/** A sandbox on 10 January 2026. Points are valid for 2 months to the day, vouchers for 6 weeks, tiers for a month. */
async function makeShop(notice?: number, enabled = true) {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id } = shop;
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    business_id,
    campaign_name: "Coffee",
    coupon_code: "COFFEE",
    coupon_value: 400,
    validity: 6,
    validity_period: "week",
  });
  const { tier_id } = await operatorWrite(world, "/op/tiers/create", {
    business_id,
    name: "Silver",
    qualifying_sales: 10_000,
    expiry: 1,
    expiry_period: "month",
  });
  const rules = { points_validity: 2, points_expiry_rounding: "day" };
  await shop.rules({ ...rules, ...(notice !== undefined && { expiring_notice_days: notice }) });
  if (enabled) await enable(business_id);
  const sell = (contact_id: number, amount: number, more: object = {}) =>
    shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
  return { ...shop, voucherId: voucher_id as number, tierId: tier_id as number, sell };
}

const dayOfEvent = (event: ListedEvent) => event.timestamp.slice(0, 10);
const brief = ({ type, data }: ListedEvent) => `${type} ${data.contact_id} ${data.valid_through}`;
const plus = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

describe("a notice", () => {
  it("comes so many days before the last day, with what ends then", async () => {
    const shop = await makeShop();
    const contact_id = await shop.member();
    const sale = await shop.sell(contact_id, 4000);
    const issued = await shop.write("/sp/vouchers/issue", { contact_id, voucher_id: shop.voucherId });
    await operatorWrite(world, "/op/members/assign-tier", {
      business_id: shop.businessId,
      contact_id,
      tier_id: shop.tierId,
    });
    await shop.sell(contact_id, 3000);
    expect(sale.valid_through).toBe("2026-03-10");
    expect(issued.valid_through).toBe("2026-02-21");
    await shop.advance("2026-02-07 12:00:00");
    const [tier, voucher, ...others] = await noticesOf(shop);
    expect(others).toEqual([]);
    expect(tier).toMatchObject({
      type: "tier.expiring",
      // Midnight in Madrid. The tier is valid to 10 February, less than 30 days from the first day of which.
      timestamp: "2026-01-10T23:00:00.000000Z",
      data: {
        contact_id,
        valid_through: "2026-02-10",
        entries: [],
        members: [
          { contact_id, tier_id: shop.tierId, since: "2026-01-10", by_hand: true, sales_missing: 3000 },
        ],
      },
    });
    expect(voucher).toMatchObject({
      type: "voucher.expiring",
      timestamp: "2026-01-21T23:00:00.000000Z",
      data: {
        contact_id,
        valid_through: "2026-02-21",
        entries: [],
        vouchers: [
          {
            contact_id,
            held_voucher_id: issued.held_voucher_id,
            voucher_id: shop.voucherId,
            coupon_value: 400,
          },
        ],
      },
    });
    await shop.advance("2026-02-08");
    const [points] = await noticesOf(shop, voucher?.data.sequence);
    expect(points).toMatchObject({
      type: "reward_points.expiring",
      timestamp: "2026-02-07T23:00:00.000000Z",
      data: { contact_id, valid_through: "2026-03-10", points: 70, members: [{ contact_id, points: 70 }] },
    });
    await shop.advance("2026-06-01");
    expect((await noticesOf(shop)).map(brief)).toEqual([
      `tier.expiring ${contact_id} 2026-02-10`,
      `voucher.expiring ${contact_id} 2026-02-21`,
      `reward_points.expiring ${contact_id} 2026-03-10`,
    ]);
  });

  it("is not written for what was used before, and has only what is left", async () => {
    const shop = await makeShop();
    const [spender, saver] = [await shop.member(), await shop.member()];
    for (const contact_id of [spender, saver]) {
      await shop.sell(contact_id, 4000);
      const { held_voucher_id } = await shop.write("/sp/vouchers/issue", {
        contact_id,
        voucher_id: shop.voucherId,
      });
      const points = contact_id === spender ? 40 : 15;
      await shop.write("/sp/reward-points/redeem", { contact_id, points });
      if (contact_id === spender)
        await shop.write("/sp/vouchers/redeem", {
          contact_id,
          location_id: shop.locationId,
          held_voucher_id,
        });
    }
    await shop.advance("2026-06-01");
    const notices = await noticesOf(shop);
    expect(notices.map(brief)).toEqual([
      `voucher.expiring ${saver} 2026-02-21`,
      `reward_points.expiring ${saver} 2026-03-10`,
    ]);
    expect(notices[1]?.data.points).toBe(25);
  });

  it("comes the day after what ends sooner was given, and not again for more of the same day", async () => {
    const shop = await makeShop(365);
    const contact_id = await shop.member();
    await shop.sell(contact_id, 1000);
    expect(await noticesOf(shop)).toEqual([]);
    await shop.advance("2026-01-11 10:00:00");
    await shop.sell(contact_id, 2000, { sold_on: "2026-01-10" });
    await shop.advance("2026-04-01");
    const [notice, ...others] = await noticesOf(shop);
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ timestamp: "2026-01-10T23:00:00.000000Z", data: { points: 10 } });
  });

  it("comes earlier, later or never, as the setting says", async () => {
    const when = async (change: (shop: Sandbox) => Promise<unknown>, notice?: number) => {
      const shop = await makeShop(notice);
      await shop.sell(await shop.member(), 4000);
      await shop.advance("2026-01-20");
      await change(shop);
      await shop.advance("2026-06-01");
      return (await noticesOf(shop)).map(({ timestamp }) => timestamp);
    };
    const set = (expiring_notice_days: number) => (shop: Sandbox) => shop.rules({ expiring_notice_days });
    expect(await when(async () => undefined)).toEqual(["2026-02-07T23:00:00.000000Z"]);
    expect(await when(set(1))).toEqual(["2026-03-08T23:00:00.000000Z"]);
    // More days than are left: on the next day.
    expect(await when(set(365))).toEqual(["2026-01-20T23:00:00.000000Z"]);
    expect(await when(set(0))).toEqual([]);
    // There was one.
    expect(await when(set(30), 55)).toEqual(["2026-01-13T23:00:00.000000Z"]);
    const again = await when(async (shop) => {
      await shop.rules({ expiring_notice_days: 5 });
      await shop.advance("2026-02-20");
    }, 55);
    expect(again).toEqual(["2026-01-13T23:00:00.000000Z"]);
  });

  it("is not written while events are off, and comes once they are on", async () => {
    const shop = await makeShop(undefined, false);
    await shop.sell(await shop.member(), 4000);
    await shop.advance("2026-02-20");
    await enable(shop.businessId);
    await shop.advance("2026-02-21");
    expect((await noticesOf(shop)).map(dayOfEvent)).toEqual(["2026-02-20"]);
    await shop.advance("2026-06-01");
    expect(await noticesOf(shop)).toHaveLength(1);
  });

  it("is shared by up to 100 members", async () => {
    const shop = await makeShop();
    const lines = Array.from({ length: 250 }, (_, index) => {
      return { line: index + 1, ...newPerson(), points_balance: index + 1 };
    });
    const imported = { business_id: shop.businessId, lines, points_valid_through: "2026-02-20" };
    await operatorWrite(world, "/op/imports/members", imported);
    await shop.advance("2026-02-01");
    const notices = await noticesOf(shop);
    expect(notices.map(({ data }) => data.members.length)).toEqual([100, 100, 50]);
    expect(notices.every(({ data }) => data.contact_id === null)).toBe(true);
    const points = notices.flatMap(({ data }) => data.members.map((one: { points: number }) => one.points));
    expect(points.toSorted((one, other) => one - other)).toEqual(
      lines.map(({ points_balance }) => points_balance),
    );
    const sum = notices.reduce((all, { data }) => all + data.points, 0);
    expect(sum).toBe((250 * 251) / 2);
    const { contact_id } = notices[1]?.data.members[7] ?? {};
    expect(await followEvents((body) => shop.ask("/sp/events/list", body), 0, { types, contact_id })).toEqual(
      [notices[1]],
    );
    for (const event of notices) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(20_000);
  });
});

type Step = readonly [kind: string, amount: number, which: number];
const kinds = "sale sale sale redeem spend refund issue use merge erase gift wait wait wait".split(" ");
const step = fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 40 }), fc.nat(7));

/** Does steps. @param wait advances the clock to a day */
async function live(
  shop: Awaited<ReturnType<typeof makeShop>>,
  steps: readonly Step[],
  wait: (day: string) => Promise<unknown>,
): Promise<number[]> {
  const { locationId: location_id, voucherId: voucher_id } = shop;
  const members = [await shop.member(), await shop.member(), await shop.member()];
  const [sales, vouchers]: [number[], number[]] = [[], []];
  let day = "2026-01-10";
  for (const [kind, amount, which] of steps) {
    const contact_id = members[which % 3] as number;
    const at = { contact_id, location_id };
    const send = async (path: string, body: object) => {
      const { body: reply } = await world.write(path, body, shop.credentials);
      const { sale_id, held_voucher_id } = reply.data ?? {};
      if (sale_id !== undefined && path.endsWith("record")) sales.push(sale_id);
      if (held_voucher_id !== undefined) vouchers.push(held_voucher_id);
    };
    const does: Record<string, () => Promise<unknown>> = {
      sale: () => send("/sp/sales/record", { ...at, amount: amount * 100 }),
      spend: () => send("/sp/sales/record", { ...at, amount: 5000, use_points: amount }),
      redeem: () => send("/sp/reward-points/redeem", { contact_id, points: amount }),
      refund: () =>
        send("/sp/sales/refund", {
          sale_id: sales[which % (sales.length || 1)] ?? 1,
          location_id,
          amount: amount * 50,
        }),
      issue: () => send("/sp/vouchers/issue", { contact_id, voucher_id }),
      use: () =>
        send("/sp/vouchers/redeem", {
          ...at,
          held_voucher_id: vouchers[which % (vouchers.length || 1)] ?? 1,
        }),
      gift: () => send("/sp/reward-points/adjust", { contact_id, points: amount, adjustment_type: "debit" }),
      merge: () =>
        which === 0
          ? send("/sp/members/merge", { from_contact_id: members[0], contact_id: members[1] })
          : Promise.resolve(),
      erase: () =>
        which === 1
          ? operatorWrite(world, "/op/members/erase", {
              business_id: shop.businessId,
              contact_id: members[2],
              reason: "Asked",
            }).catch(() => undefined)
          : Promise.resolve(),
      wait: () => {
        day = plus(day, amount);
        return wait(day);
      },
    };
    await does[kind]?.();
  }
  return members;
}

/** What the members of a shop have that ends within the days of notice, and after today. */
async function ending(shop: Sandbox, members: readonly number[], today: string, days: number) {
  const rows: { what: string; points?: number | undefined }[] = [];
  const isNear = (day: string | null) => day !== null && day >= today && day <= plus(today, days);
  for (const contact_id of new Set(members)) {
    const { points_expiring } = await shop.ask("/sp/members/balances", { contact_id });
    for (const { valid_through, points } of points_expiring) {
      if (isNear(valid_through)) rows.push({ what: `points ${contact_id} ${valid_through}`, points });
    }
    const held = await shop.ask("/sp/vouchers/list", { contact_id, status: "held" });
    for (const { held_voucher_id, valid_through } of held) {
      if (isNear(valid_through)) rows.push({ what: `voucher ${held_voucher_id}` });
    }
    const { tier } = await shop.ask("/sp/members/get", { contact_id });
    if (isNear(tier?.valid_through ?? null)) rows.push({ what: `tier ${contact_id} ${tier.valid_through}` });
  }
  return rows;
}

const announced = (notices: readonly ListedEvent[]) =>
  notices.flatMap(({ type, data }) => {
    const { valid_through, members, vouchers } = data;
    if (type === "voucher.expiring")
      return vouchers.map((one: { held_voucher_id: number }) => ({ what: `voucher ${one.held_voucher_id}` }));
    return members.map(({ contact_id, points }: { contact_id: number; points?: number }) => {
      const kind = type === "tier.expiring" ? "tier" : "points";
      return { what: `${kind} ${contact_id} ${valid_through}`, ...(points !== undefined && { points }) };
    });
  });

describe("random histories", () => {
  it("announce once all that ends soon, day by day or in jumps", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 12, maxLength: 25 }),
        fc.integer({ min: 1, max: 40 }),
        async (steps, days) => {
          const shop = await makeShop(days);
          let [day, after] = ["2026-01-10", 0];
          const seen = new Set<string>();
          let members: number[] = [];
          const [row] = await world.sql<{ last: number }[]>`
          SELECT coalesce(max(contact_id), 0) AS last FROM member WHERE business_id = ${shop.businessId}`;
          members = await live(shop, steps, async (to) => {
            const known = await world.sql<{ contact_id: number }[]>`
            SELECT contact_id FROM member
            WHERE business_id = ${shop.businessId} AND contact_id > ${row?.last ?? 0} AND active ORDER BY contact_id`;
            const present = known.map(({ contact_id }) => contact_id);
            for (day = plus(day, 1); ; day = plus(day, 1)) {
              await shop.advance(day);
              const notices = await noticesOf(shop, after);
              after = notices.at(-1)?.data.sequence ?? after;
              const now = announced(notices);
              for (const { what } of now) {
                expect(seen, `${what} again on ${day}`).not.toContain(what);
                seen.add(what);
              }
              const rows = await ending(shop, present, day, days);
              // What is announced is what they have, and nothing that ends soon is missing.
              expect(rows).toEqual(expect.arrayContaining(now));
              const missing = rows.filter(({ what }) => !seen.has(what) && !what.startsWith("voucher"));
              expect(missing, `on ${day}`).toEqual([]);
              if (day === to) break;
            }
          });
          const jumping = await makeShop(days);
          const others = await live(jumping, steps, (to) => jumping.advance(to));
          const common = (notices: ListedEvent[], ids: readonly number[]) =>
            notices.map(({ type, timestamp, data: { business_id: _, sequence: __, ...data } }) =>
              JSON.stringify({ type, timestamp, data }, (key, value) =>
                key === "contact_id" && value !== null
                  ? ids.indexOf(value)
                  : key === "voucher_id" || key === "tier_id"
                    ? 1
                    : value,
              ),
            );
          expect(common(await noticesOf(jumping), others)).toEqual(common(await noticesOf(shop), members));
        },
      ),
      { numRuns: runs(3), endOnFailure: true },
    );
  });
});

describe("the background job", () => {
  const job = () =>
    startSettling(
      world.sql,
      { post: async () => ({ status: 200, body: "", replayed: false }) as never },
      log,
    );
  const log = { warn: () => undefined } as never;
  const zone = zoneAtNoon();
  const inDays = (days: number) => plus(dayOf(Date.now(), zone), days);

  async function makeBusiness(members: number) {
    const { businessId: business_id, everywhere } = await world.business(`Real ${nextKey()}`, zone);
    await enable(business_id);
    for (let first = 0; first < members; first += 500) {
      const lines = Array.from({ length: Math.min(500, members - first) }, (_, index) => {
        return { line: first + index + 1, ...newPerson(), points_balance: 10 };
      });
      await operatorWrite(world, "/op/imports/members", {
        business_id,
        lines,
        points_valid_through: inDays(10),
      });
    }
    const list = async (body: object) => (await world.ask("/sp/events/list", body, everywhere)).body.data;
    const notified = async () =>
      (await followEvents(list, 0, { types })).flatMap(({ data }) =>
        data.members.map((one: { contact_id: number }) => one.contact_id),
      );
    return { business_id, notified };
  }

  it("writes each notice once, in several processes and while connections are lost", async () => {
    const { business_id, notified } = await makeBusiness(1700);
    const cuts: Promise<unknown>[] = [];
    const cutting = setInterval(() => {
      const cut = world.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%member_due%' AND state <> 'idle'`;
      cuts.push(cut.catch(() => undefined));
    }, 15);
    const jobs = [job(), job(), job()];
    const run = () => Promise.all(jobs.map((one) => one.run()));
    // The job of the service may have been faster.
    for (let round = 0; round < 3 || cuts.length === 0; round++) await run();
    clearInterval(cutting);
    await Promise.all(cuts);
    const isComplete = async () => {
      const [ledger] = await world.sql<{ noticed: boolean }[]>`
        SELECT noticed_on IS NOT NULL AS noticed FROM ledger WHERE business_id = ${business_id}`;
      return ledger?.noticed;
    };
    // The server may end the last connections a little later.
    for (let complete: boolean | undefined = false; complete !== true; complete = await isComplete())
      await run();
    await Promise.all(jobs.map((one) => one.stop()));
    const members = await notified();
    expect(members).toHaveLength(1700);
    expect(new Set(members).size).toBe(1700);
  });

  it("looks once a day, and again after the setting has changed", async () => {
    const { business_id, notified } = await makeBusiness(3);
    const set = (expiring_notice_days: number) =>
      operatorWrite(world, "/op/reward-settings/rules/update", { business_id, expiring_notice_days });
    await set(9);
    const one = job();
    await one.run();
    expect(await notified()).toHaveLength(0);
    await world.sql`UPDATE reward_settings SET expiring_notice_days = 10 WHERE business_id = ${business_id}`;
    await one.run();
    expect(await notified()).toHaveLength(0);
    await set(10);
    await one.run();
    expect(await notified()).toHaveLength(3);
    await one.run();
    await one.stop();
    expect(await notified()).toHaveLength(3);
  });
});
