import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { FixedStatement } from "./parameters.ts";

const database = useDatabase();

it("sends a fixed statement with a parameter for each name, however often it is named, and leaves casts alone", async () => {
  const statement = new FixedStatement<"first" | "second">(
    "SELECT :first::text || :second::text || :first AS all, '1'::int AS one, $$12:30$$ AS time",
  );
  for (const first of ["a", "b"]) {
    const [row] = await statement.send(database.sql, { first, second: "-" });
    expect(row).toEqual({ all: `${first}-${first}`, one: 1, time: "12:30" });
  }
});
