/** Stands between a client and the service and lets requests pass, unless a test wants them to come to grief. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What becomes of a request. After `lose_response` (none), `cut_response` (half of it) and `hold_response` (none, and the
 * connection stays) the service has responded, so what it did is committed.
 */
export type Fate =
  | "pass"
  | "lose_request"
  | "lose_response"
  | "cut_response"
  | "hold_response"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

export interface ProxiedRequest {
  /** Below the base path, as in /sp/members/list. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** How many requests came through before this one. */
  readonly index: number;
}

export interface FaultyProxy {
  readonly baseUrl: string;
  /** Every request that came, in order. */
  readonly requests: readonly ProxiedRequest[];
  /** Sends requests on to another service from now on. @param target with the same base path */
  retarget(target: string): void;
  /** How many responses of a status were passed on. */
  responded(status: number): number;
  close(): Promise<void>;
}

/**
 * @param firstTarget the service's base URL
 * @param decide called once for each request, before it is sent on
 */
export async function startFaultyProxy(
  firstTarget: string,
  decide: (request: ProxiedRequest) => Fate | Promise<Fate> = () => "pass",
): Promise<FaultyProxy> {
  // It has the base path of the service, like a proxy before it.
  let target = firstTarget;
  const basePath = new URL(target).pathname.replace(/\/$/, "");
  const requests: ProxiedRequest[] = [];
  const statuses: number[] = [];

  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(message);
    const { authorization } = message.headers;
    const request = {
      path: (message.url ?? "").slice(basePath.length),
      authorization,
      index: requests.length,
    };
    requests.push(request);
    const fate = await decide(request);
    if (fate === "lose_request") {
      message.socket.destroy();
      return;
    }
    if (typeof fate === "object") {
      response.writeHead(fate.status, fate.headers).end(fate.body);
      return;
    }
    const reply = await fetch(target + request.path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
    });
    const text = await reply.text();
    if (fate === "hold_response") return;
    if (fate === "lose_response") {
      message.socket.destroy();
      return;
    }
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    if (fate === "cut_response") {
      response.write(text.slice(0, text.length / 2), () => message.socket.destroy());
      return;
    }
    statuses.push(reply.status);
    response.end(text);
  };

  const server = createServer((message, response) => {
    // Without a response from the service there is none to pass on.
    handle(message, response).catch(() => message.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    requests,
    retarget(next) {
      target = next;
    },
    responded: (status) => statuses.filter((each) => each === status).length,
    close: () => closed(server),
  };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) =>
    server.close((error) => (error === undefined ? resolve() : reject(error))),
  );
}
