/** The file .env: settings as lines of NAME=value. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { OperatorError } from "../domain/access/operator-error.ts";

const lineWithoutEquals = /^\s*(?<name>LOYALTY_[A-Z_]+|PORT|HOST|LOG_LEVEL|DATABASE_URL(?:_FILE)?)\s+[^\s=]/m;

/**
 * Reads the settings of a file.
 * @returns the values by their names; none without a file
 * @throws OperatorError when it can't be read, or has a setting without "="
 */
export function readEnvironmentFile(file = ".env"): Readonly<Record<string, string>> {
  const text = decodedText(file);
  const wrong = lineWithoutEquals.exec(text)?.groups?.name;
  // The rest of the line may be a secret.
  if (wrong !== undefined) throw new OperatorError(`The file ${file} has a line without "=": ${wrong} …`);
  return parseEnv(text) as Record<string, string>;
}

function decodedText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw new OperatorError(`The file ${file} can't be read (${code}).`);
  }
  try {
    // Editors on Windows begin a file with a byte order mark, which the decoder removes.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError(`The file ${file} is not in UTF-8. Save it as UTF-8.`);
  }
}
