/** Who gets something on an occasion is found without reading the other members, also by plans from when the tables were empty. */
import { beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { findOccasionMembers, listGranted } from "../../src/database/engine/rewards/occasions.ts";
import { newOccasion } from "../../src/operations/promotions/occasions.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

// Without a service, which would read as well.
const database = useDatabase();
let businessId = 0;
const occasion = { ...newOccasion({}), occasion_id: 1, name: "Occasion", voucher: null, points: 10 };
const day = "2026-02-28";
const read = {
  birthday: { ...occasion, kind: "birthday" as const },
  anniversary: { ...occasion, kind: "anniversary" as const },
  inactive: { ...occasion, kind: "inactive" as const, inactive_days: 30 },
};
/** As many as are found among 23,374, and the pages that may be read: a few for each of them. */
const expected = { birthday: [80, 800], anniversary: [80, 800], inactive: [30, 800] } as const;
const kinds = Object.keys(expected) as (keyof typeof expected)[];
let sql: Database;

const find = async (kind: keyof typeof expected) => {
  const found = await sql.begin((tx) => findOccasionMembers(tx, businessId, read[kind], day));
  const members = found.map((contact_id) => ({ contact_id, occurrence: "2026", day }));
  await listGranted(sql, businessId, { occasion: read[kind], members });
  return members;
};

beforeAll(async () => {
  await turnAutovacuumOff(database.sql);
  ({ businessId } = await makeEmptyBusiness(database.sql));
  sql = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 20_000,
    applicationName: "loyalty tests",
  });
  for (let times = 0; times < 6; times++) for (const kind of kinds) await find(kind);
  // As many are born on each day, and one joined on each.
  await database.sql`
    INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text, date_of_birth, joined_at)
    SELECT ${businessId}, 'A', 'B', '+34' || 600000000 + n, '', '1990-01-01'::date + n % 11687,
      '2026-01-01 12:00'::timestamptz - n % 7305 * interval '1 day' FROM generate_series(1, 23374) AS n`;
  // Those who bought on 29 January: every second one bought later.
  await database.sql`
    INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
      eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
      rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded, points_excused, uses)
    SELECT business_id, n, contact_id, 1, 'r' || n, '2026-01-29'::date - n % 300, now(), 10, 10, 0, 0, 0, 10, 10, 1, 1, 1, 10, 0,
      100, 0, 0, '[]'
    FROM (SELECT business_id, contact_id, (row_number() OVER (ORDER BY contact_id))::integer AS n FROM member
      WHERE business_id = ${businessId} ORDER BY contact_id LIMIT 18000) AS m`;
  await database.sql`
    INSERT INTO sales_day (business_id, contact_id, day, location_id, net, sales)
    SELECT business_id, contact_id, '2026-02-01', 1, 10, 1 FROM sale WHERE business_id = ${businessId} AND sale_id % 600 = 0`;
});

it.each(kinds)("reads few pages: %s", async (kind) => {
  const [found, pages] = expected[kind];
  expect((await find(kind)).length).toBe(found);
  expect(await buffersRead({ sql, setup: database.sql }, () => find(kind))).toBeLessThan(pages);
});

it("reads each member once, if all joined on the same day", async () => {
  try {
    await database.sql`
      UPDATE member SET joined_at = '2020-02-28 12:00' WHERE business_id = ${businessId}`;
    const members = 23_374;
    const read = await buffersRead({ sql, setup: database.sql }, async () => {
      expect((await find("anniversary")).length).toBe(members);
    });
    expect(read / members).toBeLessThan(8);
  } finally {
    await sql.end();
  }
});
