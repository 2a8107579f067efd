/** The integration with whose credentials a command calls the partner API, and what the API rejects. */
import { join } from "node:path";
import type { ApiError } from "loyalty-sdk";
import { readDemoFile } from "../data-directory.ts";
import type { GlobalOptions } from "./command.ts";
import {
  dataDirectoryOf,
  findAddress,
  rejectCell,
  rejectPlainHttp,
  urlInsteadOfCell,
} from "./service/connection.ts";
import { CliError, exitCodes, usageError } from "./terminal/cli-error.ts";

export interface IntegrationOptions extends GlobalOptions {
  readonly clientId?: string;
  readonly sandbox?: true;
}

/** Finds the service, and the integration of the options or of the demo. */
export async function chooseIntegration(options: IntegrationOptions) {
  rejectCell(options, urlInsteadOfCell);
  const { url, insecure, clientId, sandbox } = options;
  if (clientId !== undefined) {
    const client_secret = process.env.LOYALTY_CLIENT_SECRET?.trim();
    if (!client_secret) throw usageError("Set LOYALTY_CLIENT_SECRET to the secret of the integration.");
    const place = await findAddress(url);
    if (insecure !== true) rejectPlainHttp(place);
    return { place, client_id: clientId, client_secret };
  }
  const file = join(dataDirectoryOf(), "demo.json");
  const demo = await readDemoFile(file);
  if (demo === undefined) {
    throw usageError(
      `There is no demo business: ${file} does not exist.`,
      "Run this in the directory where the service was started, or set LOYALTY_DATA_DIR to its data directory;",
      "or name an integration with --client-id and set LOYALTY_CLIENT_SECRET.",
    );
  }
  const { client_id, client_secret } = sandbox ? demo.sandbox : demo;
  const place =
    url === undefined ? { baseUrl: demo.base_url, urlFrom: `from ${file}` } : await findAddress(url);
  return { place, client_id, client_secret };
}

/** The error prints the response without changes, as a partner's program gets it. */
export function rejected({ code, details, message }: ApiError): CliError {
  const response = JSON.stringify({ success: false, message, error: { code, details } }, null, 2);
  return new CliError(exitCodes.failed, response, [], { code, details, message });
}
