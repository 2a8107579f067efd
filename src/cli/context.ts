/** The service, the terminal and the global options, for every command. */
import { createClient, type OperatorClient } from "./service/client.ts";
import { findConnection } from "./service/connection.ts";
import { createRetries } from "./service/retries.ts";
import { type Terminal, terminalOf } from "./terminal/terminal.ts";

export interface Context {
  readonly json: boolean;
  /** Results. */
  readonly out: Terminal;
  /** Everything else: progress, notices, failures. */
  readonly err: Terminal;
  /** Finds the service and the key, when a command needs them. */
  client(): Promise<OperatorClient>;
}

/** The options of a command, by the names that commander gives them. */
export type Options = Readonly<Record<string, unknown>>;

/** What a command does. */
export type Act = (context: Context, options: Options, words: readonly string[]) => Promise<void>;

/** Makes an action of a command into the function that commander calls. */
export type Acting = (act: Act) => (...given: unknown[]) => Promise<void>;

export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly insecure?: boolean;
}

/** @param fromFile variables of the environment that come from the file .env */
export function createContext(options: GlobalOptions, fromFile: ReadonlySet<string>): Context {
  const { json = false } = options;
  const err = terminalOf(process.stderr);
  return {
    json,
    out: terminalOf(process.stdout),
    err,
    async client() {
      const connection = await findConnection(process.env, options, fromFile);
      const retries = createRetries(err.line);
      // Reports all retries at the end, also after a failure. With --json, the failure is the last line
      // instead.
      if (!json) process.once("exit", retries.sum);
      return createClient(connection, retries.tell);
    },
  };
}
