/** The counts behind the transaction list, held to a naive reading of the same ledger. */
import { describe, expect, it } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import { type Connection, openDatabase, type Share } from "../../src/database/connection.ts";
import { countNewEntries, countRecorded } from "../../src/database/ledger/counts.ts";
import { listTransactions, type TransactionFilter } from "../../src/database/ledger/transaction-list.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { type EventType, eventTypeNames, eventTypes } from "../../src/domain/ledger.ts";
import { flushCounters } from "../support/buffers.ts";
import { recountLedger } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const sourceOf = (sql: Share) => ({ sql, lookUps: sql, scans: new FairQueue({ atOnce: 1 }) });

interface Entry {
  readonly no: number;
  readonly at: number;
  readonly contact: number;
  readonly type: EventType;
  readonly location: number | null;
}

/** The first has most entries, and the last few. */
const contacts = [1, 2, 3];

/** A generator of numbers in [0, 1) that is the same at every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const start = Date.UTC(2024, 0, 1);
const dayMs = 86_400_000;

class Ledger {
  readonly entries: Entry[] = [];
  readonly businessId: number;
  readonly #next: () => number;

  constructor(businessId: number, seed: number) {
    this.businessId = businessId;
    this.#next = random(seed);
  }

  /** Records entries at the times given, rare types and locations among them. */
  async record(count: number, timeOf: (chance: number, nth: number) => number): Promise<void> {
    const next = this.#next;
    const added: Entry[] = Array.from({ length: count }, (_, nth) => ({
      no: this.entries.length + nth + 1,
      at: Math.floor(timeOf(next(), nth)),
      contact: Math.ceil(next() ** 9 * 2.9) || 1,
      type: eventTypeNames[Math.floor(next() ** 3 * eventTypeNames.length)] as EventType,
      location: next() < 0.3 ? null : Math.floor(next() ** 2 * 6) + 1,
    }));
    this.entries.push(...added);
    await database.sql`
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, reference_id, created_at)
      SELECT ${this.businessId}, no, contact, account, type, 1, 1, location, 'r' || no, to_timestamp(at / 1000.0)
      FROM unnest(${added.map((e) => e.no)}::bigint[], ${added.map((e) => e.at)}::float8[],
        ${added.map((e) => e.type)}::event_type[],
        ${added.map((e) => eventTypes[e.type].account)}::account_name[],
        ${added.map((e) => e.location)}::bigint[],
        ${added.map((e) => e.contact)}::bigint[]) AS e (no, at, type, account, location, contact)`;
    for (const contact of contacts) {
      const entries = added.filter((entry) => entry.contact === contact).length;
      await database.sql`
        UPDATE account SET entries = entries + ${entries}
        WHERE business_id = ${this.businessId} AND contact_id = ${contact} AND account = 'wallet'`;
    }
  }

  /** What an import does: it records entries and counts them in one transaction. */
  async import(count: number, timeOf: (chance: number, nth: number) => number): Promise<void> {
    const before = this.entries.length;
    await this.record(count, timeOf);
    await database.sql.begin((tx) => countRecorded(tx, this.businessId, before, this.entries.length));
  }

  /** Compares random filters and pages with a naive reading. */
  async check(rounds: number): Promise<void> {
    const next = this.#next;
    for (let round = 0; round < rounds; round++) {
      const filter: TransactionFilter = {
        contact_id: next() < 0.5 ? contacts[Math.floor(next() * 3)] : undefined,
        location_id: next() < 0.4 ? Math.floor(next() * 7) + 1 : undefined,
        event_types:
          next() < 0.5
            ? eventTypeNames
                .filter(() => next() < 0.3)
                .concat("sale_refund")
                .slice(0, 5)
            : undefined,
        start_date: next() < 0.4 ? day(start + next() * 100 * dayMs) : undefined,
        end_date: next() < 0.4 ? day(start + next() * 100 * dayMs) : undefined,
      };
      const allowed = next() < 0.5 ? undefined : [1, 3];
      const expected = this.matching(filter, allowed);
      const perPage = Math.floor(next() * 100) + 1;
      const pages = Math.ceil(expected.length / perPage) + 1;
      const page = next() < 0.3 ? pages - 1 || 1 : Math.floor(next() * pages) + 1;
      const listed = await listTransactions(
        sourceOf(database.sql),
        {
          businessId: this.businessId,
          timeZone: "UTC",
          locations: { everywhere: allowed === undefined, ids: new Set(allowed ?? []) },
        },
        filter,
        { page, perPage },
      );
      const wanted = expected.slice((page - 1) * perPage, page * perPage).map((entry) => `r${entry.no}`);
      expect({
        filter,
        page,
        perPage,
        total: listed.total,
        rows: listed.rows.map((row) => row.reference_id),
      }).toEqual({ filter, page, perPage, total: expected.length, rows: wanted });
    }
  }

  matching(filter: TransactionFilter, allowed: readonly number[] | undefined): Entry[] {
    const seen = (entry: Entry) =>
      (filter.location_id === undefined
        ? allowed === undefined || entry.location === null || allowed.includes(entry.location)
        : entry.location === filter.location_id) &&
      (filter.contact_id === undefined || entry.contact === filter.contact_id) &&
      (filter.event_types === undefined || filter.event_types.includes(entry.type)) &&
      (filter.start_date === undefined || day(entry.at) >= filter.start_date) &&
      (filter.end_date === undefined || day(entry.at) <= filter.end_date);
    return this.entries.filter(seen).sort((a, b) => b.at - a.at || b.no - a.no);
  }

  /**
   * Blocks and groups have the counts that they say, cover the ledger, or the entries of a member, from the beginning, and are of a
   * sensible size.
   */
  async checkBlocks(): Promise<void> {
    const blocks = await blocksOf(database.sql, this.businessId);
    const counted = await database.sql<{ contact_id: number; entries: number; blocks: number }[]>`
      SELECT contact_id,
        (SELECT count(*) FROM ledger_entry e
          WHERE e.business_id = k.business_id AND k.contact_id IN (0, e.contact_id)
          AND (created_at, entry_no) >= (blocks_end_at, blocks_end_no)) AS entries,
        (SELECT count(DISTINCT (from_at, from_no)) FROM entry_count c WHERE c.business_id = k.business_id
          AND c.contact_id = k.contact_id AND level = 0
          AND (from_at, from_no) >= (groups_end_at, groups_end_no)) AS blocks
      FROM ledger_count k WHERE business_id = ${this.businessId} ORDER BY contact_id`;
    const isCounted = (contact: number) => counted.some(({ contact_id }) => contact_id === contact);
    for (const contact of contacts) {
      const entries = this.entries.filter((entry) => entry.contact === contact).length;
      if (entries <= 1000 || entries > 3000) expect(isCounted(contact)).toBe(entries > 1000);
    }
    for (const { contact_id, entries, blocks: ungrouped } of counted) {
      expect(entries).toBeLessThan(5000);
      expect(ungrouped).toBeLessThanOrEqual(2 * 64);
      for (const level of [0, 1]) {
        const ofLevel = blocks.filter((block) => block.level === level && block.contact_id === contact_id);
        if (ofLevel.length > 0) expect(ofLevel[0]?.from).toBe("-infinity/0");
        for (const block of ofLevel) {
          expect(block.by_location).toBe(block.entries);
          expect(block.counted).toBe(block.entries);
          const largest = contact_id === 0 ? 2048 : 512;
          expect(block.most).toBeLessThanOrEqual(level === 0 ? largest : 64 * largest);
        }
      }
    }
  }
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

function blocksOf(sql: Connection, businessId: number) {
  return sql<
    (Record<"contact_id" | "level" | "entries" | "by_location" | "counted" | "most", number> & {
      readonly from: string;
    })[]
  >`
    WITH part AS (
      SELECT contact_id, level, from_at, from_no, lead(from_at) OVER w AS next_at, lead(from_no) OVER w AS next_no, entries,
        by_location, most
      FROM (
        SELECT contact_id, level, from_at, from_no, sum(entries) FILTER (WHERE location_id = -1) AS entries,
          sum(entries) FILTER (WHERE location_id >= 0) AS by_location, max(entries) AS most
        FROM entry_count WHERE business_id = ${businessId} GROUP BY contact_id, level, from_at, from_no
      ) AS summed
      WINDOW w AS (PARTITION BY contact_id, level ORDER BY from_at, from_no)
    )
    SELECT p.contact_id, level, from_at || '/' || from_no AS from, p.entries, by_location, most,
      (SELECT count(*) FROM ledger_entry e WHERE e.business_id = ${businessId} AND p.contact_id IN (0, e.contact_id)
        AND (e.created_at, e.entry_no) >= (p.from_at, p.from_no)
        AND (e.created_at, e.entry_no) < (
          coalesce(next_at, CASE level WHEN 0 THEN blocks_end_at ELSE groups_end_at END),
          coalesce(next_no, CASE level WHEN 0 THEN blocks_end_no ELSE groups_end_no END))) AS counted
    FROM part p JOIN ledger_count k ON business_id = ${businessId} AND k.contact_id = p.contact_id
    ORDER BY contact_id, level, from_at, from_no`;
}

let seed = 1;
async function newLedger(): Promise<Ledger> {
  const businessId = await insertBusiness(database.sql, {
    name: "Blocks",
    time_zone: "UTC",
    currency: "EUR",
  });
  await database.sql`
    INSERT INTO member (business_id, contact_id, first_name, last_name, phone_number, searchable_text)
    SELECT ${businessId}, n, '', '', n, '' FROM unnest(${contacts}::bigint[]) AS n`;
  await database.sql`
    INSERT INTO account (business_id, contact_id, account) SELECT ${businessId}, n, 'wallet' FROM unnest(${contacts}::bigint[]) AS n`;
  return new Ledger(businessId, seed++);
}

describe("the transaction list over blocks", () => {
  it("is exact over a ledger that only grows, counted and uncounted entries together", async () => {
    const ledger = await newLedger();
    await ledger.record(9000, (_, nth) => start + nth * (dayMs / 100));
    await ledger.check(20);
    await countNewEntries(database.sql, ledger.businessId);
    await ledger.checkBlocks();
    await ledger.check(60);
    await ledger.record(700, (_, nth) => start + (9000 + nth) * (dayMs / 100));
    await ledger.check(40);
  });

  it("is exact when history is imported between and before live entries, in small and large parts", async () => {
    const ledger = await newLedger();
    await ledger.record(3000, (_, nth) => start + (50 + nth / 100) * dayMs);
    for (const count of [1, 10, 5000, 300, 2000]) {
      await ledger.import(count, (chance) => start + chance * 75 * dayMs);
      await ledger.record(200, (_, nth) => start + (80 + ledger.entries.length / 1000) * dayMs + nth);
      await ledger.checkBlocks();
      await ledger.check(15);
    }
  });

  it("groups the blocks of history that is imported before a few live entries", async () => {
    const ledger = await newLedger();
    await ledger.record(3000, (_, nth) => start + (90 + nth / 1000) * dayMs);
    await countNewEntries(database.sql, ledger.businessId);
    for (let part = 0; part < 6; part++) await ledger.import(15_000, (chance) => start + chance * 80 * dayMs);
    await ledger.checkBlocks();
    const blocks = await blocksOf(database.sql, ledger.businessId);
    expect(blocks.some(({ level }) => level === 1)).toBe(true);
    await ledger.check(10);
  });

  it("is exact when everything happened within a minute, much of it at the same instant", async () => {
    const ledger = await newLedger();
    await ledger.import(6000, (chance) => start + Math.floor(chance * 6) * 10_000);
    await ledger.import(6000, (chance) => start + Math.floor(chance * 6) * 10_000);
    await ledger.checkBlocks();
    await ledger.check(40);
  });

  it("groups many blocks, and gives the same counts when all is counted again", async () => {
    const ledger = await newLedger();
    for (let part = 0; part < 4; part++) {
      await ledger.record(20_000, (_, nth) => start + (part * 20_000 + nth) * (dayMs / 1000));
      await countNewEntries(database.sql, ledger.businessId);
    }
    await ledger.import(4000, (chance) => start + chance * 80 * dayMs);
    await ledger.checkBlocks();
    await ledger.check(40);
    await database.sql.begin((tx) => recountLedger(tx, ledger.businessId));
    await ledger.checkBlocks();
    await ledger.check(20);
  });

  it("reads the blocks of the groups that dates cut, however many blocks lie within the dates", async () => {
    const { businessId } = await newLedger();
    const sql = openDatabase(database.connection, {
      connections: 1,
      statementTimeoutMilliseconds: 30_000,
      applicationName: "loyalty tests",
    });
    try {
      await insertSmallBlocks(sql, businessId, { groups: 150, blocksInGroup: 64 });
      await sql`ANALYZE entry_count, ledger_entry`;
      // What the tests before have read must not be counted later.
      await flushCounters({ sql: database.sql });
      const view = { businessId, timeZone: "UTC", locations: { everywhere: true, ids: new Set<number>() } };
      const dates = { start_date: day(start + 3 * dayMs), end_date: day(start + 146 * dayMs) };
      // Plans are kept, whatever the page and the dates: one that is made for the first must be as good for the others.
      for (const page of [1, 300, 614, 1, 300, 614, 1, 300, 614]) {
        const before = await blocksRead(sql);
        const { total } = await listTransactions(sourceOf(sql), view, dates, { page, perPage: 15 });
        expect(total).toBe(144 * 64);
        // The groups, the blocks of the two that are cut, and those of the page's.
        expect((await blocksRead(sql)) - before).toBeLessThan(150 + 4 * 64);
      }
      // Every page: also those on a border between groups, blocks of a group that is cut, and what no block counts.
      await insertUncounted(sql, businessId, { after: 150 * 64, entries: 130 });
      for (const [filter, newest, oldest] of [
        [{}, 150 * 64 + 130, 1],
        [{ start_date: dates.start_date }, 150 * 64 + 130, 3.5 * 64 + 1],
        [dates, 147.5 * 64, 3.5 * 64 + 1],
      ] as const) {
        const listed: string[] = [];
        for (let page = 1; page <= Math.ceil((newest - oldest + 1) / 100); page++) {
          const { rows } = await listTransactions(sourceOf(sql), view, filter, {
            page,
            perPage: 100,
          });
          listed.push(...rows.map((row) => row.reference_id));
        }
        expect(listed).toEqual(Array.from({ length: newest - oldest + 1 }, (_, nth) => `r${newest - nth}`));
      }
    } finally {
      await sql.end();
    }
  });
});

/** A ledger of a group a day, in blocks of one entry each; the days begin in the middle of groups. */
async function insertSmallBlocks(
  sql: Connection,
  businessId: number,
  { groups, blocksInGroup }: { groups: number; blocksInGroup: number },
): Promise<void> {
  const entries = groups * blocksInGroup;
  await sql`
    INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
      reference_id, created_at)
    SELECT ${businessId}, no, 1, 'sales', 'sale', 1, 1, 'r' || no,
      to_timestamp(${(start - dayMs / 2) / 1000}::float8 + (no - 1) * ${dayMs / 1000}::float8 / ${blocksInGroup})
    FROM generate_series(1, ${entries}) AS no`;
  for (const [level, size] of [1, blocksInGroup].entries()) {
    await sql`
      INSERT INTO entry_count (business_id, level, from_at, from_no, location_id, event_type, entries)
      SELECT business_id, ${level}, CASE WHEN entry_no = 1 THEN '-infinity' ELSE created_at END,
        CASE WHEN entry_no = 1 THEN 0 ELSE entry_no END, place.location_id, 'sale', ${size}
      FROM ledger_entry, (VALUES (0), (-1)) AS place (location_id)
      WHERE business_id = ${businessId} AND (entry_no - 1) % ${size} = 0`;
  }
  await sql`
    UPDATE ledger_count SET counted_entries = entry_no, blocks_end_at = created_at, blocks_end_no = entry_no + 1,
      groups_end_at = created_at, groups_end_no = entry_no + 1
    FROM ledger_entry e
    WHERE e.business_id = ${businessId} AND ledger_count.business_id = ${businessId} AND entry_no = ${entries}`;
}

/** Entries a second apart, newer than those in blocks. */
async function insertUncounted(
  sql: Connection,
  businessId: number,
  { after, entries }: { after: number; entries: number },
): Promise<void> {
  await sql`
    INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
      reference_id, created_at)
    SELECT ${businessId}, no, 1, 'sales', 'sale', 1, 1, 'r' || no,
      max(created_at) + (no - ${after}) * interval '1 second'
    FROM ledger_entry, generate_series(${after}::bigint + 1, ${after + entries}) AS no
    WHERE business_id = ${businessId} GROUP BY no`;
}

/** How many counts the statements of the connection have read so far, by the server's statistics. */
async function blocksRead(sql: Connection): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: number }[]>`
    SELECT sum(pg_stat_get_tuples_returned(indexrelid))::bigint AS rows FROM pg_index
    WHERE indrelid = 'entry_count'::regclass`;
  return row?.rows ?? 0;
}
