/** Occasions that give something at once: joining, and reaching a tier. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../src/database/connection.ts";
import { liveThrough } from "../../src/operations/access/sandbox-clock.ts";
import type { Body } from "../support/engine-requests.ts";
import { followEvents } from "../support/events.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite, validSaleLine } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger, importLines } = importTools(world);

let shop: Sandbox;
const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const give = async (occasion: Body) =>
  (await operator("/op/occasions/create", { name: "Occasion", points: 100, ...occasion }))
    .occasion_id as number;
const tier = async (name: string, qualifying_sales: number) =>
  (
    await operator("/op/tiers/create", {
      ...{ name, qualifying_sales, program_id: shop.programId, expiry: 12, expiry_period: "month" },
    })
  ).tier_id as number;
const sell = (contact_id: number, amount: number) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount });
const refund = (sale_id: number) => shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });

interface Grant {
  readonly contact_id: number;
  readonly occasion_id: number;
  readonly occurrence: string;
  readonly tier_id: number | null;
}
const grants = () =>
  world.sql<Grant[]>`
    SELECT contact_id, occasion_id, occurrence, tier_id FROM occasion_grant
    WHERE business_id = ${shop.businessId} ORDER BY granted_on, contact_id, occasion_id`;
const pointsOf = async (contact_id: number) =>
  ((await shop.ask("/sp/members/balances", { contact_id })) as Body).points;
const typesOf = async () =>
  (await followEvents((body) => shop.ask("/sp/events/list", body), 0, {})).map(({ type }) => type);

/** How many transactions wait for this one. */
async function waitingFor(tx: Connection): Promise<number> {
  const [row] = await tx<{ waiting: number }[]>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  return row?.waiting ?? 0;
}

beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
});

describe("joining", () => {
  it("waits for the ledger before it holds what a merge needs after it", async () => {
    await give({ name: "Welcome", kind: "joined" });
    const business_id = shop.businessId;
    await shop.member();
    const joins = await world.sql.begin(async (tx) => {
      await tx`SELECT FROM ledger WHERE business_id = ${business_id} FOR UPDATE`;
      const joining = shop.member();
      await vi.waitUntil(async () => (await waitingFor(tx)) > 0, { timeout: 20_000, interval: 10 });
      // A merge counts its members under the lock of the ledger.
      await tx`SELECT FROM member_block WHERE business_id = ${business_id} FOR UPDATE NOWAIT`;
      return () => joining;
    });
    expect(await pointsOf(await joins())).toBe(100);
  });

  it("gives points and a voucher with the member, once for a key, after the event about the member", async () => {
    const before = await shop.member();
    const { voucher_id } = await operator("/op/vouchers/create", {
      ...{ campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 200 },
    });
    const points = await give({ name: "Welcome", kind: "joined", validity: 1, validity_period: "month" });
    const voucher = await give({ name: "Coffee", kind: "joined", points: null, voucher_id });
    await give({ name: "Draft", kind: "joined", status: "draft" });
    await give({ name: "Later", kind: "joined", first_day: "2026-01-14" });
    await give({ name: "Over", kind: "joined", last_day: "2026-01-12" });
    const person = { ...newPerson(), idempotency_key: "joins" };
    const made = await shop.write("/sp/members/create", person);
    expect(await shop.write("/sp/members/create", person)).toEqual(made);
    const { contact_id } = made;
    expect(await grants()).toEqual([
      { contact_id, occasion_id: points, occurrence: "2026", tier_id: null },
      { contact_id, occasion_id: voucher, occurrence: "2026", tier_id: null },
    ]);
    expect(await pointsOf(contact_id)).toBe(100);
    expect(await pointsOf(before)).toBe(0);
    expect((await typesOf()).slice(-3)).toEqual(["member.created", "occasion.granted", "occasion.granted"]);
    const { contact_id: second } = await operator("/op/members/create", newPerson());
    expect(await pointsOf(second)).toBe(100);
    await operator("/op/occasions/pause", { occasion_id: points });
    expect(await pointsOf(await shop.member())).toBe(0);
    await shop.advance("2026-02-14 12:00:00");
    expect(await pointsOf(contact_id)).toBe(0);
    await expectValidLedger(shop);
  });

  it("gives nothing to members of an import, to a rejected one, or while points are off", async () => {
    await give({ name: "Welcome", kind: "joined" });
    const person = newPerson();
    const line = { line: 1, ...newPerson(), points_balance: 5 };
    expect((await importLines("members", shop as never, [line])).imported).toBe(1);
    await shop.write("/sp/members/create", person);
    expect((await shop.rejected("/sp/members/create", person)).code).toBe("member_already_exists");
    expect(await grants()).toHaveLength(1);
    await shop.write("/sp/reward-settings/update", { enable_rp: false });
    await shop.member();
    expect(await grants()).toHaveLength(1);
    await expectValidLedger(shop);
  });

  it("keeps the phone number of who leaves, and an erasure takes the points back before the person can join again", async () => {
    await give({ name: "Welcome", kind: "joined" });
    const person = newPerson();
    const { contact_id } = await shop.write("/sp/members/create", person);
    await operator("/op/members/deactivate", { contact_id });
    expect((await shop.rejected("/sp/members/create", person)).code).toBe("member_already_exists");
    const left = await operator("/op/members/erase", { contact_id, reason: "Asked for it." });
    expect(left.written_off).toMatchObject({ points: 100 });
    const { contact_id: again } = await shop.write("/sp/members/create", person);
    expect([await pointsOf(contact_id), await pointsOf(again)]).toEqual([0, 100]);
    const { body } = await asOperator(world, "/op/reports/activity", {
      ...{ business_id: shop.businessId, from: "2026-01-13", through: "2026-01-13" },
    });
    expect(body.data).toMatchObject([{ new_members: 2 }]);
    await expectValidLedger(shop);
  });

  it("is committed with the member, or not at all", async () => {
    await give({ name: "Welcome", kind: "joined" });
    const people = Array.from({ length: 12 }, newPerson);
    // The phone numbers of half of them are used at the same time by others.
    const results = await Promise.all(
      [...people, ...people.slice(0, 6)].map((person) =>
        world.write("/sp/members/create", person, shop.credentials),
      ),
    );
    expect(results.filter(({ status }) => status === 201)).toHaveLength(12);
    const found = await grants();
    expect(new Set(found.map(({ contact_id }) => contact_id)).size).toBe(12);
    expect(found).toHaveLength(12);
    await expectValidLedger(shop);
  });
});

describe("reaching a tier", () => {
  it("gives something after the sale, once for two tiers on a day, and again for another one later", async () => {
    const [silver, gold] = [await tier("Silver", 5000), await tier("Gold", 9000)];
    const occasion_id = await give({ name: "Tier", kind: "tier_reached" });
    const contact_id = await shop.member();
    await sell(contact_id, 4900);
    expect(await grants()).toEqual([]);
    const sale = await sell(contact_id, 100);
    expect(sale).toMatchObject({ points_earned: 1 });
    expect(await grants()).toEqual([{ contact_id, occasion_id, occurrence: "2026-01-13", tier_id: silver }]);
    expect(await pointsOf(contact_id)).toBe(49 + 1 + 100);
    expect((await typesOf()).slice(-3)).toEqual(["sale.recorded", "tier.upgraded", "occasion.granted"]);
    await sell(contact_id, 4000);
    expect(await grants()).toHaveLength(1);
    const other = await shop.member();
    await sell(other, 5000);
    await shop.advance("2026-01-20 12:00:00");
    await sell(other, 4000);
    expect((await grants()).filter((one) => one.contact_id === other)).toEqual([
      { contact_id: other, occasion_id, occurrence: "2026-01-13", tier_id: silver },
      { contact_id: other, occasion_id, occurrence: "2026-01-20", tier_id: gold },
    ]);
    await expectValidLedger(shop);
  });

  it("gives nothing again for goods that were returned and bought again, until some time has passed", async () => {
    const silver = await tier("Silver", 5000);
    const occasion_id = await give({ name: "Tier", kind: "tier_reached" });
    const contact_id = await shop.member();
    const { sale_id } = await sell(contact_id, 5000);
    await shop.advance("2026-02-01 12:00:00");
    await refund(sale_id);
    await shop.advance("2026-02-02 12:00:00");
    const again = await sell(contact_id, 5000);
    expect(again.tier).toMatchObject({ tier_id: silver, changed: true });
    await refund(again.sale_id);
    expect(await grants()).toHaveLength(1);
    await shop.advance("2026-11-10 12:00:00");
    await sell(contact_id, 5000);
    expect(await grants()).toEqual([
      { contact_id, occasion_id, occurrence: "2026-01-13", tier_id: silver },
      { contact_id, occasion_id, occurrence: "2026-11-10", tier_id: silver },
    ]);
    await expectValidLedger(shop);
  });

  it("gives nothing again for the same tier, if another one replaces the occasion", async () => {
    await tier("Silver", 5000);
    const occasion_id = await give({ name: "Tier", kind: "tier_reached" });
    const contact_id = await shop.member();
    await refund((await sell(contact_id, 5000)).sale_id);
    await operator("/op/occasions/end", { occasion_id });
    const second = await give({ name: "Tier 2", kind: "tier_reached" });
    await shop.advance("2026-02-02 12:00:00");
    await refund((await sell(contact_id, 5000)).sale_id);
    expect((await grants()).map((one) => one.occasion_id)).toEqual([occasion_id]);
    // Two that are active don't count for each other.
    const third = await give({ name: "Tier 3", kind: "tier_reached" });
    const other = await shop.member();
    await sell(other, 5000);
    const given = (await grants()).filter((one) => one.contact_id === other);
    expect(given.map((one) => one.occasion_id)).toEqual([second, third]);
  });

  it("counts by hand and by a merge, and not by an import, a renewal or a downgrade", async () => {
    const [silver, gold] = [await tier("Silver", 5000), await tier("Gold", 9000)];
    const occasion_id = await give({ name: "Tier", kind: "tier_reached" });
    const [byHand, from, into] = [await shop.member(), await shop.member(), await shop.member()];
    await operator("/op/members/assign-tier", { contact_id: byHand, tier_id: gold });
    expect((await typesOf()).slice(-2)).toEqual(["tier.upgraded", "occasion.granted"]);
    const line = { line: 1, ...newPerson(), tier: "Gold", tier_until: "2026-06-30" };
    expect((await importLines("members", shop as never, [line])).imported).toBe(1);
    const buyer = await shop.member();
    const bought = validSaleLine(1, { contact_id: buyer, sold_at: "2026-01-10 12:00", amount: 6000 });
    expect((await importLines("sales", shop as never, [bought])).imported).toBe(1);
    expect(await shop.ask("/sp/members/get", { contact_id: buyer })).toMatchObject({
      tier: { tier_id: silver, since: "2026-01-13" },
    });
    await sell(from, 4000);
    await sell(into, 4000);
    await shop.write("/sp/members/merge", { from_contact_id: from, contact_id: into });
    expect(await grants()).toEqual([
      { contact_id: byHand, occasion_id, occurrence: "2026-01-13", tier_id: gold },
      { contact_id: into, occasion_id, occurrence: "2026-01-13", tier_id: silver },
    ]);
    expect((await typesOf()).slice(-3)).toEqual(["member.merged", "tier.upgraded", "occasion.granted"]);
    await operator("/op/members/assign-tier", { contact_id: byHand, tier_id: silver });
    await shop.advance("2028-01-10 12:00:00");
    expect(await grants()).toHaveLength(2);
    await expectValidLedger(shop);
  });

  it("gives once what many sales at once reach, also when the day of the clock is passed by a killed transaction", async () => {
    await tier("Silver", 5000);
    await give({ name: "Tier", kind: "tier_reached" });
    const members = await Promise.all(Array.from({ length: 8 }, () => shop.member()));
    await Promise.all(members.flatMap((one) => Array.from({ length: 6 }, () => sell(one, 1000))));
    await world.sql
      .begin(async (tx) => {
        await liveThrough(tx, shop.businessId, "2026-06-01 12:00:00");
        throw new Error("killed");
      })
      .catch(() => undefined);
    const found = await grants();
    expect(found.map(({ contact_id }) => contact_id)).toEqual([...members].sort((a, b) => a - b));
    expect((await typesOf()).filter((type) => type === "occasion.granted")).toHaveLength(8);
    await expectValidLedger(shop);
  });
});

it.each(["joined", "tier_reached"])("rejects a minimum membership for %s", async (kind) => {
  await expect(give({ kind, minimum_membership_days: 7 })).rejects.toThrow("minimum_membership_days");
});
