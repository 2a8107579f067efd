/** The service as its users start it: processes of its own, with a database of its own or one that is given. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "../src/database/connection.ts";
import { findRunning } from "../src/postgres/embedded.ts";
import { HttpConnection } from "../test/support/http-connection.ts";
import {
  childPids,
  freePort,
  type ServiceProcess,
  startService as spawnService,
} from "../test/support/service-process.ts";
import { type Chaos, eventually } from "./chaos.ts";

export const operatorKey = "an-operator-key-for-this-run-alone-0123456789";
export const serviceSecret = "the same in every process of this run";
export const basePath = "/api";
/** How many processes serve together where several are wanted. */
export const crowd = 4;
const readyWithinMilliseconds = 60_000;
const settingsOfPool = { statementTimeoutMilliseconds: 60_000, applicationName: "loyalty chaos" };

interface ServiceSettings {
  readonly workers?: number;
  /** By default a new one in the chaos's directory. It holds the database, unless the URL names another. */
  readonly dataDirectory?: string;
  readonly databaseUrl?: string;
}

/** A service that can be killed and started again. */
export class Service {
  readonly port: number;
  readonly dataDirectory: string;
  process: ServiceProcess;
  readonly #chaos: Chaos;
  readonly #settings: ServiceSettings;

  private constructor(chaos: Chaos, port: number, settings: ServiceSettings & { dataDirectory: string }) {
    this.#chaos = chaos;
    this.port = port;
    this.dataDirectory = settings.dataDirectory;
    this.#settings = settings;
    this.process = this.#spawn(settings.workers);
  }

  /** Starts a service, which ends with the scenario. @returns once it is ready */
  static async start(chaos: Chaos, settings: ServiceSettings = {}): Promise<Service> {
    const {
      databaseUrl,
      dataDirectory = databaseUrl ? await newDirectory(chaos) : await chaos.newDataDirectory(),
    } = settings;
    const service = new Service(chaos, await freePort(), { ...settings, dataDirectory });
    chaos.atEnd(() => service.process.stop());
    await service.ready();
    return service;
  }

  /** Starts it again, after it has ended. It is not ready yet. */
  launch(workers = this.#settings.workers): void {
    this.process = this.#spawn(workers);
  }

  /** Kills it. @returns when that was, once it has ended */
  async kill(): Promise<number> {
    this.process.kill("SIGKILL");
    const killedAt = performance.now();
    await this.process.ended();
    return killedAt;
  }

  /** Waits until it says that it is ready. @throws when it ends first, or takes longer than a minute */
  async ready(): Promise<void> {
    const connection = new HttpConnection(this.port, 5000);
    const { child } = this.process;
    const log = () => `${this.process.said}${this.process.log}`;
    try {
      await eventually(
        "the service is ready",
        readyWithinMilliseconds,
        async () => {
          if (await isReady(connection)) return true;
          const ended = child.exitCode !== null || child.signalCode !== null;
          if (ended) throw new Error(`the service ended before it was ready:\n${log()}`);
          return false;
        },
        log,
      );
    } finally {
      connection.close();
    }
  }

  /** The pids of its workers; none when the one process serves itself. */
  async workerPids(): Promise<number[]> {
    return childPids(this.process.child.pid, "dist/main.js");
  }

  #spawn(workers = 1): ServiceProcess {
    const { databaseUrl } = this.#settings;
    return spawnService({
      directory: this.#chaos.installation,
      environment: {
        PORT: String(this.port),
        LOYALTY_DATA_DIR: this.dataDirectory,
        LOYALTY_WORKERS: String(workers),
        LOYALTY_DEMO: "off",
        LOYALTY_RATE_LIMIT: "0",
        LOYALTY_FAILED_TOKEN_LIMIT: "0",
        LOYALTY_UNAUTHENTICATED_LIMIT: "0",
        LOYALTY_SECRET: serviceSecret,
        LOYALTY_OPERATOR_KEY: operatorKey,
        // A line a request would cost the load a fifth.
        LOG_LEVEL: "error",
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      },
    });
  }
}

const newDirectory = (chaos: Chaos) => mkdtemp(join(chaos.directory, "service-"));

/** Whether the service says that it is ready. */
export async function isReady(connection: HttpConnection): Promise<boolean> {
  const answer = await connection.get("/health/ready");
  return typeof answer === "object" && answer.status === 200;
}

/** Opens connections to a database beside the service, until the scenario ends. */
export function openBeside(chaos: Chaos, connection: Parameters<typeof openDatabase>[0]): Database {
  const sql = openDatabase(connection, { connections: 4, ...settingsOfPool });
  chaos.atEnd(() => sql.end());
  return sql;
}

/** Opens connections to the database that a service runs itself. */
export async function openDatabaseOf(chaos: Chaos, { dataDirectory }: Service): Promise<Database> {
  const running = await findRunning(dataDirectory);
  if (running === undefined) throw new Error("the database does not answer");
  return openBeside(chaos, running);
}
