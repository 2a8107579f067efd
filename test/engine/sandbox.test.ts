/** The clock of a sandbox business. */
import { expect, it } from "vitest";
import { lockLedger } from "../../src/database/ledger/ledger.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import { startSettling } from "../../src/pipeline/postings/settling.ts";
import { sumDue } from "../support/due.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { commitAgain } from "../support/postings.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

it("stands still, goes forward only, and by two years at most", async () => {
  const sandbox = await makeSandbox(world, "2020-05-01 10:00:00", "America/Bogota");
  const clock = () => sandbox.ask("/sp/sandbox/clock/get", {});
  expect(await clock()).toEqual({ clock_at: "2020-05-01 10:00:00" });
  await sandbox.member();
  expect(await clock()).toEqual({ clock_at: "2020-05-01 10:00:00" });
  for (const to of ["2020-05-01 10:00:00", "2020-04-30", "2022-05-01 10:00:01"]) {
    expect(await sandbox.rejected("/sp/sandbox/clock/advance", { to })).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "to", code: "out_of_range" }] },
    });
  }
  expect((await sandbox.rejected("/sp/sandbox/clock/advance", { to: "2021-02-30" })).code).toBe(
    "validation_failed",
  );
  const body = { idempotency_key: nextKey(), to: "2022-05-01 10:00:00" };
  const first = await world.ask("/sp/sandbox/clock/advance", body, sandbox.credentials);
  expect(first.body.data).toEqual({ clock_at: "2022-05-01 10:00:00", entries: 0 });
  expect((await world.ask("/sp/sandbox/clock/advance", body, sandbox.credentials)).text).toBe(first.text);
});

it("is moved by operators, too, and only that of a sandbox", async () => {
  const sandbox = await makeSandbox(world, "2020-05-01 10:00:00", "UTC");
  const business_id = sandbox.businessId;
  const clock = async (id: number) =>
    (await asOperator(world, "/op/sandbox/clock/get", { business_id: id })).body;
  expect((await clock(business_id)).data).toEqual({ clock_at: "2020-05-01 10:00:00" });
  const body = { idempotency_key: nextKey(), business_id, to: "2020-06-01" };
  const first = await asOperator(world, "/op/sandbox/clock/advance", body);
  expect(first.body.data).toEqual({ clock_at: "2020-06-01 00:00:00", entries: 0 });
  expect((await asOperator(world, "/op/sandbox/clock/advance", body)).text).toBe(first.text);
  expect((await sandbox.ask("/sp/sandbox/clock/get", {})).clock_at).toBe("2020-06-01 00:00:00");
  const real = world.home.businessId;
  expect((await clock(real)).error.code).toBe("not_a_sandbox");
  const other = { idempotency_key: nextKey(), business_id: real, to: "2020-06-01" };
  expect((await asOperator(world, "/op/sandbox/clock/advance", other)).body.error.code).toBe("not_a_sandbox");
});

it("is not counted as a clock that is ahead of the database's", async () => {
  const sandbox = await makeSandbox(world, "2040-05-01");
  const credit = { contact_id: await sandbox.member(), points: 5, adjustment_type: "credit" };
  await sandbox.write("/sp/reward-points/adjust", credit);
  expect((await asOperator(world, "/op/status/get", {})).body.data.ledger_lead_seconds).toBe(0);
});

it("has the days of members: births, joining by import, erasure", async () => {
  const sandbox = await makeSandbox(world, "2057-03-01 10:00:00", "Pacific/Kiritimati");
  const { businessId: business_id } = sandbox;
  const born = (date_of_birth: string) => ({ ...newPerson(), date_of_birth });
  expect(await sandbox.rejected("/sp/members/create", born("2057-03-02"))).toMatchObject({
    details: { errors: [{ field: "date_of_birth", code: "out_of_range" }] },
  });
  const { contact_id } = await sandbox.write("/sp/members/create", born("2057-03-01"));
  await sandbox.advance("2057-03-02");
  await sandbox.write("/sp/members/profile/update", { contact_id, date_of_birth: "2057-03-02" });
  expect(
    await sandbox.rejected("/sp/members/profile/update", { contact_id, date_of_birth: "2057-03-03" }),
  ).toMatchObject({ code: "validation_failed" });

  const lines = ["2057-03-01 23:59", "2057-03-02 00:01", undefined].map((joined_at, index) => ({
    line: index + 2,
    ...born("2057-03-02"),
    first_name: `Import${index}`,
    ...(joined_at !== undefined && { joined_at }),
  }));
  lines.push({ ...lines[0]!, line: 5, ...born("2057-03-03") });
  const { imported, rejected } = await operatorWrite(world, "/op/imports/members", { business_id, lines });
  expect(imported).toBe(2);
  expect(rejected).toMatchObject([
    { line: 3, field: "joined_at", code: "out_of_range" },
    { line: 5, field: "date_of_birth", code: "out_of_range" },
  ]);
  const { body } = await asOperator(world, "/op/members/list", { business_id, search: "Import2" });
  const record = { business_id, contact_id: body.data[0].contact_id };
  const joined = await asOperator(world, "/op/members/get", record);
  expect(joined.body.data.joined_at).toBe("2057-03-02 00:00:00");

  await operatorWrite(world, "/op/members/erase", { business_id, contact_id });
  const [erased] = await world.sql<{ at: string }[]>`
    SELECT to_char(erased_at AT TIME ZONE 'Pacific/Kiritimati', 'YYYY-MM-DD HH24:MI') AS at
    FROM member WHERE contact_id = ${contact_id}`;
  expect(erased?.at).toBe("2057-03-02 00:00");
});

it("brings the same by one step as by many", async () => {
  const live = async (stops: readonly string[]) => {
    const sandbox = await makeSandbox(world, "2026-01-31");
    await sandbox.rules({ pending_days: 3, points_validity: 2, points_validity_period: "week" });
    const contact_id = await sandbox.member();
    for (const amount of [700, 1900, 300]) {
      await sandbox.write("/sp/sales/record", { contact_id, location_id: sandbox.locationId, amount });
    }
    for (const stop of stops) await sandbox.advance(stop);
    const entries = await sandbox.ask("/sp/transactions/list", { contact_id, per_page: 100 });
    return entries.map(({ contact_id: _, ...entry }: Body) => entry);
  };
  const end = "2026-06-01";
  expect(await live(["2026-02-02", "2026-02-03 12:00:00", "2026-02-28", end])).toEqual(await live([end]));
});

it("is not there in a business in real time, and its scope can't be granted there", async () => {
  for (const [path, body] of [
    ["/sp/sandbox/clock/get", {}],
    ["/sp/sandbox/clock/advance", { to: "2030-01-01" }],
  ] as const) {
    expect((await world.write(path, body)).body.error).toEqual({
      code: "sp_scope_not_granted",
      details: { scope: "wa.sandbox.write" },
    });
  }
  const { businessId: business_id, everywhere } = world.home;
  const grant = { business_id, name: "Till", scopes: ["wa.sandbox.write"], all_locations: true };
  const create = { ...grant, idempotency_key: nextKey() };
  const update = { ...create, idempotency_key: nextKey(), integration_id: everywhere.integrationId };
  for (const [path, body] of [
    ["/op/integrations/create", create],
    ["/op/integrations/update", update],
  ] as const) {
    expect((await asOperator(world, path, body)).body.error).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "scopes", code: "not_allowed_value" }] },
    });
  }
});

it("can be deleted with all that is in it, and a business in real time can't", async () => {
  const sandbox = await makeSandbox(world, "2026-01-31");
  const contact_id = await sandbox.member();
  const { locationId: location_id, businessId } = sandbox;
  const { sale_id } = await sandbox.write("/sp/sales/record", { contact_id, location_id, amount: 900 });
  await sandbox.write("/sp/sales/refund", { sale_id, location_id, amount: 100 });
  await sandbox.write("/sp/reward-points/redeem", { contact_id, points: 1 });
  await operatorWrite(world, "/op/businesses/delete", { sandbox_business_id: businessId });
  const tables = await world.sql<{ table_name: string }[]>`
    SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'business_id' AND table_name <> 'audit_entry'`;
  for (const { table_name } of tables) {
    const [row] = await world.sql.query<{ count: number }[]>(
      `SELECT count(*) FROM ${table_name} WHERE business_id = ${businessId}`,
    );
    expect(row?.count, table_name).toBe(0);
  }
  const body = { idempotency_key: nextKey(), sandbox_business_id: world.home.businessId };
  expect((await asOperator(world, "/op/businesses/delete", body)).body.error.code).toBe("not_a_sandbox");
});

it("leaves a business in real time to the background job, which settles through the queue", async () => {
  const { businessId, locationIds } = world.home;
  const members: number[] = [];
  for (let index = 0; index < 30; index++) members.push(await world.member());
  const [program] = await world.sql<{ program_id: number }[]>`
    UPDATE reward_program SET earn_points = 1 WHERE business_id = ${businessId} RETURNING program_id`;
  await operatorWrite(world, "/op/reward-settings/rules/update", {
    business_id: businessId,
    default_program_id: program?.program_id,
  });
  for (const contact_id of members) {
    await world.write("/sp/sales/record", { contact_id, location_id: locationIds[0], amount: 500 });
  }
  const status = async () =>
    (await asOperator(world, "/op/engine/status", { business_id: businessId })).body.data.members_due;
  // The lock keeps the job of the world's own service away.
  await world.sql.begin(async (tx) => {
    await lockLedger(tx, businessId);
    await world.sql`
      UPDATE points_lot SET expires_on = earned_on
      WHERE business_id = ${businessId} AND contact_id = ANY (${members}::bigint[])`;
    await sumDue(world.sql, businessId);
    expect(await status()).toBe(30);
  });
  // Two processes at once do it once.
  const queue = {
    overload: () => undefined,
    depth: () => 0,
    post: async (command: PostingCommand) => {
      // Again, if the other process has locked the ledger for longer than a group waits.
      const [outcome] = await commitAgain(world.database.postings, [command]);
      if (outcome === undefined || outcome === "settled_in_part")
        throw new Error("a member is not settled at once");
      return outcome;
    },
  };
  const log = { warn: (what: unknown) => expect.fail(JSON.stringify(what)) } as never;
  const jobs = [startSettling(world.sql, queue, log), startSettling(world.sql, queue, log)];
  await Promise.all(jobs.map((job) => job.run()));
  await Promise.all(jobs.map((job) => job.stop()));
  expect(await status()).toBe(0);
  const [expired] = await world.sql<{ entries: number; points: number }[]>`
    SELECT count(*) AS entries, sum(amount)::bigint AS points FROM ledger_entry
    WHERE business_id = ${businessId} AND event_type = 'reward_points_expired'`;
  expect(expired).toEqual({ entries: 30, points: -150 });
});
