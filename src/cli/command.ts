/** Parts that commands share: the service, the terminal, the global options, and examples in their help. */
import { Command } from "commander";
import { isAuthorized, type Operation } from "../contract/operation.ts";
import { type CellClient, createCellsClient } from "./cells/client.ts";
import { cellNamed, placeOfCell, readCells } from "./cells/configuration.ts";
import { createClient, createRetries, type OperatorClient } from "./service/client.ts";
import {
  addFromFile,
  type Connection,
  type ConnectionOptions,
  connectionOfCell,
  findConnection,
} from "./service/connection.ts";
import { usageError } from "./terminal/cli-error.ts";
import { type Terminal, terminalOf } from "./terminal/terminal.ts";

export interface Context {
  readonly json: boolean;
  /** Variables of the environment that come from the file .env. */
  readonly fromFile: ReadonlySet<string>;
  /** Results. */
  readonly out: Terminal;
  /** Everything else: progress, notices, failures. */
  readonly err: Terminal;
  /** Finds the service and the key, when a command needs them. With several cells, requests go to the cell of their business. */
  client(maxRetries?: number): Promise<OperatorClient>;
  /** The cells, if a command is about all of them. @param maxRetries of each request */
  cells(maxRetries?: number): Promise<readonly [CellClient, ...CellClient[]] | undefined>;
}

/** The options of a command and the global ones, by the names that commander gives them. */
export type Options = Readonly<Record<string, unknown>>;

export interface GlobalOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly cell?: string;
}

/** What a command does. @param words its arguments */
type Act = (context: Context, options: Options, words: readonly string[]) => Promise<void>;

export class ServiceCommand extends Command {
  act(act: Act): this {
    return this.action((...given: unknown[]) => callAct(act, given.at(-1) as Command));
  }

  /** Adds the role that an operation requires to the description. */
  requires(operation: Operation): this {
    const role = isAuthorized(operation) && operation.scope === "operator" ? operation.role : undefined;
    return role === undefined
      ? this
      : this.description(`${this.description()} It requires the role ${role}.`);
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText("after", exampleText(lines));
  }
}

function callAct(act: Act, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options & GlobalOptions>();
  const { json = false } = options;
  const fromFile = addFromFile(process.env);
  const err = terminalOf(process.stderr);
  const clientOf = (connection: Connection, maxRetries?: number) => {
    const retries = createRetries(err.line);
    // Reports all retries at the end, also after a failure. With --json, the failure is the last line.
    if (!json) process.once("exit", retries.sum);
    return createClient(connection, retries.tell, maxRetries);
  };
  const configured = () => (options.url === undefined ? readCells(fromFile) : undefined);
  const cells = async (maxRetries?: number) => {
    const found = options.cell === undefined ? configured() : undefined;
    if (found === undefined) return undefined;
    const clients = found.cells.map(async (cell) => {
      return {
        name: cell.name,
        client: clientOf(await connectionOfCell(cell, options, fromFile), maxRetries),
        place: () => placeOfCell(cell, found),
      };
    });
    return (await Promise.all(clients)) as [CellClient, ...CellClient[]];
  };
  const client = async (maxRetries?: number) => {
    const all = await cells(maxRetries);
    if (all !== undefined) return createCellsClient(all);
    if (options.cell === undefined) return clientOf(await findConnection(options, fromFile), maxRetries);
    const found = configured();
    if (found === undefined)
      throw usageError("--cell needs LOYALTY_CELLS, a file with the cells.", "See docs/SCALING.md.");
    return clientOf(await connectionOfCell(cellNamed(found, options.cell), options, fromFile), maxRetries);
  };
  return act({ json, fromFile, out: terminalOf(process.stdout), err, client, cells }, options, command.args);
}

/** The command that a word names below another, also by its plural. */
export function subcommand({ commands }: Command, word: string): Command | undefined {
  return commands.find((one) => one.name() === word || one.aliases().includes(word));
}

/** Examples for the end of a help page. */
export function exampleText(examples: readonly string[]): string {
  const title = examples.length === 1 ? "Example" : "Examples";
  return `\n${title}:\n${examples.map((line) => `  ${line}`).join("\n")}`;
}

/** Quotes a word for a shell, when it needs to be. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // Between double quotes, some shells take ! for a reference to earlier commands.
  return /["!$`\\]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
