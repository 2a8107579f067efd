/** Finds the address of the service, the operator key and the database in the environment, the file .env and the data directory. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Place } from "../../backup/copy.ts";
import { readEnvironmentFile } from "../../credentials/environment-file.ts";
import { readSetting } from "../../credentials/secret-files.ts";
import { readAddressFile } from "../../data-directory.ts";
import { withoutPassword } from "../../domain/text.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { findLogin, loginFile } from "./logins.ts";

/** The value of a variable; undefined if it is not set or blank. */
const settingOf = (name: string) => process.env[name]?.trim() || undefined;

export const dataDirectoryOf = () => resolve(settingOf("LOYALTY_DATA_DIR") ?? "data");

/**
 * For commands that the name of a cell does not lead to their service or database.
 * @param instead what does
 * @throws CliError when a cell is named
 */
export function rejectCell({ cell }: { readonly cell?: string }, instead: string): void {
  if (cell !== undefined) throw usageError("This command does not take --cell.", instead);
}

/** For commands that find their service by its address. */
export const urlInsteadOfCell = "Give the address of the cell with --url.";

/** Returns where the environment says the database is, as the service reads it. @throws CliError when a cell is named */
export function placeOf(options: { readonly cell?: string }): Place {
  rejectCell(options, "Set DATABASE_URL or LOYALTY_DATA_DIR to the database of the cell.");
  const read = (name: string) => readSetting(name, settingOf(name), settingOf(`${name}_FILE`));
  return {
    dataDirectory: dataDirectoryOf(),
    databaseUrl: read("DATABASE_URL"),
    readDatabaseUrl: read("LOYALTY_READ_DATABASE_URL"),
  };
}

/**
 * The variables that the command and the service read. Others, such as NODE_TLS_REJECT_UNAUTHORIZED, are
 * ignored. The file must not choose the file that is sent as the operator key.
 */
const known = /^(?:LOYALTY_(?!OPERATOR_KEY_FILE$)\w+|PORT|DATABASE_URL(?:_FILE)?)$/;

/**
 * Adds the variables of the file, if there is one, to the environment. Variables that are set take precedence.
 * @returns the names of those that come from the file
 */
export function addFromFile(environment: NodeJS.ProcessEnv, file = ".env"): ReadonlySet<string> {
  const added = Object.entries(readEnvironmentFile(file)).filter(
    ([name]) => known.test(name) && environment[name] === undefined,
  );
  Object.assign(environment, Object.fromEntries(added));
  return new Set(added.map(([name]) => name));
}

export interface Address {
  /** With the base path, without a slash at its end. */
  readonly baseUrl: string;
  /** The source of the URL, for people: completes "it is taken". */
  readonly urlFrom: string;
}

export interface Connection extends Address {
  /** The operator key and, for people, the variable or the file that it comes from. */
  readonly key: { readonly key: string; readonly from: string };
}

const keyVariable = "LOYALTY_OPERATOR_KEY";

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
  { url, insecure = false }: ConnectionOptions,
  fromFile: ReadonlySet<string>,
): Promise<Connection> {
  const given = givenKey();
  if (given === undefined) {
    const signedIn = await findSignedIn(url);
    if (signedIn !== undefined) {
      allowPlainHttp({ insecure }, signedIn, fromFile);
      return signedIn;
    }
  }
  const { isKept, ...key } = given ?? (await keptKey());
  const found = await findAddress(url, isKept);
  // Another person may have written the file to get the key, so the file may only choose the address for its own key.
  const believesFile = key.from === keyVariable && fromFile.has(keyVariable);
  if (found.urlFrom === "from LOYALTY_URL" && fromFile.has("LOYALTY_URL") && !believesFile) {
    throw usageError(
      "The address of the service is in the file .env, but the operator key is not.",
      `Somebody else may have written that file, and the command would send the key (${key.from}) to the address in it.`,
      `If the address is right, use --url ${settingOf("LOYALTY_URL")}, or put LOYALTY_OPERATOR_KEY into .env too.`,
    );
  }
  allowPlainHttp(
    { insecure: insecure || (believesFile && settingOf("LOYALTY_INSECURE") === "1") },
    found,
    fromFile,
  );
  return { ...found, key };
}

/** The service at which the user has signed in. Its key goes only to the address from which it came. */
async function findSignedIn(url: string | undefined): Promise<Connection | undefined> {
  const found = await findAddress(url, true);
  const key = await findLogin(found.baseUrl);
  return key === undefined ? undefined : { ...found, key: { key, from: loginFile() } };
}

/** @throws CliError when a secret would go over plain HTTP to another machine, and the user has not allowed it */
export function allowPlainHttp(
  { insecure = false }: ConnectionOptions,
  address: Address,
  fromFile: ReadonlySet<string>,
): void {
  const allowed = settingOf("LOYALTY_INSECURE") === "1" && !fromFile.has("LOYALTY_INSECURE");
  if (!insecure && !allowed) rejectPlainHttp(address);
}

/** What the file of LOYALTY_CELLS says about a cell. */
interface CellAddress {
  readonly name: string;
  readonly url: string;
  readonly operatorKeyFile: string | undefined;
}

/** The connection to a cell. Its key comes from its own file, or from where the key of a single service would. */
export async function connectionOfCell(
  { name, url, operatorKeyFile }: CellAddress,
  options: ConnectionOptions,
  fromFile: ReadonlySet<string>,
): Promise<Connection> {
  const urlFrom = `from the cell ${name} in ${settingOf("LOYALTY_CELLS")}`;
  const found = { baseUrl: baseUrlOf(url, urlFrom), urlFrom };
  allowPlainHttp(options, found, fromFile);
  const own = operatorKeyFile && readSetting(`${name}.operator_key`, undefined, operatorKeyFile, "_file");
  if (own) return { ...found, key: { key: own, from: operatorKeyFile } };
  const login = await findLogin(found.baseUrl);
  const { key, from } = givenKey() ?? (login ? { key: login, from: loginFile() } : await keptKey());
  return { ...found, key: { key, from } };
}

const isLoopback = (hostname: string) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** @throws CliError when a secret would go over plain HTTP to another machine */
export function rejectPlainHttp({ baseUrl, urlFrom }: Address): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw usageError(
    `Over plain HTTP, anyone on the network between here and ${baseUrl} could read the operator key.`,
    `The address is taken ${urlFrom}: use https, or a tunnel such as ssh -L 8080:127.0.0.1:8080.`,
    "If you trust that network, use --insecure, or set LOYALTY_INSECURE=1.",
  );
}

/**
 * Finds the service: --url, LOYALTY_URL, PORT, the address file of the data directory, the default.
 * @param option what --url says
 * @param believesRunning whether the address file counts. It must not decide where a key from another source is sent. Then it is
 *   only named, for the person at the terminal.
 */
export async function findAddress(option: string | undefined, believesRunning = false): Promise<Address> {
  const port = settingOf("PORT");
  const places = [
    { given: option, urlFrom: "from --url" },
    { given: settingOf("LOYALTY_URL"), urlFrom: "from LOYALTY_URL" },
    { given: port && `http://127.0.0.1:${port}`, urlFrom: "from PORT" },
  ];
  const { given = "http://127.0.0.1:8080", urlFrom = "from the default" } =
    places.find((place) => place.given !== undefined) ?? {};
  const baseUrl = baseUrlOf(given, urlFrom);
  if (urlFrom !== "from the default") return { baseUrl, urlFrom };
  const running = await readAddressFile(dataDirectoryOf());
  if (running === undefined) return { baseUrl, urlFrom };
  if (believesRunning) return { baseUrl: running.address, urlFrom: `from ${running.file}` };
  const hint = `, though the service of ${dataDirectoryOf()} was at ${running.address}`;
  return { baseUrl, urlFrom: urlFrom + (running.address === baseUrl ? "" : hint) };
}

function baseUrlOf(given: string, urlFrom: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search + url.hash !== "" ||
    given.includes("@")
  ) {
    throw usageError(
      `The address of the service must be a URL such as http://127.0.0.1:8080, not "${withoutPassword(given)}".`,
      `It is taken ${urlFrom}.`,
    );
  }
  // An address without a path gets the base path; one with a path has it already.
  const path = url.pathname.replace(/^\/+$/, "") || (settingOf("LOYALTY_BASE_PATH") ?? "/api");
  return url.origin + path.replace(/\/+$/, "");
}

/** The file that has the operator key, if it is not in the environment. */
export const keyFileOf = () => settingOf(`${keyVariable}_FILE`) ?? join(dataDirectoryOf(), "operator.key");

/** @returns the key of the environment, and where it comes from */
function givenKey() {
  const keyFile = settingOf(`${keyVariable}_FILE`);
  const key = readSetting(keyVariable, settingOf(keyVariable), keyFile);
  return key === undefined ? undefined : { key, from: keyFile ?? keyVariable, isKept: false };
}

/** @returns the key of the data directory */
async function keptKey() {
  const file = join(dataDirectoryOf(), "operator.key");
  try {
    return { key: (await readFile(file, "utf8")).trim(), from: file, isKept: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new CliError(exitCodes.unauthorized, "There is no operator key.", [
        `LOYALTY_OPERATOR_KEY is not set, you are not signed in, and ${file} does not exist. To sign in: loyalty login`,
        "The service creates that file at its first start. Start it with loyalty serve, and run this command in the same",
        "directory, or set LOYALTY_DATA_DIR to its data directory.",
      ]);
    }
    throw new CliError(exitCodes.unauthorized, `The operator key in ${file} can't be read (${code}).`, [
      "Run this command as the owner of the file, or set LOYALTY_OPERATOR_KEY.",
    ]);
  }
}
