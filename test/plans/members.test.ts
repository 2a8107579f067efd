/** What is read of a member does not grow with the records of others, also by plans from when the tables were empty. */
import { expect, it } from "vitest";
import { openDatabase } from "../../src/database/connection.ts";
import { findMembers, findMembersAndRules } from "../../src/database/engine/members.ts";
import { insertMember } from "../../src/database/members/members.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";
import { newPerson, nothingElse } from "../support/world.ts";

const database = useDatabase();
const others = 30_000;

/** The columns of the record of another member besides its own, and their values. */
const records = {
  member_due: [["day", "event", "amount"], "'2026-01-01'::date + n % 99, 'points_expire', 5"],
  points_lot: [
    ["lot_id", "reference_id", "earned_on", "matures_on", "matured", "points", "clawed", "used", "expired"],
    "n, 'r' || n, '2026-01-01', '2026-01-01', true, 1, 0, 0, 0",
  ],
  points_debt: [["sale_id", "reference_id", "location_id", "owed"], "n, 'r' || n, 1, 5"],
  sales_day: [["day", "location_id", "net", "sales"], "'2026-01-01', 1, 10, 1"],
  sale: [
    [
      ...[
        "sale_id",
        "location_id",
        "reference_id",
        "sold_on",
        "created_at",
        "amount",
        "eligible_amount",
        "points_used",
      ],
      ...[
        "points_amount",
        "wallet_used",
        "amount_due",
        "earning_base",
        "points_earned",
        "rules_version",
        "earn_points",
      ],
      ...[
        "earn_amount",
        "earn_minimum_amount",
        "maximum_points_per_order",
        "refunded",
        "points_excused",
        "uses",
      ],
    ],
    "n, 1, 'r' || n, '2026-01-01', now(), 10, 10, 0, 0, 0, 10, 10, 1, 1, 1, 10, 0, 100, 0, 0, '[]'",
  ],
  held_voucher: [
    [
      ...[
        "held_voucher_id",
        "voucher_id",
        "coupon_code",
        "coupon_key",
        "coupon_value",
        "reference_id",
        "issued_on",
      ],
      ...["valid_from", "lapses_on", "status", "created_at"],
    ],
    "n, 1, 'TEA', 'tea', 10, 'r' || n, '2026-01-01', '2026-01-01', '2999-01-01', 'held', now()",
  ],
  grant_count: [["promotion_id", "day", "given"], "1, '2026-01-01', 1"],
  member_stamp_card: [["stamp_card_id", "stamps", "completed", "by_hand", "lapsed"], "1, 1, 0, 0, 0"],
  tier_standing: [["since", "by_hand"], "'2026-01-01', false"],
} as const;

it("reads few buffers", async () => {
  const { sql } = database;
  await turnAutovacuumOff(sql);
  const { businessId } = await makeEmptyBusiness(sql);
  const person = { ...newPerson(), ...nothingElse };
  const { contact_id: contactId } = await sql.begin((tx) => insertMember(tx, businessId, person));
  await sql`
    INSERT INTO voucher (business_id, voucher_id, campaign_name, coupon_code, coupon_value)
    VALUES (${businessId}, 1, 'Tea', 'TEA', 10)`;
  const reader = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 20_000,
    applicationName: "loyalty tests",
  });
  const read = async () => {
    const vouchers = { ids: [5], codes: ["TEA"], usable: 3 };
    const given = { businessId, contactId, spends: 5, vouchers, tier: true, promotedOn: [null] };
    await findMembers(reader, [{ businessId, contactId, dueLots: 0 }]);
    await findMembers(reader, [given]);
    await findMembers(reader, [{ ...given, named: { sale: [5] }, lapsedSince: "2026-01-01" }]);
    await findMembersAndRules(reader, [{ ...given, rulesOn: "2026-01-01" }]);
  };
  try {
    await read();
    for (const [table, [columns, values]] of Object.entries(records))
      await sql.query(
        `INSERT INTO ${table} (business_id, contact_id, ${columns.join(", ")})
        SELECT ${businessId}, ${contactId} + n, ${values} FROM generate_series(1, ${others}) AS n`,
      );
    // With an index by day that served for look-ups of members, too, it was 900.
    expect(await buffersRead({ sql: reader, setup: sql }, read)).toBeLessThan(200);
  } finally {
    await reader.end();
  }
});
