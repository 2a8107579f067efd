/** Two processes on one database: the first one reaches it through a proxy. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "../src/database/connection.ts";
import { startEmbeddedDatabase } from "../src/postgres/embedded.ts";
import { freePort } from "../test/support/service-process.ts";
import { Operator } from "./business.ts";
import type { Chaos } from "./chaos.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./proxy/database-proxy.ts";
import { type RunningService, startService, untilReady } from "./service.ts";

export interface Pair {
  /** The ports of the two processes. */
  readonly first: number;
  readonly second: number;
  /** Between the first process and the database. */
  readonly proxy: DatabaseProxy;
  /** Goes to the database directly. */
  readonly admin: Database;
  /** Asks the second process. */
  readonly operator: Operator;
  /** Signals the first process. */
  signalFirst(signal: NodeJS.Signals): void;
  /** Kills the first process and starts it again. @returns once it is ready */
  restartFirst(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPair(chaos: Chaos): Promise<Pair> {
  const directory = await mkdtemp(join(chaos.directory, "pair-"));
  const database = await startEmbeddedDatabase({ dataDirectory: join(directory, "database") });
  // The second one has a proxy that only passes: both connect in the same way.
  const proxies = [
    await startDatabaseProxy(database.connection),
    await startDatabaseProxy(database.connection),
  ] as const;
  const ports = [await freePort(), await freePort()] as const;
  const start = (nth: 0 | 1) =>
    startService(chaos, {
      port: ports[nth],
      dataDirectory: join(directory, `service-${nth}`),
      environment: { DATABASE_URL: urlThrough(proxies[nth].port, database.connection) },
    });
  const admin = openDatabase(database.connection, {
    connections: 4,
    statementTimeoutMilliseconds: 60_000,
    applicationName: "loyalty chaos",
  });
  let first = start(0);
  let second: RunningService | undefined;
  const operator = new Operator(ports[1]);
  const stop = async () => {
    operator.close();
    first.process.kill("SIGCONT");
    await Promise.all([first.process.stop(), second?.process.stop()]);
    for (const proxy of proxies) await proxy.close();
    await admin.end();
    await database.stop();
  };
  try {
    await untilReady(first);
    second = start(1);
    await untilReady(second);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    first: ports[0],
    second: ports[1],
    proxy: proxies[0],
    admin,
    operator,
    signalFirst: (signal) => first.process.kill(signal),
    async restartFirst() {
      first.process.kill("SIGKILL");
      await first.process.ended();
      first = start(0);
      await untilReady(first);
    },
    stop,
  };
}

/** Starts a pair, hands it over, and stops it. */
export async function withPair<Given>(chaos: Chaos, use: (pair: Pair) => Promise<Given>): Promise<Given> {
  const pair = await startPair(chaos);
  try {
    return await use(pair);
  } finally {
    await pair.stop();
  }
}

export function urlThrough(
  port: number,
  { user, password, database }: { user: string; password: string; database: string },
): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}
