/** A PostgreSQL of the system's own binaries, which can be made a primary or a standby. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access, appendFile, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { identifier } from "../../src/database/sql.ts";
import { freePort } from "../../test/support/service-process.ts";
import { eventually } from "../chaos.ts";

const run = promisify(execFile);
const user = "loyalty";
const password = "only-of-this-run";
/** A program, a start or a standby that takes longer has failed. */
const withinMilliseconds = 60_000;

/** Where the programs lie, and which account runs them. */
export interface Programs {
  readonly folder: string;
  /** PostgreSQL refuses to run as root. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** @returns why there are none that can be used, in words */
export async function findPrograms(): Promise<Programs | string> {
  const folder = process.env.PG15_BIN ?? "/usr/lib/postgresql/15/bin";
  try {
    for (const name of ["initdb", "postgres", "pg_basebackup", "pg_ctl"]) await access(join(folder, name));
  } catch {
    return `PostgreSQL 15 with pg_basebackup is not in ${folder}; set PG15_BIN`;
  }
  if (process.getuid?.() !== 0) return { folder, account: undefined };
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((option) => run("id", [option, "postgres"])));
    return { folder, account: { uid: Number(uid?.stdout), gid: Number(gid?.stdout) } };
  } catch {
    return "PostgreSQL can't run as root, and there is no account postgres";
  }
}

export class Server {
  readonly port: number;
  /** Names it to the primary whose standby it is. */
  readonly name: string;
  readonly #programs: Programs;
  readonly #data: string;
  readonly #parent: string;
  #child: ChildProcess | undefined;
  #log = "";

  private constructor(programs: Programs, parent: string, name: string, port: number) {
    this.#programs = programs;
    this.#parent = parent;
    this.#data = join(parent, name);
    this.name = name;
    this.port = port;
  }

  static async place(programs: Programs, parent: string, name: string): Promise<Server> {
    await mkdir(parent, { recursive: true });
    if (programs.account) await chown(parent, programs.account.uid, programs.account.gid);
    return new Server(programs, parent, name, await freePort());
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get target() {
    return { host: "127.0.0.1", port: this.port };
  }

  /** Makes an empty primary. @returns once it takes connections */
  async begin(database: string): Promise<void> {
    const passwordFile = join(this.#parent, "password");
    await writeFile(passwordFile, password, { mode: 0o644 });
    await this.#run("initdb", [
      "-D",
      this.#data,
      "-U",
      user,
      "-A",
      "scram-sha-256",
      "-E",
      "UTF8",
      "--pwfile",
      passwordFile,
    ]);
    await appendFile(
      join(this.#data, "postgresql.conf"),
      "\nsynchronous_commit = on\nunix_socket_directories = ''\nmax_wal_senders = 10\n",
    );
    await this.#start();
    await this.ask((sql) => sql`CREATE DATABASE ${identifier(database)}`);
  }

  /** Becomes a standby of a primary, from a copy of it. @returns once the primary waits for it at every commit */
  async follow(primary: Server): Promise<void> {
    await rm(this.#data, { recursive: true, force: true });
    const source = `host=127.0.0.1 port=${primary.port} user=${user} password=${password} application_name=${this.name}`;
    await this.#run("pg_basebackup", ["-D", this.#data, "-R", "-X", "stream", "-c", "fast", "-d", source]);
    await this.#start();
    await primary.ask((sql) => sql.query(`ALTER SYSTEM SET synchronous_standby_names = '${this.name}'`));
    await primary.ask((sql) => sql`SELECT pg_reload_conf()`);
    await eventually("the standby is synchronous", withinMilliseconds, async () => {
      const rows = await primary.ask(
        (sql) =>
          sql`SELECT FROM pg_stat_replication WHERE application_name = ${this.name} AND sync_state = 'sync'`,
      );
      return rows.length === 1;
    });
  }

  /** Becomes a primary. It has no standby then, and waits for none. @returns once it was told */
  async promote(): Promise<void> {
    await this.#run("pg_ctl", ["promote", "--no-wait", "-D", this.#data]);
  }

  /** Ends it and all its processes at once, as a machine that loses power. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const family = await this.#family(child.pid);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    for (const pid of family) signal(pid, "SIGKILL");
    await ended;
  }

  /** Stops all its processes where they are: connections stand, and nobody answers. */
  async freeze(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    // The first one first, so that none is added meanwhile.
    signal(pid, "SIGSTOP");
    for (const other of await this.#family(pid)) signal(other, "SIGSTOP");
  }

  /** Lets its processes go on where they were stopped, as a machine that was only paused: it takes itself for the primary. */
  async thaw(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    for (const each of await this.#family(pid)) signal(each, "SIGCONT");
  }

  /** The postmaster and its processes, where the system tells. */
  async #family(pid: number): Promise<number[]> {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
    return [pid, ...children.split(" ").filter(Boolean).map(Number)];
  }

  /** Asks over a connection of its own. */
  async ask<Answer>(question: (sql: Database) => Promise<Answer>): Promise<Answer> {
    const sql = openDatabase(
      { host: "127.0.0.1", port: this.port, user, password, database: "postgres" },
      { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty chaos" },
    );
    try {
      return await question(sql);
    } finally {
      await sql.end();
    }
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
    await eventually(`PostgreSQL ${this.name}`, withinMilliseconds, async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.#log}`);
      return this.#log.includes("ready to accept");
    });
  }

  async #run(program: string, arguments_: readonly string[]): Promise<void> {
    const { folder, account } = this.#programs;
    const limit = { timeout: withinMilliseconds, killSignal: "SIGKILL" } as const;
    const options = { ...account, ...limit, cwd: this.#parent };
    await run(join(folder, program), arguments_, options).catch((cause) => {
      if (!cause.killed) throw cause;
      throw new Error(`${program}: not within ${withinMilliseconds} ms: ${cause.stderr}`, { cause });
    });
  }
}

/** For the one that is the primary, whichever that is. */
export function urlOf(servers: readonly Server[], database: string): string {
  return `postgres://${user}:${password}@${servers.map(({ address }) => address).join(",")}/${database}`;
}

/** What a client of one of the servers needs beside its address. */
export function accessOf(database: string) {
  return { user, password, database };
}

/** Signals a process that may be gone already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
