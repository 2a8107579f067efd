/**
 * The last bytes that a service sent on a connection that it then lost: a network may still deliver them, long after
 * the service has given the connection up.
 */
import type { Socket } from "node:net";

/** Which bytes are held. */
export interface HoldOrder {
  /** A text in a message of the service, such as an idempotency key. It must be on the wire as it is. */
  readonly marker: string;
  /** In how many bursts of messages the marker must have come; a burst is what is sent between two responses. */
  readonly burst: number;
  /** How many messages at the end are held, at most all that came since the marker. */
  readonly messages: number;
  /** The share of the first of these messages that is delivered at once: 0 cuts between messages. */
  readonly share: number;
}

/** Bytes that are held; the service has lost the connection. */
export interface HeldBytes {
  /** Delivers the bytes, and ends the connection. @returns whether the server still listened */
  deliver(): boolean;
}

/** An order that waits for its marker, on all connections. */
export class Hold {
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
