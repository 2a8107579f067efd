/**
 * The account that PostgreSQL runs as. PostgreSQL refuses to run as root, so a service that is root hands it to
 * another account, which must be able to reach the binaries and the data.
 */

import { chmod, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedDatabaseError } from "./error.ts";
import { type Account, run } from "./processes.ts";

const systemAccount = "loyalty-postgres";

/**
 * Chooses the account: the one that owns the data already, `postgres`, one made for the purpose, or `nobody`.
 * @returns undefined when the service is not root, and PostgreSQL can run as the service does
 * @throws EmbeddedDatabaseError when the system has no such account and none can be made
 */
export async function databaseAccount(pgdata: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(pgdata).then(
    ({ uid }) => uid,
    () => 0,
  );
  const account =
    (owner === 0 ? undefined : await lookUp(String(owner))) ??
    (await lookUp("postgres")) ??
    (await lookUp(systemAccount)) ??
    (await createAccount()) ??
    (await lookUp("nobody"));
  if (account) return account;
  throw new EmbeddedDatabaseError(
    "PostgreSQL cannot run as root and this system has no other account for it: create one " +
      `(useradd --system ${systemAccount}) or run the service as an ordinary user`,
  );
}

async function lookUp(nameOrUid: string): Promise<Account | undefined> {
  const { status, lines } = await run("id", [nameOrUid]);
  const match = /^uid=(\d+)\(([^)]+)\) gid=(\d+)/.exec(lines[0] ?? "");
  if (status !== 0 || match === null) return undefined;
  return { name: match[2] ?? nameOrUid, uid: Number(match[1]), gid: Number(match[3]) };
}

async function createAccount(): Promise<Account | undefined> {
  const options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
  // Where there is no useradd, or /etc is read-only, the caller goes on to the next account.
  await run("useradd", [...options, systemAccount]).catch(() => undefined);
  return lookUp(systemAccount);
}

/**
 * Makes sure that the account can get to the data directory. The directory itself is opened for passing through
 * (o+x); its parents, such as the home of root, are not the service's to change.
 * @returns false when a parent is closed: then the account can only be started inside
 * @throws EmbeddedDatabaseError naming the parent that is closed, on systems where that cannot be done
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

/** The directory and all above it, from the root down. */
export function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...ancestors(parent), directory];
}

const findClosed = 'for path do [ -x "$path" ] || { printf "%s\\n" "$path"; exit 1; }; done';

/**
 * The first of the paths that the account may not pass through or execute. The account itself is asked, as
 * mode bits are not the whole truth.
 * @throws EmbeddedDatabaseError when this process may not act as the account
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
