import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The service's secret, made at the first start and kept in the data directory, for its owner's eyes only.
 * @throws when the directory can't be read or written
 */
export async function keptSecret(dataDirectory: string, name: string): Promise<string> {
  const file = join(dataDirectory, name);
  const read = async () => (await readFile(file, "utf8")).trim();
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    await writeFile(file, `${randomBytes(48).toString("base64url")}\n`, {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
  } catch (error) {
    // Another process was first: its secret is the one.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return read();
}
