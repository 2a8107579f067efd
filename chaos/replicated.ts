/** A primary with a synchronous standby, and a service that reaches them through a proxy. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../test/support/service-process.ts";
import { Operator } from "./business.ts";
import type { Chaos, Result } from "./chaos.ts";
import { urlThrough } from "./pair.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./proxy/database-proxy.ts";
import { accessOf, findPrograms, Server } from "./replication/server.ts";
import { startService, untilReady } from "./service.ts";

export interface Replicated {
  readonly primary: Server;
  readonly standby: Server;
  /** It leads to the primary, until it is told otherwise. */
  readonly proxy: DatabaseProxy;
  readonly port: number;
  readonly operator: Operator;
}

const database = "loyalty";

/** Starts all of it, hands it over, and stops it; a scenario is skipped where there is no PostgreSQL for it. */
export async function withReplicated(
  chaos: Chaos,
  use: (replicated: Replicated) => Promise<Result>,
): Promise<Result> {
  const programs = await findPrograms();
  if (typeof programs === "string") return { figures: [], violations: [], skipped: programs };
  const parent = await mkdtemp(join(chaos.directory, "replicated-"));
  const primary = await Server.place(programs, parent, "north");
  const standby = await Server.place(programs, parent, "south");
  const port = await freePort();
  const operator = new Operator(port);
  let proxy: DatabaseProxy | undefined;
  let service: ReturnType<typeof startService> | undefined;
  try {
    await primary.begin(database);
    await standby.follow(primary);
    proxy = await startDatabaseProxy(primary.target);
    service = startService(chaos, {
      port,
      dataDirectory: join(parent, "service"),
      environment: { DATABASE_URL: urlThrough(proxy.port, accessOf(database)) },
    });
    await untilReady(service);
    return await use({ primary, standby, proxy, port, operator });
  } finally {
    operator.close();
    await service?.process.stop();
    await proxy?.close();
    for (const server of [primary, standby]) await server.kill();
  }
}
