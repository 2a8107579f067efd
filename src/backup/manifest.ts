/** The manifest of a backup: writes it, reads it, and compares the files with it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { syncDirectory } from "../credentials/secret-files.ts";
import { OperatorError } from "../domain/access/operator-error.ts";

/** Files of the data directory that belong to the service. The operator may keep the first two elsewhere. */
export const keptFiles = ["secret", "operator.key", "demo.json"] as const;

const number = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const digest = Type.String({ pattern: "^[0-9a-f]{64}$" });
const closed = { additionalProperties: false };
const file = {
  /** The name in the directory. */
  path: Type.String(),
  size: number,
  sha256: digest,
};
const fileRecord = Type.Object(file, closed);
/** The rows of a table, as COPY writes them as text, compressed by gzip. */
const tableRecord = Type.Object(
  {
    ...file,
    table: Type.String({ pattern: "^[a-z_]+$" }),
    columns: Type.Array(Type.String(), { minItems: 1 }),
    rows: number,
    /** The last value of each identity column; null before the first. A deleted row may have had it. */
    identities: Type.Record(Type.String(), Type.Union([number, Type.Null()])),
  },
  closed,
);
const manifestSchema = Type.Object(
  {
    format: Type.Literal(1),
    /** ISO 8601, UTC: a restore brings back the state of this moment. */
    made_at: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
    /** The release of the service that made the backup. */
    product_version: Type.String(),
    /** The last migration of the database. */
    schema_version: Type.Integer({ minimum: 1 }),
    /** Identifies the migrations. */
    schema_digest: digest,
    /** The business whose rows these are; absent in a backup, which has all rows. */
    business: Type.Optional(Type.Object({ business_id: number, name: Type.String() }, closed)),
    /** The kept files, and one file for each table. */
    files: Type.Array(Type.Union([tableRecord, fileRecord])),
  },
  closed,
);
const compiled = Compile(manifestSchema);

export type FileRecord = Readonly<Static<typeof fileRecord>>;
export type TableRecord = Readonly<Static<typeof tableRecord>>;
export type Manifest = Readonly<Static<typeof manifestSchema>>;

export const manifestName = "backup.json";
/** The manifest of an exported business has another name, so that it is not mistaken for a backup. */
export const businessManifestName = "business.json";

/** Writes the manifest, after all other files. A directory with a manifest is a backup. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  const name = manifest.business === undefined ? manifestName : businessManifestName;
  await writeFile(join(directory, name), text, { mode: 0o600, flag: "wx", flush: true });
  await syncDirectory(directory);
}

/** Reads a manifest, and checks that it has all parts. @throws OperatorError when the directory is not a backup */
async function readManifest(directory: string, name: string): Promise<Manifest> {
  const file = join(directory, name);
  const text = await readFile(file, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    throw new OperatorError(
      code === "ENOENT" || code === "ENOTDIR"
        ? `${directory} is not ${name === manifestName ? "a backup" : "an exported business"}: it has no ${name}.`
        : `The backup ${directory} can't be read (${code}): run this as the user that owns it.`,
    );
  });
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new OperatorError(`${file} is damaged: use another backup.`);
  }
  if ((manifest as Partial<Manifest> | null)?.format !== 1) {
    throw new OperatorError(`${file} has another format: use the release of the service that made it.`);
  }
  if (!compiled.Check(manifest)) {
    const [error] = compiled.Errors(manifest);
    const where = error?.instancePath.slice(1).replaceAll("/", ".") || "a part";
    throw new OperatorError(
      `${file} is damaged: ${where} ${error?.message ?? "is not valid"}. Use another backup.`,
    );
  }
  checkFiles(manifest, file);
  if ((manifest.business === undefined) !== (name === manifestName)) {
    throw new OperatorError(
      `${file} ${manifest.business ? "names a" : "names no"} business: don't trust it.`,
    );
  }
  return manifest;
}

/** Checks that the files are those that the service writes: one for each table, and in a backup the kept files. */
function checkFiles({ files, business }: Manifest, manifest: string): void {
  const others: readonly string[] = business === undefined ? keptFiles : [];
  const other = files.find((file) =>
    "table" in file ? file.path !== fileOf(file.table) : !others.includes(file.path),
  );
  if (other !== undefined) {
    throw new OperatorError(`${manifest} names a file ${other.path} that is not part of it: don't trust it.`);
  }
  const paths = files.map(({ path }) => path);
  const tables = files.flatMap((file) => ("table" in file ? [file.table] : []));
  for (const names of [paths, tables]) {
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new OperatorError(`${manifest} names ${twice} twice: don't trust it.`);
  }
}

/** The name of the file with the rows of a table. */
export const fileOf = (table: string) => `${table}.copy.gz`;

export const tablesOf = ({ files }: Manifest): TableRecord[] =>
  files.filter((file): file is TableRecord => "table" in file);

export const keptOf = ({ files }: Manifest) =>
  keptFiles.filter((name) => files.some(({ path }) => path === name));

/** Returns the facts about a backup that commands show, and the names of missing secrets. */
export function summaryOf(manifest: Manifest) {
  const { made_at, product_version, schema_version, files } = manifest;
  const kept = keptOf(manifest);
  return {
    made_at,
    product_version,
    schema_version,
    files: files.length,
    rows: tablesOf(manifest).reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    missing: keptFiles.slice(0, 2).filter((name) => !kept.includes(name)),
  };
}

/** Reads a file of a backup, and makes its record. @param onBytes gets the number of bytes read so far */
export async function fileRecordOf(
  directory: string,
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<FileRecord> {
  const digest = createHash("sha256");
  const name = join(directory, path);
  // A link or a pipe would let the backup name what lies elsewhere.
  if (!(await lstat(name)).isFile())
    throw new OperatorError(`${name} is not a regular file: don't trust it.`);
  const source = createReadStream(name, { highWaterMark: 1 << 20 });
  source.on("data", () => onBytes(source.bytesRead));
  await pipeline(source, digest, { signal });
  return { path, size: source.bytesRead, sha256: digest.digest("hex") };
}

/**
 * Compares every file of a backup with its manifest.
 * @param onBytes gets the number of bytes that were compared so far, and of all
 * @param name of the manifest
 * @throws OperatorError when the directory is not a backup of this format, or a file is missing or has changed
 */
export async function verifyBackup(
  directory: string,
  signal: AbortSignal,
  onBytes: (bytes: number, all: number) => void = () => undefined,
  name = manifestName,
): Promise<Manifest> {
  const manifest = await readManifest(directory, name);
  const { bytes: all } = summaryOf(manifest);
  const damaged = (path: string, how: string) =>
    new OperatorError(`The backup is damaged: ${join(directory, path)} ${how}. Use another one.`);
  let before = 0;
  for (const { path, size, sha256 } of manifest.files) {
    const reading = fileRecordOf(directory, path, signal, (bytes) => onBytes(before + bytes, all));
    const found = await reading.catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      throw damaged(path, error.code === "ENOENT" ? "is missing" : `can't be read (${error.code})`);
    });
    if (found.size !== size || found.sha256 !== sha256) throw damaged(path, "has changed");
    before += size;
  }
  return manifest;
}

/** Returns the backups that lie in a directory, newest first. */
export async function listBackups(directory: string): Promise<{ name: string; manifest: Manifest }[]> {
  const names = await readdir(directory).catch(({ code }: NodeJS.ErrnoException) => {
    throw new OperatorError(`${directory} can't be listed (${code}).`);
  });
  const found: { name: string; manifest: Manifest }[] = [];
  for (const name of names) {
    const manifest = await readManifest(join(directory, name), manifestName).catch(() => undefined);
    if (manifest !== undefined) found.push({ name, manifest });
  }
  return found.sort((a, b) => b.manifest.made_at.localeCompare(a.manifest.made_at));
}
