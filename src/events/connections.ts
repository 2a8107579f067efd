/** Connections to receivers: to checked addresses only, directly or through a proxy, and kept open for further messages. */
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { connect, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { FindAddresses } from "./addresses.ts";

/** What Node passes to an agent that makes a connection. */
interface Target {
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  /** The name for the certificate; none for an address. */
  readonly servername?: string;
}

type Created = (error: Error | null, socket?: Duplex) => void;

/** Opens a connection, or fails when the signal is aborted. */
type Open = (target: Target, signal: AbortSignal) => Promise<Socket>;

export interface ConnectionOptions {
  readonly findAddresses: FindAddresses;
  /** Everything is sent through this HTTP proxy, by the method CONNECT. */
  readonly proxy?: URL | undefined;
  /** Authorities that are trusted instead of those of Node. */
  readonly authorities?: readonly string[] | undefined;
  /** How long a connection may take: to resolve the name, to connect, and to agree on the encryption. */
  readonly connectMilliseconds: number;
}

const agentOptions = { keepAlive: true, maxFreeSockets: 32, timeout: 30_000 };

/** Makes the agents for https and http. */
export function createAgents(options: ConnectionOptions) {
  const { proxy, findAddresses, connectMilliseconds, authorities } = options;
  const open: Open = proxy === undefined ? openDirectly(findAddresses) : openThrough(proxy, findAddresses);
  const secured: Open = async (target, signal) => {
    const socket = await open(target, signal);
    const { host, servername } = target;
    const ca = authorities === undefined ? {} : { ca: [...authorities] };
    const secure = connectTls({ host, ...(servername && { servername }), socket, ...ca });
    await ready(secure, "secureConnect", signal);
    return secure;
  };
  const createdBy = (protocol: string, make: Open) => (target: Target, created: Created) => {
    const signal = AbortSignal.timeout(connectMilliseconds);
    // A resolver does not know the signal.
    const late = () => created(new Error(`there was no connection within ${connectMilliseconds / 1000} s`));
    signal.addEventListener("abort", late);
    make({ ...target, protocol }, signal)
      .then(
        (socket) => (signal.aborted ? void socket.destroy() : created(null, socket)),
        (error: Error) => signal.aborted || created(error),
      )
      .finally(() => signal.removeEventListener("abort", late));
    // Node waits for the callback.
    return undefined as unknown as Duplex;
  };
  return {
    "https:": Object.assign(new https.Agent(agentOptions), {
      createConnection: createdBy("https:", secured),
    }),
    "http:": Object.assign(new http.Agent(agentOptions), { createConnection: createdBy("http:", open) }),
  };
}

function openDirectly(findAddresses: FindAddresses): Open {
  return async ({ host, port, protocol }, signal) => {
    const addresses = await findAddresses(host, protocol);
    signal.throwIfAborted();
    const [first] = addresses;
    const lookup: LookupFunction = (_host, { all }, found) =>
      all ? found(null, addresses) : found(null, first?.address as string, first?.family);
    const socket = connect({ host, port, lookup, noDelay: true });
    await ready(socket, "connect", signal);
    return socket;
  };
}

/** The proxy gets a checked address, and resolves no names. */
function openThrough(proxy: URL, findAddresses: FindAddresses): Open {
  return async ({ host, port, protocol }, signal) => {
    const [first] = await findAddresses(host, protocol);
    signal.throwIfAborted();
    const address = first?.family === 6 ? `[${first.address}]` : first?.address;
    const [user, password] = [proxy.username, proxy.password].map(decodeURIComponent);
    const credentials = Buffer.from(`${user}:${password}`).toString("base64");
    const request = http.request({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || 80,
      ...{ method: "CONNECT", path: `${address}:${port}`, agent: false, signal },
      headers: {
        host: `${address}:${port}`,
        ...(user !== "" && { "proxy-authorization": `Basic ${credentials}` }),
      },
    });
    request.end();
    const [response, socket] = (await once(request, "connect")) as [http.IncomingMessage, Socket];
    if (response.statusCode === 200) return socket;
    socket.destroy();
    throw new Error(`the proxy responded ${response.statusCode}`);
  };
}

async function ready(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
