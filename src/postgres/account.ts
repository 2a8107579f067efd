/** The account that runs PostgreSQL. PostgreSQL rejects root, so root's service starts it as another account. */

import { chmod, stat } from "node:fs/promises";
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
    const { failed, lines } = await run("id", [name]);
    const match = /^uid=(\d+)\(([^)]+)\) gid=(\d+)/.exec(lines[0] ?? "");
    if (!failed && match) return { name: match[2] ?? name, uid: Number(match[1]), gid: Number(match[3]) };
  }
  throw new EmbeddedDatabaseError(
    "PostgreSQL cannot run as root, and this system has no account postgres or nobody to run it: create one " +
      "(useradd --system postgres), or run the service as an ordinary user",
  );
}

/**
 * Lets the account pass through the data directory (o+x). The directories above, such as /root, stay as they are.
 * @returns whether one of those is closed to the account; PostgreSQL must then be started inside its files
 * @throws EmbeddedDatabaseError on systems where it can't be started inside
 */
export async function isEnclosed(dataDirectory: string, account: Account): Promise<boolean> {
  if (await mayEnter(dataDirectory, account)) return false;
  await chmod(dataDirectory, (await stat(dataDirectory)).mode | 0o001);
  if (await mayEnter(dataDirectory, account)) return false;
  if (process.platform === "linux") return true;
  throw new EmbeddedDatabaseError(
    `the account ${account.name}, which runs PostgreSQL for root, cannot pass through a directory above the data ` +
      `directory ${dataDirectory}: set LOYALTY_DATA_DIR=/var/lib/loyalty, or chmod o+x the directories above, ` +
      "or run the service as an ordinary user",
  );
}

/** The check runs as the account, because mode bits don't show access lists and mount options. */
async function mayEnter(directory: string, account: Account): Promise<boolean> {
  const { failed } = await run("/bin/sh", ["-c", 'test -x "$1"', "sh", directory], { account });
  return !failed;
}
