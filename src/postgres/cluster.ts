/** The files of the database: creates them and checks them. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readIfPresent, syncDirectory } from "../credentials/secret-files.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { type Binaries, programPath } from "./binaries.ts";
import { explainOutput } from "./error.ts";
import { type Account, runProgram } from "./processes.ts";
import { bulkSync, databaseUser } from "./settings.ts";

const draftPrefix = "postgres.init-";

/** The files of one database, with the binaries and the account that run it. */
export interface Cluster {
  readonly dataDirectory: string;
  readonly pgdata: string;
  readonly binaries: Binaries;
  /** The account that owns the files, if it is not the service's own. */
  readonly account: Account | undefined;
  /** Whether the account can't pass through a directory above. PostgreSQL is then started inside its files. */
  readonly isEnclosed: boolean;
}

/**
 * Returns the path by which PostgreSQL reaches a directory of the database. PostgreSQL is started in that directory. So it reaches
 * an enclosed directory without passing through the directories above.
 */
export function pathWithin({ isEnclosed }: Cluster, directory: string): string {
  return isEnclosed ? "/proc/self/cwd" : directory;
}

/**
 * Creates the data directory if it does not exist. @returns its canonical path, and the path of the database in it
 * @throws OperatorError when the database belongs to another account and the service is not root
 */
export async function openDataDirectory(path: string): Promise<{ dataDirectory: string; pgdata: string }> {
  const directory = resolve(path);
  const asRoot = process.getuid?.() === 0;
  // If the service is root, PostgreSQL runs as another account, which must pass through the directory.
  await mkdir(directory, { recursive: true, mode: asRoot ? 0o711 : 0o700 });
  const dataDirectory = await realpath(directory);
  const pgdata = join(dataDirectory, "postgres");
  const owner = await stat(pgdata).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner === undefined || asRoot || owner === process.getuid?.()) return { dataDirectory, pgdata };
  throw new OperatorError(
    `the database ${pgdata} belongs to another account (uid ${owner}): run the service as that account or as ` +
      "root, or set LOYALTY_DATA_DIR to another directory",
  );
}

/**
 * Creates the database, or checks the existing one. No PostgreSQL may be running on it.
 * @param progress gets a line for the operator before each step that takes time
 * @throws OperatorError when the files are of another version, or cannot be made
 */
export async function openCluster(cluster: Cluster, progress: (line: string) => void): Promise<void> {
  const { dataDirectory, pgdata, binaries, account } = cluster;
  await removeDrafts(dataDirectory);
  const madeBy = await versionOf(pgdata);
  if (madeBy === undefined) return createCluster(cluster, progress);
  const major = binaries.version.split(".")[0];
  if (madeBy !== major) {
    throw new OperatorError(
      `data directory ${pgdata} was made by PostgreSQL ${madeBy}, and this service brings PostgreSQL ` +
        `${major}, which cannot read it: run loyalty backup with the release of the service that made it and loyalty ` +
        "restore with this one, or set LOYALTY_DATA_DIR to another directory",
    );
  }
  // PostgreSQL rejects files that another account owns or can read, as is often the case with copied files.
  const { uid, mode } = await stat(pgdata);
  if (account && uid !== account.uid) {
    const { failed, lines } = await runProgram("chown", [
      "-R",
      "-h",
      `${account.uid}:${account.gid}`,
      pgdata,
    ]);
    if (failed) throw explainOutput(`cannot give the database to the account ${account.name}`, lines, pgdata);
  }
  if ((mode & 0o027) !== 0) await chmod(pgdata, 0o700);
}

/** Returns the major version that made the files, or undefined when there are none. */
async function versionOf(pgdata: string): Promise<string | undefined> {
  const version = await readIfPresent(join(pgdata, "PG_VERSION"));
  if (version !== undefined) return version.trim();
  const files = existsSync(pgdata) ? await readdir(pgdata) : [];
  if (files.length === 0) return undefined;
  throw new OperatorError(
    `${pgdata} holds files but no PostgreSQL database (PG_VERSION is missing): restore it from a backup, ` +
      "or move it away to begin with an empty database",
  );
}

/**
 * Creates the database in a draft directory, and renames it when it is complete and on disk. So an interrupted start leaves nothing
 * that looks like a database.
 */
async function createCluster(cluster: Cluster, progress: (line: string) => void): Promise<void> {
  const { dataDirectory, pgdata, binaries, account } = cluster;
  progress(`Creating the database in ${pgdata} …`);
  const draft = join(dataDirectory, draftPrefix + randomUUID());
  const files = join(draft, "data");
  for (const directory of [draft, files]) await mkdir(directory, { mode: 0o700 });
  if (account) for (const path of [files, draft]) await chown(path, account.uid, account.gid);
  const { failed, lines } = await runProgram(
    programPath(binaries, "initdb"),
    [
      ...["--pgdata", pathWithin(cluster, files), "--username", databaseUser],
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
      // Only the account and root can reach the socket, and both can read the files. A password would protect nothing.
      ...[
        "--auth-local=trust",
        "--auth-host=reject",
        "--data-checksums",
        "--no-instructions",
        `--sync-method=${bulkSync}`,
      ],
    ],
    { account, directory: files },
  );
  if (failed) {
    await rm(draft, { recursive: true, force: true });
    throw explainOutput(`PostgreSQL ${binaries.version} could not create the database`, lines, pgdata);
  }
  await rename(files, pgdata);
  await rm(draft, { recursive: true, force: true });
  await syncDirectory(dataDirectory);
}

/** Removes the drafts of starts that were killed. */
async function removeDrafts(dataDirectory: string): Promise<void> {
  const names = (await readdir(dataDirectory)).filter((name) => name.startsWith(draftPrefix));
  for (const name of names) {
    // An initdb may still be running after its service was killed. The next start removes its draft.
    await rm(join(dataDirectory, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
