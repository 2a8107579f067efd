/** The file .env of the current directory. It may come with a directory that somebody else made. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { CliError, exitCodes } from "../cli-error.ts";

/**
 * The variables that the command and the service read. Others, such as NODE_TLS_REJECT_UNAUTHORIZED, are
 * ignored.
 */
const known = /^(?:LOYALTY_\w+|PORT|DATABASE_URL(?:_FILE)?)$/;
/** The file must not choose the file that is sent as the operator key. */
const unknown = "LOYALTY_OPERATOR_KEY_FILE";

/**
 * Adds the variables of the file to the environment, which wins over it; the file need not be there.
 * @returns the names of those that come from the file
 */
export function readEnvironmentFile(environment: NodeJS.ProcessEnv, file = ".env"): ReadonlySet<string> {
  const added = new Set<string>();
  for (const [name, value] of Object.entries(parseEnv(textOf(file)))) {
    if (!known.test(name) || name === unknown || environment[name] !== undefined) continue;
    environment[name] = value;
    added.add(name);
  }
  return added;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw new CliError(exitCodes.usage, `The file ${file} can't be read (${code}).`);
  }
}
