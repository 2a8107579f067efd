/** Active members are counted once in each period, and once on their first day, also where days overlap because clocks are set back. */
import { expect, it } from "vitest";
import { addEntriesToDays } from "../../src/database/ledger/day-totals.ts";
import { fragment } from "../../src/database/sql.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { randomFrom } from "../support/random.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("counts active members once, and their first day, in whatever order their entries are added up", async () => {
  const { sql } = world;
  const { businessId, locationIds } = await makeEmptyBusiness(sql);
  // One minute after midnight of 7 November 2010, clocks were set back to 23:01.
  await sql`UPDATE business SET time_zone = 'America/St_Johns' WHERE business_id = ${businessId}`;
  for (let seed = 1; seed <= 15; seed++) {
    const random = randomFrom(seed);
    await sql`DELETE FROM ledger_entry WHERE business_id = ${businessId}`;
    await sql`DELETE FROM active_day WHERE business_id = ${businessId}`;
    await sql`DELETE FROM day_total WHERE business_id = ${businessId}`;
    for (let entry = 1; entry <= 40; entry++) {
      // Most are within two hours of midnight, the others within a month.
      const seconds =
        seed % 2 === 0
          ? random.below(4 * 3600) - 2 * 3600
          : (random.below(60) - 30) * 86_400 + random.below(86_400);
      await sql`
        INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, location_id, created_at, account,
          event_type, reference_id)
        VALUES (${businessId}, ${entry}, ${1 + random.below(4)}, 1, 1, ${locationIds[random.below(3)] as number},
          timestamptz '2010-11-07 02:30:30+00' + make_interval(secs => ${seconds}), 'sales', 'sale', 'R')`;
    }
    for (let batch = 0; batch < 4; batch++) {
      // The numbers of entries don't follow their times here, as with imports.
      await addEntriesToDays(sql, businessId, fragment`(e.entry_no - 1) / 10 = ${batch}`);
    }
    const wrong = await sql`
      SELECT * FROM (
        SELECT location_id, day, what, items FROM day_total WHERE business_id = ${businessId} AND what LIKE 'active%'
      ) AS stored FULL JOIN (
        SELECT place.location_id, date_trunc(unit, local)::date AS day, 'active_' || unit AS what,
          count(DISTINCT contact_id) AS members
        FROM (SELECT *, created_at AT TIME ZONE 'America/St_Johns' AS local FROM ledger_entry) AS e
        CROSS JOIN (VALUES ('day'), ('week'), ('month')) AS period (unit)
        CROSS JOIN LATERAL (VALUES (-1::bigint), (e.location_id)) AS place (location_id)
        WHERE business_id = ${businessId} GROUP BY 1, 2, 3
      ) AS expected USING (location_id, day, what) WHERE items IS DISTINCT FROM members`;
    expect(wrong, `seed ${seed}`).toEqual([]);
    const wrongFirst = await sql`
      SELECT * FROM (
        SELECT location_id, day, items FROM day_total WHERE business_id = ${businessId} AND what = 'first_active' AND items <> 0
      ) AS stored FULL JOIN (
        SELECT location_id, day, count(*) AS members FROM (
          SELECT place.location_id, min(created_at AT TIME ZONE 'America/St_Johns')::date AS day
          FROM ledger_entry e CROSS JOIN LATERAL (VALUES (-1::bigint), (e.location_id)) AS place (location_id)
          WHERE business_id = ${businessId} GROUP BY contact_id, place.location_id
        ) AS first GROUP BY 1, 2
      ) AS expected USING (location_id, day) WHERE items IS DISTINCT FROM members`;
    expect(wrongFirst, `seed ${seed}`).toEqual([]);
  }
});
