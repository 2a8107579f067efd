/** The service as its users start it, in processes of its own. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type ConnectionSettings, type Database, openDatabase } from "../../../src/database/connection.ts";
import { findRunning } from "../../../src/postgres/embedded.ts";
import { HttpConnection } from "../http-connection.ts";
import { childPids, freePort, type ServiceProcess, startService } from "../service-process.ts";
import { eventually, type Run } from "./run.ts";

export const operatorKey = "an-operator-key-for-this-run-alone-0123456789";
export const serviceSecret = "the same in every process of this run";
export const basePath = "/api";
/** The number of processes in scenarios that need several. */
export const crowd = 4;
const readyWithinMilliseconds = 60_000;

interface ServiceSettings {
  readonly workers?: number;
  /** A new one by default. It contains the database, unless the environment names another one. */
  readonly dataDirectory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The program of Node.js; by default the one that runs this. */
  readonly node?: string | undefined;
  /** Options of Node.js, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[];
}

/** A service that can be killed and started again. */
export class Service {
  readonly port: number;
  readonly dataDirectory: string;
  process: ServiceProcess;
  readonly #run: Run;
  readonly #settings: ServiceSettings;

  private constructor(run: Run, port: number, dataDirectory: string, settings: ServiceSettings) {
    this.#run = run;
    this.port = port;
    this.dataDirectory = dataDirectory;
    this.#settings = settings;
    this.process = this.#spawn(settings.workers);
  }

  /** Starts a service, and stops it when the scenario ends. @returns once it is ready */
  static async start(run: Run, settings: ServiceSettings = {}): Promise<Service> {
    const hasDatabase = settings.environment?.DATABASE_URL === undefined;
    const newDirectory = () =>
      hasDatabase ? run.newDataDirectory() : mkdtemp(join(run.directory, "service-"));
    const { dataDirectory = await newDirectory() } = settings;
    const service = new Service(run, await freePort(), dataDirectory, settings);
    run.atEnd(() => service.process.stop());
    await service.ready();
    return service;
  }

  get pid(): number {
    return this.process.child.pid ?? 0;
  }

  /** Starts it again after it has ended. It is not ready yet. */
  launch(workers = this.#settings.workers): void {
    this.process = this.#spawn(workers);
  }

  /** Kills it and waits until it has ended. @returns when it was killed */
  async kill(): Promise<number> {
    this.process.kill("SIGKILL");
    const killedAt = performance.now();
    await this.process.ended();
    return killedAt;
  }

  /** Waits until it is ready. @throws if it ends first, or needs more than a minute */
  async ready(): Promise<void> {
    const connection = new HttpConnection(this.port, 5000);
    const { child } = this.process;
    const log = () => `${this.process.said}${this.process.log}`;
    const attempt = async () => {
      if (await isReady(connection)) return true;
      const ended = child.exitCode !== null || child.signalCode !== null;
      if (ended) throw new Error(`the service ended before it was ready:\n${log()}`);
      return false;
    };
    const ready = eventually("the service is ready", readyWithinMilliseconds, attempt, log);
    await ready.finally(() => connection.close());
  }

  /** The pids of its workers; none if one process does all. */
  workerPids(): Promise<number[]> {
    return childPids(this.pid, "dist/main.js");
  }

  /** Opens connections to the embedded database. */
  async openDatabase(): Promise<Database> {
    return openBeside(this.#run, await this.database());
  }

  /** Where the embedded database listens. */
  async database(): Promise<ConnectionSettings> {
    const running = await findRunning(this.dataDirectory);
    if (running === undefined) throw new Error("the database does not respond");
    return running;
  }

  #spawn(workers = 1): ServiceProcess {
    const { environment, node, nodeOptions = [] } = this.#settings;
    return startService({
      directory: this.#run.installation,
      ...(node !== undefined && { node }),
      nodeOptions,
      environment: {
        HOST: "127.0.0.1",
        PORT: String(this.port),
        LOYALTY_DATA_DIR: this.dataDirectory,
        LOYALTY_WORKERS: String(workers),
        LOYALTY_DEMO: "off",
        LOYALTY_RATE_LIMIT: "0",
        LOYALTY_FAILED_TOKEN_LIMIT: "0",
        LOYALTY_WRONG_CODE_LIMIT: "0",
        LOYALTY_UNAUTHENTICATED_LIMIT: "0",
        LOYALTY_REJECTED_BYTES_LIMIT: "0",
        LOYALTY_SECRET: serviceSecret,
        LOYALTY_OPERATOR_KEY: operatorKey,
        // A line for each request would take a fifth of the load's processor time.
        LOG_LEVEL: "error",
        ...environment,
      },
    });
  }
}

/** Whether the service says that it is ready. */
export async function isReady(connection: HttpConnection): Promise<boolean> {
  const response = await connection.get("/health/ready");
  return typeof response === "object" && response.status === 200;
}

/** Opens connections to a database that services use, and closes them when the scenario ends. */
export function openBeside(run: Run, connection: ConnectionSettings): Database {
  const sql = openDatabase(connection, {
    connections: 4,
    statementTimeoutMilliseconds: 0,
    applicationName: "loyalty chaos",
  });
  run.atEnd(() => sql.end());
  return sql;
}
