/** Statements, transactions and COPY on one connection. */
import type { Socket } from "node:net";
import { finished, type Stream } from "node:stream";
import type pg from "pg";
import { breaksConnection, CommitInDoubtError, ConnectionLostError, codeOf, failureOf } from "./faults.ts";
import { type Fragment, type SqlValue, type Statement, statementOf } from "./sql.ts";

export type Result<Rows> = Rows & {
  /** How many rows the statement returned or changed. */
  readonly count: number;
};

/**
 * Sends statements. A statement is sent when the function is called. Statements that are sent on one connection without waiting
 * for each other are pipelined. The server runs them in that order.
 */
export interface Connection {
  /**
   * @throws DatabaseError as the server reports it, or an error that `faultOf` sorts as unavailable. In a transaction, the
   *   statements after a failed one throw its error.
   */
  <Rows extends readonly object[] = Record<string, unknown>[]>(
    strings: TemplateStringsArray,
    ...values: readonly (SqlValue | Fragment)[]
  ): Promise<Result<Rows>>;
  /** Runs a text without preparing it. It may hold several statements. */
  query<Rows extends readonly object[] = Record<string, unknown>[]>(text: string): Promise<Result<Rows>>;
}

/** A connection that only its holder uses. */
export interface Session extends Connection {
  /** Starts a COPY, in a pool that is not pipelined. If it does not finish, the connection is not used again. */
  copy<Data extends pg.Submittable & Stream>(stream: Data): Data;
  /** Closes the connection at once. Statements under way fail, and the server rolls back. */
  cut(): void;
  /** @param mode such as "READ ONLY" */
  begin(mode?: string): Promise<unknown>;
  /** Commits. @throws CommitInDoubtError when the outcome is unknown, or the error for which it was rolled back */
  commit(): Promise<void>;
  /** Rolls back. It never fails, because the server rolls back the transaction of a lost connection. */
  rollBack(): Promise<void>;
  /** Gives the connection back; call it once. */
  release(): void;
}

/** Sends the statement that `make` returns. Rejects when `make` throws. */
type Send = (make: () => Statement | string) => Promise<Result<object[]>>;

export function connectionOf(send: Send): Connection {
  const tag = (strings: TemplateStringsArray, ...values: readonly (SqlValue | Fragment)[]) =>
    send(() => statementOf(strings, values));
  return Object.assign(tag, { query: (text: string) => send(() => text) }) as unknown as Connection;
}

/** SQLSTATE of a statement that was not run, because one before it failed the transaction. */
const inFailedTransaction = "25P02";

/** A connection of the driver that was taken from the pool, until it is released. */
export class PooledSession {
  readonly connection: Session;
  /** As HostList counts them. */
  readonly epoch: number;
  readonly #client: pg.PoolClient;
  readonly #onLost: () => void;
  /** Whether the connection is lost, or can't be used again. */
  #isBroken = false;
  #isReleased = false;
  /** Whether the connection was closed, also if no statement was under way. */
  #isClosed = false;
  /** Whether a statement of the transaction could not be sent. Then the transaction must not be committed. */
  #isIncomplete = false;
  /** Whether a transaction has ended and none has begun since. A later statement would be committed by itself. */
  #hasEnded = false;
  #wasWarned = false;
  /** The last failure of a statement. A failed transaction rejects what follows, so it is the cause of those rejections. */
  #failure: Error | undefined;
  readonly #onNotice = ({ code }: { code?: string | undefined }) => {
    if (code?.startsWith("01")) this.#wasWarned = true;
  };

  readonly #onError = () => {
    this.#isClosed = true;
  };

  /** @param onLost called when the connection is lost */
  constructor(client: pg.PoolClient, epoch: number, onLost: () => void) {
    this.#client = client;
    this.epoch = epoch;
    this.#onLost = onLost;
    client.on("notice", this.#onNotice).on("error", this.#onError);
    const methods = {
      begin: (mode = "") => {
        [this.#hasEnded, this.#isIncomplete] = [false, false];
        return this.#run(`BEGIN ${mode}`);
      },
      commit: () => this.#commit(),
      rollBack: () => this.#rollBack(),
      release: () => this.release(),
      cut: () => {
        this.#isBroken = true;
        this.release();
      },
      copy: <Data extends pg.Submittable & Stream>(stream: Data) => this.#copy(stream),
    };
    this.connection = Object.assign(
      connectionOf((make) => this.send(make)),
      methods,
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async send(make: () => Statement | string): Promise<Result<object[]>> {
    let statement: Statement | string;
    try {
      statement = make();
    } catch (error) {
      this.#isIncomplete = true;
      throw error;
    }
    const { rows, rowCount } = await this.#run(statement);
    // The property is not enumerable, so that the rows compare like a plain array.
    return Object.defineProperty(rows, "count", { value: rowCount ?? 0 }) as Result<object[]>;
  }

  async #run(statement: Statement | string): Promise<pg.QueryResult> {
    if (this.#isReleased) throw new ConnectionLostError("the connection was given back");
    if (this.#hasEnded) throw new Error("the transaction has ended");
    this.#cork();
    try {
      const result: pg.QueryResult | pg.QueryResult[] = await this.#client.query(statement as pg.QueryConfig);
      // A text of several statements has several results.
      return Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result;
    } catch (error) {
      if (codeOf(error) === inFailedTransaction && this.#failure !== undefined) throw this.#failure;
      const failure = failureOf(error as Error);
      this.#failure = failure;
      if (breaksConnection(error)) {
        // Other connections may be lost, too, or have the same outdated plan.
        if (!this.#isBroken) this.#onLost();
        this.#isBroken = true;
      }
      // The driver's stack does not contain the caller.
      Error.captureStackTrace(failure);
      throw failure;
    }
  }

  /** Statements that are sent at the same time go to the server in one write. */
  #cork(): void {
    const { stream } = (this.#client as unknown as { readonly connection: { readonly stream: Socket } })
      .connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  async #commit(): Promise<void> {
    if (this.#isIncomplete) throw new Error("a statement of the transaction could not be sent");
    this.#wasWarned = false;
    const committed = this.#run("COMMIT");
    this.#hasEnded = true;
    const { command } = await committed;
    // The server responds ROLLBACK to the COMMIT of a failed transaction.
    if (command !== "COMMIT") throw this.#failure ?? new Error("the transaction was rolled back");
    // The warning means that the server stopped waiting for its standby, so a failover may lose the transaction.
    if (this.#wasWarned) {
      this.#isBroken = true;
      throw new CommitInDoubtError("the commit is not confirmed by the standby");
    }
  }

  async #rollBack(): Promise<void> {
    this.#hasEnded = false;
    const rolledBack = this.#run("ROLLBACK");
    this.#hasEnded = true;
    await rolledBack.catch(() => {
      // The state of its transaction is unknown.
      this.#isBroken = true;
    });
  }

  #copy<Data extends pg.Submittable & Stream>(stream: Data): Data {
    this.#isBroken = true;
    finished(stream as unknown as NodeJS.ReadableStream, (error) => {
      this.#isBroken = error !== undefined && error !== null;
    });
    return this.#client.query(stream);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.off("notice", this.#onNotice).off("error", this.#onError);
    this.#client.release(this.#isBroken);
  }
}
