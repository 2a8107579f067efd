/** Files with secrets: those in the data directory, and those that settings name. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "../domain/access/operator-error.ts";

/**
 * Writes a file that only its owner may read. It gets its name when it is complete and on disk, even if the process or the machine
 * stops meanwhile.
 * @param existing what to do with an existing file
 * @returns false when there was a file and it was kept
 */
export async function writePrivateFile(
  file: string,
  text: string,
  existing: "keep" | "replace",
): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx", flush: true });
    // Unlike a rename, a link never replaces an existing file.
    if (existing === "keep") await link(draft, file);
    else await rename(draft, file);
    await syncDirectory(dirname(file));
    return true;
  } catch (error) {
    if (existing === "keep" && (error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes the new names in a directory to disk. Windows can't sync directories. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}

/** @returns the text of a file; undefined if there is no such file */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A shorter secret could be guessed. */
export const minimumSecretLength = 32;

/**
 * Reads a secret of the service from the data directory. Makes it at the first start, in a file that only its owner may read.
 * @throws OperatorError when the file can't be read or written, or holds no secret
 */
export async function readOrMakeSecret(dataDirectory: string, name: string): Promise<string> {
  const file = join(dataDirectory, name);
  try {
    const stored = await readSecret(file);
    if (stored !== undefined) return stored;
    await writePrivateFile(file, `${randomBytes(48).toString("base64url")}\n`, "keep");
    // If another process was first, the file has its secret.
    return (await readSecret(file)) as string;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new OperatorError(
      `The secret in ${file} can't be read or made (${code}): see to its owner and mode.`,
    );
  }
}

async function readSecret(file: string): Promise<string | undefined> {
  const secret = (await readIfPresent(file))?.trim();
  if (secret === undefined || secret.length >= minimumSecretLength) return secret;
  throw new OperatorError(
    `${file} holds no secret of at least ${minimumSecretLength} characters: restore it from a backup, or remove ` +
      "it to have a new one made, which ends all access tokens and unbinds the idempotency keys in use.",
  );
}

/**
 * Reads a setting from the variable `NAME`, or from the file that `NAME_FILE` names. Container platforms mount such files.
 * @param suffix of the name of the setting that names the file
 * @returns undefined when neither is set
 * @throws OperatorError when both are set, or the file can't be read or is empty
 */
export function readSetting(
  name: string,
  value: string | undefined,
  file: string | undefined,
  suffix = "_FILE",
) {
  if (file === undefined) return value;
  const setting = name + suffix;
  if (value !== undefined) throw new OperatorError(`${setting} and ${name} are both set: keep one.`);
  const text = secretText(setting, file);
  if (text === "") throw new OperatorError(`${setting} names ${file}, which is empty.`);
  return text;
}

function secretText(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${setting} names ${file}, which can't be read (${code}).`);
  }
}
