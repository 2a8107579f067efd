/** Connections to receivers: to checked addresses only, directly or through a proxy. Each has a limit for what it receives. */
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions as TlsOptions } from "node:tls";
import type { FindAddresses } from "./addresses.ts";
import { ResponseReader } from "./response-reader.ts";

export interface ConnectionOptions {
  readonly findAddresses: FindAddresses;
  /** Everything is sent through this HTTP proxy, by the method CONNECT. */
  readonly proxy?: URL | undefined;
  /** Authorities that are trusted instead of those of Node. */
  readonly authorities?: readonly string[] | undefined;
  /** How long a connection may take: to resolve the name, to connect, and to agree on the encryption. */
  readonly connectMilliseconds: number;
}

/** What may arrive for one message, in bytes of TCP: headers, interim responses, framing and encryption count, too. */
const mostBytes = 128 * 1024;
/** A piece counts as at least so many bytes, because each takes processor time. */
const leastBytesOfPiece = 128;
/** A connection that was not used for so long is closed. */
const idleMilliseconds = 30_000;

export class TooMuchError extends Error {
  constructor() {
    super(`more than ${mostBytes / 1024} KB arrived for one message`);
  }
}

class ClosedError extends Error {
  readonly code = "ECONNRESET";
}

interface Reading {
  readonly reader: ResponseReader;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A connection for one message at a time. It is closed when too much arrives for one. */
export class Connection {
  readonly #tcp: Socket;
  /** The TCP connection, or the encrypted one on it. */
  #socket: Socket;
  #reading: Reading | undefined;
  /** How much had arrived at the end of the message before. */
  #bytesBefore = 0;
  #pieces = 0;
  #usedAt = performance.now();

  constructor(tcp: Socket) {
    this.#tcp = tcp;
    this.#socket = this.#listen(tcp);
  }

  #listen<Kind extends Socket>(socket: Kind): Kind {
    return socket
      .on("data", (piece: Buffer) => this.#take(piece))
      .on("error", (error) => this.close(error))
      .on("close", () => this.close());
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Closes it. Those who wait for it get the error. */
  close(error: Error = new ClosedError()): void {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#socket.destroy(error);
    this.#tcp.destroy();
    reading?.reject(error);
  }

  onClose(closed: () => void): void {
    this.#tcp.once("close", closed);
  }

  async connected(): Promise<void> {
    await once(this.#tcp, "connect");
  }

  async encrypt(options: Readonly<TlsOptions>): Promise<void> {
    this.#tcp.removeAllListeners("data");
    this.#socket = this.#listen(connectTls({ ...options, socket: this.#tcp }));
    await once(this.#socket, "secureConnect");
  }

  /** Sends a request. Resolves when the reader has read enough. */
  exchange(request: string, reader: ResponseReader): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reading = { reader, resolve, reject };
      this.#socket.write(request);
    });
  }

  #take(piece: Buffer): void {
    this.#pieces += 1;
    const reading = this.#reading;
    try {
      // What nobody has asked for ends the connection.
      if (reading === undefined) this.close();
      else if (reading.reader.add(piece) && (reading.reader.isCut || this.#received <= mostBytes))
        this.#finish(reading);
      else this.check();
    } catch (error) {
      this.close(error as Error);
    }
  }

  get #received(): number {
    return Math.max(this.#tcp.bytesRead - this.#bytesBefore, this.#pieces * leastBytesOfPiece);
  }

  #finish({ resolve }: Reading): void {
    this.#reading = undefined;
    this.#bytesBefore = this.#tcp.bytesRead;
    this.#pieces = 0;
    this.#usedAt = performance.now();
    resolve();
  }

  /** Closes it if too much has arrived, or it is not used. What belongs to the encryption arrives without a call of `#take`. */
  check(): void {
    if (this.#received > mostBytes) this.close(new TooMuchError());
    else if (this.#reading === undefined && performance.now() > this.#usedAt + idleMilliseconds) this.close();
  }
}

/** Opens a connection to the host of a URL. */
export type Open = (url: URL) => Promise<Connection>;
/** Gets a connection before it is ready. */
type Opened = (connection: Connection) => void;

export function createOpen(options: ConnectionOptions, onOpened: Opened): Open {
  const { proxy, connectMilliseconds, authorities } = options;
  const openTcp = proxy === undefined ? openDirectly(options) : openThrough(proxy, options);
  const ca = authorities === undefined ? {} : { ca: [...authorities] };
  const open = async (url: URL, opened: Opened): Promise<Connection> => {
    const connection = await openTcp(url, opened);
    const host = hostOf(url);
    const name = isIP(host) === 0 ? { servername: host } : {};
    if (url.protocol === "https:") await connection.encrypt({ host, ...name, ...ca });
    return connection;
  };
  return (url) =>
    new Promise((resolve, reject) => {
      let late: Error | undefined;
      let opened: Connection | undefined;
      const timer = setTimeout(() => {
        late = new Error(`there was no connection within ${connectMilliseconds / 1000} s`);
        opened?.close(late);
        // A resolver can't be interrupted.
        reject(late);
      }, connectMilliseconds);
      open(url, (connection) => {
        opened = connection;
        onOpened(connection);
        if (late !== undefined) connection.close(late);
      })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, "");
const portOf = ({ port, protocol }: URL) => Number(port || (protocol === "https:" ? 443 : 80));

type OpenTcp = (url: URL, opened: Opened) => Promise<Connection>;

function openDirectly({ findAddresses }: ConnectionOptions): OpenTcp {
  return async (url, opened) => {
    const addresses = await findAddresses(hostOf(url), url.protocol);
    const [first] = addresses;
    const lookup: LookupFunction = (_host, { all }, found) =>
      all ? found(null, addresses) : found(null, first?.address as string, first?.family);
    const to = { host: hostOf(url), port: portOf(url), lookup, noDelay: true };
    const connection = new Connection(connect(to));
    opened(connection);
    await connection.connected();
    return connection;
  };
}

/** The proxy gets a checked address, and resolves no names. */
function openThrough(proxy: URL, { findAddresses }: ConnectionOptions): OpenTcp {
  const [user, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  const authorization = user === "" ? "" : `Proxy-Authorization: Basic ${credentials}\r\n`;
  return async (url, opened) => {
    const [first] = await findAddresses(hostOf(url), url.protocol);
    const address = first?.family === 6 ? `[${first.address}]` : first?.address;
    const target = `${address}:${portOf(url)}`;
    const connection = new Connection(connect({ host: hostOf(proxy), port: portOf(proxy), noDelay: true }));
    opened(connection);
    await connection.connected();
    const request = `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`;
    const reader = new ResponseReader({ hasBody: false });
    await connection.exchange(request, reader);
    if (reader.status === 200) return connection;
    connection.close();
    throw new Error(`the proxy responded with ${reader.status}`);
  };
}
