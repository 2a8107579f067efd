/** Starts the service: configuration, database, migrations, server; and stops it in the reverse order. */
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { type Database, faultOf, openDatabase } from "./database/connection.ts";
import { type EmbeddedDatabase, EmbeddedDatabaseError, startEmbeddedDatabase } from "./database/embedded.ts";
import { MigrationError, migrate } from "./database/migrate.ts";
import { makeDemo } from "./demo/demo.ts";
import { keptSecret } from "./secret.ts";
import { createService, type Service } from "./service.ts";

/** A start that can't go on, told in a line that says what to do. */
class StartError extends Error {}

/** Past this, a stop no longer waits for what is in flight. */
const stopWithinMilliseconds = 15_000;

const usage = `Usage: npm start [-- --demo]

Starts the service. Without DATABASE_URL it runs a PostgreSQL of its own in the data directory.

  --demo    with DATABASE_URL: make the demo business, if the database holds no business yet
  --help    show this

Environment (see .env.example): HOST, PORT, LOYALTY_BASE_PATH, LOYALTY_DATA_DIR, DATABASE_URL, LOYALTY_SECRET,
LOYALTY_RATE_LIMIT, LOG_LEVEL and others.`;

const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { demo: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const config = readConfig(process.env, { demo: values.demo ?? false });
  const log = createLog(config.logLevel);
  await ensureDataDirectory(config);
  const secret = config.secret ?? (await keptSecret(config.dataDirectory, "secret"));
  const operatorKey = config.operatorKey ?? (await keptSecret(config.dataDirectory, "operator.key"));
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config) : undefined;
  const sql = openDatabase(embedded?.connection ?? (config.databaseUrl as string), {
    connections: config.databaseConnections,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "loyalty",
  });
  let service: Service | undefined;
  const stop = () => stopAll(service, sql, embedded);
  try {
    await prepareDatabase(config, sql);
    service = createService(config, { sql, secret, operatorKey, log });
    const address = await listen(service, config);
    if (config.demo === "on") await makeDemo(sql, { ...config, baseUrl: address + config.basePath, say });
    say(`Ready: ${address}${config.basePath}`);
  } catch (error) {
    await stop();
    throw error;
  }
  stopOnSignals(stop);
}

function createLog(level: string) {
  return process.stdout.isTTY
    ? pino({ level, transport: { target: "pino-pretty", options: { ignore: "pid,hostname" } } })
    : pino(
        { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
        pino.destination({ sync: false }),
      );
}

async function ensureDataDirectory({
  dataDirectory,
  databaseUrl,
  secret,
  operatorKey,
}: Config): Promise<void> {
  if (databaseUrl !== undefined && secret !== undefined && operatorKey !== undefined) return;
  try {
    await mkdir(dataDirectory, { recursive: true });
  } catch (error) {
    throw new StartError(
      `The data directory ${dataDirectory} can't be made (${(error as NodeJS.ErrnoException).code}): ` +
        "set LOYALTY_DATA_DIR to a directory that this user may write to.",
    );
  }
}

function startEmbedded(config: Config): Promise<EmbeddedDatabase> {
  return startEmbeddedDatabase({
    dataDirectory: config.dataDirectory,
    onProgress: say,
    onRestart: (reason) => say(`PostgreSQL was started again: ${reason}`),
  });
}

async function prepareDatabase(config: Config, sql: Database): Promise<void> {
  try {
    const applied = await migrate(sql);
    if (applied.length > 0) say(`Migrated the database: ${applied.join(", ")}`);
  } catch (error) {
    if (error instanceof MigrationError || config.databaseUrl === undefined) throw error;
    if (faultOf(error) === "unavailable" || isRefusedLogin(error)) {
      const { host, pathname } = new URL(config.databaseUrl);
      throw new StartError(
        `The database ${pathname.slice(1)} at ${host} can't be reached (${(error as Error).message}): check DATABASE_URL.`,
      );
    }
    throw error;
  }
}

/** SQLSTATE class 28 (authorization) and 3D (no such database). */
function isRefusedLogin(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as { code?: string }).code ?? ""));
}

async function listen({ app }: Service, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new StartError(`Port ${port} on ${host} is in use: stop what uses it, or set PORT.`);
    if (code === "EACCES")
      throw new StartError(`Port ${port} may not be used by this user: set PORT to 1024 or more.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartError(
        `HOST ${host} is not an address of this machine: set HOST to one, such as 127.0.0.1.`,
      );
    }
    throw error;
  }
}

async function stopAll(service: Service | undefined, sql: Database, embedded: EmbeddedDatabase | undefined) {
  await service?.close();
  await sql.end({ timeout: 5 });
  await embedded?.stop();
}

function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    say(`${signal}: finishing what is in flight …`);
    setTimeout(() => {
      say(`Not finished after ${stopWithinMilliseconds / 1000} s: stopping all the same.`);
      process.exit(1);
    }, stopWithinMilliseconds).unref();
    stop().then(
      () => {
        say("Stopped.");
        process.exit(0);
      },
      (error: unknown) => {
        say(`Stopping failed: ${String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

main().catch((error: unknown) => {
  const expected =
    error instanceof ConfigError ||
    error instanceof StartError ||
    error instanceof MigrationError ||
    error instanceof EmbeddedDatabaseError;
  say(
    expected
      ? error.message
      : `The service could not start: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
});
