import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { insertBusiness } from "./access/businesses.ts";
import { advancePast, advanceSequence, nextIdAfter, prepareInstallation } from "./cell.ts";

const cells = fc.integer({ min: 0, max: 999 });
/** An id, as a cell may have made it. */
const ids = fc
  .record({
    cell: cells,
    round: fc.integer({ min: 0, max: 9 }),
    number: fc.integer({ min: 1, max: 999_999_998 }),
  })
  .map(({ cell, round, number }) => round * 10 ** 12 + cell * 10 ** 9 + number);
const cellOf = (id: number) => Math.floor((id % 10 ** 12) / 10 ** 9);

it("makes only ids of its own range, each higher than all before and than those that moved in", () => {
  fc.assert(
    fc.property(cells, fc.array(ids, { maxLength: 20 }), (cell, arrivals) => {
      let last = cell * 10 ** 9 + 1;
      for (const highest of arrivals) {
        const next = nextIdAfter(cell, last, highest);
        expect(cellOf(next)).toBe(cell);
        expect(next).toBeGreaterThan(Math.max(last, highest));
        last = next;
      }
      // Each arrival can begin a round, and 2^53 has 9,007 of them.
      expect(last).toBeLessThan((11 + 1) * 10 ** 12);
    }),
  );
});

describe("a numbered cell", () => {
  const database = useDatabase();
  const business = { name: "Aurora", time_zone: "UTC", currency: "EUR" };
  beforeAll(() => prepareInstallation(database.sql, 3, "same secret"));

  it("makes ids in its range, in every sequence except that of the audit log", async () => {
    expect(await database.sql.begin((tx) => insertBusiness(tx, business))).toBe(3_000_000_001);
    const sequences = await database.sql<{ name: string; start: number; max: number }[]>`
      SELECT sequencename::text AS name, start_value AS start, least(max_value, 10 ^ 15)::bigint AS max FROM pg_sequences`;
    const others = sequences.filter(({ start, max }) => cellOf(start) !== 3 || max !== 3_999_999_999);
    expect(others.map(({ name }) => name)).toEqual(["audit_entry_audit_id_seq"]);
  });

  it("stays what it is", async () => {
    await prepareInstallation(database.sql, 3, "another secret");
    await expect(prepareInstallation(database.sql, 4, "same secret")).rejects.toThrow(
      /made with LOYALTY_CELL=3, and this start is with LOYALTY_CELL=4.*set LOYALTY_CELL=3/,
    );
    await expect(prepareInstallation(database.sql, 0, "same secret")).rejects.toThrow(/set LOYALTY_CELL=3/);
  });

  it("continues above ids that moved in, and in its range", async () => {
    const insert = () => database.sql.begin((tx) => insertBusiness(tx, business));
    const advance = (highest: number) =>
      database.sql.begin((tx) => advanceSequence(tx, { table: "business", column: "business_id", highest }));
    const before = await insert();
    await advance(before - 1);
    expect(await insert()).toBe(before + 1);
    await advance(5_000_000_007);
    expect(await insert()).toBe(1_003_000_000_001);
    await advance(1_002_000_000_009);
    expect(await insert()).toBe(1_003_000_000_002);
    // No list is in the order of contact_id: it stays short.
    const members = (name: string, lowest: number) =>
      database.sql.begin(async (tx) => {
        await tx`
          INSERT INTO member (business_id, contact_id, member_id, first_name, last_name, phone_number, searchable_text)
          SELECT ${before}, ${lowest}::bigint + n, ${lowest}::bigint + n, ${name}, '', '+346' || ${lowest} || n, ''
          FROM generate_series(1, 2) AS n`;
        await advancePast(tx, "member", ["contact_id", "member_id"], `member WHERE first_name = '${name}'`);
        const [idle] = await tx`SHOW idle_in_transaction_session_timeout`;
        expect(idle).toEqual({ idle_in_transaction_session_timeout: "10s" });
        const [next] = await tx<{ contact_id: number; member_id: number }[]>`
          SELECT nextval('member_contact_id_seq') AS contact_id, nextval('member_member_id_seq') AS member_id`;
        return next;
      });
    expect(await members("moved in", 5_000_100_001)).toEqual({
      contact_id: 3_000_100_001,
      member_id: 1_003_000_000_001,
    });
    expect(await members("came back", 3_000_100_777)).toEqual({
      contact_id: 3_000_100_780,
      member_id: 1_003_000_000_002,
    });
    // A start keeps the range.
    await prepareInstallation(database.sql, 3, "same secret");
    expect(await insert()).toBe(1_003_000_000_003);
  });
});

it("can't be made of a database that has businesses", async () => {
  const other = useOther();
  await expect(other).rejects.toThrow(/made without LOYALTY_CELL, and this start is with LOYALTY_CELL=5/);
});

const unnumbered = useDatabase();
async function useOther() {
  await unnumbered.sql.begin((tx) =>
    insertBusiness(tx, { name: "Aurora", time_zone: "UTC", currency: "EUR" }),
  );
  await prepareInstallation(unnumbered.sql, 5, "secret");
}
