/** Where the databases of tests are, for commands that read them. */
import type { TestDatabase } from "./database.ts";

export function placeOf({ connection }: Pick<TestDatabase, "connection">) {
  const { user, password, host, port, database } = connection;
  const address = `${user}:${encodeURIComponent(password)}@/${database}`;
  const at = `?host=${encodeURIComponent(String(host))}&port=${port}`;
  return { dataDirectory: "", databaseUrl: `postgres://${address}${at}` };
}
