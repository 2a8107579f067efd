/** What pages that are read by columns look like. */
import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { FirstPageStatement, PageColumns, type SelectedPage } from "./page.ts";
import { Parameters } from "./parameters.ts";

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly told: string;
}

const database = useDatabase();
const columns = new PageColumns<Row>(["id", "name", "told"]);

async function read(rows: string) {
  return columns.page(await new Parameters().run<SelectedPage>(database.sql, columns.select(rows)));
}

it("has the rows in their order, whatever their texts hold", async () => {
  const page = await read(`
    SELECT id, name, told, 12::bigint AS total
    FROM (VALUES (3::bigint, 'a "b" \\ {c},', 'x'), (1, NULL, 'NULL'), (-2, E'\\t\\u00e9 \\U0001F600', '')) AS row (id, name, told)
    ORDER BY abs(id) DESC`);
  expect(page).toEqual({
    total: 12,
    rows: [
      { id: 3, name: 'a "b" \\ {c},', told: "x" },
      { id: -2, name: "\t\u00e9 \u{1F600}", told: "" },
      { id: 1, name: null, told: "NULL" },
    ],
  });
});

it("is empty with a total or without", async () => {
  const none = "NULL::bigint AS id, NULL::text AS name, NULL::text AS told, 7::bigint AS total";
  expect(await read(`SELECT ${none}`)).toEqual({ total: 7, rows: [] });
  expect(await read(`SELECT ${none} WHERE false`)).toEqual({ total: 0, rows: [] });
});

it("refuses a number of which digits would be lost", async () => {
  await expect(
    read("SELECT 9007199254740993 AS id, '' AS name, '' AS told, 1::bigint AS total"),
  ).rejects.toThrow(/safe integer/);
});

it("reads first pages of several sizes", async () => {
  const statement = new FirstPageStatement<Row, "from">(
    columns,
    (limit) => `
      SELECT id, 'name' AS name, '' AS told, 9::bigint AS total FROM generate_series(:from::bigint, 100) AS id ORDER BY id ${limit}`,
  );
  for (const perPage of [2, 1, 2]) {
    const { rows } = await statement.read(database.sql, perPage, { from: 5 });
    expect(rows.map(({ id }) => id)).toEqual([5, 6].slice(0, perPage));
  }
});
