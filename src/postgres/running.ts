/** Finding the PostgreSQL that a service runs, from another process on the same machine. */
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { ConnectionSettings } from "../database/connection.ts";
import { databaseName, databaseUser } from "./cluster.ts";
import { answersIn } from "./endpoint.ts";
import { EmbeddedDatabaseError, errorCode } from "./error.ts";

/**
 * How to connect to the PostgreSQL of a data directory.
 * @returns undefined when none takes connections
 * @throws EmbeddedDatabaseError when it has no password file, or one that may not be read
 */
export async function findRunning(dataDirectory: string): Promise<ConnectionSettings | undefined> {
  const address = await addressOf(join(dataDirectory, "postgres"));
  if (address === undefined) return undefined;
  const file = join(dataDirectory, "postgres.password");
  const password = await readFile(file, "utf8").catch((error: unknown) => {
    throw new EmbeddedDatabaseError(
      `the password of the database in ${file} can't be read (${errorCode(error)}): run this as the user that ` +
        "runs the service",
    );
  });
  return { ...address, user: databaseUser, password: password.trim(), database: databaseName };
}

type Address = Pick<ConnectionSettings, "host" | "port">;

async function addressOf(pgdata: string): Promise<Address | undefined> {
  const text = await readFile(join(pgdata, "postmaster.pid"), "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  });
  const [, , , portLine = "", socketDirectory = "", listenAddress = ""] = text.split("\n");
  const port = Number(portLine);
  if (!(port > 0)) return undefined;
  // In PGDATA, it may be written down in a way that only PostgreSQL itself understands.
  if (await answersIn(pgdata)) return { host: pgdata, port };
  const address = { host: socketDirectory.trim() || listenAddress.trim(), port };
  return (await answers(address)) ? address : undefined;
}

function answers({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    const settle = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
