/** What the environment says, and the file .env of the current directory, which somebody else may have made. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { readSetting } from "../../credentials/secret-files.ts";
import type { Place } from "../../database/backup/copy.ts";
import { CliError, exitCodes } from "../cli-error.ts";

/** The value of a variable; undefined if it is not set or blank. */
export const settingOf = (name: string) => process.env[name]?.trim() || undefined;

export const dataDirectoryOf = () => resolve(settingOf("LOYALTY_DATA_DIR") ?? "data");

/** Returns where the environment says the database is, as the service reads it. */
export function placeOf(): Place {
  const [url, file] = [settingOf("DATABASE_URL"), settingOf("DATABASE_URL_FILE")];
  return { dataDirectory: dataDirectoryOf(), databaseUrl: readSetting("DATABASE_URL", url, file) };
}

/**
 * The variables that the command and the service read. Others, such as NODE_TLS_REJECT_UNAUTHORIZED, are
 * ignored. The file must not choose the file that is sent as the operator key.
 */
const known = /^(?:LOYALTY_(?!OPERATOR_KEY_FILE$)\w+|PORT|DATABASE_URL(?:_FILE)?)$/;

/**
 * Adds the variables of the file to the environment, which wins over it; the file need not be there.
 * @returns the names of those that come from the file
 */
export function readEnvironmentFile(environment: NodeJS.ProcessEnv, file = ".env"): ReadonlySet<string> {
  const added = Object.entries(parseEnv(textOf(file))).filter(
    ([name]) => known.test(name) && environment[name] === undefined,
  );
  Object.assign(environment, Object.fromEntries(added));
  return new Set(added.map(([name]) => name));
}

/** @returns the text of the file; empty without one */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw new CliError(exitCodes.usage, `The file ${file} can't be read (${code}).`);
  }
}
