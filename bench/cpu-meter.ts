import type { DatabaseServer } from "./database-server.ts";
import type { LoadResult } from "./load.ts";
import { cpuSecondsOfTree } from "./processes.ts";
import type { Figure } from "./report.ts";
import type { ServiceProcess } from "./service.ts";

/**
 * How much processor time a request takes of the service, the database and the load generator. On a machine that others
 * share it says more than a rate does: it counts what is done, not how long that had to wait.
 */
export class CpuMeter {
  readonly #used = { service: 0, database: 0, generator: 0 };
  readonly #server: DatabaseServer;
  readonly #service: ServiceProcess;
  #requests = 0;

  constructor(server: DatabaseServer, service: ServiceProcess) {
    this.#server = server;
    this.#service = service;
  }

  /** Runs a load of the service, and counts what it uses. */
  async during(run: () => Promise<LoadResult>): Promise<LoadResult> {
    const before = await this.#read();
    const result = await run();
    const after = await this.#read();
    this.#used.service += after.service - before.service;
    this.#used.database += after.database - before.database;
    this.#used.generator += result.generatorCpuSeconds;
    this.#requests += result.answers;
    return result;
  }

  /** @param where added to each name, such as ", at 10,000 entries" */
  figures(where = ""): Figure[] {
    return Object.entries(this.#used).map(([name, seconds]) => ({
      what: `CPU time of the ${name}${where}`,
      value: (seconds / this.#requests) * 1_000_000,
      unit: "µs per request",
    }));
  }

  async #read() {
    return {
      service: await cpuSecondsOfTree(this.#service.pid),
      database: await cpuSecondsOfTree(this.#server.pid),
    };
  }
}
