import type { Connection } from "./connection.ts";

/** Resolves when the database responds. */
export async function ping(sql: Connection): Promise<void> {
  await sql`SELECT 1`;
}
