/** Stands between the service and PostgreSQL, and does to their connections what networks do. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { CommitRequests, isCommitAnswer, Messages } from "./messages.ts";

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

export interface DatabaseProxy {
  readonly port: number;
  become(weather: Weather): void;
  /** Resets every connection at once. */
  resetAll(): void;
  /** Cuts the next connection on which such a message comes. @returns resolves once it happened */
  cut(cut: Cut): Promise<void>;
  /** How many connections were cut or reset so far. */
  lost(): number;
  close(): Promise<void>;
}

/** @param target where PostgreSQL listens; a host that is a path is the directory of a socket */
export async function startDatabaseProxy(target: { host: string; port: number }): Promise<DatabaseProxy> {
  const links = new Set<Link>();
  let weather: Weather = { kind: "clear" };
  let lost = 0;
  let waiting: { readonly cut: Cut; readonly done: () => void } | undefined;

  const upstream = () =>
    target.host.startsWith("/")
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);

  const server = createServer((client) => {
    if (weather.kind === "away") {
      client.destroy();
      return;
    }
    const link = new Link(client, upstream(), {
      weather: () => weather,
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
      // Whoever was silent for long is forgotten by the network between.
      if (next.kind === "away" || before === "silent") resetAll();
    },
    resetAll,
    cut: (cut) =>
      new Promise((done) => {
        waiting = { cut, done };
      }),
    lost: () => lost,
    async close() {
      resetAll();
      server.close();
      await once(server, "close");
    },
  };
}

interface LinkSettings {
  readonly weather: () => Weather;
  /** @returns which share of the message still passes, when the connection is to be cut at it */
  readonly cutAt: (at: Cut["at"]) => number | undefined;
  readonly closed: () => void;
}

/** One connection of the service, and the one to PostgreSQL that belongs to it. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #settings: LinkSettings;
  readonly #commits = new CommitRequests();

  constructor(client: Socket, server: Socket, settings: LinkSettings) {
    this.#client = client;
    this.#server = server;
    this.#settings = settings;
    client.setNoDelay(true);
    for (const socket of [client, server]) {
      socket.on("error", () => this.reset());
      socket.on("close", () => this.reset());
    }
    this.#pass(client, server, new Messages("client"), (message) =>
      this.#commits.includes(message) ? "commit request" : "request",
    );
    this.#pass(server, client, new Messages("server"), (message) =>
      isCommitAnswer(message) ? "commit answer" : "answer",
    );
  }

  reset(): void {
    this.#settings.closed();
    if (!this.#client.destroyed) this.#client.resetAndDestroy();
    this.#server.destroy();
  }

  #pass(from: Socket, to: Socket, messages: Messages, kindOf: (message: Buffer) => Cut["at"]): void {
    let before = Promise.resolve();
    from.on("data", (bytes) => {
      const weather = this.#settings.weather();
      if (weather.kind === "silent") return;
      if (weather.kind === "slow") {
        const milliseconds = Math.random() * weather.milliseconds;
        before = before.then(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
      }
      before = before.then(() => {
        for (const message of messages.take(bytes)) if (!this.#passOne(message, to, kindOf(message))) return;
      });
    });
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
