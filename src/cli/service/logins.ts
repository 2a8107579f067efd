/** The keys of `loyalty login`, in a file of the user that nobody else can read. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readIfPresent, writePrivateFile } from "../../credentials/secret-files.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";

/** Where the user's settings are; undefined for an account without a home directory, as in some containers. */
function settingsDirectory(): string | undefined {
  try {
    return process.env.XDG_CONFIG_HOME || join(process.env.HOME || homedir(), ".config");
  } catch {
    return undefined;
  }
}

/** @throws CliError for an account without a home directory */
export function loginFile(): string {
  const directory = settingsDirectory();
  if (directory !== undefined) return join(directory, "loyalty", "login.json");
  throw new CliError(exitCodes.usage, "This account has no home directory that could hold a login.", [
    "Set XDG_CONFIG_HOME to a directory of this account, or LOYALTY_OPERATOR_KEY to a key.",
  ]);
}

/** The keys by the addresses of their services. */
async function readLogins(): Promise<Record<string, string>> {
  const file = loginFile();
  try {
    return JSON.parse((await readIfPresent(file)) ?? "{}");
  } catch (error) {
    const advice = ["Remove the file, and run loyalty login again."];
    throw new CliError(
      exitCodes.unauthorized,
      `The file ${file} can't be read (${(error as Error).message}).`,
      advice,
    );
  }
}

export async function findLogin(baseUrl: string): Promise<string | undefined> {
  if (settingsDirectory() === undefined) return undefined;
  const logins = await readLogins();
  return Object.hasOwn(logins, baseUrl) ? logins[baseUrl] : undefined;
}

/** @param key undefined removes the key */
export async function keepLogin(baseUrl: string, key: string | undefined): Promise<void> {
  const { [baseUrl]: _, ...others } = await readLogins();
  const logins = key === undefined ? others : { ...others, [baseUrl]: key };
  const file = loginFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, `${JSON.stringify(logins, null, 2)}\n`, "replace");
}
