/** A primary with a synchronous standby, of the system's own PostgreSQL. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, appendFile, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ConnectionSettings, type Database, openDatabase } from "../src/database/connection.ts";
import type { Result } from "../test/support/runs/report.ts";
import { eventually, type Run } from "../test/support/runs/run.ts";
import { childPids, freePort, signal } from "../test/support/service-process.ts";

const run = promisify(execFile);
const superuser = { user: "loyalty", password: "only-of-this-run" };
const database = "loyalty";
/** A program, a start or a standby that takes longer has failed. */
const withinMilliseconds = 60_000;

/** The folder of the programs, and the account that runs them. */
interface Programs {
  readonly folder: string;
  /** PostgreSQL does not run as root. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** @returns why PostgreSQL 15 can't be used here */
async function findPrograms(): Promise<Programs | string> {
  const folder = process.env.PG15_BIN ?? "/usr/lib/postgresql/15/bin";
  const names = ["initdb", "postgres", "pg_basebackup", "pg_ctl"];
  const found = await Promise.all(
    names.map((name) =>
      access(join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (found.includes(false)) return `PostgreSQL 15 with pg_basebackup is not in ${folder}; set PG15_BIN`;
  if (process.getuid?.() !== 0) return { folder, account: undefined };
  const ids = await Promise.all(["-u", "-g"].map((option) => run("id", [option, "postgres"]))).catch(
    () => [],
  );
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
  if (uid === undefined || gid === undefined)
    return "PostgreSQL can't run as root, and there is no account postgres";
  return { folder, account: { uid, gid } };
}

/** Starts both until the scenario ends. @returns the result of the scenario if that is not possible here */
export async function startReplicated(
  chaos: Run,
): Promise<{ readonly primary: Server; readonly standby: Server } | Result> {
  const made = await makeServers(chaos);
  if ("skipped" in made) return made;
  const { primary, standby } = made;
  await primary.begin();
  await standby.follow(primary);
  return made;
}

/** The same, without a start: `begin` starts the primary alone. */
export async function makeServers(
  chaos: Pick<Run, "directory" | "atEnd">,
): Promise<{ readonly primary: Server; readonly standby: Server } | (Result & { readonly skipped: string })> {
  const programs = await findPrograms();
  if (typeof programs === "string") return { figures: [], violations: [], skipped: programs };
  const parent = join(chaos.directory, "replicated");
  await rm(parent, { recursive: true, force: true });
  await mkdir(parent);
  if (programs.account) await chown(parent, programs.account.uid, programs.account.gid);
  const primary = new Server(programs, parent, "north", await freePort());
  const standby = new Server(programs, parent, "south", await freePort());
  for (const server of [primary, standby]) chaos.atEnd(() => server.kill());
  return { primary, standby };
}

export class Server {
  readonly port: number;
  /** Its name for the primary that it follows. */
  readonly name: string;
  readonly #programs: Programs;
  readonly #data: string;
  readonly #parent: string;
  #child: ChildProcess | undefined;
  #log = "";

  constructor(programs: Programs, parent: string, name: string, port: number) {
    this.#programs = programs;
    this.#parent = parent;
    this.#data = join(parent, name);
    this.name = name;
    this.port = port;
  }

  get connection(): ConnectionSettings {
    return { host: "127.0.0.1", port: this.port, ...superuser, database };
  }

  /** Makes an empty primary. @returns once it accepts connections */
  async begin(): Promise<void> {
    const passwordFile = join(this.#parent, "password");
    await writeFile(passwordFile, superuser.password, { mode: 0o644 });
    const options = `-U ${superuser.user} -A scram-sha-256 -E UTF8`.split(" ");
    await this.#run("initdb", ["-D", this.#data, "--pwfile", passwordFile, ...options]);
    const settings = "\nsynchronous_commit = on\nunix_socket_directories = ''\nmax_wal_senders = 10\n";
    await appendFile(join(this.#data, "postgresql.conf"), settings);
    await this.#start();
    await this.ask((sql) => sql.query(`CREATE DATABASE ${database}`));
  }

  /** Becomes a standby, from a copy of the primary. @returns once the primary waits for it at every commit */
  async follow(primary: Server): Promise<void> {
    const { user, password } = superuser;
    const source = `host=127.0.0.1 port=${primary.port} user=${user} password=${password} application_name=${this.name}`;
    await rm(this.#data, { recursive: true, force: true });
    await this.#run("pg_basebackup", ["-D", this.#data, "-R", "-X", "stream", "-c", "fast", "-d", source]);
    await this.#start();
    await primary.ask((sql) => sql.query(`ALTER SYSTEM SET synchronous_standby_names = '${this.name}'`));
    await primary.ask((sql) => sql`SELECT pg_reload_conf()`);
    await eventually("the standby is synchronous", withinMilliseconds, () =>
      primary.ask(async (sql) => {
        const rows = await sql`
          SELECT FROM pg_stat_replication WHERE application_name = ${this.name} AND sync_state = 'sync'`;
        return rows.length === 1;
      }),
    );
  }

  /** Becomes a primary without a standby. @returns once it was told */
  async promote(): Promise<void> {
    await this.#run("pg_ctl", ["promote", "--no-wait", "-D", this.#data]);
  }

  /** Ends all its processes at once, like a machine that loses power. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    await this.#signalAll("SIGKILL");
    await ended;
  }

  /** Stops its processes: connections stay open, and nobody responds. */
  freeze(): Promise<void> {
    return this.#signalAll("SIGSTOP");
  }

  /** Lets its processes continue. It still acts as a primary if it was one. */
  thaw(): Promise<void> {
    return this.#signalAll("SIGCONT");
  }

  /** Stops the first process meanwhile, so that it starts no other one. */
  async #signalAll(name: NodeJS.Signals): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    signal(pid, "SIGSTOP");
    for (const each of [pid, ...(await childPids(pid))]) signal(each, name);
  }

  /** Asks on a connection of its own. */
  async ask<Result>(question: (sql: Database) => Promise<Result>): Promise<Result> {
    const sql = openDatabase(
      { ...this.connection, database: "postgres" },
      { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty chaos" },
    );
    return question(sql).finally(() => sql.end());
  }

  async #start(): Promise<void> {
    const { folder, account } = this.#programs;
    const settings = ["-c", `port=${this.port}`, "-c", "listen_addresses=127.0.0.1"];
    const child = spawn(join(folder, "postgres"), ["-D", this.#data, ...settings], {
      ...account,
      cwd: this.#parent,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-4000);
    });
    await eventually(`PostgreSQL ${this.name}`, withinMilliseconds, () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.#log}`);
      return this.#log.includes("ready to accept");
    });
  }

  async #run(program: string, arguments_: readonly string[]): Promise<void> {
    const { folder, account } = this.#programs;
    const limit = { timeout: withinMilliseconds, killSignal: "SIGKILL" } as const;
    await run(join(folder, program), arguments_, { ...account, ...limit, cwd: this.#parent });
  }
}

/** The URL that finds the primary among servers. */
export function urlOfPrimary(servers: readonly Server[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return `postgres://${superuser.user}:${superuser.password}@${hosts}/${database}`;
}
