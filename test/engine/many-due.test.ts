/**
 * Members with more due lots than one transaction settles, members whose sums of what is due are wrong, and steps of a clock
 * that are too large.
 */
import { expect, it } from "vitest";
import { findMembers } from "../../src/database/engine/members.ts";
import { startSettling } from "../../src/pipeline/postings/settling.ts";
import { sweepPassedDays } from "../../src/sweeper.ts";
import { sumDue } from "../support/due.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { commitAgain, usePostings } from "../support/postings.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld();
const { pointsAdjustment } = usePostings(world);

/** Gives a member lots of one point each, which matured long ago and are not settled. */
async function giveLots(
  contactId: number,
  lots: number,
  { businessId }: Pick<Business, "businessId"> = world.home,
): Promise<void> {
  await world.sql`
    INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired)
    SELECT ${businessId}, ${contactId}, 50000 + n, 'r' || n, '2026-01-01', '2026-01-02', NULL, false, 1, 0, 0, 0
    FROM generate_series(1, ${lots}::integer) AS n`;
  await sumDue(world.sql, businessId);
}

const entriesOf = async (contactId: number) => {
  const [row] = await world.sql<{ entries: number }[]>`
    SELECT count(*) AS entries FROM ledger_entry WHERE contact_id = ${contactId}`;
  return row?.entries;
};

/** Runs the background job once. @returns what it warned of */
async function settleAllNow(): Promise<object[]> {
  const post = async (command: ReturnType<typeof pointsAdjustment>) => {
    const [outcome] = await commitAgain(world.database.postings, [command]);
    if (outcome === undefined || outcome === "settled_in_part") throw new Error("not settled");
    return outcome;
  };
  const warnings: object[] = [];
  const job = startSettling(world.sql, { post }, { warn: (what: object) => warnings.push(what) } as never);
  await job.run();
  await job.stop();
  return warnings;
}

it("settles them in several transactions before a read or a posting sees the member", async () => {
  const [reader, poster] = [await world.member(), await world.member()];
  await giveLots(reader, 2500);
  await giveLots(poster, 2500);
  const { body } = await world.ask("/sp/members/balances", { contact_id: reader });
  expect(body.data).toMatchObject({ points: 2500, points_pending: [] });
  expect(await entriesOf(reader)).toBe(2500);
  const debit = { contact_id: poster, points: 2499, adjustment_type: "debit" };
  const adjusted = await world.write("/sp/reward-points/adjust", debit);
  expect(adjusted.body.data).toMatchObject({ balance_after: 1 });
  expect(await entriesOf(poster)).toBe(2501);
});

it("are read together with members that have nothing due, in the order wanted", async () => {
  // The background job settles no sandbox.
  const sandbox = await makeSandbox(world, "2026-01-15 09:00:00");
  const { businessId } = sandbox;
  const [first, idle, second] = [await sandbox.member(), await sandbox.member(), await sandbox.member()];
  await giveLots(first, 2, sandbox);
  await giveLots(second, 3, sandbox);
  const contactIds = [idle, second, first + 1_000_000, first, idle];
  const members = await findMembers(
    world.sql,
    contactIds.map((contactId) => ({ businessId, contactId, tier: true })),
  );
  expect(members.map((member) => member?.points.lots.length)).toEqual([0, 3, undefined, 2, 0]);
  const alone = await findMembers(world.sql, [{ businessId, contactId: first, dueLots: 1 }]);
  expect(alone[0]).toMatchObject({ moreDue: true, points: { pending: 2 } });
});

it("skips a member that is still due after settling, and goes on with the others", async () => {
  const { businessId } = world.home;
  const [wrong, right] = [await world.member(), await world.member()];
  await giveLots(right, 3);
  await world.sql`
    INSERT INTO member_due (business_id, contact_id, day, event, amount)
    VALUES (${businessId}, ${wrong}, '2000-01-01', 'points_mature', 5)`;
  const warnings = await settleAllNow();
  expect(await entriesOf(right)).toBe(3);
  expect(warnings).toEqual([{ business_id: businessId, skipped: 1, contact_ids: [wrong] }]);
  const { body } = await asOperator(world, "/op/engine/status", { business_id: businessId });
  expect(body.data).toMatchObject({ members_skipped: 1, members_due: 1, oldest_due: "2000-01-01" });
  await world.sql`DELETE FROM member_due WHERE contact_id = ${wrong}`;
});

it.each(["23514", "23505"])(
  "skips a member whose settlement fails with %s, and goes on with the others and with notices",
  async (code) => {
    const shop = await world.business("Shop", "UTC");
    const { businessId } = shop;
    const [wrong, right] = [await world.member({}, shop.everywhere), await world.member({}, shop.everywhere)];
    await giveLots(wrong, 1, shop);
    await giveLots(right, 1, shop);
    await operatorWrite(world, "/op/businesses/update", { business_id: businessId, events_enabled: true });
    await world.sql.query(`
    CREATE OR REPLACE FUNCTION reject_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'rejected' USING ERRCODE = '${code}'; END $$;
    CREATE TRIGGER reject_entry BEFORE INSERT ON ledger_entry FOR EACH ROW
    WHEN (NEW.contact_id = ${wrong}) EXECUTE FUNCTION reject_entry()`);
    const warnings = await settleAllNow();
    await world.sql`DROP TRIGGER reject_entry ON ledger_entry`;
    expect(await entriesOf(right)).toBe(1);
    expect(warnings).toEqual([
      {
        business_id: businessId,
        skipped: 1,
        contact_ids: [wrong],
        fault: expect.objectContaining({ code }),
      },
    ]);
    const [{ noticed_on } = {}] = await world.sql`
    SELECT noticed_on FROM ledger WHERE business_id = ${businessId}`;
    expect(noticed_on).not.toBeNull();
  },
);

it("deletes days that have passed and on which nothing is due", async () => {
  const { businessId } = world.home;
  const contactId = await world.member();
  await world.sql`
    INSERT INTO member_due (business_id, contact_id, day, event, amount)
    SELECT ${businessId}, ${contactId}, day::date, 'points_expire', amount
    FROM (VALUES ('2000-01-01', 0), ('2000-01-02', 5), ('2000-01-03', 0), ('2999-01-01', 0), ('infinity', 0)) AS given (day, amount)`;
  await sweepPassedDays(world.sql, { stopped: () => false });
  const left = await world.sql`SELECT day::text FROM member_due WHERE contact_id = ${contactId} ORDER BY day`;
  expect(left.map(({ day }) => day)).toEqual(["2000-01-02", "2999-01-01", "infinity"]);
  await world.sql`DELETE FROM member_due WHERE contact_id = ${contactId}`;
});

it("rejects a step of a clock with too much to settle, and says how far it can go", async () => {
  const sandbox = await makeSandbox(world, "2026-01-15 09:00:00");
  const contactId = await sandbox.member();
  await world.sql`
    INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired)
    SELECT ${sandbox.businessId}, ${contactId}, n, 'r' || n, '2026-01-15',
      '2026-02-01'::date + CASE WHEN n > 6000 THEN 5 ELSE 0 END, NULL, false, 1, 0, 0, 0
    FROM generate_series(1, 12000) AS n`;
  await sumDue(world.sql, sandbox.businessId);
  expect(await sandbox.rejected("/sp/sandbox/clock/advance", { to: "2026-03-01" })).toEqual({
    code: "clock_step_too_large",
    details: { to: "2026-02-05" },
  });
  expect(await sandbox.ask("/sp/sandbox/clock/get", {})).toEqual({ clock_at: "2026-01-15 09:00:00" });
  expect(await sandbox.advance("2026-02-05")).toBe(6000);
  expect(await sandbox.advance("2026-03-01")).toBe(6000);
});

it("counts stamp cards that lapse, too", async () => {
  const sandbox = await makeSandbox(world, "2026-01-15 09:00:00");
  await world.sql`
    INSERT INTO member_stamp_card (business_id, contact_id, stamp_card_id, stamps, begun_on, lapses_on, completed, by_hand, lapsed)
    SELECT ${sandbox.businessId}, n, 1, 1, '2026-01-01', '2026-02-01'::date + CASE WHEN n > 6000 THEN 5 ELSE 0 END, 0, 1, 0
    FROM generate_series(1, 12000) AS n`;
  expect(await sandbox.rejected("/sp/sandbox/clock/advance", { to: "2026-03-01" })).toEqual({
    code: "clock_step_too_large",
    details: { to: "2026-02-05" },
  });
});

it("counts what is announced, too", async () => {
  const sandbox = await makeSandbox(world, "2026-01-15 09:00:00");
  const { businessId: business_id } = sandbox;
  await world.sql`
    INSERT INTO member_due (business_id, contact_id, day, event, amount)
    SELECT ${business_id}, n, '2026-03-20'::date + CASE WHEN n > 6000 THEN 5 ELSE 0 END, 'points_expire', 1
    FROM generate_series(1, 12000) AS n`;
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  // 30 days before the last day, which is the one before.
  expect(await sandbox.rejected("/sp/sandbox/clock/advance", { to: "2026-03-01" })).toEqual({
    code: "clock_step_too_large",
    details: { to: "2026-02-21" },
  });
  await sandbox.advance("2026-02-21");
  const announced = async () => {
    const [row] = await world.sql<{ noticed: number }[]>`
      SELECT count(*) AS noticed FROM member_due WHERE business_id = ${business_id} AND noticed`;
    return row?.noticed;
  };
  expect(await announced()).toBe(6000);
  await sandbox.advance("2026-03-01");
  expect(await announced()).toBe(12_000);
});

it("ends the clock of a sandbox fifty years from today", async () => {
  const year = new Date().getUTCFullYear() + 49;
  const sandbox = await makeSandbox(world, `${year}-01-01 00:00:00`);
  expect(await sandbox.advance(`${year}-06-01`)).toBe(0);
  expect(await sandbox.rejected("/sp/sandbox/clock/advance", { to: `${year + 2}-01-01` })).toMatchObject({
    code: "validation_failed",
  });
});
