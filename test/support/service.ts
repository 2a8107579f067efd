import { type Logger, pino } from "pino";
import type { Database } from "../../src/database/connection.ts";
import { createService } from "../../src/service.ts";
import { testOperatorKey, testSecret, type World } from "./world.ts";

export interface StartedService {
  /** With the base path, as operations are called. */
  readonly baseUrl: string;
  /** Without it, as health is. */
  readonly root: string;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** Starts another service beside the world's: over a pool of its own, or with a log that is looked at. */
export async function startService(
  world: World,
  {
    sql = world.sql,
    postings = world.database.postings,
    secret = testSecret,
    log = pino({ level: "silent" }),
    processes = world.config.processes,
  }: { sql?: Database; postings?: Database; secret?: string; log?: Logger; processes?: number },
): Promise<StartedService> {
  const service = createService(
    { ...world.config, processes },
    {
      sql,
      lookUps: sql,
      postings,
      longRunning: sql,
      secret,
      operatorKey: testOperatorKey,
      log,
    },
  );
  const root = await service.listen({ host: "127.0.0.1", port: 0 });
  return {
    baseUrl: root + world.config.basePath,
    root,
    metrics: service.metrics,
    close: () => service.close(),
  };
}
