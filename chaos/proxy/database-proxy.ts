/** Stands between the service and PostgreSQL, and does to their connections what networks do. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type HeldBytes, Hold, type HoldOrder } from "./held-bytes.ts";
import { backendPidIn, CommitRequests, isCommitAnswer, isWriteRequest, Messages } from "./messages.ts";

/** What all connections meet until it changes. */
export type Weather =
  | { readonly kind: "clear" }
  /** Every message takes up to so much longer, in order. */
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** Nobody is there: connections are refused. */
  | { readonly kind: "away" }
  /** Connections stand, and nothing passes in either direction. */
  | { readonly kind: "silent" };

/** Where one connection is cut: before, within or after a message, by the share of it that still passes. */
export interface Cut {
  readonly at: "request" | "answer" | "commit request" | "commit answer";
  readonly share: number;
}

/** Where PostgreSQL listens; a host that is a path is the directory of a socket. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** What is known of a connection that stands. */
export interface ProxiedConnection {
  readonly target: Target;
  /** The server's process for it; undefined until the server has accepted it. */
  readonly backendPid: number | undefined;
  /** Whether a statement that writes or locks rows was sent on it. */
  readonly hasWritten: boolean;
}

export interface DatabaseProxy {
  readonly port: number;
  become(weather: Weather): void;
  /** Resets every connection at once. */
  resetAll(): void;
  /** Cuts the next connection on which such a message comes. @returns resolves once it happened */
  cut(cut: Cut): Promise<void>;
  /**
   * Cuts the client side of the next connection on which the order's marker comes, and keeps the last bytes.
   * @returns resolves once it happened; to undefined when the marker has not come in time
   */
  hold(order: HoldOrder, withinMilliseconds: number): Promise<HeldBytes | undefined>;
  /** Sends connections that are opened from now on to another server. */
  retarget(target: Target): void;
  connections(): readonly ProxiedConnection[];
  /** Resets some of the connections. @returns how many */
  resetThose(which: (connection: ProxiedConnection) => boolean): number;
  /** How many connections were cut or reset so far. */
  lost(): number;
  close(): Promise<void>;
}

export async function startDatabaseProxy(first: Target): Promise<DatabaseProxy> {
  const links = new Set<Link>();
  let weather: Weather = { kind: "clear" };
  let lost = 0;
  let waiting: { readonly cut: Cut; readonly done: () => void } | undefined;
  let hold: Hold | undefined;
  let target = first;

  const upstream = () =>
    target.host.startsWith("/")
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);

  /** The server's side of connections outlives the client's while bytes are held. */
  const upstreams = new Set<Socket>();
  const server = createServer((client) => {
    if (weather.kind === "away") {
      client.destroy();
      return;
    }
    const database = upstream();
    upstreams.add(database.once("close", () => upstreams.delete(database)));
    const link = new Link(client, database, {
      target,
      weather: () => weather,
      hold: () => hold,
      takeHold: () => {
        hold = undefined;
      },
      cutAt: (at) => {
        const isOne = waiting !== undefined && (waiting.cut.at === at || `commit ${waiting.cut.at}` === at);
        if (!isOne || waiting === undefined) return undefined;
        const { cut, done } = waiting;
        waiting = undefined;
        lost += 1;
        done();
        return cut.share;
      },
      closed: () => links.delete(link),
    });
    links.add(link);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const resetAll = () => {
    lost += links.size;
    for (const link of links) link.reset();
  };
  return {
    port: (server.address() as AddressInfo).port,
    become(next) {
      const before = weather.kind;
      weather = next;
      // The network forgets connections that were silent for long.
      if (next.kind === "away" || before === "silent") resetAll();
    },
    resetAll,
    cut: (cut) =>
      new Promise((done) => {
        waiting = { cut, done };
      }),
    hold: (order, withinMilliseconds) =>
      new Promise((done) => {
        const ordered = new Hold(order, done);
        hold = ordered;
        setTimeout(() => {
          if (hold !== ordered) return;
          hold = undefined;
          done(undefined);
        }, withinMilliseconds);
      }),
    retarget(next) {
      target = next;
    },
    connections: () => [...links],
    resetThose(which) {
      const chosen = [...links].filter(which);
      lost += chosen.length;
      for (const link of chosen) link.reset();
      return chosen.length;
    },
    lost: () => lost,
    async close() {
      resetAll();
      for (const socket of upstreams) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A service sends what belongs together without pausing for so long. */
const quietMilliseconds = 30;

interface LinkSettings {
  readonly target: Target;
  readonly weather: () => Weather;
  /** The hold that waits for its marker. */
  readonly hold: () => Hold | undefined;
  /** The hold has found its connection. */
  readonly takeHold: () => void;
  /** @returns which share of the message still passes, when the connection is to be cut at it */
  readonly cutAt: (at: Cut["at"]) => number | undefined;
  readonly closed: () => void;
}

/** One connection of the service, and the one to PostgreSQL that belongs to it. */
class Link implements ProxiedConnection {
  backendPid: number | undefined;
  hasWritten = false;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #settings: LinkSettings;
  readonly #commits = new CommitRequests();
  /** The messages since the marker of a hold; undefined while nothing is held. */
  #held: Buffer[] | undefined;
  /** Whether the marker has come since the last response. */
  #isMarked = false;

  constructor(client: Socket, server: Socket, settings: LinkSettings) {
    this.#client = client;
    this.#server = server;
    this.#settings = settings;
    client.setNoDelay(true);
    for (const socket of [client, server]) {
      socket.on("error", () => this.reset());
      socket.on("close", () => this.reset());
    }
    this.#pass(client, new Messages("client"), (message) => this.#passRequest(message));
    this.#pass(server, new Messages("server"), (message) => this.#passAnswer(message));
  }

  get target(): Target {
    return this.#settings.target;
  }

  reset(): void {
    this.#settings.closed();
    if (!this.#client.destroyed) this.#client.resetAndDestroy();
    // Held bytes are delivered to a server that has not noticed.
    if (this.#held === undefined) this.#server.destroy();
  }

  /** @param passOne returns whether the connection still stands */
  #pass(from: Socket, messages: Messages, passOne: (message: Buffer) => boolean): void {
    let before = Promise.resolve();
    from.on("data", (bytes) => {
      const weather = this.#settings.weather();
      if (weather.kind === "silent") return;
      if (weather.kind === "slow") {
        const milliseconds = Math.random() * weather.milliseconds;
        before = before.then(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
      }
      before = before.then(() => {
        for (const message of messages.take(bytes)) if (!passOne(message)) return;
      });
    });
  }

  #passRequest(message: Buffer): boolean {
    this.hasWritten ||= isWriteRequest(message);
    if (this.#held === undefined) this.#beginHold(message);
    if (this.#held !== undefined) {
      this.#held.push(message);
      return true;
    }
    return this.#passOne(
      message,
      this.#server,
      this.#commits.includes(message) ? "commit request" : "request",
    );
  }

  #passAnswer(message: Buffer): boolean {
    this.#isMarked = false;
    this.backendPid ??= backendPidIn(message);
    return this.#passOne(message, this.#client, isCommitAnswer(message) ? "commit answer" : "answer");
  }

  #beginHold(message: Buffer): void {
    const hold = this.#settings.hold();
    if (hold === undefined || this.#isMarked || !hold.isIn(message)) return;
    this.#isMarked = true;
    if (!hold.countBurst()) return;
    this.#settings.takeHold();
    const held: Buffer[] = [];
    this.#held = held;
    const cutWhenQuiet = (count: number) => {
      if (held.length > count && !this.#client.destroyed) {
        setTimeout(cutWhenQuiet, quietMilliseconds, held.length);
        return;
      }
      this.reset();
      hold.split(held, this.#server);
    };
    setTimeout(cutWhenQuiet, quietMilliseconds, 0);
  }

  /** @returns whether the connection still stands */
  #passOne(message: Buffer, to: Socket, kind: Cut["at"]): boolean {
    if (to.destroyed) return false;
    const share = this.#settings.cutAt(kind);
    if (share === undefined) {
      to.write(message);
      return true;
    }
    to.write(message.subarray(0, Math.round(share * message.length)), () => this.reset());
    return false;
  }
}
