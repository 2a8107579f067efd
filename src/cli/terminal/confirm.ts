/** Asks before something that is hard to take back. */
import { createInterface } from "node:readline/promises";
import { CliError, exitCodes, usageError } from "../cli-error.ts";

export interface Asking {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks, and returns if the answer is yes.
 * @param action what would be done, to what: "Delete integration 5, Till, of business 1, Café Aurora"
 * @param consequence a sentence that says what is hard to take back
 * @throws CliError without a terminal, or if the answer is another one
 */
export async function confirm(
  action: string,
  consequence: string,
  { input, output }: Asking = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (input.isTTY !== true || output.isTTY !== true) {
    throw usageError(
      "This command asks first, and there is no terminal to ask at.",
      `It would: ${action}. ${consequence}`,
      "If that is what you want, run it again with --yes.",
    );
  }
  const asked = createInterface({ input, output });
  const stopping = new AbortController();
  asked.on("close", () => stopping.abort());
  try {
    const question = `${action}? ${consequence} [y/N] `;
    const said = await asked.question(question, { signal: stopping.signal }).catch(() => "");
    if (/^y(?:es)?$/i.test(said.trim())) return;
  } finally {
    asked.close();
  }
  throw new CliError(exitCodes.failed, "Nothing was done.");
}
