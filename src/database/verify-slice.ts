import type { Connection, Database } from "./connection.ts";

/** A slice is cut by members, and one member can have millions of entries. Less than an operator's request may take. */
const patienceSeconds = 50;

/** Runs the one statement of a slice with more patience than the service has for others. */
export async function inSlice<Result>(
  sql: Database,
  verify: (tx: Connection) => Promise<Result>,
): Promise<Result> {
  const sliced = await sql.begin("READ ONLY", async (tx) => {
    await tx`SET LOCAL statement_timeout = ${tx.unsafe(`'${patienceSeconds}s'`)}`;
    return { result: await verify(tx) };
  });
  return sliced.result;
}
