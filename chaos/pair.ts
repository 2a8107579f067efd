/** Two processes on one database. The first one reaches it through a proxy that can fail. */
import type { ConnectionSettings, Database } from "../src/database/connection.ts";
import { startEmbeddedDatabase } from "../src/postgres/embedded.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../test/support/database-proxy.ts";
import { Operator } from "../test/support/runs/operator.ts";
import type { Run } from "../test/support/runs/run.ts";
import { openBeside, Service } from "../test/support/runs/service.ts";

export interface Pair {
  readonly service: Service;
  /** The ports of the two processes. */
  readonly first: number;
  readonly second: number;
  /** Between the first process and the database. */
  readonly proxy: DatabaseProxy;
  /** Connects to the database directly. */
  readonly admin: Database;
  /** Calls the second process. */
  readonly operator: Operator;
}

/** Starts a database for services that connect to it through proxies. */
export async function startProxiedDatabase(
  run: Run,
): Promise<{ readonly admin: Database; readonly openProxy: () => Promise<DatabaseProxy> }> {
  const database = await startEmbeddedDatabase({ dataDirectory: await run.newDataDirectory() });
  run.atEnd(() => database.stop());
  return {
    admin: openBeside(run, database.connection),
    openProxy: () => openProxy(run, database.connection),
  };
}

export async function openProxy(run: Run, connection: ConnectionSettings): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(connection);
  run.atEnd(() => proxy.close());
  return proxy;
}

/** The environment of a service that connects through a proxy. */
export function through({ connection: { user, password, port, database } }: DatabaseProxy) {
  return { DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}` };
}

export async function startPair(run: Run): Promise<Pair> {
  const { admin, openProxy: open } = await startProxiedDatabase(run);
  // Both processes have a proxy, so that they connect in the same way.
  const proxies = [await open(), await open()] as const;
  const service = await Service.start(run, { environment: through(proxies[0]) });
  run.atEnd(() => service.process.kill("SIGCONT"));
  const { port } = await Service.start(run, { environment: through(proxies[1]) });
  const operator = new Operator(run, port);
  return { service, first: service.port, second: port, proxy: proxies[0], admin, operator };
}
