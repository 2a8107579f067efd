/** Pools of connections to PostgreSQL, the settings of these connections, and the types of values. */
import { createRequire } from "node:module";
import type pg from "pg";
import { FairQueue } from "../domain/fair-queue.ts";
import { failureOf } from "./faults.ts";
import { type Connection, connectionOf, PooledSession, type Session } from "./session.ts";
import { type ConnectionSettings, HostList, targetOf } from "./target.ts";

export type { Connection, Session } from "./session.ts";
export type { ConnectionSettings } from "./target.ts";

export interface PoolSettings {
  readonly connections: number;
  /** The server ends a statement after this time; 0 for no limit. */
  readonly statementTimeoutMilliseconds: number;
  readonly applicationName: string;
  /** Further settings of the server for these connections. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /**
   * Statements of several callers share a connection, on which they are pipelined. This halves the processor time of short
   * look-ups, but a slow statement delays the statements behind it.
   */
  readonly shared?: boolean;
  /** Off for COPY, which the driver rejects in pipeline mode. Statements must then wait for each other. */
  readonly pipeline?: boolean;
}

/** The connections of a pool, and how many callers wait for one, or for their turn. */
export interface PoolUsage {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The connections of a pool for one owner. All work of the owner takes turns with the work of other owners. */
export interface Share extends Connection {
  /** Runs work on a connection that nobody else uses meanwhile. */
  use<Value>(work: (session: Session) => Promise<Value>): Promise<Value>;
  /** Runs a transaction: commits when `work` resolves, rolls back when it throws. @param mode such as "READ ONLY" */
  begin<Value>(work: (tx: Session) => Promise<Value>, mode?: string): Promise<Value>;
}

/** A pool of connections. Its own methods are for work of the service. They wait for a connection, but take no turns. */
export interface Database extends Share {
  /** How many connections it opens at most. */
  readonly connections: number;
  usage(): PoolUsage;
  /** Takes a connection out of the pool. The caller releases it. */
  reserve(): Promise<Session>;
  /**
   * The share of an owner, who gets at most half of the connections, but at least one. Owners take turns.
   * Its methods throw an OverloadedError when too much work of the owner waits.
   */
  shareOf(owner: string | number): Share;
  /** Closes idle connections now, and the others when they are given back. */
  end(): Promise<void>;
}

/** Opens a pool. Connections are opened on first use. @param target can name several hosts; the primary is used */
export function openDatabase(
  target: string | ConnectionSettings | HostList,
  settings: PoolSettings,
): Database {
  const hosts = target instanceof HostList ? target : new HostList(targetOf(target));
  const pool = new SessionPool(hosts, settings);
  const { connections, shared = false } = settings;
  const turns = new FairQueue({ ...turnSettings, atOnce: connections * (shared ? statementsOnShared : 1) });
  return Object.assign(
    shareOf(pool, shared, (work) => work()),
    {
      connections,
      usage: () => {
        const usage = pool.usage();
        return { ...usage, waiting: usage.waiting + turns.waiting() };
      },
      reserve: async () => (await pool.take()).connection,
      shareOf: (owner: string | number) => shareOf(pool, shared, (work) => turns.run(owner, work)),
      end: () => pool.end(),
    },
  );
}

/** How many statements are in flight on a shared connection. The server runs them one by one, so more would not be faster. */
const statementsOnShared = 32;
/** Work that waits too long is rejected, so that its caller gets a response within the time limit of a request. */
const turnSettings = {
  keepsPlacesFree: 1,
  mostWaiting: 1000,
  mostInAll: 5000,
  longestWaitMilliseconds: 5000,
  clock: () => performance.now(),
};

/** @param inTurn runs work when it is the turn of the owner */
function shareOf(
  pool: SessionPool,
  shared: boolean,
  inTurn: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Share {
  const run = shared ? pool.share.bind(pool) : pool.use.bind(pool);
  const statements = connectionOf(async (make) => {
    const statement = make();
    return inTurn(() => run((session) => session.send(() => statement)));
  });
  const use = <Value>(work: (session: Session) => Promise<Value>) =>
    inTurn(() => pool.use((session) => work(session.connection)));
  return Object.assign(statements, {
    use,
    begin: <Value>(work: (tx: Session) => Promise<Value>, mode = "") =>
      use((session) => inTransaction(session, work, mode)),
  });
}

async function inTransaction<Value>(
  session: Session,
  work: (tx: Session) => Promise<Value>,
  mode: string,
): Promise<Value> {
  // BEGIN is awaited, because each statement after a failed BEGIN would be committed by itself.
  await session.begin(mode);
  try {
    const value = await work(session);
    await session.commit();
    return value;
  } catch (error) {
    await session.rollBack();
    throw error;
  }
}

/**
 * Runs statements of a transaction with plans for their parameters. By default, connections use one generic plan for each
 * statement. It suits look-ups by key, but not statements over many rows and searches of rare text.
 */
export async function withCustomPlans<Value>(tx: Connection, run: () => Promise<Value>): Promise<Value> {
  const [, value] = await Promise.all([tx`SET LOCAL plan_cache_mode = force_custom_plan`, run()]);
  // This is not awaited. If it fails, the next statements of the transaction fail, too.
  tx`SET LOCAL plan_cache_mode = force_generic_plan`.catch(() => undefined);
  return value;
}

/** Runs statements of a transaction, and undoes their effects. */
export async function undone<Value>(tx: Connection, run: () => Promise<Value>): Promise<Value> {
  await tx`SAVEPOINT trial`;
  const value = await run();
  await tx`ROLLBACK TO SAVEPOINT trial`;
  return value;
}

let loaded: typeof pg | undefined;

/** Loads the driver at its first use, because that takes 35 ms, and most commands of the command line need no database. */
function driver(): typeof pg {
  loaded ??= createRequire(import.meta.url)("pg") as typeof pg;
  return loaded;
}

/** bigint is read as a safe integer. Every column is bounded, so a larger value is a corrupt row. */
function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is not a safe integer`);
  return value;
}

/** How values are read, by the OIDs of their types. */
function typesOf(driver: typeof pg): pg.CustomTypesConfig {
  const types = new driver.TypeOverrides();
  const parseArray = driver.types.getTypeParser(1016 as number, "text") as (text: string) => string[];
  types.setTypeParser(20, parseBigint);
  types.setTypeParser(1016 as number, (text: string) => parseArray(text).map(parseBigint));
  // Dates and times stay text, because a JavaScript Date would drop the microseconds.
  for (const oid of [1082, 1114, 1184]) types.setTypeParser(oid, (text) => text);
  return types;
}

/** The timeline of a primary, from the name of its write-ahead log file; 0 for a standby. */
const timeline = `CASE WHEN pg_is_in_recovery() THEN 0
  ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END`;

/** How much later than the server's own timeout a response may arrive. */
const responseSlackMilliseconds = 2000;
const connectTimeoutMilliseconds = 5000;
/** By the system's default, a statement without a time limit would wait two hours for a lost server. */
const keepAliveAfterMilliseconds = 15_000;
/** How long `end` waits for connections that are in use. */
const endWithinMilliseconds = 5000;

/**
 * The settings of a connection, as a select list. They are not sent as parameters of the connection, because poolers in session
 * mode may not know all of them.
 */
function settingsOf({ statementTimeoutMilliseconds, serverSettings }: PoolSettings): string {
  const settings: Readonly<Record<string, string>> = {
    statement_timeout: String(statementTimeoutMilliseconds),
    idle_in_transaction_session_timeout: "30s",
    // The server notices a client machine that is gone.
    tcp_keepalives_idle: "15",
    tcp_keepalives_interval: "5",
    tcp_keepalives_count: "3",
    // Statements are short and use indexes, so compilation and parallel workers cost more than they gain.
    jit: "off",
    max_parallel_workers_per_gather: "0",
    // For a business that is missing from the statistics, a plan for the parameters may use any index.
    plan_cache_mode: "force_generic_plan",
    // A plan that was made while a table was almost empty would read the whole table until the table is analyzed again. In the
    // first minute of a new installation, groups of postings took 70 ms instead of 5.
    enable_seqscan: "off",
    // A warning reports a commit that stopped waiting for its standby.
    client_min_messages: "warning",
    timezone: "UTC",
    // After a wait for a lock, the next statement must see the changes of the previous holder.
    default_transaction_isolation: "read committed",
    ...serverSettings,
  };
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(", ");
}

class SessionPool {
  readonly #pool: pg.Pool;
  readonly #hosts: HostList;
  readonly #connections: number;
  readonly #epochs = new WeakMap<pg.ClientBase, number>();
  /** The connections that callers share, in rotation. */
  readonly #shared: (Promise<PooledSession> | undefined)[];
  #next = 0;

  constructor(hosts: HostList, settings: PoolSettings) {
    this.#hosts = hosts;
    this.#connections = settings.connections;
    this.#shared = new Array(settings.shared === true ? settings.connections : 0).fill(undefined);
    const { statementTimeoutMilliseconds } = settings;
    const setUp = settingsOf(settings);
    this.#pool = new (driver().Pool)({
      // A new client connects to the host that is current.
      Client: class extends driver().Client {
        constructor(options?: pg.ClientConfig) {
          super({ ...options, ...hosts.current });
        }
      },
      max: settings.connections,
      pipeline: settings.pipeline ?? true,
      types: typesOf(driver()),
      application_name: settings.applicationName,
      connectionTimeoutMillis: connectTimeoutMilliseconds,
      idleTimeoutMillis: 0,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMilliseconds,
      // By default, the driver waits forever for a server that stops responding.
      ...(statementTimeoutMilliseconds > 0 && {
        query_timeout: statementTimeoutMilliseconds + responseSlackMilliseconds,
      }),
      onConnect: (async (client: pg.ClientBase) => {
        const { rows } = await client.query(`SELECT ${timeline} AS timeline, ${setUp}`);
        this.#epochs.set(client, hosts.accept(rows[0].timeline));
      }) as (client: pg.ClientBase) => void,
    });
    // Statements report failures themselves. An event without a listener would end the process.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
    this.#pool.on("error", () => undefined);
  }

  /** Takes a connection to the primary. @throws when there is none in time */
  async take(): Promise<PooledSession> {
    for (let attempt = 1; ; attempt++) {
      const tried = this.#hosts.current;
      try {
        const client = await this.#pool.connect();
        const epoch = this.#epochs.get(client) as number;
        if (this.#hosts.isCurrent(epoch)) return new PooledSession(client, epoch, () => this.#hosts.lose());
        client.release(true);
        attempt = 0;
      } catch (error) {
        // All connections are in use, so the failure says nothing about the host.
        if (this.#pool.totalCount >= this.#connections) throw failureOf(error as Error);
        this.#hosts.moveOn(tried);
        if (attempt >= this.#hosts.size) throw failureOf(error as Error);
      }
    }
  }

  async use<Value>(work: (session: PooledSession) => Promise<Value>): Promise<Value> {
    const session = await this.take();
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }

  /** Runs work on a connection that other callers use meanwhile. */
  async share<Value>(work: (session: PooledSession) => Promise<Value>): Promise<Value> {
    const place = this.#next++ % this.#shared.length;
    const taken = this.#shared[place] ?? this.take();
    this.#shared[place] = taken;
    const session = await taken.catch(() => undefined);
    if (session?.isClosed === false && this.#hosts.isCurrent(session.epoch)) return work(session);
    if (this.#shared[place] === taken) this.#shared[place] = undefined;
    session?.release();
    return session === undefined ? taken.then(work) : this.share(work);
  }

  usage(): PoolUsage {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async end(): Promise<void> {
    for (const taken of this.#shared.splice(0)) {
      (await taken?.catch(() => undefined))?.release();
    }
    const waited = new Promise((resolve) => setTimeout(resolve, endWithinMilliseconds).unref());
    await Promise.race([this.#pool.end(), waited]);
  }
}
