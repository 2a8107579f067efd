/** The `loyalty` command as people run it: built, in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Installation, useInstallation } from "./installation.ts";
import { testOperatorKey, type World } from "./world.ts";

export interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly environment?: Record<string, string>;
  /** What it gets on standard input. */
  readonly input?: string;
  readonly directory?: string;
}

export class Cli {
  readonly installation: Installation;
  readonly #world: World | undefined;
  /** Where commands run: empty at first. */
  directory = "";

  constructor(installation: Installation, world: World | undefined) {
    this.installation = installation;
    this.#world = world;
  }

  /** Starts a command; it finds the world's service unless the environment says otherwise. */
  start(words: readonly string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
    const service =
      this.#world === undefined
        ? {}
        : { LOYALTY_URL: this.#world.baseUrl, LOYALTY_OPERATOR_KEY: testOperatorKey };
    const program = join(this.installation.directory, "dist/cli/main.js");
    return spawn(process.execPath, [program, ...words], {
      cwd: options.directory ?? this.directory,
      env: { PATH: process.env.PATH, HOME: this.directory, ...service, ...options.environment },
    });
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const child = this.start(words, options);
    const ended = outcomeOf(child);
    // Some commands end before they have read it all.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    return ended;
  }

  /** Runs a command that must succeed. @returns what it printed */
  async ok(words: readonly string[], options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.run(words, options);
    if (code !== 0) throw new Error(`loyalty ${words.join(" ")} ended with ${code}: ${out}${err}`);
    return out;
  }

  /** Runs a command with --json that must succeed. @returns what it printed, parsed */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  async json(words: readonly string[], options?: RunOptions): Promise<any> {
    return JSON.parse(await this.ok([...words, "--json"], options));
  }
}

/** Waits for the end of a command. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code, signal] = await once(child, "close");
  return { code: code ?? signal, out, err };
}

/** The command for the calling test file, built once, run in a directory that is removed after its tests. */
export function useCli(world?: World): Cli {
  const cli = new Cli(useInstallation(), world);
  beforeAll(async () => {
    cli.directory = await mkdtemp(join(tmpdir(), "loyalty-cli-"));
  });
  afterAll(() => rm(cli.directory, { recursive: true, force: true }));
  return cli;
}
