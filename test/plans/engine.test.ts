/** What the engine reads does not grow with sales and lots of the past, also by plans from when the tables were empty. */
import { beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../src/database/connection.ts";
import { findMembers } from "../../src/database/engine/members.ts";
import { findRecordPlace } from "../../src/database/engine/places.ts";
import { readSalesToPreview } from "../../src/database/engine/preview.ts";
import { insertMember } from "../../src/database/members/members.ts";
import { endPools, fewestConnections, openPools } from "../../src/database/pools.ts";
import { inSlice, planForAnyValues } from "../../src/database/verify/ledger.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";
import { newPerson, nothingElse } from "../support/world.ts";

// Without a service, which would read as well.
const database = useDatabase();
let businessId = 0;

beforeAll(async () => {
  await turnAutovacuumOff(database.sql);
  ({ businessId } = await makeEmptyBusiness(database.sql));
});

async function makeMember(of = businessId): Promise<number> {
  const person = { ...newPerson(), ...nothingElse };
  return (await database.sql.begin((tx) => insertMember(tx, of, person))).contact_id;
}

it("finds a sale, a redemption and open lots by their keys", async () => {
  const contactId = await makeMember();
  const sql = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 20_000,
    applicationName: "loyalty tests",
  });
  const read = async () => {
    await findRecordPlace(sql, businessId, "sale", 5000);
    await findRecordPlace(sql, businessId, "redemption", 5000);
    await findMembers(sql, [{ businessId, contactId }]);
    await findMembers(sql, [
      { businessId, contactId, named: { sale: [5000] } },
      { businessId, contactId, named: { redemption: [5000] } },
    ]);
  };
  try {
    // Planned while the tables are empty.
    for (let times = 0; times < 6; times++) await read();
    await database.sql`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, uses)
      SELECT ${businessId}, n, ${contactId}, 1, 'r' || n, '2026-01-01', now(), 10, 10, 0, 0, 0, 10, 10, 1, 1, 1, 10, 0,
        100, 0, 0, '[]' FROM generate_series(1, 10000) AS n`;
    await database.sql`
      INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
        points, clawed, used, expired)
      SELECT ${businessId}, ${contactId}, n, 'r' || n, '2026-01-01', '2026-01-01', '2027-01-01', true, 1, 0,
        (n > 3)::integer, 0 FROM generate_series(1, 10000) AS n`;
    await database.sql`
      INSERT INTO points_redemption (business_id, redemption_id, contact_id, reference_id, points, reversed, uses,
        created_at)
      SELECT ${businessId}, n, ${contactId}, 'r' || n, 1, false, '[]', now() FROM generate_series(1, 10000) AS n`;
    expect(await buffersRead({ sql, setup: database.sql }, read)).toBeLessThan(60);
    const [first, second] = await findMembers(sql, [
      { businessId, contactId, named: { sale: [5000] } },
      { businessId, contactId, named: { redemption: [5000] } },
    ]);
    expect(first?.named.sale?.[0]?.sale_id).toBe(5000);
    expect(first?.points.lots.map(({ lot_id }) => lot_id)).toEqual([1, 5000]);
    expect(second?.named.redemption?.[0]?.redemption_id).toBe(5000);
    expect(await findRecordPlace(sql, businessId, "sale", 10_001)).toBeUndefined();
  } finally {
    await sql.end();
  }
});

it("reads no more for a member with ten thousand open lots than for one with ten, twice at most", async () => {
  const [few, many] = [await makeMember(), await makeMember()];
  const fill = async (contactId: number, lots: number) => {
    await database.sql`
      INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
        points, clawed, used, expired)
      SELECT ${businessId}, ${contactId}, 20000 + n, 'r' || n, '2026-01-01', '2026-01-01', '2999-01-01', true, 1, 0, 0, 0
      FROM generate_series(1, ${lots}::integer) AS n`;
    await database.sql`
      INSERT INTO member_due (business_id, contact_id, day, event, amount)
      VALUES (${businessId}, ${contactId}, '2999-01-01', 'points_expire', ${lots})`;
  };
  await fill(few, 10);
  await fill(many, 10_000);
  await database.sql`ANALYZE points_lot, member_due`;
  const sql = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 20_000,
    applicationName: "loyalty tests",
  });
  try {
    const pages = (contactId: number) =>
      buffersRead({ sql, setup: database.sql }, async () => {
        const [member] = await findMembers(sql, [{ businessId, contactId, spends: 5 }]);
        expect(member?.points.lots.map(({ lot_id }) => lot_id)).toEqual([20001, 20002, 20003, 20004, 20005]);
      });
    const [of10, of10000] = [await pages(few), await pages(many)];
    expect(of10000).toBeLessThanOrEqual(2 * of10);
  } finally {
    await sql.end();
  }
});

it("reads the sales of a preview page by page, also by plans from when the table was empty", async () => {
  const { businessId: other } = await makeEmptyBusiness(database.sql);
  const contactId = await makeMember(other);
  const { longRunning, ...others } = openPools(database.connection, fewestConnections);
  const range = { after: contactId - 1, last: contactId };
  const firstPage = (from: string) =>
    inSlice(longRunning, async (tx) => {
      await planForAnyValues(tx);
      const period = { from, through: "2999-01-01" };
      for await (const sales of readSalesToPreview(tx, other, range, period)) return sales.length;
      return 0;
    });
  try {
    for (let times = 0; times < 6; times++) await firstPage("2026-01-01");
    await database.sql`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, uses)
      SELECT ${other}, n, ${contactId}, 1, 'r' || n, '2026-01-01', now(), 10, 10, 0, 0, 0, 10, 10, 1, 1, 1, 10, 0,
        100, 0, 0, '[]' FROM generate_series(1, 20000) AS n`;
    expect(await firstPage("2026-01-01")).toBe(1000);
    // A row is at most one page of the table, and its index entries are few.
    const pools = { sql: database.sql, longRunning, setup: database.sql };
    expect(await buffersRead(pools, () => firstPage("2026-01-01"))).toBeLessThan(1300);
    expect(await buffersRead(pools, () => firstPage("2026-02-01"))).toBeLessThan(300);
  } finally {
    await endPools({ longRunning, ...others });
  }
});
