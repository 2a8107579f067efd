/** A push service like Apple's (APNs): HTTP/2 with client certificates. */
import { once } from "node:events";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Database } from "../../src/database/connection.ts";
import { issueServerCertificate, makeAuthority, walletSetUp } from "./pass-certificates.ts";
import { freePort } from "./service-process.ts";
import { until } from "./webhooks.ts";

export interface Push {
  readonly token: string;
  readonly topic: string;
  readonly body: string;
  /** The UID of the client's certificate. */
  readonly client: string | undefined;
}

/** Waits until the passes of a business have followed all its events. */
export async function passesFollowed(sql: Database, businessId: number): Promise<void> {
  await until(async () => {
    const [behind] = await sql`
      SELECT FROM wallet_issuer AS w WHERE business_id = ${businessId}
        AND cursor_event_no < (SELECT max(event_no) FROM event AS e WHERE e.business_id = w.business_id)`;
    return behind === undefined;
  });
}

type Answer = { readonly status: number; readonly reason?: string } | "nothing";

export class PushService {
  readonly authority = makeAuthority();
  readonly #certificate = issueServerCertificate(this.authority);
  readonly pushes: Push[] = [];
  /** What it answers from now on. */
  answer: Answer = { status: 200 };
  port = 0;
  #server: Http2SecureServer | undefined;
  readonly #sessions = new Set<ServerHttp2Session>();

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Listens, on the same port as before. */
  async start(): Promise<void> {
    const { certificate: cert, key } = this.#certificate;
    const ca = walletSetUp().intermediate_certificate;
    const server = createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true });
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session)).on("error", () => undefined);
    });
    server.on("stream", (stream, headers) => {
      let body = "";
      stream.on("error", () => undefined);
      stream.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      stream.on("end", () => {
        const socket = stream.session?.socket as TLSSocket | undefined;
        const subject = socket?.getPeerCertificate().subject as { UID?: string } | undefined;
        const token = String(headers[":path"]).replace("/3/device/", "");
        this.pushes.push({ token, topic: String(headers["apns-topic"]), body, client: subject?.UID });
        if (this.answer === "nothing") return;
        const { status, reason } = this.answer;
        stream.respond({ ":status": status });
        stream.end(reason === undefined ? "" : JSON.stringify({ reason }));
      });
    });
    this.port ||= await freePort();
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  count(token: string): number {
    return this.pushes.filter((push) => push.token === token).length;
  }
}
