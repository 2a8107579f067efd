/** A receiver of webhooks: a real HTTP or HTTPS server that keeps what it gets, and responds as a test wants. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they were sent. */
  readonly body: Buffer;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export const accept: Respond = (response) => response.writeHead(204).end();
export const respondWith =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(`status ${status}`);
/** Never responds. */
export const hang: Respond = () => undefined;
export const close: Respond = (_response, _received, request) => request.socket.destroy();

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Makes a certificate that signs itself. @param names such as DNS:example.com or IP:127.0.0.1 */
export function makeCertificate(names: string, days = 2): Certificate {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-certificate-"));
  try {
    const [key, cert] = [join(directory, "key"), join(directory, "cert")];
    const options = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      String(days),
    ];
    const subject = ["-subj", "/CN=receiver", "-addext", `subjectAltName=${names}`];
    execFileSync("openssl", ["req", "-x509", ...options, ...subject, "-keyout", key, "-out", cert], {
      stdio: "pipe",
    });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export class Receiver {
  readonly received: Received[] = [];
  /** How it responds from now on. */
  respond: Respond = accept;
  /** How many connections were made to it. */
  connections = 0;
  readonly server: Server;
  readonly #isSecure: boolean;

  private constructor(certificate: Certificate | undefined) {
    this.#isSecure = certificate !== undefined;
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void this.#receive(request, response);
    this.server =
      certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
    // By default, a pause of five seconds closes a connection that the sender may use at that moment.
    this.server.keepAliveTimeout = 300_000;
    this.server.on(this.#isSecure ? "secureConnection" : "connection", () => {
      this.connections += 1;
    });
  }

  static async start({
    certificate,
    port = 0,
  }: {
    certificate?: Certificate;
    port?: number;
  } = {}): Promise<Receiver> {
    const receiver = new Receiver(certificate);
    await new Promise<void>((resolve) => receiver.server.listen(port, "127.0.0.1", resolve));
    return receiver;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { url: path = "", headers } = request;
    const received = { path, headers, body: Buffer.concat(chunks), at: performance.now() };
    this.received.push(received);
    response.on("error", () => undefined);
    this.respond(response, received, request);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${this.port}/hooks`;
  }

  /** The numbers of the events that it got, in the order of their arrival. */
  get sequences(): number[] {
    return this.received.map(({ body }) => JSON.parse(body.toString()).data.sequence);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
