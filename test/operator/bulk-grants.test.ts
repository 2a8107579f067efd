/** Points or a voucher for many members at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { JobLost } from "../../src/database/jobs/steps.ts";
import { takeBulkGrant } from "../../src/pipeline/postings/bulk-grants.ts";
import type { Body } from "../support/engine-requests.ts";
import { followEvents } from "../support/events.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, makeBulkGrant, operatorWrite } from "../support/operator-requests.ts";
import { makeKey } from "../support/operators.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
const withMail = { has_email: true };
let shop: Sandbox;

const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const rejected = async (path: string, body: Body) => {
  const sent = { business_id: shop.businessId, idempotency_key: nextKey(), ...body };
  return (await asOperator(world, path, sent)).body.error as Body;
};
const join = async (person: Body = {}) =>
  (await shop.write("/sp/members/create", { ...newPerson(), email: `${nextKey()}@bulk.example`, ...person }))
    .contact_id as number;
const preview = async (body: Body) =>
  (await asOperator(world, "/op/bulk-grants/preview", { business_id: shop.businessId, ...body })).body
    .data as Body;
const listed = async (occasion_id: unknown) => {
  const { body } = await asOperator(world, "/op/bulk-grants/list", { business_id: shop.businessId });
  return (body.data as Body[]).find((one) => one.occasion_id === occasion_id) as Body;
};
/** Waits until the job of a bulk grant has ended. */
async function ended(occasion_id: unknown): Promise<Body> {
  for (;;) {
    const found = await listed(occasion_id);
    if (found.state !== "running") return found;
    await sleep(10);
  }
}
const give = async (body: Body) => {
  const { occasion_id } = await operator("/op/bulk-grants/start", { name: "Sorry", ...withMail, ...body });
  return ended(occasion_id);
};
const pointsOf = async (contact_id: number) =>
  ((await shop.ask("/sp/members/balances", { contact_id })) as Body).points;
const voucherOf = async (more: Body = {}) =>
  (
    await operator("/op/vouchers/create", {
      ...{ campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 200, ...more },
    })
  ).voucher_id as number;
const heldBy = async (contact_id: number) =>
  ((await shop.ask("/sp/vouchers/list", { contact_id })) as Body[]).length;
const auditOf = async (event: string) =>
  (await asOperator(world, "/op/audit/list", { business_id: shop.businessId, event })).body.data as Body[];

const turnPoints = (enable_rp: boolean) => shop.write("/sp/reward-settings/update", { enable_rp });

/** Starts a bulk grant, and lets its job begin after something was done. */
async function startedBefore(body: Body, work: () => Promise<unknown>): Promise<Body> {
  // A business has one job at once, and another process seems to run this one.
  const other = await makeBulkGrant(world, shop.businessId, "running");
  const { occasion_id } = await operator("/op/bulk-grants/start", { name: "Sorry", ...withMail, ...body });
  await work();
  await operator("/op/bulk-grants/cancel", { occasion_id: other });
  return ended(occasion_id);
}

beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operator("/op/businesses/update", { events_enabled: true });
});

describe("a bulk grant", () => {
  it("gives what its preview says, once under its key, with an event for each member and its end in the audit log", async () => {
    const [ana, ben] = [await join(), await join()];
    const without = await shop.member();
    await operator("/op/members/deactivate", { contact_id: await join() });
    const gift = { points: 100, validity: 1, validity_period: "month", ...withMail };
    expect(await preview(gift)).toEqual({ members_found: 2, points_given: 200, amount: 1000 });
    expect(await pointsOf(ana)).toBe(0);
    const start = { ...gift, name: "Sorry for the closed week", idempotency_key: nextKey() };
    const started = await operator("/op/bulk-grants/start", start);
    expect(started).toMatchObject({ state: "running", members_found: 2 });
    expect(await operator("/op/bulk-grants/start", start)).toEqual(started);
    const { occasion_id } = started;
    expect(await ended(occasion_id)).toEqual({
      ...{
        occasion_id,
        name: start.name,
        points: 100,
        validity: 1,
        validity_period: "month",
        voucher_id: null,
      },
      ...{ filters: withMail, state: "ended", members_found: 2, members_given: 2, members_skipped: 0 },
      ...{ created_at: expect.any(String), ended_at: expect.any(String), problem: null },
    });
    expect([await pointsOf(ana), await pointsOf(ben), await pointsOf(without)]).toEqual([100, 100, 0]);
    const [row] = (await shop.ask("/sp/reward-points/list", { contact_id: ana })) as Body[];
    expect(row).toMatchObject({ source: "occasion", occasion_id, valid_through: "2026-02-13" });
    const events = await followEvents((body) => shop.ask("/sp/events/list", body), 0, {});
    const granted = events.filter(({ type }) => type === "occasion.granted").map(({ data }) => data);
    expect(granted).toMatchObject(
      [ana, ben].map((contact_id) => ({
        contact_id,
        occasion_id,
        kind: "bulk",
        occurrence: "once",
        points: 100,
      })),
    );
    const entries = await world.sql`
      SELECT DISTINCT reason, reference_id FROM ledger_entry WHERE business_id = ${shop.businessId} AND contact_id = ${ana}`;
    expect(entries).toEqual([{ reason: start.name, reference_id: `occasion-${occasion_id}-once` }]);
    expect(await auditOf("bulk_grant.started")).toHaveLength(1);
    const after = { occasion_id, members_found: 2, members_given: 2, members_skipped: 0 };
    expect(await auditOf("bulk_grant.ended")).toMatchObject([{ after, actor_kind: "root" }]);
    await shop.advance("2026-02-14 12:00:00");
    expect(await pointsOf(ana)).toBe(0);
    await expectValidLedger(shop);
  });

  it("gives a voucher, and to all active members without filters", async () => {
    const [ana, ben] = [await join(), await shop.member()];
    const voucher_id = await voucherOf();
    expect(await preview({ voucher_id })).toEqual({ members_found: 2, points_given: 0, amount: 400 });
    const share = await voucherOf({ kind: "percent", percent: 10, coupon_value: 0, coupon_code: "TEN" });
    expect(await preview({ voucher_id: share })).toEqual({ members_found: 2, points_given: 0, amount: null });
    expect(await give({ voucher_id, has_email: undefined })).toMatchObject({
      state: "ended",
      members_given: 2,
    });
    expect([await heldBy(ana), await heldBy(ben)]).toEqual([1, 1]);
    await expectValidLedger(shop);
  });

  it("leaves out who is inactive, erased or merged meanwhile, and who joins later", async () => {
    const [ana, ben, carl, dora] = [await join(), await join(), await join(), await join()];
    let later = 0;
    const done = await startedBefore({ points: 10 }, async () => {
      await operator("/op/members/deactivate", { contact_id: ben });
      await operator("/op/members/erase", { contact_id: carl });
      await operator("/op/members/merge", { from_contact_id: ana, contact_id: dora });
      later = await join();
    });
    expect(done).toMatchObject({ state: "ended", members_found: 4, members_given: 1, members_skipped: 3 });
    expect([await pointsOf(dora), await pointsOf(later)]).toEqual([10, 0]);
    await expectValidLedger(shop);
  });

  it("gives to the member that remains after a merge, also if the start did not find that one", async () => {
    const [ana, other] = [await join(), await shop.member()];
    const done = await startedBefore({ points: 10 }, () =>
      operator("/op/members/merge", { from_contact_id: ana, contact_id: other }),
    );
    expect(done).toMatchObject({ state: "ended", members_found: 1, members_given: 1, members_skipped: 0 });
    expect(await pointsOf(other)).toBe(10);
    await expectValidLedger(shop);
  });

  it("gives nothing twice when it is resumed, also to a member into which another one was merged", async () => {
    const [ana, ben, carl] = [await join(), await join(), await join()];
    const { occasion_id } = await give({ points: 10 });
    await operator("/op/members/merge", { from_contact_id: ana, contact_id: ben });
    await world.sql`
      UPDATE bulk_grant SET state = 'cancelled', members = ${`{${ana},${ben},${carl}}`}::text::bigint[], members_given = 0
      WHERE business_id = ${shop.businessId} AND occasion_id = ${occasion_id as number}`;
    await operator("/op/bulk-grants/resume", { occasion_id });
    expect(await ended(occasion_id)).toMatchObject({ state: "ended", members_given: 0, members_skipped: 3 });
    expect([await pointsOf(ben), await pointsOf(carl)]).toEqual([20, 10]);
    await expectValidLedger(shop);
  });

  it("leaves out a member whose records are damaged, and gives to the others", async () => {
    const [ana, ben, carl] = [await join(), await join(), await join()];
    await give({ points: 10 });
    await world.sql`UPDATE account SET balance = 0 WHERE contact_id = ${ben} AND account = 'points'`;
    expect(await give({ points: 5 })).toMatchObject({
      ...{ state: "ended", members_found: 3, members_given: 2, members_skipped: 1 },
    });
    expect([await pointsOf(ana), await pointsOf(carl)]).toEqual([15, 15]);
  });

  it("stops when it is cancelled or its voucher is archived, and can be resumed", async () => {
    const ana = await join();
    const voucher_id = await voucherOf();
    const failed = await startedBefore({ voucher_id }, () =>
      operator("/op/vouchers/archive", { voucher_id }),
    );
    expect(failed).toMatchObject({
      state: "failed",
      members_given: 0,
      problem: expect.stringContaining("archived"),
    });
    const { occasion_id } = failed;
    await world.sql`UPDATE voucher SET archived = false WHERE business_id = ${shop.businessId}`;
    const other = await makeBulkGrant(world, shop.businessId, "running");
    expect(await operator("/op/bulk-grants/resume", { occasion_id })).toEqual({
      occasion_id,
      state: "running",
    });
    expect(await operator("/op/bulk-grants/cancel", { occasion_id })).toEqual({
      occasion_id,
      state: "cancelled",
    });
    await operator("/op/bulk-grants/cancel", { occasion_id: other });
    expect(await heldBy(ana)).toBe(0);
    await operator("/op/bulk-grants/resume", { occasion_id });
    expect(await ended(occasion_id)).toMatchObject({ state: "ended", members_given: 1 });
    for (const step of ["cancel", "resume"])
      expect(await rejected(`/op/bulk-grants/${step}`, { occasion_id })).toMatchObject({
        code: "bulk_grant_not_ready",
        details: { state: "ended" },
      });
    expect(await heldBy(ana)).toBe(1);
  });

  it("waits while its business moves to another database", async () => {
    const ana = await join();
    const business_id = shop.businessId;
    const move = (state: string | null) => world.sql`
      UPDATE ledger SET move_state = ${state}, move_database = CASE WHEN ${state !== null}::boolean THEN gen_random_uuid() END
      WHERE business_id = ${business_id}`;
    const other = await makeBulkGrant(world, business_id, "running");
    const started = await operator("/op/bulk-grants/start", { name: "Sorry", ...withMail, points: 10 });
    // This process has the job before the service can take it, and the move begins then.
    const taken = await world.sql.begin(async (tx) => {
      await tx`UPDATE bulk_grant SET state = 'cancelled' WHERE business_id = ${business_id} AND occasion_id = ${other}`;
      return takeBulkGrant(tx);
    });
    expect(taken?.facts).toEqual({ business_id, occasion_id: started.occasion_id });
    await move("leaving");
    const parts = { sql: world.sql.shareOf("test"), eventsRecorded: () => undefined };
    const run = taken?.run({ ...parts, isBusy: () => false, stopped: () => false, tell: () => undefined });
    await expect(run).rejects.toBeInstanceOf(JobLost);
    await world.sql`UPDATE bulk_grant SET leased_until = now() - interval '1 s' WHERE business_id = ${business_id}`;
    expect(await takeBulkGrant(world.sql)).toBeUndefined();
    expect(await listed(started.occasion_id)).toMatchObject({
      state: "running",
      members_given: 0,
      problem: null,
    });
    await move(null);
    // A write lets the service look for jobs.
    await operator("/op/businesses/update", { events_enabled: true });
    expect(await ended(started.occasion_id)).toMatchObject({ state: "ended", members_given: 1 });
    expect(await pointsOf(ana)).toBe(10);
  });

  it("counts what all members get for the limits of its operator", async () => {
    await join();
    await join();
    const limits = { role: "manager", limit_points: 100, limit_amount: 1000 } as const;
    const { key } = await makeKey(world, { business_ids: [shop.businessId], ...limits });
    const start = async (body: Body) => {
      const named = { business_id: shop.businessId, idempotency_key: nextKey(), name: "Sorry", ...withMail };
      const by = { authorization: `Bearer ${key}` };
      return (await asOperator(world, "/op/bulk-grants/start", { ...named, ...body }, by)).body;
    };
    expect((await start({ points: 51 })).error).toMatchObject({
      code: "limit_exceeded",
      details: { unit: "points", limit: 100, left: 100 },
    });
    expect((await start({ points: 30 })).success).toBe(true);
    expect((await start({ points: 21 })).error.details).toMatchObject({ left: 40 });
    const voucher_id = await voucherOf({ coupon_value: 501 });
    expect((await start({ voucher_id })).error.details).toMatchObject({ unit: "amount", left: 1000 });
    const share = await voucherOf({ kind: "percent", percent: 10, coupon_value: 0, coupon_code: "TEN" });
    const message = expect.stringContaining("limit_amount");
    expect((await start({ voucher_id: share })).error.details).toMatchObject({ errors: [{ message }] });
  });

  it("does not go on with a voucher that differs from what was counted, or with points that are off", async () => {
    const ana = await join();
    const voucher_id = await voucherOf({ coupon_value: 1 });
    const change = (more: Body) => operator("/op/vouchers/update", { voucher_id, ...more });
    const changed = await startedBefore({ voucher_id }, () => change({ coupon_value: 10_000 }));
    const problem = expect.stringContaining("another value or other conditions");
    expect(changed).toMatchObject({ state: "failed", members_given: 0, problem });
    const others = [
      { coupon_value: 1, minimum_amount: 500 },
      { minimum_amount: 0, location_id: shop.locationId },
      { location_id: null, validity: 1, validity_period: "day" },
    ];
    for (const other of others) {
      await change(other);
      await operator("/op/bulk-grants/resume", { occasion_id: changed.occasion_id });
      expect(await ended(changed.occasion_id)).toMatchObject({ state: "failed", members_given: 0, problem });
    }
    expect(await heldBy(ana)).toBe(0);
    await change({ campaign_name: "Tea", validity: null, validity_period: null });
    await operator("/op/bulk-grants/resume", { occasion_id: changed.occasion_id });
    expect(await ended(changed.occasion_id)).toMatchObject({ state: "ended", members_given: 1 });
    const off = await startedBefore({ points: 10 }, () => turnPoints(false));
    expect(off).toMatchObject({ state: "failed", problem: expect.stringContaining("enable_rp") });
    await turnPoints(true);
    await operator("/op/bulk-grants/resume", { occasion_id: off.occasion_id });
    expect(await ended(off.occasion_id)).toMatchObject({ state: "ended", members_given: 1, problem: null });
    expect(await pointsOf(ana)).toBe(10);
  });

  it("is rejected if the tier of its segment is gone", async () => {
    const { tier_id } = await operator("/op/tiers/create", {
      name: "Gold",
      expiry: 1,
      expiry_period: "year",
    });
    const { segment_id } = await operator("/op/segments/create", { name: "Gold", tier_id });
    await operator("/op/tiers/delete", { tier_id });
    const gone = { code: "tier_not_found" };
    const start = { name: "Sorry", points: 1, segment_id };
    expect(await rejected("/op/bulk-grants/start", start)).toMatchObject(gone);
    const looked = { business_id: shop.businessId, points: 1, segment_id };
    expect((await asOperator(world, "/op/bulk-grants/preview", looked)).body.error).toMatchObject(gone);
  });

  it("is rejected if it can give nothing", async () => {
    const problemsOf = async (body: Body) =>
      (
        (await rejected("/op/bulk-grants/start", { name: "Sorry", ...body })).details as { errors: Body[] }
      ).errors.map(({ field, code }) => [field, code]);
    const voucher_id = await voucherOf();
    expect(await problemsOf({ voucher_id, points: 1 })).toEqual([["voucher_id", "not_allowed_value"]]);
    expect(await problemsOf({})).toEqual([["points", "required"]]);
    expect(await problemsOf({ voucher_id, validity: 1, validity_period: "day" })).toEqual([
      ["validity", "not_allowed_value"],
    ]);
    expect(await problemsOf({ points: 1, validity: 1 })).toEqual([["validity_period", "required"]]);
    expect(await problemsOf({ points: 1, sales_from: "2026-01-01" })).toEqual([
      ["sales_from", "not_allowed_value"],
    ]);
    expect(await problemsOf({ voucher_id })).toEqual([["voucher_id", "not_allowed_value"]]);
    await join();
    expect(await operator("/op/bulk-grants/start", { name: "Sorry", voucher_id })).toMatchObject({
      members_found: 1,
    });
    await operator("/op/vouchers/archive", { voucher_id });
    expect(await problemsOf({ voucher_id })).toEqual([["voucher_id", "not_allowed_value"]]);
    await turnPoints(false);
    expect(await problemsOf({ points: 1 })).toEqual([["points", "not_allowed_value"]]);
  });
});
