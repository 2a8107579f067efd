/** Starts the service: configuration, database, migrations, server. Stops it in the reverse order. */
import { execFile } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Config, readConfig } from "./config.ts";
import { readEnvironmentFile } from "./credentials/environment-file.ts";
import { deriveKeys } from "./credentials/keys.ts";
import { rootKeyFile } from "./credentials/root-key.ts";
import { readOrMakeSecret } from "./credentials/secret-files.ts";
import { writeAddressFile } from "./data-directory.ts";
import { prepareInstallation } from "./database/cell.ts";
import { type ConnectionSettings, type Database, openDatabase } from "./database/connection.ts";
import { codeOf, faultOf } from "./database/faults.ts";
import { migrate } from "./database/migrate.ts";
import { checkPooler, findUnsafeSettings } from "./database/server.ts";
import { demoReport, provideDemo } from "./demo/demo.ts";
import { OperatorError } from "./domain/access/operator-error.ts";
import { inviteFirstOwner } from "./first-owner.ts";
import { tryPorts } from "./listening.ts";
import { startEmbeddedDatabase, startingLine } from "./postgres/embedded.ts";
import type { Undo } from "./service.ts";
import { runWorker, startWorkers } from "./workers.ts";

/** The process ends this long after the drain time, even if it has not finished. */
const stopWithinMilliseconds = 15_000;

const usage = `Usage: npm start [-- --demo | --migrate]

Starts the service. Without DATABASE_URL, it runs its own PostgreSQL in the data directory.

  --demo       with DATABASE_URL: create the demo business, if the database has no business yet
  --migrate    only migrate the database to this version, and end; a start does this, too
  --help       show this

The settings come from environment variables and from a file .env in this directory; .env.example lists all of them.`;

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readArguments();
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  loadEnvironmentFile();
  const config = readConfig(process.env, { demo: options.demo ?? false });
  const stopping = stopSignal(config);
  const undo: Undo[] = [];
  try {
    if (options.migrate) await migrateAlone(config, undo, stopping);
    else {
      await startParts(config, undo, stopping);
      // A signal can come while the last part starts.
      if (!stopping.aborted) await once(stopping, "abort");
    }
  } catch (error) {
    // If a start is stopped, its errors are not a failure.
    if (!stopping.aborted) throw error;
  } finally {
    await stopAll(undo);
  }
  say("Stopped.");
  process.exit();
}

async function migrateAlone(config: Config, undo: Undo[], stopping: AbortSignal): Promise<void> {
  await prepareDatabase(config, config.databaseUrl ?? (await startEmbedded(config, undo)), stopping);
  say("The database has the schema of this version.");
}

/** Starts one part after the other, and adds the function that stops it to `undo`. A signal ends the start between parts. */
async function startParts(config: Config, undo: Undo[], stopping: AbortSignal): Promise<void> {
  for (const { name, meant } of config.unknownVariables) {
    const advice = meant === undefined ? "The settings are in .env.example." : `Did you mean ${meant}?`;
    say(`${name} is not a setting of the service, and is ignored. ${advice}`);
  }
  const timing = startTiming();
  const onProgress = (line: string) => {
    if (line.startsWith(startingLine)) timing.done("making the database or ending an earlier run");
    say(line);
  };
  await tryPorts(config);
  // Loading takes a second, in which the database starts. With workers, only the workers load it.
  const serving = config.workers === 1 ? import("./service.ts") : undefined;
  // An error is reported where the promise is awaited. Then the parts that were started are stopped.
  serving?.catch(() => undefined);
  const target = config.databaseUrl ?? (await startEmbedded(config, undo, onProgress));
  timing.done(config.databaseUrl === undefined ? "PostgreSQL with its recovery" : "configuration");
  stopping.throwIfAborted();
  const secret = config.secret ?? (await readOrMakeSecret(config.dataDirectory, "secret"));
  if (config.databaseUrl !== undefined) await ensureDataDirectory(config);
  const operatorKey = config.operatorKey ?? (await readOrMakeSecret(config.dataDirectory, "operator.key"));
  await prepareDatabase(config, target, stopping, secret);
  timing.done("migrations and checks");
  stopping.throwIfAborted();
  const secrets = { database: target, secret, operatorKey, operatorKeyFile: rootKeyFile(config) };
  const running =
    serving === undefined
      ? await startWorkers(config, secrets, undo, say)
      : await (await serving).serve(config, secrets, undo);
  const baseUrl = running.service + config.basePath;
  timing.done(config.workers === 1 ? "listening" : "workers");
  const token = await withConnection(target, "loyalty first owner", 60_000, inviteFirstOwner);
  const link = `First sign-in: ${baseUrl}/console/accept#token=${token} (valid once, for 24 hours)`;
  const invitation = token === undefined ? [] : [link];
  const report = config.demo === "on" ? [await makeDemo(config, target, baseUrl)] : [];
  if (config.demo === "on") timing.done("demo business");
  stopping.throwIfAborted();
  // Commands look for the address beside the operator key.
  if (config.operatorKey === undefined) await writeAddressFile(config.dataDirectory, baseUrl);
  // A script that waits for readiness finds demo.json.
  running.setPhase("serving");
  tellSystemd();
  // This is the first step of a stop, so that proxies see that the service is not ready before the port closes.
  undo.push(async () => {
    running.setPhase("draining");
    await sleep(config.drainSeconds * 1000);
  });
  const metrics = running.metrics === undefined ? [] : [`Metrics: ${running.metrics}`];
  // All lines are written at once, so that a reader that waits for the first one gets them all.
  const pages = [`Console: ${baseUrl}/console/`, `Docs: ${baseUrl}/docs`, `Guides: ${baseUrl}/docs/guides`];
  if (config.databaseUrl === undefined) pages.push(`Data: ${config.dataDirectory}`);
  say([`Ready: ${baseUrl}`, ...pages, ...metrics, timing.summary(), ...invitation, ...report].join("\n"));
}

/** Measures the steps of a start, so that the operator sees where a slow one has waited. */
function startTiming() {
  let since = performance.now();
  const steps = [`loading ${seconds(since)}`];
  return {
    done(step: string): void {
      const now = performance.now();
      steps.push(`${step} ${seconds(now - since)}`);
      since = now;
    },
    summary: () => `Started in ${seconds(performance.now())}: ${steps.join(", ")}`,
  };
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Tells systemd that the service is ready, if systemd started it with Type=notify. */
function tellSystemd(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  execFile("systemd-notify", ["--ready"], (error) => {
    if (error !== null) say(`systemd can't be told that the service is ready: ${error.message.trim()}`);
  });
}

/** Continues after a failure, because the database is stopped last. */
async function stopAll(undo: Undo[]): Promise<void> {
  for (const stop of undo.reverse()) {
    await stop().catch((error: unknown) => {
      say(`Stopping failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    });
  }
}

function readArguments() {
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({ options: { demo: flag, migrate: flag, help: flag } }).values;
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** Adds the settings of the optional file .env. The environment takes precedence. */
function loadEnvironmentFile(): void {
  for (const [name, value] of Object.entries(readEnvironmentFile())) process.env[name] ??= value;
}

async function startEmbedded(
  { dataDirectory, databaseMemory }: Config,
  undo: Undo[],
  onProgress: (line: string) => void = say,
) {
  const settings = databaseMemory === undefined ? {} : { shared_buffers: `${databaseMemory}MB` };
  const embedded = await startEmbeddedDatabase({ dataDirectory, settings, onProgress });
  undo.push(() => embedded.stop());
  return embedded.connection;
}

/** Makes the directory for the operator key and demo.json. The embedded database makes it by itself. */
async function ensureDataDirectory({ dataDirectory, operatorKey, demo }: Config): Promise<void> {
  if (operatorKey !== undefined && demo === "off") return;
  try {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OperatorError(
      `The data directory ${dataDirectory} can't be made (${(error as NodeJS.ErrnoException).code}): ` +
        "set LOYALTY_DATA_DIR to a directory that this user may write to.",
    );
  }
}

async function withConnection<Value>(
  target: string | ConnectionSettings,
  applicationName: string,
  statementTimeoutMilliseconds: number,
  work: (sql: Database) => Promise<Value>,
): Promise<Value> {
  const sql = openDatabase(target, { connections: 1, statementTimeoutMilliseconds, applicationName });
  return work(sql).finally(() => sql.end());
}

/** Checks and migrates the database. @param secret of the service that starts on it; undefined when none does */
async function prepareDatabase(
  { databaseUrl, cell }: Config,
  target: string | ConnectionSettings,
  signal: AbortSignal,
  secret?: string,
): Promise<void> {
  const prepare = async (sql: Database) => {
    if (databaseUrl !== undefined) await checkPooler(target);
    const applied = await migrate(sql, { signal, onWait: say });
    if (applied.length > 0) say(`Migrated the database: ${applied.join(", ")}`);
    if (secret !== undefined) await prepareInstallation(sql, cell, deriveKeys(secret).check);
    for (const warning of await findUnsafeSettings(sql)) say(warning);
  };
  try {
    return await withConnection(target, "loyalty migration", 0, prepare);
  } catch (error) {
    // Only failures of the database have a code.
    const isOurs = error instanceof OperatorError || codeOf(error) === "";
    if (isOurs || signal.aborted || databaseUrl === undefined) throw error;
    const reached = faultOf(error) === "unavailable" ? "reached" : "prepared";
    throw new OperatorError(
      `The database of DATABASE_URL can't be ${reached}: ${(error as Error).message.trim()}.`,
    );
  }
}

async function makeDemo({ dataDirectory }: Config, target: string | ConnectionSettings, baseUrl: string) {
  try {
    return await withConnection(target, "loyalty demo", 60_000, async (sql) => {
      const demo = await provideDemo(sql, { dataDirectory, baseUrl });
      return demoReport(demo);
    });
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(
      `The demo business can't be described in ${dataDirectory} (${code}): set LOYALTY_DATA_DIR to a ` +
        "directory that this user may write to, or LOYALTY_DEMO=off.",
    );
  }
}

/** The first signal to stop aborts it. Later signals are ignored, because npm repeats a Ctrl-C. */
function stopSignal({ drainSeconds }: Config): AbortSignal {
  const withinMilliseconds = stopWithinMilliseconds + drainSeconds * 1000;
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) return;
    say(`${signal}: finishing what is in flight …`);
    setTimeout(() => {
      say(`Not finished after ${withinMilliseconds / 1000} s: stopping all the same.`);
      process.exit(1);
    }, withinMilliseconds).unref();
    controller.abort();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  return controller.signal;
}

function reportFailure(error: unknown): never {
  say(
    error instanceof OperatorError
      ? error.message
      : `The service could not start: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
}

if (cluster.isWorker) runWorker();
else main().catch(reportFailure);
