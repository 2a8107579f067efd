/** Two machines with PostgreSQL and Patroni, and three etcd nodes, of Debian's packages. deploy/patroni.yml configures them. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chown, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Database, openDatabase } from "../src/database/connection.ts";
import { eventually } from "../test/support/runs/run.ts";
import { childPids, freePort, signal } from "../test/support/service-process.ts";
import type { Chaos } from "./chaos.ts";

const run = promisify(execFile);
const packages = ["patroni", "python3-etcd", "etcd-server", "postgresql-15"];
const programs = {
  patroni: "/usr/bin/patroni",
  etcd: "/usr/bin/etcd",
  postgres: "/usr/lib/postgresql/15/bin",
};
const configuration = "config.yml";
const passwords = { superuser: "superuser-of-this-run", replicator: "replicator-of-this-run" };
const service = { user: "loyalty", password: "service-of-this-run", database: "loyalty" };
/** A start, a promotion or a rejoin that takes longer has failed. */
const withinMilliseconds = 120_000;

/** Installs Debian's packages if they are missing. @returns why that is not possible here */
export async function installPatroni(chaos: Chaos): Promise<string | undefined> {
  const exist = () =>
    Promise.all(Object.values(programs).map((path) => access(path))).then(
      () => true,
      () => false,
    );
  if (process.getuid?.() !== 0) return "it must run as root, to use the account postgres";
  if (await exist()) return undefined;
  chaos.say(`Installing ${packages.join(", ")}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env: environment, timeout: 600_000, maxBuffer: 1 << 24 };
  try {
    await run("apt-get", ["update"], options);
    await run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], options);
  } catch (error) {
    return `the packages ${packages.join(", ")} can't be installed: ${(error as Error).message.slice(0, 500)}`;
  }
  return (await exist()) ? undefined : "the packages of Debian 12 are required";
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

async function accountOfPostgres(): Promise<Account> {
  const [uid, gid] = await Promise.all(["-u", "-g"].map((option) => run("id", [option, "postgres"])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** Starts the pair until the scenario ends. @returns once both are in step, and the service's role and database exist */
export async function startPatroniPair(chaos: Chaos) {
  const account = await accountOfPostgres();
  const parent = join(chaos.directory, "patroni");
  await mkdir(parent);
  await chown(parent, account.uid, account.gid);
  await copyFile(join(chaos.installation, "deploy/patroni.yml"), join(parent, configuration));
  const etcd = await startEtcd(chaos, parent, account);
  const machines: [Machine, Machine] = [
    await Machine.make(parent, "north", account, etcd),
    await Machine.make(parent, "south", account, etcd),
  ];
  for (const machine of machines) chaos.atEnd(() => machine.kill());
  const pair = new PatroniPair(machines);
  // The first one that starts makes the database. The other one copies it.
  machines[0].start();
  await pair.primary();
  machines[1].start();
  await pair.inStep();
  await (await pair.primary()).ask("postgres", (sql) =>
    sql.query(`CREATE ROLE loyalty LOGIN PASSWORD '${service.password}'`),
  );
  await (await pair.primary()).ask("postgres", (sql) =>
    sql.query("CREATE DATABASE loyalty TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"),
  );
  await (await pair.primary()).ask("loyalty", (sql) =>
    sql.query(
      "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin; GRANT USAGE, CREATE ON SCHEMA public TO loyalty",
    ),
  );
  return pair;
}

/** Starts three nodes. @returns their addresses */
async function startEtcd(chaos: Chaos, parent: string, account: Account): Promise<string> {
  const nodes: { name: string; client: number; peer: number }[] = [];
  for (const name of ["one", "two", "three"])
    nodes.push({ name, client: await freePort(), peer: await freePort() });
  const local = (port: number) => `http://127.0.0.1:${port}`;
  const cluster = nodes.map(({ name, peer }) => `${name}=${local(peer)}`).join(",");
  for (const { name, client, peer } of nodes) {
    const options = {
      name,
      "data-dir": join(parent, `etcd-${name}`),
      "listen-client-urls": local(client),
      "advertise-client-urls": local(client),
      "listen-peer-urls": local(peer),
      "initial-advertise-peer-urls": local(peer),
      "initial-cluster": cluster,
    };
    const words = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]);
    const child = spawn(programs.etcd, words, { ...account, cwd: parent, stdio: "ignore" });
    chaos.atEnd(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    });
  }
  const hosts = nodes.map(({ client }) => `127.0.0.1:${client}`);
  await eventually("etcd", withinMilliseconds, async () => {
    const healthy = hosts.map((host) => fetch(`http://${host}/health`).then((response) => response.ok));
    return Promise.all(healthy).then(
      (all) => all.every(Boolean),
      () => false,
    );
  });
  return hosts.join(",");
}

export class PatroniPair {
  readonly machines: readonly [Machine, Machine];

  constructor(machines: readonly [Machine, Machine]) {
    this.machines = machines;
  }

  /** The URL by which the service finds the primary. */
  get url(): string {
    const hosts = this.machines.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://${service.user}:${service.password}@${hosts}/${service.database}`;
  }

  /** Waits for a machine that holds the lease, and returns it. */
  primary(): Promise<Machine> {
    return eventually("a machine is the primary", withinMilliseconds, async () => {
      for (const machine of this.machines) if (await machine.is("primary")) return machine;
      return undefined;
    });
  }

  /** Waits until the other machine is the synchronous standby. @returns the primary */
  async inStep(): Promise<Machine> {
    await eventually("a machine is the synchronous standby", withinMilliseconds, async () => {
      for (const machine of this.machines) if (await machine.is("synchronous")) return true;
      return false;
    });
    return this.primary();
  }

  otherThan(machine: Machine): Machine {
    const [north, south] = this.machines;
    return machine === north ? south : north;
  }
}

export class Machine {
  readonly port: number;
  readonly #name: string;
  readonly #parent: string;
  readonly #rest: number;
  readonly #etcd: string;
  readonly #account: Account;
  #patroni: ChildProcess | undefined;
  #log = "";

  private constructor(
    parent: string,
    name: string,
    account: Account,
    etcd: string,
    ports: readonly [number, number],
  ) {
    this.#parent = parent;
    this.#name = name;
    this.#account = account;
    this.#etcd = etcd;
    [this.port, this.#rest] = ports;
  }

  static async make(parent: string, name: string, account: Account, etcd: string): Promise<Machine> {
    return new Machine(parent, name, account, etcd, [await freePort(), await freePort()]);
  }

  /** Starts Patroni, which starts PostgreSQL. If PostgreSQL still runs, Patroni takes it over. */
  start(): void {
    const child = spawn(programs.patroni, [configuration], {
      ...this.#account,
      cwd: this.#parent,
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", ...this.#environment() },
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-4000);
    });
    this.#patroni = child;
  }

  /** What differs between the machines. docs/POSTGRESQL.md has the same list. */
  #environment() {
    return {
      PATRONI_NAME: this.#name,
      PATRONI_ETCD3_HOSTS: this.#etcd,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${this.#rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${this.#rest}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${this.port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${this.port}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.#data,
      PATRONI_POSTGRESQL_BIN_DIR: programs.postgres,
      PATRONI_POSTGRESQL_PGPASS: join(this.#parent, `${this.#name}.pgpass`),
      PATRONI_SUPERUSER_USERNAME: "postgres",
      PATRONI_SUPERUSER_PASSWORD: passwords.superuser,
      PATRONI_REPLICATION_USERNAME: "replicator",
      PATRONI_REPLICATION_PASSWORD: passwords.replicator,
    };
  }

  get #data(): string {
    return join(this.#parent, this.#name);
  }

  get log(): string {
    return `${this.#name}: ${this.#log}`;
  }

  /** What Patroni says about this machine, as a load balancer would ask it. */
  async is(role: "primary" | "synchronous"): Promise<boolean> {
    const address = `http://127.0.0.1:${this.#rest}/${role}`;
    return fetch(address, { signal: AbortSignal.timeout(2000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Kills PostgreSQL with all its processes. Patroni goes on. */
  async killPostgres(): Promise<void> {
    const [, pid] = (await run("sh", ["-c", 'echo; head -1 "$0/postmaster.pid"', this.#data])).stdout.split(
      "\n",
    );
    const postmaster = Number(pid);
    // Stopped first, so that it starts no other process.
    signal(postmaster, "SIGSTOP");
    for (const each of [...(await childPids(postmaster)), postmaster]) signal(each, "SIGKILL");
  }

  /** Kills Patroni. PostgreSQL goes on. */
  async killPatroni(): Promise<void> {
    const child = this.#patroni;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Kills everything, like a machine that loses power. */
  async kill(): Promise<void> {
    await this.killPatroni();
    await this.killPostgres().catch(() => undefined);
  }

  ask<Result>(database: string, question: (sql: Database) => Promise<Result>): Promise<Result> {
    const connection = {
      host: "127.0.0.1",
      port: this.port,
      user: "postgres",
      password: passwords.superuser,
      database,
    };
    const settings = {
      connections: 1,
      statementTimeoutMilliseconds: 20_000,
      applicationName: "loyalty chaos",
    };
    const sql = openDatabase(connection, settings);
    return question(sql).finally(() => sql.end());
  }
}
