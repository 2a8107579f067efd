/** The Unix socket of PostgreSQL. It lies in PGDATA, which only the owner of the data can enter. */

import { readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { ConnectionSettings } from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { EmbeddedDatabaseError } from "./error.ts";

export const databaseUser = "loyalty";
export const databaseName = "loyalty";

/** Part of the socket's name. Each server has a directory of its own, so all use the same number. */
const socketPort = 5432;

/** The address of a socket has 104 bytes on macOS and 108 on Linux, including a zero byte. */
const longestSocketPath = 103;

/** @throws EmbeddedDatabaseError when the path of PGDATA is too long for a socket */
export function checkSocketPath(dataDirectory: string, pgdata: string): void {
  const excess = Buffer.byteLength(socketPath(pgdata)) - longestSocketPath;
  if (excess <= 0) return;
  const longest = Buffer.byteLength(dataDirectory) - excess;
  throw new EmbeddedDatabaseError(
    `the path of the data directory ${dataDirectory} is too long for the socket of PostgreSQL: move the directory ` +
      `to a path of at most ${longest} bytes, and set LOYALTY_DATA_DIR to that path`,
  );
}

/** Returns the settings that make PostgreSQL listen on the socket only. `path` is the server's own path of PGDATA. */
export function socketSettings(path: string): Record<string, string> {
  return {
    listen_addresses: "",
    port: String(socketPort),
    // The setting is a list. The quotes keep a comma in the path from dividing it.
    unix_socket_directories: `"${path.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
  };
}

/** Removes the socket of a PostgreSQL that was killed. None may be running. */
export async function removeSocket(pgdata: string): Promise<void> {
  for (const path of [socketPath(pgdata), `${socketPath(pgdata)}.lock`]) await rm(path, { force: true });
}

/** Returns whether a PostgreSQL, possibly in another container, listens on the socket in PGDATA. */
export async function answersIn(pgdata: string): Promise<boolean> {
  if (Buffer.byteLength(socketPath(pgdata)) > longestSocketPath) return false;
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

/**
 * Finds the PostgreSQL of a data directory that another process runs on this machine.
 * @returns undefined when none accepts connections
 * @throws EmbeddedDatabaseError when the password file is missing or can't be read
 */
export async function findRunning(dataDirectory: string): Promise<ConnectionSettings | undefined> {
  const host = join(dataDirectory, "postgres");
  if (!(await answersIn(host))) return undefined;
  const file = join(dataDirectory, "postgres.password");
  const password = await readFile(file, "utf8").catch((error: unknown) => {
    throw new EmbeddedDatabaseError(
      `the password of the database in ${file} can't be read (${codeOf(error)}): run this as the user that ` +
        "runs the service",
    );
  });
  return { ...connectionTo(host), password: password.trim() };
}

/** Returns where and as whom to connect, but for the password. */
export function connectionTo(pgdata: string): Omit<ConnectionSettings, "password"> {
  return { host: pgdata, port: socketPort, user: databaseUser, database: databaseName };
}

function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`);
}
