import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./connection.ts";
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

it("runs a statement for each set of parameters in one transaction, all of them or none", async () => {
  await database.sql`CREATE TABLE told (number integer PRIMARY KEY, said text)`;
  const settings = { statementTimeoutMilliseconds: 10_000, applicationName: "sets" };
  const pool = openDatabase(database.connection, { connections: 1, ...settings });
  const statement = new FixedStatement<"number" | "said">(`
    INSERT INTO told (number, said) SELECT :number::int, :said WHERE :number < 1000
    RETURNING number, said, xmin::text AS transaction, (SELECT count(*) FROM told) AS before`);
  const say = (...numbers: number[]) =>
    statement.sendAll<{ transaction: string }>(
      pool,
      numbers.map((number) => ({ number, said: `${number}, as \u00e9 said` })),
    );
  // The first time it has to be described, from then on it is prepared.
  for (const start of [0, 100]) {
    const results = await say(start + 1, 1000, start + 2, start + 3);
    const rows = (number: number, before: number) => [{ number, said: `${number}, as \u00e9 said`, before }];
    const known = start === 0 ? 0 : 3;
    expect(results).toMatchObject([
      rows(start + 1, known),
      [],
      rows(start + 2, known + 1),
      rows(start + 3, known + 2),
    ]);
    expect(new Set(results.flat().map(({ transaction }) => transaction)).size).toBe(1);
    // What comes after it on the connection gets its own answers.
    const failing = say(start + 4, start + 1, start + 5).catch((error: Error) => error);
    const behind = [pool`SELECT 1 AS one`, say(start + 6, start + 7), pool`SELECT 2 AS two`] as const;
    expect(await failing).toMatchObject({ code: "23505" });
    expect((await Promise.all(behind)).map((rows) => rows.length)).toEqual([1, 2, 1]);
    await database.sql`DELETE FROM told WHERE number IN (${start + 6}, ${start + 7})`;
  }
  expect(await database.sql`SELECT number FROM told ORDER BY number`).toEqual(
    [1, 2, 3, 101, 102, 103].map((number) => ({ number })),
  );
  await pool.end();
});

it("records nothing when the transaction fails at its end", async () => {
  await database.sql`
    CREATE TABLE late (number integer UNIQUE DEFERRABLE INITIALLY DEFERRED)`;
  const statement = new FixedStatement<"number">(
    "INSERT INTO late (number) VALUES (:number::int) RETURNING number",
  );
  const insert = (...numbers: number[]) =>
    statement.sendAll(
      database.sql,
      numbers.map((number) => ({ number })),
    );
  await expect(insert(1, 2, 1)).rejects.toMatchObject({ code: "23505" });
  expect(await insert(3)).toEqual([[{ number: 3 }]]);
  expect(await database.sql`SELECT number FROM late`).toEqual([{ number: 3 }]);
});
