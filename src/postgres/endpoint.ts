/** Where PostgreSQL listens: a Unix socket that only this service can reach or, on Windows, a port of the loopback. */

import { createHash } from "node:crypto";
import { chown, lstat, mkdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ancestors, firstClosed } from "./account.ts";
import { errorCode } from "./error.ts";
import type { Account } from "./processes.ts";

export interface Endpoint {
  /** The directory of the socket, or the address. */
  readonly host: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Removes what a PostgreSQL that was killed left there; only for when none is running. */
  clear(): Promise<void>;
  /** Removes what was made for the endpoint. */
  remove(): Promise<void>;
}

/** Part of the name of the socket. No two servers share a directory, so that one number does for all. */
const socketPort = 5432;

/** The address of a socket has 104 bytes on macOS, 108 on Linux, with the zero at the end. */
const longestSocketPath = 103;

/**
 * Chooses the endpoint for a data directory: a socket in PGDATA itself, which is private to the right account
 * anyway, or where that path would be too long, in a private directory for temporary files.
 * @param pathOfServer how PostgreSQL itself has to name PGDATA
 * @param account the account that PostgreSQL runs as, if it is not the service's own
 */
export async function chooseEndpoint(
  pgdata: string,
  pathOfServer: string,
  account: Account | undefined,
): Promise<Endpoint> {
  if (process.platform === "win32") return loopback();
  if (fits(pgdata)) return socketIn(pgdata, false, pathOfServer);
  for (const parent of new Set([tmpdir(), "/tmp"])) {
    const name = `loyalty-${createHash("sha256").update(pgdata).digest("hex").slice(0, 16)}`;
    const directory = join(parent, name);
    if (fits(directory) && (await makePrivate(parent, directory, account))) return socketIn(directory, true);
  }
  return loopback();
}

/** Whether a PostgreSQL, in whatever container, listens on the socket in PGDATA. */
export async function answersIn(pgdata: string): Promise<boolean> {
  if (process.platform === "win32" || !fits(pgdata)) return false;
  return new Promise((resolve) => {
    const socket = connect(socketPath(pgdata));
    const settle = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`);
}

function fits(directory: string): boolean {
  return Buffer.byteLength(socketPath(directory)) <= longestSocketPath;
}

function socketIn(directory: string, temporary: boolean, pathOfServer = directory): Endpoint {
  return {
    host: directory,
    port: socketPort,
    settings: {
      listen_addresses: "",
      port: String(socketPort),
      // The setting is a list: the quotes keep a comma in the path from dividing it.
      unix_socket_directories: `"${pathOfServer.replaceAll('"', '""')}"`,
      unix_socket_permissions: "0700",
    },
    async clear() {
      for (const path of [socketPath(directory), `${socketPath(directory)}.lock`])
        await rm(path, { force: true });
    },
    async remove() {
      if (temporary) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** False when the directory cannot be had: another account may have taken the name to pry on the connections. */
async function makePrivate(
  parent: string,
  directory: string,
  account: Account | undefined,
): Promise<boolean> {
  try {
    if (account && (await firstClosed(ancestors(parent), account)) !== undefined) return false;
    await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
    const { uid, mode } = await lstat(directory).then((found) =>
      found.isDirectory() ? found : { uid: -1, mode: 0 },
    );
    if (![process.getuid?.(), account?.uid].includes(uid) || (mode & 0o077) !== 0) return false;
    if (account) await chown(directory, account.uid, account.gid);
    return true;
  } catch {
    return false;
  }
}

async function loopback(): Promise<Endpoint> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return {
    host: "127.0.0.1",
    port,
    settings: { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" },
    // A port leaves nothing behind.
    clear: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
}
