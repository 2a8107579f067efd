/** The account that runs PostgreSQL. PostgreSQL rejects root, so root's service starts it as another account. */

import { chmod, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedDatabaseError } from "./error.ts";
import { type Account, run } from "./processes.ts";

/**
 * Chooses the account: the owner of the data, else `postgres`, else `nobody`.
 * @returns undefined when the service is not root and PostgreSQL runs as the service does
 * @throws EmbeddedDatabaseError when the system has none of these accounts
 */
export async function databaseAccount(pgdata: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(pgdata).then(
    ({ uid }) => uid,
    () => 0,
  );
  for (const name of [...(owner === 0 ? [] : [String(owner)]), "postgres", "nobody"]) {
    const { status, lines } = await run("id", [name]);
    const match = /^uid=(\d+)\(([^)]+)\) gid=(\d+)/.exec(lines[0] ?? "");
    if (status === 0 && match)
      return { name: match[2] ?? name, uid: Number(match[1]), gid: Number(match[3]) };
  }
  throw new EmbeddedDatabaseError(
    "PostgreSQL cannot run as root, and this system has no account postgres or nobody to run it: create one " +
      "(useradd --system postgres), or run the service as an ordinary user",
  );
}

/**
 * Lets the account pass through the data directory (o+x). The directories above, such as /root, stay as they are.
 * @returns false when the account can't pass through a directory above; PostgreSQL must then be started inside
 * @throws EmbeddedDatabaseError naming the closed directory, on systems where PostgreSQL can't be started inside
 */
export async function openTheWay(dataDirectory: string, account: Account): Promise<boolean> {
  let closed = await firstClosed(ancestors(dataDirectory), account);
  if (closed === dataDirectory) {
    await chmod(dataDirectory, (await stat(dataDirectory)).mode | 0o001);
    closed = await firstClosed(ancestors(dataDirectory), account);
  }
  if (closed === undefined) return true;
  if (process.platform === "linux") return false;
  throw new EmbeddedDatabaseError(
    `the account ${account.name}, which runs PostgreSQL for root, cannot pass through ${closed} to the data ` +
      `directory ${dataDirectory}: set LOYALTY_DATA_DIR=/var/lib/loyalty, or chmod o+x ${closed}, ` +
      "or run the service as an ordinary user",
  );
}

/** Returns the directory and all directories above it, from the root down. */
export function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...ancestors(parent), directory];
}

const findClosed = 'for path do [ -x "$path" ] || { printf "%s\\n" "$path"; exit 1; }; done';

/**
 * Finds the first path that the account can't pass through or execute. The check runs as the account, because
 * mode bits don't show access lists and mount options.
 * @throws EmbeddedDatabaseError when this process may not switch to the account
 */
export async function firstClosed(paths: readonly string[], account: Account): Promise<string | undefined> {
  try {
    const { status, lines } = await run("/bin/sh", ["-c", findClosed, "sh", ...paths], { account });
    return status === 0 ? undefined : (lines[0] ?? paths[0]);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL cannot run as root, and this process may not act as the account ${account.name} ` +
        `(${(error as Error).message}): run the service as an ordinary user`,
      { cause: error },
    );
  }
}
