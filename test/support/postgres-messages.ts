/** The messages of PostgreSQL's wire protocol (version 3): where each ends, and what it says. */

/** Cuts a stream of bytes into messages. */
export class Messages {
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
export class CommitRequests {
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
export function completedIn(message: Buffer): string | undefined {
  return message[0] === 0x43 ? stringAt(message, 5) : undefined;
}

/** Whether a message of the client prepares or runs a statement that writes, or locks rows. */
export function isWriteRequest(message: Buffer): boolean {
  if (message[0] !== 0x51 && message[0] !== 0x50) return false;
  return /\b(?:insert into|update|delete from)\b/i.test(message.toString("latin1", 5));
}

/** The process of the server that serves the connection, if this message of the server names it. */
export function backendPidIn(message: Buffer): number | undefined {
  return message[0] === 0x4b ? message.readInt32BE(5) : undefined;
}

/** The text up to the next zero byte. Names and the statements looked for are ASCII. */
function stringAt(message: Buffer, start: number): string {
  return message.toString("latin1", start, message.indexOf(0, start));
}
