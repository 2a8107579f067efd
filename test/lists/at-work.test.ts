/** The lists while writes go on, and over many members: one snapshot, and an index rather than a scan. */
import { describe, expect, it } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import type { Connection, Session, Share } from "../../src/database/connection.ts";
import { listMembers, type MemberFilter } from "../../src/database/members/list.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { recountMembers } from "../support/bulk.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const from = (sql: Share) => ({ sql, lookUps: sql, scans: new FairQueue({ atOnce: 2 }) });

describe("total and rows are of one snapshot while writes go on", () => {
  /** Four writers write, each one write after the other, while the list is read, until it has changed several times. */
  async function whileWriting(
    write: () => Promise<unknown>,
    read: () => Promise<void>,
    totals: ReadonlySet<number>,
  ): Promise<void> {
    let writing = true;
    const writer = async () => {
      while (writing) await write();
    };
    const writers = Array.from({ length: 4 }, writer);
    try {
      for (let round = 0; round < 25 || totals.size <= 3; round++) await read();
    } finally {
      writing = false;
      await Promise.all(writers);
    }
  }

  it("in transactions/list: the newest of a gapless ledger has the total's number", async () => {
    const contact_id = await world.member();
    const filters = [{}, { contact_id }, { event_types: ["reward_points_adjustment"] }];
    const totals = new Set<number>();
    await whileWriting(
      () => world.write("/sp/reward-points/adjust", { contact_id, points: 1, adjustment_type: "credit" }),
      async () => {
        const filter = filters[totals.size % filters.length];
        const { body } = await world.ask("/sp/transactions/list", { ...filter, per_page: 100 });
        const { total, from, to } = body.meta.pagination;
        totals.add(total);
        expect(body.data).toHaveLength(Math.min(total, 100));
        expect([from, to]).toEqual([total === 0 ? 0 : 1, Math.min(total, 100)]);
        const references = body.data.map(({ reference_id }: { reference_id: string }) => reference_id);
        expect(references).toEqual(references.map((_: string, index: number) => `PA-${total - index}`));
      },
      totals,
    );
  });

  it("in members/list: what is counted is what is there", async () => {
    const search = "Instantánea";
    const totals = new Set<number>();
    const credentials = world.away.everywhere;
    await world.member({ last_name: search }, credentials);
    await whileWriting(
      () => world.member({ last_name: search }, credentials),
      async () => {
        for (const filter of [{}, { search }, { include_inactive: true }]) {
          const { body } = await world.ask("/sp/members/list", { ...filter, per_page: 100 }, credentials);
          const { total } = body.meta.pagination;
          totals.add(total);
          expect(body.data).toHaveLength(Math.min(total, 100));
          const last = await world.ask(
            "/sp/members/list",
            { ...filter, per_page: 1, page: total },
            credentials,
          );
          expect(last.body.data).toHaveLength(1);
        }
      },
      totals,
    );
  });
});

it("lists the last active members without reading the inactive ones before them", async () => {
  const { sql } = world;
  const businessId = await insertBusiness(sql, {
    name: "Many left",
    time_zone: "UTC",
    currency: "EUR",
  });
  await sql`
    INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text, active)
    SELECT ${businessId}, 'A', 'B', '+34' || (600000000 + n), '', n > 20000 FROM generate_series(1, 20030) AS n`;
  await sql.begin((tx) => recountMembers(tx, businessId));
  await sql`VACUUM ANALYZE member`;
  for (const [page, rows] of [
    [1, 20],
    [2, 10],
  ] as const) {
    const fetched = await sql.begin(async (tx) => {
      const count = () =>
        tx<
          { rows: number }[]
        >`SELECT pg_stat_get_xact_tuples_fetched('member_newest_first'::regclass) AS rows`;
      const [before] = await count();
      const listed = await listMembers(from(shareOf(tx)), businessId, {}, { page, perPage: 20 });
      const [after] = await count();
      expect(listed).toMatchObject({ total: 30, rows: { length: rows } });
      return (after?.rows ?? 0) - (before?.rows ?? 0);
    });
    expect(fetched).toBeGreaterThanOrEqual(rows);
    expect(fetched).toBeLessThan(2 * 1024);
  }
});

it("searches many members by the trigram index, without reading them all", async () => {
  const { sql } = world;
  const businessId = await insertBusiness(sql, {
    name: "Many",
    time_zone: "UTC",
    currency: "EUR",
  });
  await sql`
    INSERT INTO member (business_id, first_name, last_name, phone_number, email, searchable_text)
    SELECT ${businessId}, 'First' || n, 'Last' || n, '+34' || (700000000 + n), NULL,
      'first' || n || ' last' || n || E'\n+34' || (700000000 + n) || E'\n' || md5(n::text) || '@example.com'
    FROM generate_series(1, 20000) AS n`;
  await sql.begin((tx) => recountMembers(tx, businessId));
  // What autovacuum does of itself: take statistics, and merge the index's list of pending entries.
  await sql`VACUUM ANALYZE member`;
  const counted = ["table_scans", "index_scans", "rows", "index_pages"] as const;
  const counters = (tx: Connection) => tx<Record<(typeof counted)[number], number>[]>`
    SELECT pg_stat_get_xact_numscans('member'::regclass) AS table_scans,
      pg_stat_get_xact_numscans('member_search'::regclass) AS index_scans,
      pg_stat_get_xact_blocks_fetched('member_search'::regclass) AS index_pages,
      pg_stat_get_xact_tuples_fetched('member'::regclass) AS rows`;
  /** What one search read: scans of the table and of the index, and the rows that they came to. */
  const scans = (filter: MemberFilter) =>
    sql.begin(async (tx) => {
      const [before] = await counters(tx);
      const { total } = await listMembers(from(shareOf(tx)), businessId, filter, { page: 1, perPage: 15 });
      const [after] = await counters(tx);
      const [tableScans = 0, indexScans = 0, rows = 0, indexPages = 0] = counted.map(
        (name) => (after?.[name] ?? 0) - (before?.[name] ?? 0),
      );
      return { total, tableScans, indexScans, rows, indexPages };
    });
  // Prepared statements get a plan for any value after five executions: that one must use the index as well.
  for (let round = 0; round < 12; round++) {
    const found = await scans({ search: `LAST${12_345 + round}` });
    expect(found).toMatchObject({ total: 1, tableScans: 0 });
    expect(found.indexScans).toBeGreaterThan(0);
    expect(found.rows).toBeLessThan(1000);
  }
  const byNumber = await scans({ search: "+34700012345", include_inactive: true });
  expect(byNumber).toMatchObject({ total: 1, tableScans: 0 });
  // The list of all members of the business in the index has more pages than that.
  expect(byNumber.indexPages).toBeLessThan(20);
  expect(await scans({ search: "no such member" })).toMatchObject({ total: 0, tableScans: 0 });
  const [member] = await sql<{ email: string }[]>`
    SELECT split_part(searchable_text, E'\n', 3) AS email FROM member WHERE business_id = ${businessId} LIMIT 1`;
  const byEmail = await scans({ search: member?.email as string });
  expect(byEmail).toMatchObject({ total: 1, tableScans: 0, indexScans: 1 });
  expect(byEmail.rows).toBeLessThan(1000);
  // Too short for a trigram: all members of the business are read, and no others.
  const byTwoLetters = await scans({ search: "st" });
  expect(byTwoLetters).toMatchObject({ total: 20_000, tableScans: 0 });
  expect(byTwoLetters.rows).toBeLessThan(20_100);
  expect(await scans({})).toMatchObject({ total: 20_000, tableScans: 0 });
});

it("gives a ledger page the entries that were recorded before it, however late it is asked for", async () => {
  const contact_id = await world.member();
  const body = { contact_id, points: 3, adjustment_type: "credit" };
  const { data } = (await world.ask("/sp/reward-points/adjust", { idempotency_key: nextKey(), ...body }))
    .body;
  const listed = await world.ask("/sp/transactions/list", { contact_id });
  expect(listed.body.data).toMatchObject([{ contact_id, amount: 3, balance_after: data.balance_after }]);
});

/** A share that is the one connection, for work that is looked at inside a transaction. */
function shareOf(connection: Connection): Share {
  const tag: Connection = Object.assign((...statement: Parameters<Connection>) => connection(...statement), {
    query: connection.query,
  }) as Connection;
  return Object.assign(tag, {
    use: <Value>(work: (session: Session) => Promise<Value>) => work(connection as Session),
    begin: <Value>(work: (tx: Session) => Promise<Value>) => work(connection as Session),
  });
}
