/** Connections to PostgreSQL: sending statements, transactions, and pools of connections. */
import { type Connection, callable, type Session } from "./session.ts";
import { type PoolSettings, type PoolUsage, SessionPool } from "./session-pool.ts";
import { type ConnectionSettings, HostList, targetOf } from "./target.ts";

export type { Connection, Session } from "./session.ts";
export type { ConnectionSettings } from "./target.ts";

/** A pool of connections. */
export interface Database extends Connection {
  /** How many connections it opens at most. */
  readonly connections: number;
  usage(): PoolUsage;
  /** Takes a connection out of the pool. The caller releases it. */
  reserve(): Promise<Session>;
  /**
   * Runs a transaction: commits when `work` resolves, rolls back when it throws.
   * @param mode such as "READ ONLY"
   */
  begin<Value>(work: (tx: Connection) => Promise<Value>, mode?: string): Promise<Value>;
  /** Closes idle connections now, and the others when they are given back. */
  end(): Promise<void>;
}

/**
 * Opens a pool. Connections are opened on first use.
 * @param target a PostgreSQL URL or settings; a URL may name several hosts; the primary is used
 */
export function openDatabase(
  target: string | ConnectionSettings | HostList,
  settings: PoolSettings,
): Database {
  const hosts = target instanceof HostList ? target : new HostList(targetOf(target));
  const pool = new SessionPool(hosts, settings);
  const database =
    settings.shared === true
      ? callable((statement) => pool.share((session) => session.send(statement)))
      : callable((statement) => pool.use((session) => session.send(statement)));
  return Object.assign(database, {
    connections: settings.connections,
    usage: () => pool.usage(),
    reserve: async () => (await pool.take()).connection,
    begin: <Value>(work: (tx: Connection) => Promise<Value>, mode = "") =>
      pool.use((session) => inTransaction(session.connection, work, mode)),
    end: () => pool.end(),
  });
}

async function inTransaction<Value>(
  session: Session,
  work: (tx: Connection) => Promise<Value>,
  mode: string,
): Promise<Value> {
  // BEGIN is awaited: if it failed, the statements behind it would each be committed by themselves.
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
