import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { minimumSecretLength } from "./config.ts";
import { writePrivateFile } from "./credentials/private-file.ts";
import { OperatorError } from "./domain/operator-error.ts";

/** A kept secret can't be used; the message says why, in one line. */
export class SecretError extends OperatorError {}

/**
 * A secret of the service, made at the first start and kept in the data directory for its owner's eyes only.
 * @throws SecretError when the file can't be read or written, or holds no secret
 */
export async function keptSecret(dataDirectory: string, name: string): Promise<string> {
  const file = join(dataDirectory, name);
  try {
    const kept = await readSecret(file);
    if (kept !== undefined) return kept;
    await writePrivateFile(file, `${randomBytes(48).toString("base64url")}\n`, "keep");
    // If another process was first, its secret is the one.
    return (await readSecret(file)) as string;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SecretError(
      `The secret in ${file} can't be read or made (${code}): see to its owner and mode.`,
    );
  }
}

async function readSecret(file: string): Promise<string | undefined> {
  let secret: string;
  try {
    secret = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (secret.length >= minimumSecretLength) return secret;
  throw new SecretError(
    `${file} holds no secret of at least ${minimumSecretLength} characters: restore it from a backup, or remove ` +
      "it to have a new one made, which ends all access tokens and unbinds the idempotency keys in use.",
  );
}
