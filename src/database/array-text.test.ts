import fc from "fast-check";
import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { plainArray, plainValues, separatedTexts } from "./array-text.ts";

const database = useDatabase();

/** PostgreSQL has no NUL in texts, and fields hold no control characters. */
const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => !/\p{Cc}/u.test(value));
const odd = fc.constantFrom('a "quoted" \\ one', "NULL", "null", "{a,b}", " ");

it("brings texts into the database as they are, and no text at all as null", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.oneof(text, odd)), { minLength: 1 }), async (values) => {
      const [row] = await database.sql<{ texts: unknown }[]>`
          SELECT to_jsonb(string_to_array(${separatedTexts(values)}, chr(31), chr(30))) AS texts`;
      expect(row?.texts).toEqual(values);
    }),
  );
});

it.each([[""], ["a", "b\u001fc"], ["a\u001e"], []])(
  "refuses texts that would come in otherwise",
  (...values) => {
    expect(() => separatedTexts(values)).toThrow(RangeError);
  },
);

it("brings numbers and names in", async () => {
  const [row] = await database.sql<{ numbers: unknown; names: unknown }[]>`
    SELECT to_jsonb(${plainArray([1, -2, null])}::bigint[]) AS numbers,
      to_jsonb(${plainArray(["wallet", "points"])}::account_name[]) AS names`;
  expect(row).toEqual({ numbers: [1, -2, null], names: ["wallet", "points"] });
});

it("takes numbers and names out", async () => {
  const [row] = await database.sql<Record<"some" | "empty" | "none", string | null>[]>`
    SELECT array_agg(value)::text AS some, '{}'::text AS empty, (array_agg(value) FILTER (WHERE value > 2))::text AS none
    FROM generate_series(1, 2) AS value`;
  expect([row?.some, row?.empty, row?.none].map((text) => plainValues(text ?? null))).toEqual([
    ["1", "2"],
    [],
    [],
  ]);
});
