/** SQL by hand, prepared, and driven by pgbench: baseline A, which is one transaction per adjustment, and the floors. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ConnectionSettings } from "../src/database/connection.ts";
import { openBeside } from "../test/support/runs/service.ts";
import type { Bench, Measured, Server } from "./bench.ts";

const execute = promisify(execFile);
const name = "by_hand";
const clientCounts = [8, 16, 32, 64];

export type Script = "adjustment" | "group-of-32" | "select";

export interface ByHand {
  readonly database: ConnectionSettings;
  /** Runs the transaction from several clients at once. */
  run(clients: number, script?: Script): Promise<Measured & { readonly responses: number }>;
  /** The number of clients with the highest rate. */
  bestClients(): Promise<number>;
}

/** Makes the tables in a database of their own, on the server of a service. */
export async function prepareByHand(bench: Bench, server: Server, members: number): Promise<ByHand> {
  const folder = join(bench.installation, "bench/baselines");
  const pgbench = await findPgbench();
  await server.sql.query(`CREATE DATABASE ${name}`);
  const connection = { ...(await server.service.database()), database: name };
  const sql = openBeside(bench, connection);
  await sql.query(await readFile(join(folder, "schema.sql"), "utf8"));
  await sql`
    INSERT INTO account (contact_id, account)
    SELECT contact_id, account FROM generate_series(1, ${members}::int) AS contact_id,
      unnest('{wallet,points,vouchers,sales}'::text[]) AS account`;
  await sql`VACUUM ANALYZE`;
  const { host, port, user, password } = connection;
  const env = { ...process.env, PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password };
  const run: ByHand["run"] = async (clients, script = "adjustment") => {
    const options = [
      ...["--no-vacuum", "--protocol=prepared", `--client=${clients}`, `--time=${bench.options.seconds}`],
      ...[`--jobs=${Math.min(clients, availableParallelism())}`, `--define=members=${members}`],
      ...[`--file=${join(folder, `${script}.sql`)}`, name],
    ];
    const { stdout } = await execute(pgbench, options, { env });
    const value = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
    if (value(/number of failed transactions: (\d+)/) > 0) throw new Error(`pgbench: ${stdout}`);
    const mean = value(/latency average = ([\d.]+) ms/);
    const responses = value(/number of transactions actually processed: (\d+)/);
    return { perSecond: value(/tps = ([\d.]+)/), mean, p99: Number.NaN, responses };
  };
  return {
    database: connection,
    run,
    async bestClients() {
      let best = { clients: 0, perSecond: 0 };
      for (const clients of clientCounts) {
        const { perSecond } = await run(clients);
        if (perSecond > best.perSecond) best = { clients, perSecond };
      }
      return best.clients;
    },
  };
}

/** The newest of Debian, or the one in PATH. */
async function findPgbench(): Promise<string> {
  const versions = await readdir("/usr/lib/postgresql").catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const candidates = newestFirst.map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`);
  for (const candidate of [...candidates, "pgbench"]) {
    const found = await execute(candidate, ["--version"]).catch(() => undefined);
    if (found !== undefined) return candidate;
  }
  throw new Error("pgbench is required; install the PostgreSQL client programs");
}
