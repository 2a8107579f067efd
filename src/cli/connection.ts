/** Where the service is and which key opens it, and where either was found out. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { exitCodes } from "./exit-codes.ts";
import { CliError, usageError } from "./failure.ts";

export interface OperatorKey {
  readonly key: string;
  /** For people: the variable, or the file. */
  readonly from: string;
}

export interface Connection {
  /** With the base path, without a slash at its end. */
  readonly baseUrl: string;
  /** For people: completes "it is taken". */
  readonly urlFrom: string;
  readonly key: OperatorKey;
}

type Environment = Readonly<Record<string, string | undefined>>;

const textOf = (environment: Environment, name: string) => environment[name]?.trim() || undefined;

/**
 * Finds the service and the key.
 * @param url of --url
 * @throws CliError when there is no key
 */
export async function findConnection(environment: Environment, url: string | undefined): Promise<Connection> {
  return { ...findUrl(environment, url), key: await findKey(environment) };
}

function findUrl(environment: Environment, option: string | undefined) {
  const variable = textOf(environment, "LOYALTY_URL");
  const port = textOf(environment, "PORT");
  const [given, urlFrom] =
    option !== undefined
      ? [option, "from --url"]
      : variable !== undefined
        ? [variable, "from LOYALTY_URL"]
        : [`http://127.0.0.1:${port ?? 8080}`, port === undefined ? "by default" : "from PORT"];
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw usageError(
      `The address of the service must be a URL such as http://127.0.0.1:8080, not "${given}".`,
      `It is taken ${urlFrom}.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  // An address without a path is that of the service; with one, the base path is told already.
  const basePath =
    path === "" ? (textOf(environment, "LOYALTY_BASE_PATH") ?? "/api").replace(/\/+$/, "") : path;
  return { baseUrl: url.origin + basePath, urlFrom };
}

async function findKey(environment: Environment): Promise<OperatorKey> {
  const key = textOf(environment, "LOYALTY_OPERATOR_KEY");
  if (key !== undefined) return { key, from: "LOYALTY_OPERATOR_KEY" };
  const file = join(resolve(textOf(environment, "LOYALTY_DATA_DIR") ?? "data"), "operator.key");
  try {
    return { key: (await readFile(file, "utf8")).trim(), from: file };
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
