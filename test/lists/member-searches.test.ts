/** Searches for members: what they find, what they read, and how they share the processor. */
import { beforeAll, expect, it } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import { listMembers } from "../../src/database/members/list.ts";
import { FairQueue } from "../../src/domain/fair-queue.ts";
import { fold } from "../../src/domain/text.ts";
import { recountMembers } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";
import { randomFrom } from "../support/random.ts";

const database = useDatabase();
const { below: random } = randomFrom(11);
const firstNames = ["ana", "lucia", "eva", "noa", "mariana"];
const lastNames = ["garcia", "lopez gil", "o'hara", "50%_\\", "łuk"];
const members = 20_000;
let businessId = 0;

beforeAll(async () => {
  const { sql } = database;
  businessId = await insertBusiness(sql, {
    name: "Many",
    time_zone: "UTC",
    currency: "EUR",
  });
  await sql.begin(async (tx) => {
    await tx`
      INSERT INTO member (business_id, first_name, last_name, phone_number, email, active, searchable_text)
      SELECT ${businessId}, first_name, last_name, phone_number, email, n % 11 > 0,
        first_name || ' ' || replace(last_name, 'ł', 'l') || E'\n' || phone_number || E'\n' || email
      FROM (
        SELECT n, (${firstNames}::text[])[1 + n % 5] AS first_name, (${lastNames}::text[])[1 + n / 5 % 5] AS last_name,
          '+34' || (600000000 + n * 7) AS phone_number, 'member.' || n || '@example.com' AS email
        FROM generate_series(1, ${members}) AS n
      ) AS made`;
    await recountMembers(tx, businessId);
  });
  await sql`VACUUM ANALYZE member`;
});

const list = (search: string, page: number, perPage: number, include_inactive = false) => {
  const { sql, lookUps } = database;
  const scans = new FairQueue({ atOnce: 2 });
  return listMembers({ sql, lookUps, scans }, businessId, { search, include_inactive }, { page, perPage });
};

/** A number that begins with 0 is the beginning of a number, or the last digits of a phone number. */
const contains = (text: string, word: string) =>
  /^0\d*$/.test(word) ? new RegExp(`(?<!\\d)${word}|${word}\\n`).test(text) : text.includes(word);

it("finds the members that contain all words, on any page", async () => {
  const parts = [
    "ana",
    "A",
    "ia",
    "GARCÍA",
    "l",
    "50%",
    "_\\",
    "600",
    "0007",
    "+346",
    "r.12",
    "@example.com",
    "x",
    "Ł",
  ];
  const everyone = await database.sql<{ member_id: number; active: boolean; text: string }[]>`
    SELECT member_id, active, searchable_text AS text FROM member WHERE business_id = ${businessId}
    ORDER BY member_id DESC`;
  for (let round = 0; round < 60; round++) {
    const words = Array.from({ length: 1 + random(3) }, () => parts[random(parts.length)] as string);
    const includeInactive = random(3) === 0;
    const expected = everyone.filter(
      ({ active, text }) => (active || includeInactive) && words.every((word) => contains(text, fold(word))),
    );
    const search = words.join(" ");
    for (const page of [1, 1 + random(1 + Math.ceil(expected.length / 20))]) {
      const found = await list(search, page, 20, includeInactive);
      // Digits beside each other may also be one phone number: then there may be more.
      if (/\d.*\d/.test(search)) expect(found.total).toBeGreaterThanOrEqual(expected.length);
      else {
        const ids = expected.slice((page - 1) * 20, page * 20).map(({ member_id }) => member_id);
        expect({ search, total: found.total, ids: found.rows.map((row) => row.member_id) }).toEqual({
          search,
          total: expected.length,
          ids,
        });
      }
    }
  }
});

it("lists the most similar names, at most 15 of them", async () => {
  const similar = { similar: true, include_inactive: false };
  const of = async (search: string) => {
    const { sql, lookUps } = database;
    const scans = new FairQueue({ atOnce: 2 });
    return listMembers(
      { sql, lookUps, scans },
      businessId,
      { search, ...similar },
      { page: 1, perPage: 100 },
    );
  };
  const nearest = await of("marianna lópes");
  expect(nearest.total).toBe(15);
  for (const { first_name, last_name } of nearest.rows) {
    expect(`${first_name} ${last_name}`).toBe("mariana lopez gil");
  }
  for (const search of ["zzzzz", "600", "an", "mariana zzzzz"]) expect((await of(search)).total).toBe(0);
});

it("lets a business with many searches delay only itself", async () => {
  const other = await insertBusiness(database.sql, {
    name: "Other",
    time_zone: "UTC",
    currency: "EUR",
  });
  const scans = new FairQueue({ atOnce: 1, mostWaiting: 5, retryAfterSeconds: 2 });
  const { sql, lookUps } = database;
  const search = (of: number) =>
    listMembers({ sql, lookUps, scans }, of, { search: "a" }, { page: 1, perPage: 1 });
  const ended: string[] = [];
  const many = Array.from({ length: 10 }, () => search(businessId).finally(() => ended.push("many")));
  const one = search(other).finally(() => ended.push("one"));
  const outcomes = await Promise.allSettled(many);
  expect((await one).total).toBe(0);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(4);
  // Four were rejected at once. Of the others, at most two were served before it.
  expect(ended.indexOf("one")).toBeLessThanOrEqual(6);
});
