/** What the command line, the environment and the files say, checked before anything is sent. */
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { FileError, readPurchases } from "./purchases.mjs";

const defaultFile = relative(process.cwd(), join(import.meta.dirname, "purchases.txt"));
const defaultDemoFile = "data/demo.json";

export const help = `Usage: node examples/till/till.mjs [options] [file]

Makes a member for each customer in the file and credits a reward point for each whole dollar of each purchase.
What the service has already is not sent again. At the end every balance and the ledger's totals are compared
with the file.

  file                  purchases; default ${defaultFile}
  --demo-file <path>    where base_url, client_id and client_secret are; default ${defaultDemoFile}
  --at-once <number>    requests under way at the same time, 1 to 256; default 16
  --patience <seconds>  how long to go on trying while there is no answer; default 60
  --help                show this

Environment: LOYALTY_URL (as http://127.0.0.1:8080/api), LOYALTY_CLIENT_ID and LOYALTY_CLIENT_SECRET, all three,
are used instead of ${defaultDemoFile}, unless --demo-file is given.

Exit status: 0 when everything agrees with the file, 1 when it does not or the run failed, 2 when the arguments,
the file or the credentials can't be used.
`;

/** Something that the person at the keyboard has to mend before anything is sent. */
export class UsageError extends Error {}

/** What the arguments ask for. @throws {UsageError} */
export function readOptions() {
  /** @type {ReturnType<typeof parseArguments>} */
  let parsed;
  try {
    parsed = parseArguments();
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\nSee --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  if (positionals.length > 1) throw new UsageError("Give one file of purchases. See --help.");
  return {
    file: positionals[0] ?? defaultFile,
    demoFile: values["demo-file"],
    atOnce: wholeNumber("--at-once", values["at-once"], 256),
    patience: wholeNumber("--patience", values.patience, 86_400),
  };
}

function parseArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      "demo-file": { type: "string" },
      "at-once": { type: "string", default: "16" },
      patience: { type: "string", default: "60" },
      help: { type: "boolean" },
    },
  });
}

/** @param {string} name @param {string} value @param {number} most */
function wholeNumber(name, value, most) {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= most) return number;
  throw new UsageError(`${name} must be a whole number from 1 to ${most}, not "${value}".`);
}

/**
 * @param {string} file
 * @throws {UsageError}
 */
export async function readCustomers(file) {
  const text = await readText(file, "Give the path of a file of purchases.");
  try {
    return readPurchases(text);
  } catch (error) {
    if (error instanceof FileError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

/** @param {string} path @param {string} advice */
async function readText(path, advice) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UsageError(`${path} can't be read (${code}). ${advice}`);
  }
}

/**
 * @param {string | undefined} demoFile
 * @throws {UsageError}
 */
export async function readCredentials(demoFile) {
  const {
    LOYALTY_URL: baseUrl,
    LOYALTY_CLIENT_ID: clientId,
    LOYALTY_CLIENT_SECRET: clientSecret,
  } = process.env;
  if (demoFile === undefined && (baseUrl || clientId || clientSecret)) {
    if (baseUrl && clientId && clientSecret)
      return checked({ baseUrl, clientId, clientSecret }, "LOYALTY_URL");
    throw new UsageError(
      "Set all three of LOYALTY_URL, LOYALTY_CLIENT_ID and LOYALTY_CLIENT_SECRET, or none.",
    );
  }
  const path = demoFile ?? defaultDemoFile;
  const text = await readText(
    path,
    "Start the service, which writes it; or name it with --demo-file; or set LOYALTY_URL, LOYALTY_CLIENT_ID and " +
      "LOYALTY_CLIENT_SECRET.",
  );
  /** @type {Record<string, unknown>} */
  let content;
  try {
    content = JSON.parse(text) ?? {};
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
  const { base_url, client_id, client_secret } = content;
  if (typeof base_url !== "string" || typeof client_id !== "string" || typeof client_secret !== "string") {
    throw new UsageError(`${path} must hold base_url, client_id and client_secret.`);
  }
  return checked(
    { baseUrl: base_url, clientId: client_id, clientSecret: client_secret },
    `base_url in ${path}`,
  );
}

/**
 * @param {{ baseUrl: string, clientId: string, clientSecret: string }} credentials
 * @param {string} source what to mend when the address is none
 */
function checked(credentials, source) {
  if (!/^https?:\/\/[^\s?#]+$/.test(credentials.baseUrl) || !URL.canParse(credentials.baseUrl)) {
    throw new UsageError(`${source} must be an address such as http://127.0.0.1:8080/api.`);
  }
  return { ...credentials, baseUrl: credentials.baseUrl.replace(/\/+$/, "") };
}
