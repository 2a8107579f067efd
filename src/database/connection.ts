import postgres, {
  type ISql,
  type MaybeRow,
  type Options,
  type PendingQuery,
  type PostgresType,
  type RowList,
  type Sql,
} from "postgres";

/**
 * Whether the driver is the one that scripts/patch-postgres.mjs has mended. The published one is not fit for what it is
 * used for here: it would lose the process with a connection.
 */
export function isDriverMended(): boolean {
  return (postgres as { readonly mended?: boolean }).mended === true;
}

/** Runs statements outside a transaction, each on any connection of the pool. */
export type Database = Sql;
/** Whatever statements can be sent through: the pool, a transaction or a reserved connection. */
export type Connection = ISql;

/** The type of a boolean array: the driver takes one for a boolean unless `sql.array` is told its type. */
export const booleanArray = 1000;

export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface PoolSettings {
  readonly connections: number;
  /** The server ends a statement that takes longer. */
  readonly statementTimeoutMilliseconds: number;
  readonly applicationName: string;
  /** Run-time settings of the server for the pool's connections. */
  readonly serverSettings?: Readonly<Record<string, string>>;
}

/** bigint arrives as a safe integer or not at all: every column is bounded, so more is a corrupt row. */
export function parseBigint(text: string): number {
  return safeInteger(Number(text), text);
}

/**
 * A bigint that the server wrote as JSON: of more digits than a number has, some are lost by now.
 * @param text what the server wrote, where it is known
 */
export function safeInteger(value: number, text = String(value)): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is not a safe integer`);
  return value;
}

const types: Record<string, PostgresType> = {
  bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: parseBigint },
  // Timestamps stay the text that the server wrote: a JavaScript Date would drop the microseconds.
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (value: unknown) => value,
    parse: (text: string) => text,
  },
};

/** What scripts/patch-postgres.mjs adds. */
interface MendedOptions extends Options<Record<string, PostgresType>> {
  /** Seconds for which a connection may owe an answer and send nothing, before it is given up as lost. */
  answer_timeout?: number;
}

/** How much later than the server's own timeout an answer may arrive. */
const answerSlackMilliseconds = 2000;

/**
 * Opens a pool. Connections are made when first needed.
 * @param target a PostgreSQL URL or settings; a URL may name several hosts, of which the primary is used
 */
export function openDatabase(target: string | ConnectionSettings, pool: PoolSettings): Database {
  const { statementTimeoutMilliseconds } = pool;
  const options: MendedOptions = {
    max: pool.connections,
    connect_timeout: 5,
    ...(statementTimeoutMilliseconds > 0 && {
      answer_timeout: (statementTimeoutMilliseconds + answerSlackMilliseconds) / 1000,
    }),
    // The driver's read-write takes a standby for one.
    target_session_attrs: "primary",
    idle_timeout: 0,
    max_lifetime: null,
    // A connection that finds its server gone tries again soon: the pool must heal within two seconds.
    backoff: (retries: number) => Math.min(1, 0.1 * 2 ** Math.min(retries, 4)) * (0.5 + Math.random() / 2),
    types,
    onnotice: () => {
      // Notices are for people at a prompt.
    },
    connection: {
      application_name: pool.applicationName,
      statement_timeout: statementTimeoutMilliseconds,
      idle_in_transaction_session_timeout: 30_000,
      // Neither timeout runs while the server waits for the rest of a message, from a machine that is gone, say.
      tcp_keepalives_idle: 15,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      // Every statement has an index. A plan that the server made and kept while a table was all but empty would
      // otherwise go on reading the whole table, until statistics are taken anew.
      enable_seqscan: "off",
      TimeZone: "UTC",
      // Whatever the database's default: who waits for a lock has to see what its holder did.
      default_transaction_isolation: "read committed",
      ...pool.serverSettings,
    },
  };
  return (typeof target === "string"
    ? postgres(target, options)
    : postgres({
        ...options,
        ...target,
        host: target.host,
        path: undefined as never,
      })) as unknown as Database;
}

/**
 * Runs one statement whose plan is made once and kept, whatever the parameters: where planning costs as much as
 * running, and each step has the one index that serves it.
 */
export async function plannedOnce<Rows extends readonly MaybeRow[]>(
  sql: Database,
  statement: (tx: Connection) => PendingQuery<Rows>,
): Promise<RowList<Rows>> {
  const connection = await sql.reserve();
  // All are sent without waiting for each other, and so take one round trip.
  const sent = [
    connection`BEGIN READ ONLY`.execute(),
    connection`SET LOCAL plan_cache_mode = force_generic_plan`.execute(),
    statement(connection).execute(),
    connection`COMMIT`.execute(),
  ] as const;
  try {
    const [, , result] = await Promise.all(sent);
    return result;
  } finally {
    await Promise.allSettled(sent);
    connection.release();
  }
}

/**
 * Runs a transaction whose statements are pipelined on one connection.
 * @param work sends statements as it likes, and calls `commit` right after the last, without waiting for it
 */
export async function inPipelinedTransaction<Result>(
  sql: Database,
  work: (tx: Connection, commit: () => Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  const connection = await sql.reserve();
  try {
    // Sent without waiting, so that it shares a round trip with the first statements; when it fails, they do, too.
    connection`BEGIN`.execute().catch(() => undefined);
    return await work(connection, () => connection`COMMIT`.execute());
  } catch (error) {
    await connection`ROLLBACK`.catch(() => {
      // A lost connection has nothing left to roll back.
    });
    throw error;
  } finally {
    connection.release();
  }
}

/**
 * Runs statements whose plans are made anew each time. Of a statement that is sent often, the server keeps a plan;
 * one that was made when a table was empty may read all of it, row for row, once it has grown. For statements over
 * many rows only: planning takes its time, and every foreign key would be planned as well.
 */
export async function plannedAnew<Result>(tx: Connection, run: () => Promise<Result>): Promise<Result> {
  const [, result] = await Promise.all([tx`SET LOCAL plan_cache_mode = force_custom_plan`.execute(), run()]);
  // Not waited for: should it fail, so does what follows in the transaction.
  tx`SET LOCAL plan_cache_mode = auto`.execute().catch(() => undefined);
  return result;
}

const retryable = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  // A prepared statement whose plan no longer fits, or that the server has forgotten: it is prepared anew.
  "0A000", // feature_not_supported
  "26000", // invalid_sql_statement_name
]);

const unavailable = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "25006", // read_only_sql_transaction
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_not_available
  "57014", // query_canceled: the statement timeout
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "58030", // io_error
]);

export type DatabaseFault = "retry" | "conflict" | "unavailable" | "other";

/** Sorts a failure by what can be done about it; the code is an SQLSTATE or a network error. */
export function faultOf(error: unknown): DatabaseFault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (retryable.has(code)) return "retry";
  if (code === "23505") return "conflict";
  // Class 08 is of connections, class 53 of what has run out: memory, the disk, connections.
  if (unavailable.has(code) || /^(?:08|53)...$/.test(code)) return "unavailable";
  // The network, in one of the many ways in which it fails.
  if (error instanceof Error && "syscall" in error) return "unavailable";
  return "other";
}

/** What of a failure may be logged: a server's detail can quote a row, and so a member's personal data. */
export function describeFault(error: unknown): {
  code?: string;
  message: string;
  stack?: string | undefined;
} {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  if (!("code" in error)) return { message, stack };
  const code = String(error.code);
  // A data exception (SQLSTATE class 22) quotes the value in its message, which the stack repeats.
  if (/^22...$/.test(code)) return { code, message: "data exception", stack: stack?.split(message).at(-1) };
  return { code, message, stack };
}
