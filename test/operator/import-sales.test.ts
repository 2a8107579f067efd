/** Sales that are imported: where and when they land, and what is rejected of them. */
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/database/connection.ts";
import { soldIn } from "../../src/domain/engine/entries.ts";
import { openLedger } from "../../src/pipeline/postings/open-ledger.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools, landed } from "../support/imports.ts";
import { asOperator, validMemberLine, validSaleLine } from "../support/operator-requests.ts";
import { nextKey, untilServed, useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger, importLines, memberOf, transactionsOf } = importTools(world);

describe("sales", () => {
  it("land on their member's sales account, each at its own time in the business's time zone", async () => {
    const { business, contact_id, phone_number } = await businessWithMember();
    await importLines("members", business, [
      validMemberLine(1, { external_ref: "CRM-1", first_name: "Zoë" }),
    ]);
    const [location_id] = business.locationIds;
    const result = await importLines("sales", business, [
      validSaleLine(1, { contact_id, sold_at: "2024-07-01", amount: 100, reference_id: "till-1" }),
      validSaleLine(2, { phone_number, sold_at: "2024-01-01T10:30:00", amount: 200, location_id }),
      validSaleLine(3, { external_ref: "CRM-1", sold_at: "2024-01-01 10:30", amount: 300 }),
      validSaleLine(4, { contact_id, sold_at: "2024-07-01T10:00:00Z", amount: 400 }),
      validSaleLine(5, { contact_id, sold_at: "2024-07-01 10:00:00.25+05:30", amount: 500 }),
    ]);
    expect(result).toEqual(landed(5));
    const sale = { event_type: "sale", contact_id };
    const generated = expect.stringMatching(/^SA-\d+$/);
    expect(await transactionsOf(business, contact_id)).toEqual([
      {
        ...sale,
        amount: 400,
        balance_after: 700,
        created_at: "2024-07-01 12:00:00",
        reference_id: generated,
      },
      {
        ...sale,
        amount: 500,
        balance_after: 1200,
        created_at: "2024-07-01 06:30:00",
        reference_id: generated,
      },
      { ...sale, amount: 100, balance_after: 100, created_at: "2024-07-01 00:00:00", reference_id: "till-1" },
      {
        ...sale,
        amount: 200,
        balance_after: 300,
        created_at: "2024-01-01 10:30:00",
        reference_id: generated,
      },
    ]);
    expect(await memberOf(business, "zoe")).toMatchObject({ sales_balance: 300 });
    const atLocation = await world.ask("/sp/transactions/list", { location_id }, business.everywhere);
    expect(atLocation.body.data).toMatchObject([{ amount: 200 }]);
    const inJanuary = { start_date: "2024-01-01", end_date: "2024-01-31", event_types: ["sale"] };
    const listed = await world.ask("/sp/transactions/list", inJanuary, business.everywhere);
    expect(listed.body.meta.pagination.total).toBe(2);
    await expectValidLedger(business);
  });

  it("leave the clock of the ledger alone: what is posted next is newer", async () => {
    const { business, contact_id } = await businessWithMember();
    await importLines("sales", business, [validSaleLine(1, { contact_id, sold_at: "2001-01-01" })]);
    const adjustment = { contact_id, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", adjustment, business.everywhere);
    await importLines("sales", business, [validSaleLine(2, { contact_id, sold_at: "2002-02-02" })]);
    const types = (await transactionsOf(business, contact_id)).map(({ created_at }) =>
      String(created_at).slice(0, 4),
    );
    expect(types.slice(1)).toEqual(["2002", "2001"]);
    expect(Number(types[0])).toBeGreaterThan(2002);
    await expectValidLedger(business);
  });

  it("may be an inactive member's", async () => {
    const { business, contact_id } = await businessWithMember();
    await world.deactivate(contact_id);
    expect(await importLines("sales", business, [validSaleLine(1, { contact_id })])).toEqual(landed(1));
    await expectValidLedger(business);
  });

  it("are rejected line by line, while the others land", async () => {
    const { business, contact_id, phone_number } = await businessWithMember();
    await world.sql`
      UPDATE account SET balance = ${Number.MAX_SAFE_INTEGER - 700}
      WHERE contact_id = ${contact_id} AND account = 'sales'`;
    const result = await importLines("sales", business, [
      validSaleLine(1, {}),
      validSaleLine(2, { contact_id, phone_number }),
      validSaleLine(3, { contact_id: 9_007_199_254_740_000 }),
      validSaleLine(4, { phone_number: "+34999999999" }),
      validSaleLine(5, { external_ref: "nobody" }),
      validSaleLine(6, { contact_id, sold_at: "2999-01-01" }),
      validSaleLine(7, { contact_id, sold_at: "2024-02-30" }),
      validSaleLine(8, { contact_id, sold_at: undefined }),
      validSaleLine(9, { contact_id, amount: 0 }),
      validSaleLine(10, { contact_id, amount: 10 ** 12 + 1 }),
      validSaleLine(11, { contact_id, location_id: 9_007_199_254_740_000, sold_at: "2998-01-01" }),
      validSaleLine(12, { contact_id, reference_id: "a\nb" }),
      validSaleLine(13, { contact_id, amount: 700 }),
      validSaleLine(14, { contact_id, amount: 1 }),
    ]);
    expect(result).toMatchObject({ imported: 1, skipped: 0 });
    expect(result.rejected.map(({ line, field, code }: Body) => [line, field, code])).toEqual([
      [1, "", "required"],
      [2, "", "not_allowed_value"],
      [3, "contact_id", "member_not_found"],
      [4, "phone_number", "member_not_found"],
      [5, "external_ref", "member_not_found"],
      [6, "sold_at", "out_of_range"],
      [7, "sold_at", "invalid_format"],
      [8, "sold_at", "required"],
      [9, "amount", "out_of_range"],
      [10, "amount", "out_of_range"],
      [11, "location_id", "location_not_found"],
      [11, "sold_at", "out_of_range"],
      [12, "reference_id", "invalid_format"],
      [14, "amount", "balance_limit_exceeded"],
    ]);
    expect(result.rejected[0]!.message).toMatch(
      /^The line must name its member by exactly one of contact_id/,
    );
  });

  it("and live postings come one after the other, and none is lost", async () => {
    const { business, contact_id } = await businessWithMember();
    const adjust = () => {
      const body = { idempotency_key: nextKey(), contact_id, points: 1, adjustment_type: "credit" };
      return untilServed(() => world.write("/sp/reward-points/adjust", body, business.everywhere));
    };
    const chunk = (n: number) =>
      importLines(
        "sales",
        business,
        Array.from({ length: 200 }, (_, line) =>
          validSaleLine(line + 1, { contact_id, amount: 1, sold_at: `20${10 + n}-01-01` }),
        ),
      );
    const [postings, chunks] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, adjust)),
      Promise.all(Array.from({ length: 6 }, (_, n) => chunk(n))),
    ]);
    expect(new Set(postings.map(({ body }) => body.data.balance_after)).size).toBe(100);
    expect(chunks).toEqual(Array(6).fill(landed(200)));
    const { sales_balance, points_balance } = (
      await asOperator(world, "/op/members/get", { business_id: business.businessId, contact_id })
    ).body.data;
    expect({ sales_balance, points_balance }).toEqual({ sales_balance: 1200, points_balance: 100 });
    await expectValidLedger(business);
  });
});

it("are never later than what is recorded after them, though the clock goes back", async () => {
  const { business, contact_id } = await businessWithMember();
  const { businessId } = business;
  await world.sql`CREATE SCHEMA slow_clock`;
  await world.sql`
    CREATE FUNCTION slow_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    RETURN pg_catalog.clock_timestamp() - interval '10 s'`;
  const late = openDatabase(world.database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "a clock that goes back",
    serverSettings: { search_path: "slow_clock, pg_catalog, public" },
  });
  const [now] = await world.sql<{ at: string }[]>`SELECT clock_timestamp() AS at`;
  const created_at = now?.at as string;
  await late.begin(async (tx) => {
    const opened = await openLedger(tx, businessId, [contact_id], { balances: ["sales"] });
    const sold_on = created_at.slice(0, 10);
    const entries = [{ event_type: "sale" as const, amount: 5, created_at, sold: soldIn({ sold_on }, 5) }];
    opened.post(contact_id, () => ({ entries, reference_id: "a", data: {} }));
    await opened.record();
  });
  await late.end();
  await expectValidLedger(business);
});
