/** Stands between the service and PostgreSQL and lets all pass, until a test takes the database away. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ConnectionSettings } from "../../src/database/connection.ts";

export interface DatabaseProxy {
  /** The same database, through the proxy. */
  readonly connection: ConnectionSettings;
  /** How often a client has spoken after the server did: as often as it waited for an answer, at most. */
  readonly turns: () => number;
  /** Ends every connection and refuses new ones. */
  takeAway(): void;
  /** Accepts connections and passes nothing on, in either direction. */
  freeze(): void;
  /** Lets all pass again; frozen connections are lost. */
  giveBack(): void;
  /**
   * Loses the next connection on which the server completes a command, in place of its answer.
   * @param tag how the server names the command, as in BEGIN, INSERT 0 1, UPDATE 1 or COMMIT
   * @param skip how many such answers pass before
   * @returns resolves once it happened
   */
  loseAnswerTo(tag: string, skip?: number): Promise<void>;
  close(): Promise<void>;
}

export async function startDatabaseProxy(target: ConnectionSettings): Promise<DatabaseProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: "open" | "away" | "frozen" = "open";
  let turns = 0;
  let cut: { readonly tag: Buffer; skip: number; readonly done: () => void } | undefined;

  const upstream = () =>
    target.host.startsWith("/")
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);

  /** Whether the answer that is to be lost is among these bytes. */
  const isCut = (bytes: Buffer): boolean => {
    if (cut === undefined || !bytes.includes(cut.tag)) return false;
    if (cut.skip-- > 0) return false;
    cut.done();
    cut = undefined;
    return true;
  };

  const server = createServer((client) => {
    if (state === "away") {
      client.destroy();
      return;
    }
    const database = upstream();
    const pair = [client, database] as const;
    pairs.add(pair);
    const lose = () => {
      pairs.delete(pair);
      client.destroy();
      database.destroy();
    };
    for (const socket of pair) socket.on("error", lose).on("close", lose);
    let serverSpokeLast = true;
    client.on("data", (bytes) => {
      if (serverSpokeLast) turns += 1;
      serverSpokeLast = false;
      if (state === "open") database.write(bytes);
    });
    database.on("data", (bytes) => {
      serverSpokeLast = true;
      if (isCut(bytes)) lose();
      else if (state === "open") client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const loseAll = () => {
    for (const [client, database] of pairs) {
      client.destroy();
      database.destroy();
    }
  };
  const become = (next: typeof state) => {
    state = next;
  };
  return {
    connection: { ...target, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    turns: () => turns,
    takeAway() {
      become("away");
      loseAll();
    },
    freeze: () => become("frozen"),
    giveBack() {
      if (state === "frozen") loseAll();
      become("open");
    },
    loseAnswerTo: (tag, skip = 0) =>
      new Promise((done) => {
        // A CommandComplete message: C, its length, the tag and a zero byte.
        const length = Buffer.alloc(4);
        length.writeInt32BE(tag.length + 5);
        cut = { tag: Buffer.concat([Buffer.from("C"), length, Buffer.from(`${tag}\0`)]), skip, done };
      }),
    close: () =>
      new Promise((resolve) => {
        loseAll();
        server.close(() => resolve());
      }),
  };
}
