/** The verification of the books: it finds each kind of thing that can be wrong, and nothing beside live writes. */
import { describe, expect, it } from "vitest";
import { partsThroughEntries } from "../../src/cli/commands/verify.ts";
import type { Database } from "../../src/database/connection.ts";
import { addEntriesToDays } from "../../src/database/ledger/day-totals.ts";
import { fragment } from "../../src/database/sql.ts";
import { findRangeEnd } from "../../src/database/verify/ledger.ts";
import { verifyReports } from "../../src/database/verify/reports.ts";
import { asOperator, operatorWrite, validMemberLine, validSaleLine } from "../support/operator-requests.ts";
import { type Business, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

const parts = ["accounts", "points", "entries", "entry_counts", "member_counts", "reports"] as const;
type Part = (typeof parts)[number];

/** Goes through a part of a business's books in slices. */
async function verify(businessId: number, part: Part, limit?: number) {
  const checked = { members: 0, accounts: 0, entries: 0, blocks: 0 };
  const mismatches: { kind: string }[] = [];
  let slices = 0;
  for (let after: number | null = 0; after !== null; slices++) {
    const { body } = await asOperator(world, "/op/ledger/verify", {
      business_id: businessId,
      part,
      after,
      ...(limit === undefined ? {} : { limit }),
    });
    if (body.success !== true) throw new Error(JSON.stringify(body));
    for (const name of Object.keys(checked) as (keyof typeof checked)[]) {
      checked[name] += body.data.checked[name];
    }
    expect(body.data.mismatch_count).toBe(body.data.mismatches.length);
    mismatches.push(...body.data.mismatches);
    after = body.data.next;
  }
  return { checked, mismatches, slices };
}

async function verifyAll(businessId: number, limit?: number) {
  const found: { kind: string }[] = [];
  for (const part of parts) found.push(...(await verify(businessId, part, limit)).mismatches);
  return found;
}

let businesses = 0;

interface Books {
  readonly business: Business;
  readonly businessId: number;
  readonly contactIds: readonly number[];
}

/** A business with members that have opening balances, and sales on three days; 2 + 2 + 6 entries, in one block. */
async function makeBooks(): Promise<Books> {
  businesses += 1;
  const business = await world.business(`Books ${businesses}`, "Europe/Madrid");
  const { businessId, locationIds } = business;
  const lines = [1, 2].map((line) => validMemberLine(line, { external_ref: `M${line}` }));
  await operatorWrite(world, "/op/imports/members", { business_id: businessId, lines });
  const sales = [1, 2, 3, 4, 5, 6].map((line) =>
    validSaleLine(line, {
      external_ref: `M${1 + (line % 2)}`,
      sold_at: `2024-03-0${1 + (line % 3)}`,
      amount: 100 * line,
      location_id: locationIds[line % 2],
    }),
  );
  await operatorWrite(world, "/op/imports/sales", { business_id: businessId, lines: sales });
  await countInOneBlock(businessId);
  const rows = await world.sql<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} ORDER BY member_id`;
  return { business, businessId, contactIds: rows.map((row) => row.contact_id) };
}

/** Puts all entries into one block of one group. The service waits until there are more. */
async function countInOneBlock(businessId: number): Promise<void> {
  await world.sql`
    INSERT INTO entry_count (business_id, level, from_at, from_no, location_id, event_type, entries)
    SELECT ${businessId}, level, '-infinity', 0, coalesce(location_id, -1), event_type, count(*)
    FROM (SELECT coalesce(location_id, 0) AS location_id, event_type FROM ledger_entry
      WHERE business_id = ${businessId}) AS entry, (VALUES (0), (1)) AS part (level)
    GROUP BY GROUPING SETS ((level, location_id, event_type), (level, event_type))`;
  await world.sql`
    UPDATE ledger_count SET counted_entries = e.entries, blocks_end_at = at, blocks_end_no = e.entries + 1,
      groups_end_at = at, groups_end_no = e.entries + 1
    FROM (SELECT count(*) AS entries, max(created_at) AS at FROM ledger_entry WHERE business_id = ${businessId}) AS e
    WHERE business_id = ${businessId}`;
  await addEntriesToDays(world.sql, businessId, fragment`true`);
}

describe("sound books", () => {
  it("are gone through whole, in whatever slices, without a mismatch", async () => {
    const { businessId } = await makeBooks();
    const totals = {
      accounts: { members: 2, accounts: 8, entries: 10, blocks: 0 },
      entries: { members: 0, accounts: 0, entries: 10, blocks: 0 },
      points: { members: 0, accounts: 0, entries: 0, blocks: 0 },
      entry_counts: { members: 0, accounts: 0, entries: 10, blocks: 1 },
      member_counts: { members: 2, accounts: 0, entries: 0, blocks: 1 },
      reports: { members: 0, accounts: 0, entries: 0, blocks: 0 },
    };
    // The progress of `loyalty verify` counts the entries of these.
    expect(parts.filter((part) => totals[part].entries > 0)).toEqual(partsThroughEntries);
    for (const part of parts) {
      const whole = await verify(businessId, part);
      expect(whole).toMatchObject({ checked: totals[part], mismatches: [] });
      if (part !== "reports") expect(whole.slices).toBe(1);
      expect(await verify(businessId, part, 1)).toMatchObject({ checked: totals[part], mismatches: [] });
    }
    expect((await verify(businessId, "accounts", 1)).slices).toBe(3);
    expect((await verify(businessId, "entries", 4)).slices).toBe(3);
  });

  it("are cut between members, and where they have more entries than one slice shall have", async () => {
    const { businessId, contactIds } = await makeBooks();
    const end = (after: number, members: number, entries: number) =>
      findRangeEnd(world.sql, businessId, after, { members, entries });
    const [first, second] = contactIds as [number, number];
    // Each has 2 opening balances and 3 sales.
    expect(await end(0, 1, 100)).toBe(first);
    expect(await end(0, 2, 100)).toBe(second);
    expect(await end(0, 3, 100)).toBe(null);
    expect(await end(0, 3, 1)).toBe(first);
    expect(await end(0, 3, 5)).toBe(first);
    expect(await end(0, 3, 6)).toBe(second);
    expect(await end(first, 3, 5)).toBe(second);
    expect(await end(first, 3, 6)).toBe(null);
    expect(await end(second, 1, 1)).toBe(null);
  });

  it("are cut between days, so that a slice has few entries and one day at least", async () => {
    const { businessId } = await makeBooks();
    const dayNo = (day: string) => (Date.parse(day) - Date.parse("1900-01-01")) / 86_400_000;
    /** Where slices of many days begin whose days have so many entries at most. The months begin on the first. */
    const starts = async (mostEntries: number) => {
      const found: number[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const slice = await world.sql.begin((tx) =>
          verifyReports(tx, businessId, after as number, 31, mostEntries),
        );
        expect(slice.mismatches).toEqual([]);
        after = slice.next;
        if (after !== null && after < dayNo("2024-03-03")) found.push(after + 1 - dayNo("2024-03-01"));
      }
      return found;
    };
    // Two sales on each of three days. A week and a month of 2024 begin on 26 February and on 1 March.
    expect(await starts(100)).toEqual([]);
    expect(await starts(5)).toEqual([2]);
    expect(await starts(2)).toEqual([1, 2]);
    expect(await starts(1)).toEqual([0, 1, 2]);
  });

  it("may be empty", async () => {
    const { businessId } = await world.business("Empty", "UTC");
    expect(await verifyAll(businessId)).toEqual([]);
  });

  it("may hold a day's corrections: debits, and members made inactive and active again", async () => {
    const { business, businessId, contactIds } = await makeBooks();
    const [contact_id] = contactIds;
    const adjust = { contact_id, location_id: business.locationIds[0], amount: 250 };
    await world.write("/sp/wallet/adjust", { ...adjust, adjustment_type: "credit" }, business.everywhere);
    await world.write("/sp/wallet/adjust", { ...adjust, adjustment_type: "debit" }, business.everywhere);
    await operatorWrite(world, "/op/members/deactivate", { business_id: businessId, contact_id });
    expect(await verifyAll(businessId)).toEqual([]);
    await operatorWrite(world, "/op/members/activate", { business_id: businessId, contact_id });
    expect(await verifyAll(businessId)).toEqual([]);
  });
});

interface Corruption {
  readonly what: string;
  readonly corrupt: (sql: Database, books: Books) => Promise<unknown>;
  /** The kinds of all mismatches that it makes, and what is told of one. */
  readonly kinds: readonly string[];
  readonly shows?: (books: Books) => object;
}

/** A member's sale with points, to be corrupted. */
async function sell(sql: Database, { business, businessId, contactIds }: Books): Promise<number> {
  await sql`
    UPDATE reward_program SET earn_points = 1 WHERE business_id = ${businessId} AND program_id = ${business.programId}`;
  await operatorWrite(world, "/op/reward-settings/rules/update", {
    business_id: businessId,
    default_program_id: business.programId,
    points_validity: 1,
    points_validity_period: "year",
  });
  const sale = { contact_id: contactIds[0], location_id: business.locationIds[0], amount: 5000 };
  const { body } = await world.write("/sp/sales/record", sale, business.everywhere);
  await world.write(
    "/sp/reward-points/redeem",
    { contact_id: contactIds[0], points: 10 },
    business.everywhere,
  );
  return body.data.sale_id;
}

/** The entry numbers of makeBooks: 1 to 4 are opening balances, 5 to 10 sales, by turns of the second and first. */
const corruptions: readonly Corruption[] = [
  {
    what: "a lot that holds more than the balance",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE points_lot SET points = points + 1000 WHERE business_id = ${books.businessId}`;
    },
    kinds: ["due", "points_in_lots"],
  },
  {
    what: "a lot that was used less than a redemption says",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE points_lot SET used = used - 1, clawed = 1 WHERE business_id = ${books.businessId}`;
    },
    kinds: ["lot_use"],
  },
  {
    what: "points that are due on another day",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE member_due SET day = '2030-01-01' WHERE business_id = ${books.businessId}`;
    },
    kinds: ["due", "due", "liability", "liability"],
  },
  {
    what: "a line of a receipt that is missing",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE sale SET receipt_lines = '[{"amount": 1}]' WHERE business_id = ${books.businessId} AND points_earned > 0`;
    },
    kinds: ["receipt_lines"],
  },
  {
    what: "points of a promotion that are more than those of the sale",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE sale SET grants = '[{"promotion_id": 1, "points": 1000}]'
        WHERE business_id = ${books.businessId} AND points_earned > 0`;
    },
    kinds: ["grants"],
  },
  {
    what: "points that are owed and belong to no lot",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE liability_change SET amount = amount + 1 WHERE business_id = ${books.businessId}`;
    },
    kinds: ["liability"],
  },
  {
    what: "an amount on another day",
    corrupt: (sql, { businessId }) => sql`
      UPDATE day_total SET day = day + 1
      WHERE business_id = ${businessId} AND what = 'wallet_adjustment'`,
    kinds: Array(4).fill("day_total"),
  },
  {
    what: "a member too many that was active",
    corrupt: (sql, { businessId }) => sql`
      UPDATE day_total SET items = items + 1
      WHERE business_id = ${businessId} AND location_id = -1 AND what = 'active_week'`,
    kinds: ["day_total"],
  },
  {
    what: "a member who reached a tier that it has not",
    corrupt: (sql, { businessId }) => sql`
      INSERT INTO day_total (business_id, location_id, day, what, items, amount)
      VALUES (${businessId}, -1, '2024-03-01', 'tier_reached 7', 1, 0)`,
    kinds: ["day_total"],
  },
  {
    what: "a first active day too many",
    corrupt: (sql, { businessId }) => sql`
      UPDATE day_total SET items = items + 1
      WHERE business_id = ${businessId} AND location_id = -1 AND what = 'first_active'`,
    kinds: ["day_total"],
  },
  {
    what: "an active day that is missing",
    corrupt: (sql, { businessId }) => sql`
      DELETE FROM active_day WHERE (business_id, contact_id, day, location_id) IN (
        SELECT business_id, contact_id, day, location_id FROM active_day WHERE business_id = ${businessId}
        ORDER BY day DESC LIMIT 1)`,
    kinds: ["day_total", "day_total"],
  },
  {
    what: "an active day of another member",
    corrupt: (sql, { businessId }) => sql`
      UPDATE active_day SET contact_id = 0 WHERE (business_id, contact_id, day, location_id) IN (
        SELECT business_id, contact_id, day, location_id FROM active_day WHERE business_id = ${businessId}
        ORDER BY day DESC LIMIT 1)`,
    // The day, and the first one of that member, in all and there.
    kinds: Array(3).fill("day_total"),
  },
  {
    what: "a sale with a refund that nobody made",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`UPDATE sale SET refunded = 5 WHERE business_id = ${books.businessId}`;
    },
    kinds: ["refunds"],
  },
  {
    what: "a sale of another member than its entry",
    corrupt: async (sql, books) => {
      const saleId = await sell(sql, books);
      await sql`
        UPDATE sale SET contact_id = ${books.contactIds[1]!}
        WHERE business_id = ${books.businessId} AND sale_id = ${saleId}`;
    },
    kinds: ["sale_entry", "sale_count", "sale_count"],
  },
  {
    what: "a referral whose first sale is gone",
    corrupt: (sql, { businessId, contactIds: [contactId, referrerId] }) => sql`
      INSERT INTO referral (business_id, contact_id, referrer_contact_id, status, created_at, sale_id, minimum_amount, ends_on)
      VALUES (${businessId}, ${contactId!}, ${referrerId!}, 'qualified', now(), 4711, 0, '2026-01-01')`,
    kinds: ["referral"],
    shows: ({ contactIds }) => ({ contact_id: contactIds[0], expected: "4711", found: null }),
  },
  {
    what: "a count of sales that is off by one",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`
        UPDATE sale_count SET sales = sales + 1 WHERE business_id = ${books.businessId}`;
    },
    kinds: ["sale_count"],
    shows: () => ({ contact_id: null, expected: "1", found: "2" }),
  },
  {
    what: "a count of the sales of a member that is off by one",
    corrupt: async (sql, books) => {
      await sell(sql, books);
      await sql`
        UPDATE sales_day SET sales = sales + 1 WHERE business_id = ${books.businessId} AND sales > 0`;
    },
    kinds: ["sale_count"],
    shows: ({ contactIds }) => ({ contact_id: contactIds[0], expected: "1", found: "2" }),
  },
  {
    what: "a balance that is not the sum of its entries",
    corrupt: (sql, { businessId, contactIds }) => sql`
      UPDATE account SET balance = balance + 1
      WHERE business_id = ${businessId} AND contact_id = ${contactIds[0]!} AND account = 'wallet'`,
    kinds: ["balance"],
    shows: ({ contactIds }) => ({
      contact_id: contactIds[0],
      account: "wallet",
      entry_no: null,
      expected: "1250",
      found: "1251",
    }),
  },
  {
    what: "a number of entries of an account that is off by one",
    corrupt: (sql, { businessId, contactIds }) => sql`
      UPDATE account SET entries = entries + 1
      WHERE business_id = ${businessId} AND contact_id = ${contactIds[0]!} AND account = 'vouchers'`,
    kinds: ["account_entries"],
    shows: () => ({ account: "vouchers", expected: "0", found: "1" }),
  },
  {
    what: "a balance without entries",
    corrupt: (sql, { businessId, contactIds }) => sql`
      UPDATE account SET balance = 7
      WHERE business_id = ${businessId} AND contact_id = ${contactIds[0]!} AND account = 'vouchers'`,
    kinds: ["balance", "vouchers_held"],
    shows: () => ({ account: "vouchers", expected: "0", found: "7" }),
  },
  {
    what: "a balance_after in the middle of an account",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET balance_after = balance_after + 5
      WHERE business_id = ${businessId} AND entry_no = 7`,
    kinds: ["balance_after", "balance_after"],
    shows: () => ({ entry_no: 7, account: "sales", expected: "400", found: "405" }),
  },
  {
    what: "the last balance_after of an account",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET balance_after = balance_after - 1
      WHERE business_id = ${businessId} AND entry_no = 10`,
    kinds: ["balance_after"],
    shows: () => ({ entry_no: 10, expected: "1200", found: "1199" }),
  },
  {
    what: "an amount",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET amount = amount + 5 WHERE business_id = ${businessId} AND entry_no = 7`,
    kinds: ["balance", "balance_after"],
  },
  {
    what: "an amount beyond every balance",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET amount = 9223372036854775807 WHERE business_id = ${businessId} AND entry_no = 7`,
    kinds: ["balance", "balance_after"],
  },
  {
    what: "an entry in the account of another event type",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET event_type = 'reward_points_earned'
      WHERE business_id = ${businessId} AND entry_no = 1`,
    kinds: ["account_of_entry", "entry_count", "entry_count", "entry_count", "entry_count"],
    shows: () => ({ entry_no: 1, account: "wallet", expected: "points", found: "wallet" }),
  },
  {
    what: "an entry that moved to another member",
    corrupt: (sql, { businessId, contactIds }) => sql`
      UPDATE ledger_entry SET contact_id = ${contactIds[0]!} WHERE business_id = ${businessId} AND entry_no = 5`,
    kinds: ["account_entries", "account_entries", "balance", "balance", "balance_after", "balance_after"],
  },
  {
    what: "an entry of nobody",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_entry SET contact_id = 9007199254740000 WHERE business_id = ${businessId} AND entry_no = 10`,
    kinds: ["account_entries", "balance", "balance_after", "entries_without_account"],
    shows: () => ({ contact_id: 9007199254740000, account: "sales", found: "1" }),
  },
  {
    what: "a missing account",
    corrupt: (sql, { businessId, contactIds }) => sql`
      DELETE FROM account
      WHERE business_id = ${businessId} AND contact_id = ${contactIds[1]!} AND account = 'vouchers'`,
    kinds: ["account_missing"],
    shows: ({ contactIds }) => ({ contact_id: contactIds[1], account: "vouchers" }),
  },
  {
    what: "an account of nobody",
    corrupt: (sql, { businessId }) =>
      sql.begin(async (tx) => {
        // Without the checks of foreign keys.
        await tx`SET LOCAL session_replication_role = replica`;
        await tx`
          INSERT INTO account (business_id, contact_id, account) VALUES (${businessId}, 9007199254740000, 'wallet')`;
      }),
    kinds: ["account_without_member"],
    shows: () => ({ contact_id: 9007199254740000, account: "wallet", found: "0" }),
  },
  {
    what: "an account that is active while its member is not",
    corrupt: async (sql, { businessId, contactIds }) => {
      await operatorWrite(world, "/op/members/deactivate", {
        business_id: businessId,
        contact_id: contactIds[0],
      });
      await sql`
        UPDATE account SET active = true
        WHERE business_id = ${businessId} AND contact_id = ${contactIds[0]!} AND account = 'points'`;
    },
    kinds: ["account_active"],
    shows: () => ({ account: "points", expected: "false", found: "true" }),
  },
  {
    what: "a member that was merged into nobody",
    corrupt: async (sql, { businessId, contactIds }) => {
      await operatorWrite(world, "/op/members/deactivate", {
        business_id: businessId,
        contact_id: contactIds[0],
      });
      await sql`
        UPDATE member SET merged_into = 1 WHERE business_id = ${businessId} AND contact_id = ${contactIds[0]!}`;
    },
    kinds: Array(4).fill("merged_member"),
    shows: () => ({ account: "wallet", expected: "0" }),
  },
  {
    what: "a missing entry",
    corrupt: (sql, { businessId }) => sql`
      DELETE FROM ledger_entry WHERE business_id = ${businessId} AND entry_no = 7`,
    kinds: ["account_entries", "balance", "balance_after", "entry_count", "entry_count", "entry_no"],
  },
  {
    what: "a missing last entry",
    corrupt: (sql, { businessId }) => sql`
      DELETE FROM ledger_entry WHERE business_id = ${businessId} AND entry_no = 10`,
    kinds: ["account_entries", "balance", "entry_count", "entry_count"],
  },
  {
    what: "a count of a location's entries",
    corrupt: (sql, { business, businessId }) => sql`
      UPDATE entry_count SET entries = entries + 1
      WHERE business_id = ${businessId} AND level = 0 AND location_id = ${business.locationIds[0]}`,
    kinds: ["entry_count", "entry_count"],
  },
  {
    what: "a count of a group",
    corrupt: (sql, { businessId }) => sql`
      UPDATE entry_count SET entries = entries - 1
      WHERE business_id = ${businessId} AND level = 1 AND location_id = -1 AND event_type = 'sale'`,
    kinds: ["entry_count"],
    shows: () => ({ expected: "6", found: "5" }),
  },
  {
    what: "how many entries a block has",
    corrupt: (sql, { businessId }) => sql`
      UPDATE entry_count SET entries = entries + 1
      WHERE business_id = ${businessId} AND level = 0 AND location_id = -1 AND event_type = 'sale'`,
    kinds: ["counted_through", "entry_count", "entry_count"],
  },
  {
    what: "a block that begins too late",
    corrupt: (sql, { businessId }) =>
      sql`UPDATE entry_count SET from_no = 1 WHERE business_id = ${businessId}`,
    kinds: ["block_sequence", "block_sequence"],
    shows: () => ({ expected: "-infinity 0", found: "-infinity 1" }),
  },
  {
    what: "where the blocks end",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_count SET blocks_end_at = '2025-01-01' WHERE business_id = ${businessId}`,
    kinds: Array(4).fill("entry_count"),
  },
  {
    what: "no blocks where they end later",
    corrupt: (sql, { businessId }) => sql`DELETE FROM entry_count WHERE business_id = ${businessId}`,
    kinds: ["block_sequence", "block_sequence", "counted_through"],
  },
  {
    what: "how many entries are counted",
    corrupt: (sql, { businessId }) => sql`
      UPDATE ledger_count SET counted_entries = 9 WHERE business_id = ${businessId}`,
    kinds: ["counted_through"],
    shows: () => ({ expected: "10", found: "9" }),
  },
  {
    what: "a count of members",
    corrupt: (sql, { businessId }) => sql`
      UPDATE member_block SET members = members + 1 WHERE business_id = ${businessId}`,
    kinds: ["member_count"],
    shows: () => ({ expected: "2, active 2", found: "3, active 2" }),
  },
  {
    what: "a count of active members",
    corrupt: (sql, { businessId }) => sql`
      UPDATE member SET active = false WHERE business_id = ${businessId}`,
    kinds: [...Array(8).fill("account_active"), "member_count"],
  },
  {
    what: "a ledger without its number of counted entries",
    corrupt: (sql, { businessId }) => sql`DELETE FROM ledger_count WHERE business_id = ${businessId}`,
    kinds: ["counted_through"],
    shows: () => ({ expected: "10", found: null }),
  },
  {
    what: "members that are counted nowhere",
    corrupt: (sql, { businessId }) => sql`DELETE FROM member_block WHERE business_id = ${businessId}`,
    kinds: ["member_count"],
  },
];

describe("the verification finds", () => {
  it.each(corruptions)("$what", async ({ corrupt, kinds, shows }) => {
    const books = await makeBooks();
    await corrupt(world.sql, books);
    const found = await verifyAll(books.businessId);
    // The sums behind reports differ from every wrong entry.
    const isAboutSums = kinds.includes("day_total");
    const kindsOf = (mismatches: typeof found) =>
      mismatches
        .map(({ kind }) => kind)
        .filter((kind) => isAboutSums || kind !== "day_total")
        .sort();
    expect(kindsOf(found)).toEqual([...kinds].sort());
    for (const limit of [1, 3])
      expect(kindsOf(await verifyAll(books.businessId, limit))).toEqual(kindsOf(found));
    if (shows !== undefined) expect(found).toContainEqual(expect.objectContaining(shows(books)));
  });

  it("what is wrong in one business only there", async () => {
    const [wrong, right] = [await makeBooks(), await makeBooks()];
    await world.sql`UPDATE account SET balance = 1 WHERE business_id = ${wrong.businessId}`;
    expect(await verifyAll(wrong.businessId)).not.toEqual([]);
    expect(await verifyAll(right.businessId)).toEqual([]);
  });

  it("more than it lists, and says how much, also in the metrics", async () => {
    const found = async () =>
      Number(/^loyalty_verify_mismatches_total (\d+)$/m.exec(await world.service.metrics())?.[1]);
    const { businessId } = await makeBooks();
    const lines = Array.from({ length: 30 }, (_, line) => validMemberLine(line + 1));
    await operatorWrite(world, "/op/imports/members", { business_id: businessId, lines });
    await world.sql`UPDATE account SET active = false WHERE business_id = ${businessId}`;
    const before = await found();
    const { body } = await asOperator(world, "/op/ledger/verify", {
      business_id: businessId,
      part: "accounts",
    });
    expect(body.data.mismatch_count).toBe(4 * 32);
    expect(await found()).toBe(before + 4 * 32);
    const [, time] =
      /^loyalty_verify_last_timestamp_seconds (\d\S*)$/m.exec(await world.service.metrics()) ?? [];
    expect(Number(time)).toBeGreaterThan(0);
    expect(body.data.mismatches).toHaveLength(100);
  });
});

it("is in the status of the service, with the last time that it found a mismatch", async () => {
  await world.sql`
    INSERT INTO installation (cell, secret_check) SELECT 0, '' WHERE NOT EXISTS (SELECT FROM installation)`;
  await world.sql`UPDATE installation SET verified_at = NULL, mismatch_at = NULL`;
  const times = async () => {
    const { last_verified_at, last_mismatch_at, last_backup_at } = (
      await asOperator(world, "/op/status/get", {})
    ).body.data;
    return { last_verified_at, last_mismatch_at, last_backup_at };
  };
  const moment = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
  const never = { last_verified_at: null, last_mismatch_at: null, last_backup_at: null };
  expect(await times()).toEqual(never);
  const { businessId } = await makeBooks();
  await verify(businessId, "accounts");
  expect(await times()).toEqual({ ...never, last_verified_at: moment });
  await world.sql`UPDATE account SET active = false WHERE business_id = ${businessId}`;
  await verify(businessId, "accounts");
  expect(await times()).toEqual({ ...never, last_verified_at: moment, last_mismatch_at: moment });
});

it("raises no false alarm beside live writes", async () => {
  const { business, businessId, contactIds } = await makeBooks();
  const everyone = [...contactIds];
  let writing = true;
  let turn = 0;
  const write = (path: string, body: object) =>
    world.write(path, { location_id: business.locationIds[0], ...body }, business.everywhere);
  const adjusting = async () => {
    while (writing) {
      const contact_id = everyone[turn++ % everyone.length];
      await write("/sp/wallet/adjust", { contact_id, amount: 1, adjustment_type: "credit" });
    }
  };
  const importing = async () => {
    while (writing) {
      const sales = Array.from({ length: 400 }, (_, line) =>
        validSaleLine(line + 1, {
          external_ref: `M${1 + (line % 2)}`,
          sold_at: `2024-0${1 + (line % 9)}-1${line % 10}`,
          location_id: business.locationIds[line % 3],
        }),
      );
      await operatorWrite(world, "/op/imports/sales", { business_id: businessId, lines: sales });
      const member = validMemberLine(1, { external_ref: nextKey() });
      await operatorWrite(world, "/op/imports/members", { business_id: businessId, lines: [member] });
    }
  };
  const switching = async () => {
    const { contact_id } = (
      await world.write(
        "/sp/members/create",
        { first_name: "On", last_name: "Off", phone_number: "+34999888777" },
        business.everywhere,
      )
    ).body.data;
    while (writing) {
      await operatorWrite(world, "/op/members/deactivate", { business_id: businessId, contact_id });
      await operatorWrite(world, "/op/members/activate", { business_id: businessId, contact_id });
    }
  };
  const writers = [adjusting(), adjusting(), adjusting(), importing(), switching()];
  try {
    for (let round = 0; round < 12; round++) {
      for (const part of parts) {
        // Larger than what is written meanwhile, or the last slice is never reached.
        const limit = round % 2 === 0 ? undefined : 1000 + round * 500;
        expect((await verify(businessId, part, limit)).mismatches).toEqual([]);
      }
    }
  } finally {
    writing = false;
    await Promise.all(writers);
  }
  expect(await verifyAll(businessId)).toEqual([]);
  expect((await verify(businessId, "entries")).checked.entries).toBeGreaterThan(500);
});

it.each(parts)(
  "has nothing to verify of %s past the end of everything, as far as a number goes",
  async (part) => {
    const body = { business_id: world.home.businessId, part, limit: 100_000 };
    for (const after of [2 ** 40, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]) {
      const reply = await asOperator(world, "/op/ledger/verify", { ...body, after });
      expect(reply.body, `after ${after}`).toMatchObject({
        success: true,
        data: { mismatch_count: 0, next: null },
      });
    }
  },
);
