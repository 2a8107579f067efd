/** Where the examples find the service and their credentials, and how they refuse what they can't use. */
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
