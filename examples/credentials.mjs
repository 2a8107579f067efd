/** Where the examples find the service and their credentials, and how they reject what they can't use. */
import { readFile } from "node:fs/promises";

export const defaultDemoFile = "data/demo.json";

/** Something that the person at the keyboard has to mend before anything is sent. */
export class UsageError extends Error {}

/** @param {string} path @param {string} advice */
export async function readText(path, advice) {
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
  const { LOYALTY_URL: url, LOYALTY_CLIENT_ID: clientId, LOYALTY_CLIENT_SECRET: clientSecret } = process.env;
  if (demoFile === undefined && (url || clientId || clientSecret)) {
    if (url && clientId && clientSecret) {
      return withBasePath(checked({ baseUrl: url, clientId, clientSecret }, "LOYALTY_URL"));
    }
    throw new UsageError(incomplete());
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

function incomplete() {
  const names = ["LOYALTY_URL", "LOYALTY_CLIENT_ID", "LOYALTY_CLIENT_SECRET"];
  const set = names.filter((name) => process.env[name]);
  const missing = names.filter((name) => !process.env[name]);
  return (
    `Set: ${set.join(", ")}. Not set: ${missing.join(", ")}. ` +
    "Set all three of them or none, or name a file with --demo-file."
  );
}

/**
 * An address without a path is that of the service, as the loyalty command takes it; the API lies below it.
 * @template {{ baseUrl: string }} Credentials
 * @param {Credentials} credentials
 */
function withBasePath(credentials) {
  if (new URL(credentials.baseUrl).pathname !== "/") return credentials;
  const basePath = (process.env.LOYALTY_BASE_PATH || "/api").replace(/\/+$/, "");
  return { ...credentials, baseUrl: credentials.baseUrl + basePath };
}

/**
 * @param {{ baseUrl: string, clientId: string, clientSecret: string }} credentials
 * @param {string} source what to mend when the address is none
 */
function checked(credentials, source) {
  if (!/^https?:\/\/[^\s?#]+$/.test(credentials.baseUrl) || !URL.canParse(credentials.baseUrl)) {
    throw new UsageError(
      `${source} must be an address such as http://127.0.0.1:8080 or http://127.0.0.1:8080/api.`,
    );
  }
  return { ...credentials, baseUrl: credentials.baseUrl.replace(/\/+$/, "") };
}
