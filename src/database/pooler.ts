/** Whether a connection to the database stays with one server process, as a pooler in session mode keeps it. */
import { OperatorError } from "../domain/operator-error.ts";
import { type ConnectionSettings, openDatabase, type Session } from "./connection.ts";

/** A pooler shares server processes among connections; the message says what to do about it, in one line. */
class PoolerError extends OperatorError {}

/** A pooler may give two statements in a row the same server process by chance. */
const rounds = 3;

/**
 * Prepared statements and settings belong to a server process. A pooler that gives each transaction another one
 * (transaction mode) would lose them.
 * @throws PoolerError when two open connections meet in one server process, or one connection changes its own
 */
export async function checkPooler(target: string | ConnectionSettings): Promise<void> {
  const sql = openDatabase(target, {
    connections: 2,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "loyalty start",
  });
  try {
    const [one, other] = [await sql.reserve(), await sql.reserve()];
    const seen = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      seen.add(`one ${await processOf(one)}`).add(`other ${await processOf(other)}`);
    }
    const processes = new Set([...seen].map((name) => name.split(" ")[1]));
    one.release();
    other.release();
    if (seen.size === 2 && processes.size === 2) return;
  } finally {
    await sql.end();
  }
  throw new PoolerError(
    "DATABASE_URL leads to a pooler that shares connections by transaction or statement: set its pool mode to session.",
  );
}

async function processOf(session: Session): Promise<number> {
  // It is not prepared, because another server process would not know its name.
  const [row] = await session.query<{ pid: number }[]>("SELECT pg_backend_pid() AS pid");
  return row?.pid ?? 0;
}
