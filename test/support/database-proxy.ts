/** A proxy between the service and PostgreSQL that causes the faults of a network. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ConnectionSettings } from "../../src/database/connection.ts";

/** The state of the network for all connections. */
export type Network =
  | "up"
  /** New connections are rejected, and the others are reset. */
  | "down"
  /** Connections stay open, and nothing passes in either direction. */
  | "silent"
  /** Every message takes up to this time longer. */
  | { readonly slowMilliseconds: number };

/** Where one connection is cut. */
export interface Cut {
  readonly at: "request" | "response";
  /** Only at the response that completes this command, such as BEGIN, INSERT 0 1 or COMMIT, or at the request to COMMIT. */
  readonly command?: string;
  /** The share of the message that still passes: 0 cuts before it, 1 after it. */
  readonly share: number;
}

/** Which bytes are held. */
export interface HoldOrder {
  /** A text in a message of the service, such as an idempotency key. */
  readonly marker: string;
  /** The number of bursts with the marker to wait for. A burst is what is sent between two responses. */
  readonly burst: number;
  /** How many messages at the end are held, at most all since the marker. */
  readonly messages: number;
  /** The share of the first of these messages that is delivered at once: 0 cuts between messages. */
  readonly share: number;
}

/** The last bytes that a service sent on a connection that it then lost. A network may deliver them much later. */
export interface HeldBytes {
  /** Delivers the bytes, and ends the connection. @returns whether the server still listened */
  deliver(): boolean;
}

/** Where PostgreSQL listens. A host that is a path is the directory of a socket. */
type Target = Pick<ConnectionSettings, "host" | "port">;

export interface ProxiedConnection {
  readonly target: Target;
  /** The server's process for it; undefined until the server has accepted it. */
  readonly backendPid: number | undefined;
  /** Whether a statement that writes or locks rows was sent on it. */
  readonly hasWritten: boolean;
}

export interface DatabaseProxy {
  /** The same database, through the proxy. */
  readonly connection: ConnectionSettings;
  setNetwork(network: Network): void;
  /** Cuts the next connection that has such a message. Resolves when it has happened. */
  cut(cut: Cut): Promise<void>;
  /**
   * Cuts the client side of the next connection that has the order's marker, and keeps the last bytes.
   * @returns undefined if the marker has not come in time
   */
  hold(order: HoldOrder, withinMilliseconds: number): Promise<HeldBytes | undefined>;
  /** Sends new connections to another server. */
  retarget(target: Target): void;
  connections(): readonly ProxiedConnection[];
  /** Resets all connections, or some. */
  reset(which?: (connection: ProxiedConnection) => boolean): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(settings: ConnectionSettings): Promise<DatabaseProxy> {
  const links = new Set<Link>();
  /** The server's side of connections outlives the client's while bytes are held. */
  const upstreams = new Set<Socket>();
  const faults: Faults = { network: "up", cut: undefined, hold: undefined };
  let target: Target = settings;
  const server = createServer((client) => {
    if (faults.network === "down") {
      client.destroy();
      return;
    }
    const database = target.host.startsWith("/")
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);
    upstreams.add(database.once("close", () => upstreams.delete(database)));
    const link = new Link({ client, database, target, faults, closed: () => links.delete(link) });
    links.add(link);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const reset = (which: (connection: ProxiedConnection) => boolean = () => true) => {
    for (const link of [...links].filter(which)) link.reset();
  };
  return {
    connection: { ...settings, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    setNetwork(network) {
      const before = faults.network;
      faults.network = network;
      // A network forgets connections that were silent for long.
      if (network === "down" || before === "silent") reset();
    },
    cut: (cut) =>
      new Promise((done) => {
        faults.cut = { ...cut, done };
      }),
    hold: (order, withinMilliseconds) =>
      new Promise((done) => {
        const hold = new Hold(order, done);
        faults.hold = hold;
        setTimeout(() => {
          if (faults.hold !== hold) return;
          faults.hold = undefined;
          done(undefined);
        }, withinMilliseconds);
      }),
    retarget(next) {
      target = next;
    },
    connections: () => [...links],
    reset,
    async close() {
      reset();
      for (const socket of upstreams) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A service sends what belongs together without pausing for so long. */
const quietMilliseconds = 30;

/** The faults that wait for their moment. */
interface Faults {
  network: Network;
  /** The cut that waits for its message. */
  cut: (Cut & { readonly done: () => void }) | undefined;
  /** The hold that waits for its marker. */
  hold: Hold | undefined;
}

interface LinkParts {
  readonly client: Socket;
  readonly database: Socket;
  readonly target: Target;
  readonly faults: Faults;
  readonly closed: () => void;
}

/** One connection of the service, and the one to PostgreSQL that belongs to it. */
class Link implements ProxiedConnection {
  backendPid: number | undefined;
  hasWritten = false;
  readonly #parts: LinkParts;
  readonly #commits = new CommitRequests();
  /** The messages since the marker of a hold; undefined while nothing is held. */
  #held: Buffer[] | undefined;
  /** Whether the marker has come since the last response. */
  #isMarked = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    const { client, database } = parts;
    client.setNoDelay(true);
    for (const socket of [client, database]) {
      socket.on("error", () => this.reset());
      socket.on("close", () => this.reset());
    }
    this.#pass(client, new Messages("client"), (message) => this.#passRequest(message));
    this.#pass(database, new Messages("server"), (message) => this.#passResponse(message));
  }

  get target(): Target {
    return this.#parts.target;
  }

  reset(): void {
    const { client, database, closed } = this.#parts;
    closed();
    if (!client.destroyed) client.resetAndDestroy();
    // Held bytes are delivered to a server that has not noticed.
    if (this.#held === undefined) database.destroy();
  }

  /** @param passOne returns whether the connection still stands */
  #pass(from: Socket, messages: Messages, passOne: (message: Buffer) => boolean): void {
    let before = Promise.resolve();
    from.on("data", (bytes) => {
      const { network } = this.#parts.faults;
      if (network === "silent") return;
      if (typeof network === "object") {
        const milliseconds = Math.random() * network.slowMilliseconds;
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
    const command = this.#commits.includes(message) ? "COMMIT" : undefined;
    return this.#passOne(message, this.#parts.database, "request", command);
  }

  #passResponse(message: Buffer): boolean {
    this.#isMarked = false;
    this.backendPid ??= backendPidIn(message);
    return this.#passOne(message, this.#parts.client, "response", completedIn(message));
  }

  #beginHold(message: Buffer): void {
    const { client, database, faults } = this.#parts;
    const { hold } = faults;
    if (hold === undefined || this.#isMarked || !hold.isIn(message)) return;
    this.#isMarked = true;
    if (!hold.countBurst()) return;
    faults.hold = undefined;
    const held: Buffer[] = [];
    this.#held = held;
    const cutWhenQuiet = (count: number) => {
      if (held.length > count && !client.destroyed) {
        setTimeout(cutWhenQuiet, quietMilliseconds, held.length);
        return;
      }
      this.reset();
      hold.split(held, database);
    };
    setTimeout(cutWhenQuiet, quietMilliseconds, 0);
  }

  /** @returns whether the connection still stands */
  #passOne(message: Buffer, to: Socket, at: Cut["at"], command: string | undefined): boolean {
    if (to.destroyed) return false;
    const { faults } = this.#parts;
    const { cut } = faults;
    if (cut === undefined || cut.at !== at || (cut.command !== undefined && cut.command !== command)) {
      to.write(message);
      return true;
    }
    faults.cut = undefined;
    cut.done();
    to.write(message.subarray(0, Math.round(cut.share * message.length)), () => this.reset());
    return false;
  }
}

/** An order that waits for its marker, on all connections. */
class Hold {
  readonly #order: HoldOrder;
  readonly #marker: Buffer;
  readonly #done: (held: HeldBytes) => void;
  #bursts = 0;

  constructor(order: HoldOrder, done: (held: HeldBytes) => void) {
    this.#order = order;
    this.#marker = Buffer.from(order.marker);
    this.#done = done;
  }

  isIn(message: Buffer): boolean {
    return message.includes(this.#marker);
  }

  /** Counts a burst with the marker. @returns whether its connection is the one to hold */
  countBurst(): boolean {
    this.#bursts += 1;
    return this.#bursts >= this.#order.burst;
  }

  /** Delivers the first of the messages, and keeps the rest. */
  split(messages: readonly Buffer[], server: Socket): void {
    const first = Math.max(0, messages.length - this.#order.messages);
    const cut = messages[first] ?? Buffer.alloc(0);
    const passing = Math.floor(cut.length * this.#order.share);
    const now = Buffer.concat([...messages.slice(0, first), cut.subarray(0, passing)]);
    const later = Buffer.concat([cut.subarray(passing), ...messages.slice(first + 1)]);
    if (!server.destroyed) server.write(now);
    this.#done({
      deliver: () => {
        const listens = !server.destroyed && server.writable;
        if (listens) server.end(later);
        return listens;
      },
    });
  }
}

// The messages of PostgreSQL's wire protocol (version 3): where each ends, and what it says.

/** Cuts a stream of bytes into messages. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  /** The first message of a client has no type. */
  #untyped: boolean;

  constructor(from: "client" | "server") {
    this.#untyped = from === "client";
  }

  /** @returns the messages that are whole now, type and length included */
  take(bytes: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: Buffer[] = [];
    for (;;) {
      const head = this.#untyped ? 0 : 1;
      if (this.#rest.length < head + 4) return messages;
      const length = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < length) return messages;
      messages.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
      this.#untyped = false;
    }
  }
}

const isCommitText = (text: string) => /^commit\b/i.test(text);

/** Knows of one connection which of the client's messages ask for a commit. */
class CommitRequests {
  readonly #statements = new Set<string>();

  /** Whether the message asks for a commit: a query, or the bind of a statement that was prepared to. */
  includes(message: Buffer): boolean {
    const type = message[0];
    if (type === 0x51) return isCommitText(stringAt(message, 5));
    if (type === 0x50) {
      const name = stringAt(message, 5);
      if (isCommitText(stringAt(message, 5 + name.length + 1))) this.#statements.add(name);
      return false;
    }
    if (type !== 0x42) return false;
    const portal = stringAt(message, 5);
    return this.#statements.has(stringAt(message, 5 + portal.length + 1));
  }
}

/** How the server names the command that it has completed, as in INSERT 0 1, if the message says so. */
function completedIn(message: Buffer): string | undefined {
  return message[0] === 0x43 ? stringAt(message, 5) : undefined;
}

/** Whether a message of the client prepares or runs a statement that writes, or locks rows. */
function isWriteRequest(message: Buffer): boolean {
  if (message[0] !== 0x51 && message[0] !== 0x50) return false;
  return /\b(?:insert into|update|delete from)\b/i.test(message.toString("latin1", 5));
}

/** The process of the server that serves the connection, if this message of the server names it. */
function backendPidIn(message: Buffer): number | undefined {
  return message[0] === 0x4b ? message.readInt32BE(5) : undefined;
}

/** The text up to the next zero byte. Names and the statements looked for are ASCII. */
function stringAt(message: Buffer, start: number): string {
  return message.toString("latin1", start, message.indexOf(0, start));
}
