/** The counts behind the member list, held to a naive reading of the same members. */
import { expect, it } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import { countMembers, listMembers } from "../../src/database/members/list.ts";
import { setActive } from "../../src/database/members/members.ts";
import { fragment } from "../../src/database/sql.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { recountMembers } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const scans = new FairQueue({ atOnce: 2 });

it("lists any page of members over many blocks, as some become inactive and active again", async () => {
  const { sql } = database;
  const businessId = await insertBusiness(sql, {
    name: "Many",
    time_zone: "UTC",
    currency: "EUR",
  });
  const other = await insertBusiness(sql, {
    name: "Other",
    time_zone: "UTC",
    currency: "EUR",
  });
  const add = async (count: number, of: number) => {
    const rows = await sql<{ member_id: number }[]>`
      INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text)
      SELECT ${of}, 'A', 'B', '+' || nextval('member_member_id_seq') || n, '' FROM generate_series(1, ${count}) AS n
      RETURNING member_id`;
    const memberIds = rows.map((row) => row.member_id);
    await sql.begin((tx) =>
      countMembers(tx, of, fragment`SELECT unnest(${memberIds}::bigint[])`, { members: 1, active: 1 }),
    );
  };
  for (const count of [700, 1500, 3000]) {
    await add(count, businessId);
    await add(count, other);
  }

  const naive = async (includeInactive: boolean) => {
    const rows = await sql<{ member_id: number }[]>`
      SELECT member_id FROM member WHERE business_id = ${businessId} AND (active OR ${includeInactive})
      ORDER BY member_id DESC`;
    return rows.map((row) => row.member_id);
  };
  const check = async () => {
    for (const include_inactive of [true, false]) {
      const expected = await naive(include_inactive);
      for (const page of [1, 2, 10, 40, 100, 174, 180]) {
        const perPage = 30;
        const listed = await listMembers(
          { sql, lookUps: sql, scans },
          businessId,
          { include_inactive },
          { page, perPage },
        );
        expect(listed.total).toBe(expected.length);
        expect(listed.rows.map((row) => row.member_id)).toEqual(
          expected.slice((page - 1) * perPage, page * perPage),
        );
      }
    }
  };
  await check();

  const contacts = await sql<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND contact_id % 7 = 0`;
  for (const { contact_id } of contacts.slice(0, 200)) {
    await sql.begin((tx) => setActive(tx, businessId, contact_id, false));
  }
  for (const { contact_id } of contacts.slice(50, 120)) {
    await sql.begin((tx) => setActive(tx, businessId, contact_id, true));
    // A second time changes nothing.
    await sql.begin((tx) => setActive(tx, businessId, contact_id, true));
  }
  await check();

  await sql.begin((tx) => recountMembers(tx, businessId));
  await check();
});
