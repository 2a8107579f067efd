/**
 * Baseline A: the same work as one transaction per request, written by hand, prepared, and driven by pgbench
 * with nothing in between. Without pgbench a Node.js process drives it, which does less and flatters the service:
 * the report names the tool.
 */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask, track } from "../child.ts";
import type { DatabaseServer } from "../database-server.ts";
import { root } from "../service.ts";
import type { ByHandResult, ByHandTask } from "./by-hand-client.ts";

const execute = promisify(execFile);
const database = "by_hand";
const folder = join(root, "bench/baselines");
const clientCounts = [8, 16, 32, 64];

export interface ByHand {
  /** What drives the transactions. */
  readonly tool: "pgbench" | "node-postgres";
  /** Runs the transaction from so many clients at once. */
  run(clients: number, seconds: number): Promise<ByHandResult>;
  /** The number of clients with which it does most. */
  bestClients(seconds: number): Promise<number>;
}

/** Makes the tables in a database of their own on the same server. */
export async function prepareByHand(server: DatabaseServer, members: number): Promise<ByHand> {
  const pgbench = await findPgbench();
  await server.create(database);
  await server.use(database, async (sql) => {
    await sql.query(await readFile(join(folder, "schema.sql"), "utf8"));
    await sql`
      INSERT INTO account (contact_id, account)
      SELECT contact_id, account FROM generate_series(1, ${members}::int) AS contact_id,
        unnest('{wallet,points,vouchers,sales}'::text[]) AS account`;
    await sql`VACUUM ANALYZE`;
  });
  const run = (clients: number, seconds: number) =>
    pgbench === undefined
      ? runInNode(server, { database, members, clients, seconds })
      : runPgbench(pgbench, server, { database, members, clients, seconds });
  return {
    tool: pgbench === undefined ? "node-postgres" : "pgbench",
    run,
    async bestClients(seconds) {
      let best = { clients: 0, perSecond: 0 };
      for (const clients of clientCounts) {
        const { perSecond } = await run(clients, seconds);
        if (perSecond > best.perSecond) best = { clients, perSecond };
      }
      return best.clients;
    },
  };
}

async function runPgbench(
  pgbench: string,
  { environment }: DatabaseServer,
  { members, clients, seconds }: ByHandTask,
): Promise<ByHandResult> {
  const running = execute(
    pgbench,
    [
      ...["--no-vacuum", "--protocol=prepared", `--client=${clients}`, `--time=${seconds}`],
      ...[`--jobs=${Math.min(clients, availableParallelism())}`, `--define=members=${members}`],
      ...[`--file=${join(folder, "adjustment.sql")}`, database],
    ],
    { env: { ...process.env, ...environment } },
  );
  track(running.child);
  const { stdout } = await running;
  const figure = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
  const failed = figure(/number of failed transactions: (\d+)/);
  if (failed > 0) throw new Error(`pgbench: ${stdout}`);
  return {
    perSecond: figure(/tps = ([\d.]+)/),
    meanMilliseconds: figure(/latency average = ([\d.]+) ms/),
  };
}

async function runInNode({ environment }: DatabaseServer, task: ByHandTask): Promise<ByHandResult> {
  const module = new URL("./by-hand-client.js", import.meta.url);
  return (await ask<ByHandResult>(module, task, environment)).answer;
}

/** The newest of Debian's, or the one of PATH. */
async function findPgbench(): Promise<string | undefined> {
  const versions = await readdir("/usr/lib/postgresql").catch(() => []);
  const candidates = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`);
  for (const candidate of [...candidates, "pgbench"]) {
    const found = await execute(candidate, ["--version"]).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return undefined;
}
