/** Finds the address of the service and the operator key, and says where both come from. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSetting } from "../../credentials/secret-files.ts";
import { readAddressFile } from "../../data-directory.ts";
import { CliError, exitCodes, usageError } from "../cli-error.ts";
import { dataDirectoryOf, type Environment, settingOf } from "./environment.ts";

export interface OperatorKey {
  readonly key: string;
  /** For people: the variable, or the file. */
  readonly from: string;
  /** The data directory that the key was found in. */
  readonly dataDirectory?: string;
}

/** Where the service is. */
export interface Address {
  /** With the base path, without a slash at its end. */
  readonly baseUrl: string;
  /** For people: completes "it is taken". */
  readonly urlFrom: string;
}

export interface Connection extends Address {
  readonly key: OperatorKey;
}

const keyVariable = "LOYALTY_OPERATOR_KEY";

/** What the command line says of the connection. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly insecure?: boolean;
}

/**
 * Finds the service and the key.
 * @param fromFile variables of the environment that come from the file .env
 * @throws CliError when there is no key, or it must not go there
 */
export async function findConnection(
  environment: Environment,
  { url, insecure = false }: ConnectionOptions,
  fromFile: ReadonlySet<string>,
): Promise<Connection> {
  const key = await findKey(environment);
  // The address file counts only beside its key, because the file of another directory must not say where the
  // key goes.
  const running = key.dataDirectory === undefined ? undefined : await readAddress(key.dataDirectory);
  const found = await withHint(environment, findUrl(environment, url, running));
  // Somebody else may have written the file to get the key. So it may only say where its own key goes.
  const believesFile = key.from === keyVariable && fromFile.has(keyVariable);
  if (found.urlFrom === "from LOYALTY_URL" && fromFile.has("LOYALTY_URL") && !believesFile) {
    throw usageError(
      "The address of the service is in the file .env, but the operator key is not.",
      `The key (${key.from}) would be sent where that file says, and somebody else may have written it.`,
      `If the address is right, use --url ${settingOf(environment, "LOYALTY_URL")}, or put LOYALTY_OPERATOR_KEY into .env too.`,
    );
  }
  const allowed =
    settingOf(environment, "LOYALTY_INSECURE") === "1" && (believesFile || !fromFile.has("LOYALTY_INSECURE"));
  if (!insecure && !allowed) refusePlainHttp(found);
  return { ...found, key };
}

const isLoopback = (hostname: string) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** @throws CliError when a secret would go over plain HTTP to another machine */
export function refusePlainHttp({ baseUrl, urlFrom }: Address): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw usageError(
    `Plain HTTP would show the key to everybody between here and ${baseUrl}.`,
    `The address is taken ${urlFrom}: use https, or a tunnel such as ssh -L 8080:127.0.0.1:8080.`,
    "If the network between is yours alone: --insecure, or LOYALTY_INSECURE=1 in the environment.",
  );
}

/**
 * Finds the service.
 * @param option what --url says
 * @param running where the service said that it is running, and the file in which it said so
 */
export function findUrl(environment: Environment, option?: string, running?: Address): Address {
  const variable = settingOf(environment, "LOYALTY_URL");
  const port = settingOf(environment, "PORT");
  const given = option ?? variable ?? `http://127.0.0.1:${port ?? 8080}`;
  let urlFrom = "by default";
  if (option !== undefined) urlFrom = "from --url";
  else if (variable !== undefined) urlFrom = "from LOYALTY_URL";
  else if (port !== undefined) urlFrom = "from PORT";
  else if (running !== undefined) return running;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw usageError(
      `The address of the service must be a URL such as http://127.0.0.1:8080, not "${given}".`,
      `It is taken ${urlFrom}.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  // An address without a path gets the base path; one with a path has it already.
  const basePath =
    path === "" ? (settingOf(environment, "LOYALTY_BASE_PATH") ?? "/api").replace(/\/+$/, "") : path;
  return { baseUrl: url.origin + basePath, urlFrom };
}

/**
 * Names the service of the data directory where the address is only the default: its file must not say where a key
 * from elsewhere goes, but the person at the terminal can.
 */
export async function withHint(environment: Environment, found: Address): Promise<Address> {
  if (found.urlFrom !== "by default") return found;
  const running = await readAddress(dataDirectoryOf(environment));
  if (running === undefined || running.baseUrl === found.baseUrl) return found;
  const hint = `the service of ${dataDirectoryOf(environment)} was at ${running.baseUrl}`;
  return { ...found, urlFrom: `by default, though ${hint}` };
}

async function readAddress(dataDirectory: string): Promise<Address | undefined> {
  const found = await readAddressFile(dataDirectory);
  return found && { baseUrl: found.address, urlFrom: `from ${found.file}` };
}

async function findKey(environment: Environment): Promise<OperatorKey> {
  const keyFile = settingOf(environment, `${keyVariable}_FILE`);
  const key = readSetting(keyVariable, settingOf(environment, keyVariable), keyFile);
  if (key !== undefined) return { key, from: keyFile ?? keyVariable };
  const dataDirectory = dataDirectoryOf(environment);
  const file = join(dataDirectory, "operator.key");
  try {
    return { key: (await readFile(file, "utf8")).trim(), from: file, dataDirectory };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOENT" || code === "ENOTDIR" ? noKey(file) : unreadableKey(file, code);
  }
}

function noKey(file: string): CliError {
  return new CliError(exitCodes.unauthorized, "There is no operator key.", [
    `LOYALTY_OPERATOR_KEY is not set, and ${file} does not exist.`,
    "The service makes that file at its first start: start it with loyalty serve, and run this in the same",
    "directory, or set LOYALTY_DATA_DIR to its data directory.",
  ]);
}

function unreadableKey(file: string, code: string | undefined): CliError {
  return new CliError(exitCodes.unauthorized, `The operator key in ${file} can't be read (${code}).`, [
    "Run this as the user whom the file belongs to, or set LOYALTY_OPERATOR_KEY.",
  ]);
}
