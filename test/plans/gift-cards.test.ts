/** What gift cards cost statements that all businesses run, and those about gift cards, also by plans from when the tables were empty. */
import { beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { findDueMembers, findFirstDueDay } from "../../src/database/engine/due.ts";
import { findLiabilities } from "../../src/database/engine/liabilities.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

// Without a service, which would read as well.
const database = useDatabase();
type EmptyBusiness = Awaited<ReturnType<typeof makeEmptyBusiness>>;
const sizes = { members: 20_000, keys: 0, auditEntries: 0, entries: 1000 };
let without: EmptyBusiness;
let withCards: EmptyBusiness;
let planned: Database;

const findDue = async (sql: Database, { businessId }: EmptyBusiness) => {
  const first = await findFirstDueDay(sql, businessId, "2026-06-01");
  const due = await findDueMembers(sql, businessId, { limit: 10, day: "2026-06-01" });
  const only = await findDueMembers(sql, businessId, { limit: 10, only: [due[0]?.contact_id ?? 1] });
  const next = await findDueMembers(sql, businessId, { limit: 10, after: due.at(-1), day: "2026-06-01" });
  return { first, due: due.length, only: only.length, next: next.length };
};

beforeAll(async () => {
  const { sql } = database;
  await turnAutovacuumOff(sql);
  const settings = { connections: 1, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty tests" };
  planned = openDatabase(database.connection, settings);
  [without, withCards] = [await makeEmptyBusiness(sql), await makeEmptyBusiness(sql)];
  for (let times = 0; times < 6; times++) await findDue(planned, without);
  for (const place of [without, withCards]) await fillBusiness(sql, place, sizes);
  await sql`
    UPDATE account SET anonymous = 'gift', lapses_on = CASE WHEN account = 'wallet' THEN '2026-01-01'::date + (contact_id % 1000)::integer END
    WHERE business_id = ${withCards.businessId}`;
});

it.each(["before", "after"])(
  "finds due gift cards by their day, %s the statistics are known",
  async (when) => {
    const { sql } = database;
    if (when === "after") await sql`ANALYZE`;
    const pools = { sql: planned, setup: sql };
    const [none, some] = [without, withCards];
    expect(await findDue(planned, none)).toEqual({ first: undefined, due: 0, only: 0, next: 0 });
    expect(await findDue(planned, some)).toEqual({ first: "2026-01-01", due: 10, only: 1, next: 10 });
    // Each look-up reads a few pages of its index, and at most one page of the table for each row.
    expect(await buffersRead(pools, () => findDue(planned, none))).toBeLessThan(60);
    expect(await buffersRead(pools, () => findDue(planned, some))).toBeLessThan(120);
  },
);

it("reads nothing of members for the liabilities of a business without gift cards", async () => {
  const { sql } = database;
  await sql`ANALYZE`;
  const { businessId } = without;
  const read = () => findLiabilities(planned, businessId, { day: "2026-06-01", isToday: true });
  await read();
  expect(await buffersRead({ sql: planned, setup: sql }, read)).toBeLessThan(100);
});
