/** How many pages reports read, and the statement that adds up new entries for them. */
import { beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../src/database/connection.ts";
import { findLiabilities } from "../../src/database/engine/liabilities.ts";
import { listActivity } from "../../src/database/ledger/activity.ts";
import { listLocationActivity } from "../../src/database/ledger/activity-of-locations.ts";
import { addEntriesToDays } from "../../src/database/ledger/day-totals.ts";
import { fragment } from "../../src/database/sql.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

// Without a service, which would read as well.
const database = useDatabase();
beforeAll(() => turnAutovacuumOff(database.sql));

it("adds up new entries by a plan that was made while the tables were empty", async () => {
  const { sql } = database;
  const settings = { connections: 1, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty tests" };
  const planned = openDatabase(database.connection, settings);
  const place = await makeEmptyBusiness(sql);
  const [entries, added] = [30_000, 1000];
  const addLast = () =>
    addEntriesToDays(planned, place.businessId, fragment`e.entry_no > ${entries - added}`);
  await addLast();
  await fillBusiness(sql, place, { members: 5000, keys: 0, auditEntries: 0, entries });
  // Members that come rarely: of each, the first active day is read, too.
  await sql`
    UPDATE ledger_entry SET account = 'sales', event_type = 'sale', amount = abs(amount)
    WHERE business_id = ${place.businessId} AND entry_no > ${entries - added}`;
  await sql`
    INSERT INTO active_day (business_id, contact_id, day, location_id)
    SELECT business_id, contact_id, '2020-01-01'::date + n, ${place.locationIds[0] as number}
    FROM member, generate_series(0, 1000, 50) AS n WHERE business_id = ${place.businessId}`;
  expect(await buffersRead({ sql: planned, setup: sql }, addLast)).toBeLessThan(20 * added);
  await planned.end();
});

it("reads activity and liabilities from totals of days", async () => {
  const { sql } = database;
  const sizes = { members: 100, keys: 0, auditEntries: 0 };
  const [few, many] = [await makeEmptyBusiness(sql), await makeEmptyBusiness(sql)];
  await fillBusiness(sql, few, { ...sizes, entries: 10_000 });
  await fillBusiness(sql, many, { ...sizes, entries: 100_000 });
  const days = { from: "2024-01-01", through: "2024-01-03", by: "day" } as const;
  const pages = async ({ businessId }: { businessId: number }) => {
    const read = async () => {
      const page = { page: 1, perPage: 100 };
      const { rows } = await listActivity(sql, businessId, days, page);
      expect(rows.reduce((sum, { sales }) => sum + sales, 0)).toBeGreaterThan(1000);
      const places = await listLocationActivity(sql, businessId, days, page);
      expect(places.rows.reduce((sum, { sales }) => sum + sales, 0)).toBeGreaterThan(1000);
      await findLiabilities(sql, businessId, { day: "2024-01-03", isToday: false });
    };
    await read();
    return buffersRead({ sql, setup: sql }, read);
  };
  const [ofFew, ofMany] = [await pages(few), await pages(many)];
  expect(ofMany).toBeLessThanOrEqual(2 * ofFew);
});
