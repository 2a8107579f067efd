/** What searches for members remember, held to a naive reading of the same members. */
import { beforeAll, expect, it } from "vitest";
import { insertBusiness } from "../src/database/access/businesses.ts";
import type { Connection } from "../src/database/connection.ts";
import { countNewMembers } from "../src/database/members/blocks.ts";
import { insertMember, lockMember, updateMember } from "../src/database/members/members.ts";
import { SearchSamples } from "../src/database/members/search-samples.ts";
import { MemberSearches, type MemberSearchSettings } from "../src/database/members/searches.ts";
import { setActive } from "../src/database/members/standing.ts";
import { OverloadedError } from "../src/domain/fair-queue.ts";
import { useDatabase } from "./support/database.ts";
import { numbers } from "./support/numbers.ts";
import { databaseOf, tuplesRead } from "./support/tuples.ts";

const database = useDatabase();
const random = numbers(11);
const firstNames = ["ana", "lucia", "eva", "noa", "mariana"];
const lastNames = ["garcia", "lopez", "ohara"];
/** Enough for searches to be remembered: 20 blocks. */
const members = 20_000;
let businessId = 0;
const contactIds: number[] = [];

/** Makes many members at once, as an import does. */
async function addMembers(count: number, to = businessId): Promise<void> {
  const { sql } = database;
  await sql.begin(async (tx) => {
    const made = await tx<{ member_id: number; contact_id: number }[]>`
      INSERT INTO member (business_id, first_name, last_name, phone_number, searchable_text)
      SELECT ${to}, first_name, last_name, phone_number, first_name || ' ' || last_name || E'\n' || phone_number || E'\n'
      FROM (
        SELECT (${firstNames}::text[])[1 + n % 5] AS first_name, (${lastNames}::text[])[1 + n % 3] AS last_name,
          '+34' || nextval('member_member_id_seq') AS phone_number
        FROM generate_series(1, ${count}) AS n
      ) AS made
      RETURNING member_id, contact_id`;
    await countNewMembers(
      tx,
      to,
      made.map((row) => row.member_id),
    );
    if (to === businessId) contactIds.push(...made.map((row) => row.contact_id));
  });
}

beforeAll(async () => {
  businessId = await insertBusiness(database.sql, { name: "Many", time_zone: "UTC", currency: "EUR" });
  await addMembers(members);
  await database.sql`VACUUM ANALYZE member`;
});

const newSearches = (settings?: Partial<MemberSearchSettings>) =>
  new MemberSearches(new SearchSamples(() => 0), settings);
const anyContact = () => contactIds[random(contactIds.length)] as number;
const anyOf = <Value>(values: readonly Value[]) => values[random(values.length)] as Value;

function rename(contactId: number, first_name: string, sql: Connection = database.sql, of = businessId) {
  const change = async (tx: Connection) => {
    const member = await lockMember(tx, of, contactId);
    if (member !== undefined) await updateMember(tx, of, member, { first_name });
  };
  return sql === database.sql ? database.sql.begin(change) : change(sql);
}

/** Ways in which what searches find changes. */
const changes: readonly (() => Promise<unknown>)[] = [
  () => rename(anyContact(), anyOf([...firstNames, "zoe"])),
  () => database.sql.begin((tx) => setActive(tx, businessId, anyContact(), random(2) === 0)),
  () =>
    database.sql.begin((tx) =>
      insertMember(tx, businessId, {
        first_name: anyOf(firstNames),
        last_name: anyOf(lastNames),
        phone_number: `+35${random(1_000_000_000)}`,
        email: null,
        date_of_birth: null,
        password_hash: null,
      }),
    ),
  () => addMembers(1 + random(40)),
];

async function naive(search: string, includeInactive: boolean, page: number, perPage: number) {
  const rows = await database.sql<{ member_id: number }[]>`
    SELECT member_id FROM member
    WHERE business_id = ${businessId} AND strpos(searchable_text, ${search}) > 0 AND (active OR ${includeInactive})
    ORDER BY member_id DESC`;
  return {
    total: rows.length,
    ids: rows.slice((page - 1) * perPage, page * perPage).map((row) => row.member_id),
  };
}

it("finds what is there on any page, whatever changed since it was remembered", async () => {
  const all = [
    newSearches(),
    newSearches({ mostChanged: 2 }),
    newSearches({ tries: 1 }),
    newSearches({ mostBytes: 1 }),
    newSearches({ mostBytes: 50_000 }),
  ];
  for (let round = 0; round < 40; round++) {
    for (let change = random(4); change > 0; change--) await anyOf(changes)();
    const search = anyOf(["ana", "ia", "zoe", "eva lopez", "+35", "o", "nobody"]);
    const includeInactive = random(3) === 0;
    const perPage = 1 + random(100);
    const { total } = await naive(search, includeInactive, 1, 1);
    const last = Math.max(1, Math.ceil(total / perPage));
    for (const page of [1, 1 + random(last), last, last + 1]) {
      const expected = await naive(search, includeInactive, page, perPage);
      for (const searches of all) {
        const listed = await searches.list(
          database,
          { businessId, search, includeInactive },
          { page, perPage },
        );
        expect({ total: listed.total, ids: listed.rows.map((row) => row.member_id) }).toEqual(expected);
      }
    }
  }
});

it("lets businesses take turns, and turns away those of whom too many searches wait", async () => {
  const other = await insertBusiness(database.sql, { name: "Other", time_zone: "UTC", currency: "EUR" });
  const searches = newSearches({ atOnce: 1, mostWaiting: 3 });
  const list = (of: number, search: string) =>
    searches.list(database, { businessId: of, search, includeInactive: true }, { page: 1, perPage: 1 });
  await list(businessId, "ana");
  const ended: string[] = [];
  const many = Array.from({ length: 20 }, (_, index) =>
    list(businessId, `a${String.fromCodePoint(0x4e00 + index)}`).finally(() => ended.push("many")),
  );
  const one = list(other, "ana").finally(() => ended.push("one"));
  const outcomes = await Promise.allSettled(many);
  expect((await one).total).toBe(0);
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(OverloadedError);
  // Those that were turned away ended at once; of the others one or two were before it.
  expect(ended.indexOf("one") - refused.length).toBeLessThanOrEqual(2);
  // What is remembered waits for nobody.
  expect((await list(businessId, "ana")).total).toBeGreaterThan(0);
});

it("finds once what many ask for at the same time", async () => {
  const searches = newSearches({ atOnce: 1 });
  const searched = { businessId, search: "mariana garcia", includeInactive: true };
  const page = { page: 1, perPage: 1 };
  await searches.list(database, { ...searched, search: "noa" }, page);
  let found = 0;
  const sql = new Proxy(database.sql, {
    get(target, name) {
      if (name === "begin") found += 1;
      return Reflect.get(target, name);
    },
  });
  const pools = { sql, lookUps: database.lookUps };
  const pages = await Promise.all(Array.from({ length: 10 }, () => searches.list(pools, searched, page)));
  expect(new Set(pages.map(({ total }) => total)).size).toBe(1);
  expect(found).toBe(1);
});

interface Asked {
  readonly searches: MemberSearches;
  readonly of: number;
  readonly search: string;
  readonly page: number;
}

/** How many rows of members a page takes to read. @param connection the same one always: a server process that is known */
async function rowsRead(connection: Connection, { searches, of, search, page }: Asked): Promise<number> {
  await connection`BEGIN`;
  try {
    const before = await tuplesRead(connection, "member");
    const searched = { businessId: of, search, includeInactive: true };
    const pools = { sql: databaseOf(connection), lookUps: connection };
    const { rows } = await searches.list(pools, searched, { page, perPage: 15 });
    expect(rows).toHaveLength(15);
    return (await tuplesRead(connection, "member")) - before;
  } finally {
    await connection`COMMIT`;
  }
}

/** Waits for the transactions of other tests, in other databases too, that are older than the last change. */
async function nothingOlderUnderWay(): Promise<void> {
  const isSo = async () => {
    const [row] = await database.sql<{ over: boolean }[]>`
      SELECT pg_snapshot_xmin(pg_current_snapshot()) > (SELECT max(changed_in) FROM member) AS over`;
    return row?.over;
  };
  await expect.poll(isSo, { timeout: 20_000 }).toBe(true);
}

async function overOneConnection(work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await database.sql.reserve();
  await work(connection).finally(() => connection.release());
}

it("reads the members of the page alone when it is asked again, and those that have changed", async () => {
  const unknownToStatistics = await insertBusiness(database.sql, {
    name: "New",
    time_zone: "UTC",
    currency: "EUR",
  });
  await addMembers(members, unknownToStatistics);
  await nothingOlderUnderWay();
  await overOneConnection(async (connection) => {
    for (const of of [businessId, unknownToStatistics]) {
      const searches = newSearches();
      const read = (page: number) => rowsRead(connection, { searches, of, search: "ana", page });
      const first = await read(1);
      expect(first).toBeGreaterThanOrEqual(members / 3);
      // Once, not twice, though it may read those of both businesses.
      expect(first).toBeLessThan(3 * members);
      for (const page of [1, 2, 300, 1, 2, 300, 1, 2, 300]) expect(await read(page)).toBeLessThanOrEqual(20);
      const renamed = await database.sql<{ contact_id: number }[]>`
        SELECT contact_id FROM member WHERE business_id = ${of} ORDER BY member_id LIMIT 3`;
      for (const { contact_id } of renamed) await rename(contact_id, "anabel", database.sql, of);
      expect(await read(300)).toBeLessThanOrEqual(50);
      expect(await read(1)).toBeLessThanOrEqual(20);
    }
  });
});

it("believes what it found to no server process that may be of another server, or have come after a crash", async () => {
  const [contactId] = contactIds as [number];
  const searches = newSearches();
  const searched = { businessId, search: "remedios", includeInactive: true };
  const totalOver = async (connection: Connection) => {
    const sql = databaseOf(connection);
    const { total } = await searches.list({ sql, lookUps: sql }, searched, { page: 1, perPage: 10 });
    return total;
  };
  await overOneConnection(async (known) => {
    expect(await totalOver(known)).toBe(0);
    // A change that bears an id from before, as one that is used again would.
    await database.sql`
      UPDATE member SET searchable_text = 'remedios ' || searchable_text
      WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
    expect(await totalOver(known)).toBe(0);
    await overOneConnection(async (stranger) => expect(await totalOver(stranger)).toBe(1));
    expect(await totalOver(known)).toBe(1);
  });
});

it("sees a change that was under way when it was found, and takes none for one that is yet to come", async () => {
  const { sql } = database;
  const [searches, searched] = [newSearches(), { businessId, search: "carmela", includeInactive: true }];
  const list = () => searches.list(database, searched, { page: 1, perPage: 10 });
  const later = await sql.reserve();
  try {
    await later`BEGIN`;
    await rename(contactIds[5] as number, "carmela", later);
    // Changes that come and go while it is under way.
    await rename(contactIds[6] as number, "carmela");
    expect((await list()).total).toBe(1);
    await rename(contactIds[7] as number, "carmela");
    expect((await list()).total).toBe(2);
    await later`COMMIT`;
  } finally {
    later.release();
  }
  expect((await list()).total).toBe(3);
  // As in a dump of another server that was restored.
  await sql`
    UPDATE member SET changed_in = (pg_current_xact_id()::text::bigint + 1000000)::text::xid8
    WHERE business_id = ${businessId} AND contact_id = ANY (${contactIds.slice(0, 100)})`;
  expect((await list()).total).toBe(3);
  const again = newSearches();
  await overOneConnection(async (connection) => {
    const asked = { searches: again, of: businessId, search: "ana", page: 1 };
    await rowsRead(connection, asked);
    const read = () => rowsRead(connection, asked);
    await expect.poll(read, { timeout: 20_000 }).toBeLessThanOrEqual(20);
  });
  await sql`
    UPDATE member SET changed_in = pg_current_xact_id()
    WHERE business_id = ${businessId} AND contact_id = ANY (${contactIds.slice(0, 100)})`;
});

it("does not look for good at what a long transaction has left unseen", async () => {
  const searches = newSearches();
  await overOneConnection(async (long) => {
    await long`BEGIN`;
    await long`SELECT pg_current_xact_id()`;
    await addMembers(3000);
    await overOneConnection(async (connection) => {
      const asked = { searches, of: businessId, search: "lucia", page: 1 };
      await rowsRead(connection, asked);
      expect(await rowsRead(connection, asked)).toBeGreaterThanOrEqual(3000);
      await long`COMMIT`;
      await nothingOlderUnderWay();
      await rowsRead(connection, asked);
      expect(await rowsRead(connection, asked)).toBeLessThanOrEqual(20);
    });
  });
});

it("counts and lists one snapshot while members change all the time", async () => {
  const [searches, searched] = [newSearches(), { businessId, search: "berta", includeInactive: true }];
  const bertas = contactIds.slice(1000, 1300);
  for (const contactId of bertas) await rename(contactId, "berta");
  const { total } = await naive("berta", true, 1, 1);
  let writing = true;
  /** One is called otherwise, and another one like that, at once: there are always as many. */
  const write = async () => {
    let [berta, other] = [bertas[0] as number, contactIds[15_000] as number];
    while (writing) {
      await database.sql.begin(async (tx) => {
        await rename(other, "berta", tx);
        await rename(berta, "ana", tx);
      });
      [berta, other] = [other, berta];
    }
  };
  const writer = write();
  try {
    for (let round = 0; round < 150; round++) {
      const page = 1 + random(Math.ceil(total / 20));
      const listed = await searches.list(database, searched, { page, perPage: 20 });
      expect(listed.total).toBe(total);
      expect(listed.rows).toHaveLength(Math.min(20, total - (page - 1) * 20));
      for (const { first_name } of listed.rows) expect(first_name).toBe("berta");
    }
  } finally {
    writing = false;
    await writer;
  }
});
