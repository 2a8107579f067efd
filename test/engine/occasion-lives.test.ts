/** V7: a member gets something once for each occurrence, whatever the kills, merges, changed dates of birth and steps of the clock. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Connection } from "../../src/database/connection.ts";
import { lockLedger } from "../../src/database/ledger/ledger.ts";
import { liveThrough } from "../../src/operations/access/sandbox-clock.ts";
import { recordGroupEvents } from "../../src/pipeline/postings/group-events.ts";
import { grantOccasions } from "../../src/pipeline/postings/occasions.ts";
import { startSettling } from "../../src/pipeline/postings/settling.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { dayOf, zoneAtNoon } from "../support/local-times.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { runs } from "../support/random-cases.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
const start = Date.parse("2026-01-13");
const dayAfter = (days: number) => new Date(start + days * 86_400_000).toISOString().slice(0, 10);
const killed = new Error("killed");
/** Does something in a transaction that ends as if the process were killed. */
const kill = (run: (tx: Connection) => Promise<unknown>) =>
  world.sql
    .begin(async (tx) => {
      await run(tx);
      throw killed;
    })
    .catch((error: unknown) => {
      if (error !== killed) throw error;
    });

interface Grant {
  readonly contact_id: number;
  readonly occurrence: string;
  readonly day: number;
}
const grantsOf = async (businessId: number, occasionId: number) =>
  world.sql<Grant[]>`
    SELECT contact_id, occurrence, granted_on - '2026-01-13'::date AS day FROM occasion_grant
    WHERE business_id = ${businessId} AND occasion_id = ${occasionId} ORDER BY contact_id, granted_on`;

const dayOfYear = fc.integer({ min: 0, max: 364 });
/** A day of a leap year, so that some are 29 February. */
const birthDate = fc
  .integer({ min: 0, max: 365 })
  .map((days) => new Date(Date.UTC(1992, 0, 1 + days)).toISOString().slice(0, 10));
const action = fc.record({
  day: dayOfYear,
  what: fc.constantFrom("kill", "kill", "change", "merge", "advance"),
  who: fc.nat(100),
  date: birthDate,
});

it("gives each member one birthday and one anniversary in a year", async () => {
  const life = fc.record({
    dates: fc.array(birthDate, { minLength: 8, maxLength: 8 }),
    actions: fc.array(action, { minLength: 4, maxLength: 8 }),
    days_before: fc.constantFrom(0, 3, 30),
  });
  await fc.assert(
    fc.asyncProperty(life, async ({ dates, actions, days_before }) => {
      const shop = await makeSandbox(world, "2026-01-13 00:00:00");
      const { businessId: business_id } = shop;
      const of = { business_id, minimum_membership_days: 0, points: 10 };
      const create = async (occasion: object) =>
        (await operatorWrite(world, "/op/occasions/create", { ...of, ...occasion })).occasion_id as number;
      const birthday = await create({ name: "Birthday", kind: "birthday", days_before });
      const anniversary = await create({ name: "Anniversary", kind: "anniversary" });
      const contactIds: number[] = [];
      for (const date_of_birth of [...dates, "1992-02-29"])
        contactIds.push(await world.member({ ...newPerson(), date_of_birth }, shop.credentials));
      const untouched = new Set(contactIds);
      const present = [...contactIds];
      let now = 0;
      for (const { day, what, who, date } of [...actions].sort((one, other) => one.day - other.day)) {
        const to = `${dayAfter(day)} 12:00:00`;
        if (what === "kill")
          await kill(async (tx) => {
            await lockLedger(tx, business_id);
            await liveThrough(tx, business_id, to);
          });
        else if (day > now) {
          await shop.advance(to);
          now = day;
        }
        const contact_id = present[who % present.length] as number;
        if (what === "change") {
          await shop.write("/sp/members/profile/update", { contact_id, date_of_birth: date });
          untouched.delete(contact_id);
        }
        if (what === "merge" && present.length > 2) {
          present.splice(present.indexOf(contact_id), 1);
          const other = present[(who * 7) % present.length] as number;
          await shop.write("/sp/members/merge", { from_contact_id: contact_id, contact_id: other });
          for (const one of [contact_id, other]) untouched.delete(one);
        }
      }
      // To the end of the day before the first anniversary, and to that.
      await shop.advance(`${dayAfter(364)} 23:00:00`);
      const birthdays = await grantsOf(business_id, birthday);
      expect(untouched.size).toBeGreaterThan(0);
      for (const contact_id of untouched) {
        const own = birthdays.filter((one) => one.contact_id === contact_id);
        // With days before, that of a birthday in January of the next year can be a second one.
        expect(own.map(({ occurrence }) => occurrence).length, String(contact_id)).toBeGreaterThanOrEqual(1);
        if (days_before === 0) expect(own.length).toBe(1);
      }
      for (const [nth, one] of birthdays.entries()) {
        const before = birthdays[nth - 1];
        if (before?.contact_id !== one.contact_id) continue;
        expect(one.occurrence).not.toBe(before.occurrence);
        expect(untouched.has(one.contact_id) || one.day - before.day >= 300).toBe(true);
      }
      expect(await grantsOf(business_id, anniversary)).toEqual([]);
      await shop.advance(`${dayAfter(365)} 12:00:00`);
      const anniversaries = await grantsOf(business_id, anniversary);
      expect(anniversaries.map(({ contact_id }) => contact_id)).toEqual([...present].sort((a, b) => a - b));
      await expectValidLedger(shop);
    }),
    { numRuns: runs(2) },
  );
}, 300_000);

it("gives once what the job finds, in two processes that are killed, also for the days on which none ran", async () => {
  const business = await world.business("Real", zoneAtNoon());
  const business_id = business.businessId;
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  const voucher = { campaign_name: "Cake", coupon_code: "CAKE", coupon_value: 300 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...voucher });
  const { occasion_id } = await operatorWrite(world, "/op/occasions/create", {
    ...{ business_id, name: "Birthday", kind: "birthday", minimum_membership_days: 0, voucher_id },
  });
  const today = dayOf(Date.now(), zoneAtNoon());
  const bornBefore = (days: number) =>
    new Date(Date.parse(`1992${today.slice(4)}`) - days * 86_400_000).toISOString().slice(0, 10);
  const born = (days: number) =>
    world.member({ ...newPerson(), date_of_birth: bornBefore(days) }, business.everywhere);
  const expected: number[] = [];
  for (let nth = 0; nth < 120; nth++) expected.push(await born(0));
  for (let days = 1; days <= 7; days++) expected.push(await born(days));
  await born(9);
  await born(-1);
  // No process ran for some days.
  await world.sql`UPDATE member SET joined_at = joined_at - interval '1 month' WHERE business_id = ${business_id}`;
  await world.sql`UPDATE occasion SET granted_through = granted_through - 20 WHERE occasion_id = ${occasion_id}`;
  for (const survived of [0, 1, 3]) {
    let parts = 0;
    await grantOccasions(world.sql, business_id, async (part) => {
      if (parts++ < survived) {
        return world.sql.begin(async (tx) => {
          const entries = await part(tx);
          await recordGroupEvents(tx);
          return entries;
        });
      }
      await kill(part);
      return undefined;
    });
  }
  const log = { warn: (...what: unknown[]) => expect(what).toEqual([]) } as never;
  const postings = { post: () => Promise.reject(new Error("nothing is due")) };
  const jobs = [startSettling(world.sql, postings, log), startSettling(world.sql, postings, log)];
  await Promise.all(jobs.map((job) => job.run()));
  await Promise.all(jobs.map((job) => job.stop()));
  const granted = await grantsOf(business_id, occasion_id as number);
  expect(granted.map(({ contact_id }) => contact_id)).toEqual(expected);
  const [counted] = await world.sql<{ held: number; events: number; entries: number }[]>`
    SELECT (SELECT count(*) FROM held_voucher WHERE business_id = ${business_id}) AS held,
      (SELECT count(*) FROM event WHERE business_id = ${business_id} AND type = 'occasion.granted') AS events,
      (SELECT count(*) FROM ledger_entry WHERE business_id = ${business_id}) AS entries`;
  expect(counted).toEqual({ held: 127, events: 127, entries: 127 });
  await expectValidLedger({ businessId: business_id });
}, 120_000);

it("gives to all if it is paused in the middle of a day, and resumed on that day", async () => {
  const { businessId: business_id, everywhere } = await world.business("Paused", zoneAtNoon());
  const date_of_birth = `1992${dayOf(Date.now(), zoneAtNoon()).slice(4)}`;
  const expected: number[] = [];
  for (let nth = 0; nth < 110; nth++)
    expected.push(await world.member({ ...newPerson(), date_of_birth }, everywhere));
  // Last, so that the job of the service is not faster.
  const { occasion_id } = await operatorWrite(world, "/op/occasions/create", {
    ...{ business_id, points: 10, name: "Birthday", kind: "birthday", minimum_membership_days: 0 },
  });
  const granted = async () =>
    (await grantsOf(business_id, occasion_id as number)).map((one) => one.contact_id);
  let parts = 0;
  await grantOccasions(world.sql, business_id, async (part) => {
    const done = await world.sql.begin(part);
    // The first part finds the members, and the second one gives to 100 of them.
    if (++parts === 2) await operatorWrite(world, "/op/occasions/pause", { business_id, occasion_id });
    return done;
  });
  expect(await granted()).toEqual(expected.slice(0, 100));
  await operatorWrite(world, "/op/occasions/resume", { business_id, occasion_id });
  await grantOccasions(world.sql, business_id, (part) => world.sql.begin(part));
  expect(await granted()).toEqual(expected);
});

it("holds up no birthdays for a member whose records are damaged, and names that member in the log", async () => {
  const { businessId: business_id, everywhere } = await world.business("Damaged", zoneAtNoon());
  const occasion = (more: Body) =>
    operatorWrite(world, "/op/occasions/create", { business_id, points: 10, ...more });
  await occasion({ name: "Welcome", kind: "joined" });
  const date_of_birth = `1992${dayOf(Date.now(), zoneAtNoon()).slice(4)}`;
  const born = () => world.member({ ...newPerson(), date_of_birth }, everywhere);
  const members = [await born(), await born(), await born()];
  const [ana, ben, carl] = members;
  // Those that were given for joining are still there.
  await world.sql`UPDATE account SET balance = 0 WHERE contact_id = ${ben as number} AND account = 'points'`;
  const { occasion_id } = await occasion({ name: "Birthday", kind: "birthday", minimum_membership_days: 0 });
  const logged: object[] = [];
  const log = { warn: (of: object) => logged.push(of) } as never;
  const job = startSettling(world.sql, { post: () => Promise.reject(new Error("nothing is due")) }, log);
  await job.run();
  await job.stop();
  const granted = await grantsOf(business_id, occasion_id as number);
  expect(granted.map(({ contact_id }) => contact_id)).toEqual([ana, carl]);
  expect(logged).toMatchObject([{ business_id, contact_id: ben, fault: { message: /lots hold more/ } }]);
});
