/** Limits what one address costs before its credentials are known: its connections, and the bytes of rejected requests. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../pipeline/limits.ts";
import { addressOf, isLoopbackAddress } from "./forwarded.ts";

export interface AddressLimitSettings {
  /** How many connections one address may have; 0 is no limit, as for the next one. */
  readonly connections: number;
  /** Bytes per second that one address may send in rejected requests. */
  readonly rejectedBytes: number;
}

/** How many seconds of bytes are allowed at once. */
const burstSeconds = 4;
/** The longest time for which a new connection is not read. */
const longestHoldMilliseconds = 3000;
/** The bytes of a request, besides its body, that are not counted. Most have fewer, and are limited by their number. */
const freeBytes = 4096;
const sweepEvery = 10_000;

interface Usage {
  connections: number;
  /** When the rejected bytes are used up, at the allowed rate. */
  paidAt: number;
}

/** Counts by network. */
export class AddressUsage {
  readonly #settings: AddressLimitSettings;
  readonly #clock: () => number;
  readonly #usage = new Map<string, Usage>();
  #opened = 0;

  /** @param clock monotonic milliseconds */
  constructor(settings: AddressLimitSettings, clock = () => performance.now()) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#usage.size;
  }

  /** Counts a new connection. @returns whether the network may have it */
  opened(network: string, mayHaveMany = false): boolean {
    if (++this.#opened % sweepEvery === 0) this.#sweep();
    const usage = this.#of(network);
    usage.connections += 1;
    const { connections: most } = this.#settings;
    return most === 0 || mayHaveMany || usage.connections <= most;
  }

  closed(network: string): void {
    const usage = this.#of(network);
    usage.connections -= 1;
    if (usage.connections === 0 && usage.paidAt <= this.#clock()) this.#usage.delete(network);
  }

  /** Counts bytes of a rejected request. More than what the longest hold pays for is forgotten. */
  rejected(network: string, bytes: number): void {
    const { rejectedBytes: perSecond } = this.#settings;
    if (perSecond === 0 || bytes <= 0) return;
    const usage = this.#of(network);
    const now = this.#clock();
    const paidAt = Math.max(now, usage.paidAt) + (bytes / perSecond) * 1000;
    usage.paidAt = Math.min(paidAt, now + burstSeconds * 1000 + longestHoldMilliseconds);
  }

  /** How long a new connection has to wait until it is read. */
  holdMilliseconds(network: string): number {
    const { paidAt = 0 } = this.#usage.get(network) ?? {};
    return Math.max(0, paidAt - burstSeconds * 1000 - this.#clock());
  }

  #of(network: string): Usage {
    const known = this.#usage.get(network);
    if (known !== undefined) return known;
    const usage = { connections: 0, paidAt: 0 };
    this.#usage.set(network, usage);
    return usage;
  }

  #sweep(): void {
    const now = this.#clock();
    for (const [network, { connections, paidAt }] of this.#usage) {
      if (connections === 0 && paidAt <= now) this.#usage.delete(network);
    }
  }
}

interface Counted {
  readonly network: string;
  /** How many bytes of the connection are counted, or belong to accepted requests. */
  settledBytes: number;
}

/**
 * Limits the connections of a server by address. Those of trusted proxies are not limited, because they have many clients. Loopback
 * addresses may have any number, because an untrusted proxy can be on this machine.
 * @param onTooMany rejects a connection
 */
export function limitAddresses(
  server: Server,
  settings: AddressLimitSettings,
  isProxy: (address: string) => boolean,
  onTooMany: (socket: Socket) => void,
) {
  const usage = new AddressUsage(settings);
  const counted = new WeakMap<Socket, Counted>();
  const settle = (socket: Socket, free: number): void => {
    const connection = counted.get(socket);
    if (connection === undefined) return;
    usage.rejected(connection.network, socket.bytesRead - connection.settledBytes - free);
    connection.settledBytes = socket.bytesRead;
  };
  server.on("connection", (socket) => {
    const address = addressOf(socket.remoteAddress ?? "");
    if (address === undefined || isProxy(address)) return;
    const network = networkOf(address);
    const mayOpen = usage.opened(network, isLoopbackAddress(address));
    counted.set(socket, { network, settledBytes: 0 });
    socket.once("close", () => {
      settle(socket, freeBytes);
      usage.closed(network);
    });
    if (!mayOpen) return onTooMany(socket);
    const hold = usage.holdMilliseconds(network);
    if (hold > 0) holdConnection(socket, hold);
  });
  return {
    /**
     * Does not count the bytes of an accepted request. Those of the next one may have been read, too.
     * @param declared the length of its body; undefined if it is unknown
     */
    accepted(socket: Socket, declared = Number.POSITIVE_INFINITY): void {
      const connection = counted.get(socket);
      if (connection === undefined) return;
      const own = connection.settledBytes + freeBytes + declared;
      connection.settledBytes = Math.min(socket.bytesRead, own);
    },
    /** Counts the bytes of a rejected request. @param declared the length of its body, whose bytes cost little; 0 if it is unknown */
    rejected(socket: Socket, declared: number): void {
      settle(socket, freeBytes + declared);
    },
  };
}

/** Reads nothing from a new connection for some time. */
function holdConnection(socket: Socket, milliseconds: number): void {
  // Node resumes a new connection in the next tick.
  process.nextTick(() => socket.pause());
  // Many connections are not read at the same moment.
  const timer = setTimeout(() => socket.resume(), milliseconds * (0.5 + Math.random() / 2));
  socket.once("close", () => clearTimeout(timer));
}
