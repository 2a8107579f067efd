/** Referrals: who can bring whom, what both get and when, and what refunds, merges, erasures and kills leave. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { lockLedger } from "../../src/database/ledger/ledger.ts";
import { liveThrough } from "../../src/operations/access/sandbox-clock.ts";
import type { Body } from "../support/engine-requests.ts";
import { followEvents } from "../support/events.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { runs } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, startService, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const codeOf = async (contact_id: number) =>
  ((await shop.write("/sp/referrals/code", { contact_id })) as Body).referral_code as string;
const bring = async (contact_id: number, by: number) =>
  shop.write("/sp/referrals/create", { contact_id, referral_code: await codeOf(by) });
const refusalOfCode = (contact_id: number, referral_code: string) =>
  shop.rejected("/sp/referrals/create", { contact_id, referral_code });
const refusal = async (contact_id: number, by: number) => refusalOfCode(contact_id, await codeOf(by));
const sell = async (contact_id: number, amount: number) =>
  (await shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount }))
    .sale_id as number;
const refund = (sale_id: number, amount?: number) =>
  shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...(amount && { amount }) });
const listed = async (contact_id: number) => (await shop.ask("/sp/referrals/list", { contact_id })) as Body[];
const statusOf = async (contact_id: number) =>
  (await listed(contact_id)).find((one) => one.contact_id === contact_id)?.status;
const pointsOf = async (contact_id: number) =>
  ((await shop.ask("/sp/members/balances", { contact_id })) as Body).points as number;
/** The activity of each month. */
const reported = async (through = "2026-01-13") => {
  const report = { business_id: shop.businessId, from: "2026-01-01", through, by: "month" };
  return (await asOperator(world, "/op/reports/activity", report)).body.data;
};
const typesOf = async () =>
  (await followEvents((body) => shop.ask("/sp/events/list", body), 0, { types: ["referral.*"] })).map(
    ({ type }) => type,
  );

async function setUp() {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
  await operator("/op/occasions/create", { name: "Brought", kind: "referred", points: 1000 });
  await operator("/op/occasions/create", { name: "Brings", kind: "referrer", points: 5000 });
  await shop.rules({ referral_minimum_amount: 2000, referral_hold_days: 14, default_program_id: null });
}

describe("a referral", () => {
  beforeEach(setUp);

  it("gives both points when the first sale was kept, and counts in the report", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    const code = await codeOf(ana);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(await codeOf(ana)).toBe(code);
    const referral_code = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`;
    const made = await shop.write("/sp/referrals/create", { contact_id: ben, referral_code });
    const of = { contact_id: ben, referrer_contact_id: ana, created_at: "2026-01-13 15:30:00" };
    expect(made).toEqual({ ...of, status: "open", sale_id: null, ends_on: null });
    await shop.advance("2026-01-14 12:00:00");
    const sale_id = await sell(ben, 2000);
    const qualified = { ...of, status: "qualified", sale_id, ends_on: "2026-01-28" };
    expect(await listed(ben)).toEqual([qualified]);
    expect(await listed(ana)).toEqual([qualified]);
    await refund(sale_id, 1);
    await shop.advance("2026-01-27 23:59:59");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 0]);
    await shop.advance("2026-01-28 00:00:00");
    expect(await statusOf(ben)).toBe("lapsed");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 0]);
    const carl = await shop.member();
    await bring(carl, ana);
    await sell(carl, 9000);
    await shop.advance("2026-03-01 00:00:00");
    expect(await statusOf(carl)).toBe("granted");
    expect([await pointsOf(ana), await pointsOf(carl)]).toEqual([5000, 1000]);
    expect(await typesOf()).toEqual([
      ...["referral.created", "referral.qualified", "referral.lapsed"],
      ...["referral.created", "referral.qualified", "referral.granted"],
    ]);
    const all = await asOperator(world, "/op/referrals/list", {
      business_id: shop.businessId,
      status: "granted",
    });
    expect(all.body.data).toMatchObject([{ contact_id: carl, referrer_contact_id: ana }]);
    expect(await reported("2026-02-28")).toMatchObject([
      { referrals_created: 2, referrals_granted: 0, referrals_lapsed: 1, occasions_granted: 0 },
      { referrals_granted: 1, referrals_lapsed: 0, occasions_granted: 2, occasions_points: 6000 },
    ]);
    await expectValidLedger(shop);
  });

  it("is refused with a reason", async () => {
    const ana = await shop.member();
    await shop.advance("2026-01-20 12:00:00");
    const [ben, carl, dora] = [await shop.member(), await shop.member(), await shop.member()];
    expect(await refusal(ana, ana)).toMatchObject({
      code: "referral_refused",
      details: { reason: "own_code" },
    });
    expect((await refusal(ana, ben)).details).toEqual({ reason: "joined_later" });
    await bring(ben, carl);
    expect((await refusal(ben, ana)).details).toEqual({ reason: "already_referred" });
    await bring(dora, ben);
    expect((await refusal(carl, dora)).details).toEqual({ reason: "circle" });
    await sell(carl, 100);
    expect((await refusal(carl, ana)).details).toEqual({ reason: "bought_before" });
    await shop.rules({ referral_most_per_year: 1 });
    await bring(await shop.member(), ana);
    const next = await shop.member();
    expect((await refusal(next, ana)).details).toEqual({ reason: "limit" });
    await shop.advance("2027-01-01 12:00:00");
    await bring(next, ana);
    const unknown = { contact_id: await shop.member(), referral_code: "00000000" };
    expect((await shop.rejected("/sp/referrals/create", unknown)).code).toBe("referral_code_not_found");
    const inactive = await shop.member();
    const code = await codeOf(inactive);
    await operator("/op/members/deactivate", { contact_id: inactive });
    const gone = { contact_id: await shop.member(), referral_code: code };
    expect((await shop.rejected("/sp/referrals/create", gone)).code).toBe("referral_code_not_found");
  });

  it("lapses if the first sale is too small, and needs an occasion", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await sell(ben, 1999);
    await sell(ben, 5000);
    expect(await statusOf(ben)).toBe("lapsed");
    expect(await reported()).toMatchObject([{ referrals_created: 1, referrals_lapsed: 1 }]);
    await shop.advance("2026-03-01 00:00:00");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 0]);
    const { body } = await asOperator(world, "/op/occasions/list", { business_id: shop.businessId });
    for (const { occasion_id } of body.data as Body[]) await operator("/op/occasions/pause", { occasion_id });
    expect((await refusal(await shop.member(), ana)).details).toEqual({ reason: "off" });
  });

  it("ends when the two are merged, and goes on for others with the member that remains", async () => {
    const [ana, ben, carl, dora] = [
      ...[await shop.member(), await shop.member()],
      ...[await shop.member(), await shop.member()],
    ] as [number, number, number, number];
    await bring(ben, ana);
    await sell(ben, 3000);
    await shop.write("/sp/members/merge", { from_contact_id: ben, contact_id: ana });
    expect(await listed(ana)).toMatchObject([{ contact_id: ben, status: "lapsed" }]);
    expect(await reported()).toMatchObject([{ referrals_created: 1, referrals_lapsed: 1 }]);
    await bring(carl, ana);
    await sell(carl, 3000);
    await shop.write("/sp/members/merge", { from_contact_id: ana, contact_id: dora });
    expect(await listed(carl)).toMatchObject([
      { contact_id: carl, referrer_contact_id: dora, status: "qualified" },
    ]);
    await shop.advance("2026-03-01 00:00:00");
    expect([await pointsOf(dora), await pointsOf(carl)]).toEqual([5000, 1000]);
    expect(await typesOf()).toEqual([
      ...["referral.created", "referral.qualified", "referral.lapsed"],
      ...["referral.created", "referral.qualified", "referral.granted"],
    ]);
    await expectValidLedger(shop);
  });

  it("ends if a merge makes a circle", async () => {
    const [ana, ben, carl] = [await shop.member(), await shop.member(), await shop.member()];
    await bring(ben, ana);
    await bring(carl, ben);
    await shop.write("/sp/members/merge", { from_contact_id: carl, contact_id: ana });
    // Now ana would have been brought by ben, whom ana brought.
    expect(await statusOf(ana)).toBe("lapsed");
    expect(await statusOf(ben)).toBe("open");
  });

  it("ends if a merge makes a circle with one that was granted", async () => {
    const [ana, ben, carl] = [await shop.member(), await shop.member(), await shop.member()];
    await bring(ben, ana);
    await bring(carl, ben);
    await sell(carl, 3000);
    await shop.advance("2026-02-01 00:00:00");
    expect(await statusOf(carl)).toBe("granted");
    await shop.write("/sp/members/merge", { from_contact_id: carl, contact_id: ana });
    await sell(ben, 3000);
    await shop.advance("2026-03-01 00:00:00");
    expect([await statusOf(ana), await statusOf(ben)]).toEqual(["granted", "lapsed"]);
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([1000, 5000]);
    await expectValidLedger(shop);
  });

  it("lapses by a sale of an earlier day, which a till sends late", async () => {
    const [ana, ben, carl] = [await shop.member(), await shop.member(), await shop.member()];
    await bring(ben, ana);
    await bring(carl, ana);
    await shop.advance("2026-01-15 12:00:00");
    const late = (contact_id: number, sold_on: string) =>
      shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 3000, sold_on });
    await late(ben, "2026-01-12");
    await late(carl, "2026-01-13");
    expect([await statusOf(ben), await statusOf(carl)]).toEqual(["lapsed", "qualified"]);
  });

  it("lapses if both sides would get nothing when it is due, and counts as lapsed", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await sell(ben, 3000);
    await shop.write("/sp/reward-settings/update", { enable_rp: false });
    await shop.advance("2026-02-10 00:00:00");
    expect(await statusOf(ben)).toBe("lapsed");
    expect((await typesOf()).at(-1)).toBe("referral.lapsed");
    await shop.write("/sp/reward-settings/update", { enable_rp: true });
    await shop.advance("2026-03-11 00:00:00");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 0]);
  });

  it("ends if the member has bought something before as another one", async () => {
    const [ana, old, anew, later] = [
      ...[await shop.member(), await shop.member()],
      ...[await shop.member(), await shop.member()],
    ] as [number, number, number, number];
    await sell(old, 3000);
    await shop.advance("2026-01-14 12:00:00");
    await bring(anew, ana);
    await sell(anew, 3000);
    await sell(later, 3000);
    await shop.write("/sp/members/merge", { from_contact_id: later, contact_id: anew });
    expect(await statusOf(anew)).toBe("qualified");
    await shop.write("/sp/members/merge", { from_contact_id: old, contact_id: anew });
    expect(await statusOf(anew)).toBe("lapsed");
    const card_code = "7755443322";
    await shop.write("/sp/cards/issue", { card_code, kind: "plastic", location_id: shop.locationId });
    const holder = (await shop.ask("/sp/cards/balance", { card_code })).contact_id as number;
    expect((await refusalOfCode(holder, await codeOf(ana))).code).toBe("member_anonymous");
    expect((await shop.rejected("/sp/referrals/code", { contact_id: holder })).code).toBe("member_anonymous");
    await sell(holder, 3000);
    const claimer = await shop.member();
    await bring(claimer, ana);
    await shop.write("/sp/cards/claim", { card_code, contact_id: claimer });
    expect(await statusOf(claimer)).toBe("lapsed");
    await shop.advance("2026-03-01 00:00:00");
    expect([await pointsOf(ana), await pointsOf(anew), await pointsOf(claimer)]).toEqual([0, 0, 0]);
    await expectValidLedger(shop);
  });

  it("gives nothing by a first sale while nothing was given for it", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    const { body } = await asOperator(world, "/op/occasions/list", { business_id: shop.businessId });
    for (const { occasion_id } of body.data as Body[]) await operator("/op/occasions/pause", { occasion_id });
    await sell(ben, 3000);
    expect(await statusOf(ben)).toBe("open");
    for (const { occasion_id } of body.data as Body[])
      await operator("/op/occasions/resume", { occasion_id });
    await sell(ben, 3000);
    expect(await statusOf(ben)).toBe("lapsed");
  });

  it("counts on the days of an occasion on which it was made", async () => {
    const { body } = await asOperator(world, "/op/occasions/list", { business_id: shop.businessId });
    const ofJanuary = { first_day: "2026-01-14", last_day: "2026-01-20" };
    const days = (kind: string, change: Body) =>
      operator("/op/occasions/update", {
        occasion_id: (body.data as Body[]).find((one) => one.kind === kind)?.occasion_id,
        ...change,
      });
    await days("referrer", ofJanuary);
    await days("referred", ofJanuary);
    const ana = await shop.member();
    expect((await refusal(await shop.member(), ana)).details).toEqual({ reason: "off" });
    await shop.advance("2026-01-20 12:00:00");
    const [ben, carl] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await shop.advance("2026-01-21 12:00:00");
    await sell(ben, 3000);
    await days("referred", { last_day: null });
    await bring(carl, ana);
    await sell(carl, 3000);
    await shop.advance("2026-03-01 00:00:00");
    expect([await statusOf(ben), await statusOf(carl)]).toEqual(["granted", "granted"]);
    expect([await pointsOf(ana), await pointsOf(ben), await pointsOf(carl)]).toEqual([5000, 1000, 1000]);
  });

  it("leaves what the other one gets after an erasure", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await sell(ben, 3000);
    await operator("/op/members/deactivate", { contact_id: ana });
    await operator("/op/members/erase", { contact_id: ana });
    await shop.advance("2026-03-01 00:00:00");
    expect(await statusOf(ben)).toBe("granted");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 1000]);
    const [row] = await world.sql`SELECT referral_code FROM member WHERE contact_id = ${ana}`;
    expect(row).toEqual({ referral_code: null });
    await expectValidLedger(shop);
  });

  it("leaves what the one who brought gets, if the other one is erased within the hold", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await sell(ben, 3000);
    await operator("/op/members/deactivate", { contact_id: ben });
    await operator("/op/members/erase", { contact_id: ben });
    await shop.advance("2026-03-01 00:00:00");
    expect(await listed(ana)).toMatchObject([{ contact_id: ben, status: "granted" }]);
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([5000, 0]);
    await expectValidLedger(shop);
  });

  it("gives nothing to a side that is inactive on the last day of the hold, also not later", async () => {
    const [ana, ben] = [await shop.member(), await shop.member()];
    await bring(ben, ana);
    await sell(ben, 3000);
    await operator("/op/members/deactivate", { contact_id: ana });
    await shop.advance("2026-01-27 00:00:00");
    await operator("/op/members/activate", { contact_id: ana });
    await shop.advance("2026-03-01 00:00:00");
    expect(await statusOf(ben)).toBe("granted");
    expect([await pointsOf(ana), await pointsOf(ben)]).toEqual([0, 1000]);
  });

  it("gives vouchers, which the members then hold", async () => {
    const { body } = await asOperator(world, "/op/occasions/list", { business_id: shop.businessId });
    for (const { occasion_id } of body.data as Body[]) await operator("/op/occasions/end", { occasion_id });
    const { voucher_id } = await operator("/op/vouchers/create", {
      ...{
        campaign_name: "Cake",
        coupon_code: "CAKE",
        coupon_value: 400,
        validity: 1,
        validity_period: "month",
      },
    });
    for (const kind of ["referred", "referrer"])
      await operator("/op/occasions/create", { name: kind, kind, voucher_id });
    const [ana, ben, carl] = [await shop.member(), await shop.member(), await shop.member()];
    for (const brought of [ben, carl]) {
      await bring(brought, ana);
      await sell(brought, 2000);
    }
    await shop.advance("2026-01-27 00:00:00");
    const held = async (contact_id: number) =>
      ((await shop.ask("/sp/vouchers/list", { contact_id })) as Body[]).map((one) => one.valid_through);
    const through = "2026-02-27";
    expect(await Promise.all([ana, ben, carl].map(held))).toEqual([[through, through], [through], [through]]);
    expect(await reported("2026-01-27")).toMatchObject([
      { referrals_granted: 2, occasions_granted: 4, occasions_points: 0, vouchers_issued: 4 },
    ]);
    await expectValidLedger(shop);
  });
});

describe("what people try with referrals", () => {
  beforeEach(setUp);

  it("many at once at the limit of a year, by two services: no more are made than it allows", async () => {
    await shop.rules({ referral_most_per_year: 2 });
    const ana = await shop.member();
    const referral_code = await codeOf(ana);
    const members: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) members.push(await shop.member());
    const token = await world.token(shop.credentials);
    const other = await startService(world, {});
    try {
      const made = members.map((contact_id, nth) => {
        const options = nth % 2 === 0 ? { token } : { token, baseUrl: other.baseUrl };
        const body = { idempotency_key: nextKey(), contact_id, referral_code };
        return world.call("/sp/referrals/create", body, options);
      });
      const outcomes = (await Promise.all(made)).map(({ body }) => body.error?.details.reason ?? "made");
      expect(outcomes.sort()).toEqual([...Array(6).fill("limit"), "made", "made"]);
      expect(await listed(ana)).toHaveLength(2);
    } finally {
      await other.close();
    }
  });

  it("chain of accounts: each buys first, the limit and the report count them, and nobody brings an older one", async () => {
    await shop.rules({ referral_most_per_year: 2 });
    const chain = [await shop.member()];
    for (let nth = 0; nth < 4; nth += 1) {
      await shop.advance(`2026-01-${14 + nth} 12:00:00`);
      chain.push(await shop.member());
      await bring(chain.at(-1) as number, chain.at(-2) as number);
    }
    // The first one can't be brought by those after it, and without sales nobody gets anything.
    expect((await refusal(chain[0] as number, chain[4] as number)).details).toEqual({
      reason: "joined_later",
    });
    await sell(chain[1] as number, 2000);
    // Who brings many at once has a limit.
    const small = await shop.member();
    await bring(small, chain[0] as number);
    expect((await refusal(await shop.member(), chain[0] as number)).details).toEqual({ reason: "limit" });
    // One that lapsed gives nothing, and doesn't count.
    await sell(small, 1);
    await bring(await shop.member(), chain[0] as number);
    expect((await refusal(await shop.member(), chain[0] as number)).details).toEqual({ reason: "limit" });
    await shop.advance("2026-03-01 00:00:00");
    expect(await Promise.all(chain.map(pointsOf))).toEqual([5000, 1000, 0, 0, 0]);
    expect(await reported("2026-01-31")).toMatchObject([
      { referrals_created: 6, referrals_granted: 1, referrals_lapsed: 1, sales: 2, new_members: 9 },
    ]);
  });

  it("two phones: nothing if the two are merged within the hold", async () => {
    const [ana, phone] = [await shop.member(), await shop.member()];
    await bring(phone, ana);
    await sell(phone, 2000);
    expect(await listed(ana)).toMatchObject([{ contact_id: phone, status: "qualified" }]);
    await shop.write("/sp/members/merge", { from_contact_id: phone, contact_id: ana });
    await shop.advance("2026-03-01 00:00:00");
    expect(await pointsOf(ana)).toBe(0);
    // The code of the other phone is now that of the same member.
    expect((await refusal(ana, ana)).details).toEqual({ reason: "own_code" });
  });
});

interface Step {
  readonly what: "join" | "bring" | "sell" | "refund" | "merge" | "kill" | "advance";
  readonly who: number;
  readonly other: number;
  readonly amount: number;
}
const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom("join", "bring", "bring", "sell", "sell", "refund", "merge", "kill", "advance"),
    who: fc.nat(50),
    other: fc.nat(50),
    amount: fc.constantFrom(500, 1999, 2000, 6000),
  }),
  { minLength: 12, maxLength: 30 },
);

it("gives once for each referral whose sale was kept, and nothing for others, whatever happens", async () => {
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      await setUp();
      const members = [await shop.member(), await shop.member(), await shop.member()];
      const sales: number[] = [];
      let day = 13;
      for (const { what, who, other, amount } of life) {
        const [one, two] = [members[who % members.length], members[other % members.length]] as [
          number,
          number,
        ];
        if (what === "join") members.push(await shop.member());
        // Refusals are part of it.
        if (what === "bring") await bring(one, two).catch(() => undefined);
        if (what === "sell") sales.push(await sell(one, amount));
        if (what === "refund" && sales.length > 0)
          await refund(sales[who % sales.length] as number).catch(() => undefined);
        if (what === "merge" && one !== two && members.length > 2) {
          await shop.write("/sp/members/merge", { from_contact_id: one, contact_id: two });
          members.splice(members.indexOf(one), 1);
        }
        const to = `2026-01-${String(day + 4).padStart(2, "0")} 12:00:00`;
        if (what === "kill")
          await world.sql
            .begin(async (tx) => {
              await lockLedger(tx, shop.businessId);
              await liveThrough(tx, shop.businessId, "2026-06-01 12:00:00");
              throw new Error("killed");
            })
            .catch((error: unknown) => expect(String(error)).toContain("killed"));
        if (what === "advance" && day < 20) {
          await shop.advance(to);
          day += 4;
        }
      }
      await shop.advance("2026-06-01 12:00:00");
      const wrong = await world.sql`
        SELECT r.contact_id, r.status, s.amount - s.refunded AS kept FROM referral r
        LEFT JOIN sale s ON s.business_id = r.business_id AND s.sale_id = r.sale_id
        WHERE r.business_id = ${shop.businessId}
          AND (r.status = 'qualified' OR r.status = 'granted' AND s.amount - s.refunded < 2000)`;
      expect(wrong).toEqual([]);
      const [made] = await world.sql<Record<"referred" | "referrer" | "granted", number>[]>`
        SELECT count(*) FILTER (WHERE o.kind = 'referred') AS referred, count(*) FILTER (WHERE o.kind = 'referrer') AS referrer,
          (SELECT count(*) FROM referral WHERE business_id = ${shop.businessId} AND status = 'granted') AS granted
        FROM occasion_grant g JOIN occasion o USING (business_id, occasion_id) WHERE g.business_id = ${shop.businessId}`;
      expect(made).toMatchObject({ referred: made?.granted, referrer: made?.granted });
      granted += made?.granted ?? 0;
      await expectValidLedger(shop);
    }),
    { numRuns: runs(4) },
  );
  expect(granted).toBeGreaterThan(0);
}, 300_000);
