/** Two processes on one database: the first one reaches it through a proxy. */
import type { ConnectionSettings, Database } from "../src/database/connection.ts";
import { startEmbeddedDatabase } from "../src/postgres/embedded.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../test/support/database-proxy.ts";
import type { Chaos } from "./chaos.ts";
import { Operator } from "./operator.ts";
import { openBeside, Service } from "./service.ts";

export interface Pair {
  readonly service: Service;
  /** The ports of the two processes. */
  readonly first: number;
  readonly second: number;
  /** Between the first process and the database. */
  readonly proxy: DatabaseProxy;
  /** Goes to the database directly. */
  readonly admin: Database;
  /** Asks the second process. */
  readonly operator: Operator;
}

/** Starts a database for services that reach it through proxies. */
export async function startProxiedDatabase(
  chaos: Chaos,
): Promise<{ admin: Database; openProxy: () => Promise<DatabaseProxy> }> {
  const database = await startEmbeddedDatabase({ dataDirectory: await chaos.newDataDirectory() });
  chaos.atEnd(() => database.stop());
  return {
    admin: openBeside(chaos, database.connection),
    openProxy: () => openProxy(chaos, database.connection),
  };
}

export async function openProxy(chaos: Chaos, connection: ConnectionSettings): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(connection);
  chaos.atEnd(() => proxy.close());
  return proxy;
}

/** @returns the URL of the database behind a proxy */
export function urlOf({ connection: { user, password, port, database } }: DatabaseProxy): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

export async function startPair(chaos: Chaos): Promise<Pair> {
  const { admin, openProxy: open } = await startProxiedDatabase(chaos);
  // The second one has a proxy that only passes: both connect in the same way.
  const proxies = [await open(), await open()] as const;
  const service = await Service.start(chaos, { databaseUrl: urlOf(proxies[0]) });
  chaos.atEnd(() => service.process.kill("SIGCONT"));
  const { port } = await Service.start(chaos, { databaseUrl: urlOf(proxies[1]) });
  const operator = new Operator(chaos, port);
  return { service, first: service.port, second: port, proxy: proxies[0], admin, operator };
}
