import type { Connection, Database, Session } from "../../src/database/connection.ts";

/** A database that is the one connection, for work that is looked at inside a transaction. */
export function databaseOf(connection: Connection): Database {
  const tag: Connection = Object.assign((...statement: Parameters<Connection>) => connection(...statement), {
    query: connection.query,
  }) as Connection;
  return Object.assign(tag, {
    usage: () => ({ inUse: 1, idle: 0, waiting: 0 }),
    connections: 1,
    begin: <Value>(work: (tx: Session) => Promise<Value>) => work(connection as Session),
    reserve: () => Promise.reject(new Error("there is one connection")),
    end: () => Promise.resolve(),
  });
}
