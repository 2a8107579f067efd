/**
 * Data that an earlier build wrote, under this one. The data is made by this build, and its schema taken back to an
 * earlier one's by hand: a migration that changes tables with data in them needs its way back here.
 */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { migrate } from "../../src/database/migrate.ts";
import { importTools, landed } from "../support/imports.ts";
import { validSaleLine } from "../support/operator-requests.ts";
import { tableDigests } from "../support/table-digests.ts";
import { nextKey, startService, useWorld } from "../support/world.ts";

/** The oldest schema that is taken back to: the first with every table that has counts. */
const oldest = 5;

/** The way back from each later one, newest first. */
const wayBack: Readonly<Record<string, string>> = {
  "0014_erasure.sql": "ALTER TABLE member DROP COLUMN erased_at; DROP INDEX idempotency_key_of_member",
  "0013_one_count_table.sql": `
    CREATE TABLE ledger_block (business_id bigint NOT NULL, level smallint NOT NULL, from_at timestamptz NOT NULL,
      from_no bigint NOT NULL, until_at timestamptz NOT NULL, until_no bigint NOT NULL, entries integer NOT NULL,
      PRIMARY KEY (business_id, level, from_at, from_no));
    CREATE TABLE ledger_block_count (business_id bigint NOT NULL, level smallint NOT NULL, location_id bigint NOT NULL,
      from_at timestamptz NOT NULL, from_no bigint NOT NULL, entries integer NOT NULL, by_event_type integer[] NOT NULL,
      PRIMARY KEY (business_id, level, location_id, from_at, from_no));
    INSERT INTO ledger_block
    SELECT c.business_id, level, from_at, from_no,
      lead(from_at, 1, CASE level WHEN 0 THEN blocks_end_at ELSE groups_end_at END) OVER chain,
      lead(from_no, 1, CASE level WHEN 0 THEN blocks_end_no ELSE groups_end_no END) OVER chain, sum(entries)
    FROM entry_count c JOIN ledger_count k ON k.business_id = c.business_id WHERE location_id = -1
    GROUP BY c.business_id, level, from_at, from_no, k.business_id
    WINDOW chain AS (PARTITION BY c.business_id, level ORDER BY from_at, from_no);
    INSERT INTO ledger_block_count
    SELECT business_id, level, location_id, from_at, from_no, sum(entries),
      array_agg(coalesce(entries, 0) ORDER BY event_type)
    FROM (SELECT DISTINCT business_id, level, location_id, from_at, from_no FROM entry_count) AS part
    CROSS JOIN unnest(enum_range(NULL::event_type)) AS event_type
    LEFT JOIN entry_count USING (business_id, level, location_id, from_at, from_no, event_type)
    GROUP BY business_id, level, location_id, from_at, from_no;
    ALTER TABLE ledger_count RENAME COLUMN counted_entries TO counted_through;
    ALTER TABLE ledger_count DROP COLUMN blocks_end_at, DROP COLUMN blocks_end_no, DROP COLUMN groups_end_at,
      DROP COLUMN groups_end_no;
    DROP TABLE entry_count`,
  "0012_engine.sql": `
    DROP TABLE points_redemption, points_debt, points_lot, sale_refund, sale_count, sale, reward_rules;
    ALTER TABLE reward_settings DROP COLUMN rules_version, DROP COLUMN default_program_id, DROP COLUMN earn_on,
      DROP COLUMN value_points, DROP COLUMN value_amount, DROP COLUMN redeem_minimum_points,
      DROP COLUMN points_validity, DROP COLUMN points_validity_period, DROP COLUMN points_expiry_rounding,
      DROP COLUMN pending_days, DROP COLUMN clawback_shortfall, DROP COLUMN restored_points_valid_days;
    ALTER TABLE reward_program DROP COLUMN earn_points, DROP COLUMN earn_amount, DROP COLUMN earn_minimum_amount;
    ALTER TABLE ledger DROP COLUMN clock_at`,
  "0011_foreign_keys.sql": `
    ALTER TABLE account DROP CONSTRAINT account_business_id_contact_id_fkey;
    ALTER TABLE member DROP CONSTRAINT member_business_id_fkey`,
  "0010_imported_amounts.sql": "ALTER TABLE imported_line DROP COLUMN amount, DROP COLUMN points",
  "0009_member_search.sql": `
    ALTER TABLE member ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id();
    CREATE INDEX member_changed_last ON member (business_id, changed_in)`,
  "0008_one_write_path.sql": "ALTER TABLE ledger ADD COLUMN version bigint NOT NULL DEFAULT 0",
  "0007_member_changed_in.sql": `
    ALTER TABLE member DROP COLUMN changed_in;
    ALTER TABLE member RENAME COLUMN searchable_text TO search_text;
    ALTER TABLE member_block RENAME COLUMN active TO active_members`,
  "0006_ledger_count.sql": `
    ALTER TABLE ledger ADD COLUMN counted_through bigint NOT NULL DEFAULT 0;
    UPDATE ledger SET counted_through = (
      SELECT counted_through FROM ledger_count WHERE ledger_count.business_id = ledger.business_id);
    DROP TABLE ledger_count`,
};

const folder = new URL("../../migrations/", import.meta.url);
const migrations = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
const newer = migrations.slice(oldest);

const world = useWorld();
const { importLines, expectValidLedger } = importTools(world);

/** Every column, index, constraint and setting of a table, in words. The order of columns is nobody's business. */
async function schemaOf(sql: Database): Promise<string[]> {
  const lines = await sql<{ line: string }[]>`
    SELECT concat_ws(' ', table_name, column_name, data_type, udt_name, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migration'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'migration'
    UNION ALL SELECT concat_ws(' ', relname, reloptions, conname, pg_get_constraintdef(pg_constraint.oid))
      FROM pg_class LEFT JOIN pg_constraint ON conrelid = pg_class.oid
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migration'`;
  return lines.map(({ line }) => line).sort();
}

/** What a database looks like that the oldest build has just made. */
async function oldestSchema(): Promise<string[]> {
  const name = `loyalty_${randomBytes(6).toString("hex")}`;
  await world.sql.query(`CREATE DATABASE ${name}`);
  const sql = openDatabase(
    { ...world.database.connection, database: name },
    { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" },
  );
  try {
    for (const file of migrations.slice(0, oldest)) {
      await sql.query(await readFile(new URL(file, folder), "utf8"));
    }
    return await schemaOf(sql);
  } finally {
    await sql.end();
    await world.sql.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function takeBack(): Promise<void> {
  await world.sql.begin(async (tx) => {
    for (const name of newer.toReversed()) {
      const statements = wayBack[name];
      if (statements === undefined) throw new Error(`${name} has no way back in this test`);
      await tx.query(statements);
      await tx`DELETE FROM migration WHERE name = ${name}`;
    }
  });
}

it("keeps all that an earlier build wrote, and goes on from there", async () => {
  const { home, sql } = world;
  const contact_id = await world.member({ first_name: "Ximena" });
  await world.deactivate(await world.member({ first_name: "Ximena" }));
  // Enough for some to be counted in blocks, and for some to wait.
  for (let chunk = 0; chunk < 3; chunk++) {
    const lines = Array.from({ length: 1000 }, (_, line) => validSaleLine(line + 1, { contact_id }));
    expect(await importLines("sales", home, lines)).toEqual(landed(1000));
  }
  const credit = { contact_id, adjustment_type: "credit", points: 5, idempotency_key: nextKey() };
  const credited = await world.ask("/sp/reward-points/adjust", credit);
  expect(credited.status).toBe(200);
  const pages = [
    ["/sp/transactions/list", { page: 20, per_page: 100 }],
    ["/sp/transactions/list", { contact_id, event_types: ["reward_points_adjustment"] }],
    ["/sp/members/list", { search: "ximena" }],
    ["/sp/members/list", { include_inactive: true }],
  ] as const;
  const read = (baseUrl: string) =>
    Promise.all(
      pages.map(async ([path, body]) => {
        const reply = await world.call(path, body, { baseUrl, token: await world.token() });
        return { data: reply.body.data, pagination: reply.body.meta.pagination };
      }),
    );
  // What the schemas since have brought is lost on the way back: it is left behind before the comparison.
  await takeBack();
  await migrate(sql);
  const readBefore = await read(world.baseUrl);
  const before = { schema: await schemaOf(sql), rows: await tableDigests(sql, ["migration"]) };

  await takeBack();
  expect(await schemaOf(sql)).toEqual(await oldestSchema());
  expect(await migrate(sql)).toEqual(newer);

  expect({ schema: await schemaOf(sql), rows: await tableDigests(sql, ["migration"]) }).toEqual(before);
  const service = await startService(world, {});
  try {
    const { baseUrl } = service;
    const token = await world.token();
    expect(await read(baseUrl)).toEqual(readBefore);
    const repeated = await world.call("/sp/reward-points/adjust", credit, { baseUrl, token });
    expect([repeated.status, repeated.body.data]).toEqual([200, credited.body.data]);
    const rename = { contact_id, first_name: "Yaiza", idempotency_key: nextKey() };
    expect((await world.call("/sp/members/update", rename, { baseUrl, token })).status).toBe(200);
    for (const [search, total] of [
      ["ximena", 0],
      ["yaiza", 1],
    ]) {
      const { body } = await world.call("/sp/members/list", { search }, { baseUrl, token });
      expect(body.meta.pagination.total).toBe(total);
    }
    const debit = { ...credit, adjustment_type: "debit", idempotency_key: nextKey() };
    const debited = await world.call("/sp/reward-points/adjust", debit, { baseUrl, token });
    expect(debited.body.data.balance_after).toBe(credited.body.data.balance_after - 5);
  } finally {
    await service.close();
  }
  await expectValidLedger(home);
});
