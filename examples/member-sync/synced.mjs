/**
 * What was brought over before: a digest of each customer's line, by phone number. Lists of members don't tell
 * e-mail addresses and dates of birth, so this is how to know that nothing changed. To lose the file does no harm:
 * everyone is updated once more.
 */
import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { UsageError } from "../credentials.mjs";

/** @param {object} fields */
export function digestOf(fields) {
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

/**
 * @param {string} path
 * @returns {Promise<Map<string, string>>}
 * @throws {UsageError}
 */
export async function readSynced(path) {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(path, "utf8"))));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return new Map();
    throw new UsageError(
      `${path} can't be read: ${/** @type {Error} */ (error).message}. Mend it or remove it.`,
    );
  }
}

/** As a whole or not at all. @param {string} path @param {Map<string, string>} synced */
export async function writeSynced(path, synced) {
  await writeFile(`${path}.new`, JSON.stringify(Object.fromEntries(synced)), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
