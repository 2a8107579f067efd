/** The `loyalty` command: built, in a process of its own, or from its source in the process of the test. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
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
  /** The file to which standard output goes, for `start`. */
  readonly output?: number;
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

  /** Starts a command in a process of its own, as people do. */
  start(words: readonly string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
    const program = join(this.installation.directory, "dist/cli/main.js");
    return spawn(process.execPath, [program, ...words], {
      cwd: options.directory ?? this.directory,
      env: this.#environment(options),
      stdio: ["pipe", options.output ?? "pipe", "pipe"],
    }) as ChildProcessWithoutNullStreams;
  }

  /** Runs a command to its end, in this process: starting one takes ten times as long as most commands. */
  run(words: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const { directory = this.directory, input = "" } = options;
    const outcome = last.then(() => runHere(words, this.#environment(options), directory, input));
    last = outcome.catch(() => undefined);
    return outcome;
  }

  /** The command finds the world's service unless the options say otherwise. */
  #environment({ environment }: RunOptions): NodeJS.ProcessEnv {
    const service =
      this.#world === undefined
        ? {}
        : { LOYALTY_URL: this.#world.baseUrl, LOYALTY_OPERATOR_KEY: testOperatorKey };
    return { PATH: process.env.PATH, HOME: this.directory, ...service, ...environment };
  }

  /** Runs a command that must succeed. @returns what it printed */
  async ok(words: readonly string[], options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.run(words, options);
    if (code !== 0) throw new Error(`loyalty ${words.join(" ")} ended with ${code}: ${out}${err}`);
    return out;
  }

  /** Runs a command with --json that must succeed. @returns what it printed, parsed */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  async json(words: readonly string[], options?: RunOptions): Promise<any> {
    return JSON.parse(await this.ok([...words, "--json"], options));
  }
}

/** Commands in this process run one after the other. */
let last: Promise<unknown> = Promise.resolve();
let runs = 0;
/** The events that commands listen to. */
const events = ["exit", "SIGINT", "SIGTERM"];
const program = join(import.meta.dirname, "../../src/cli/main.ts");

async function runHere(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  directory: string,
  input: string,
): Promise<Outcome> {
  const { argv, env, stdin, stdout, stderr } = process;
  const directoryBefore = process.cwd();
  const listenersBefore = new Map(events.map((event) => [event, process.rawListeners(event)]));
  const [out, err] = [new Collected(), new Collected()];
  const streams = {
    stdin: Object.assign(Readable.from([Buffer.from(input)], { objectMode: false }), { fd: -1 }),
    stdout: out,
    stderr: err,
  };
  const set = (values: object) => {
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(process, name, { value, configurable: true, writable: true });
  };
  const added = (event: string) =>
    process.rawListeners(event).filter((one) => !listenersBefore.get(event)?.includes(one)) as (() => void)[];
  set({ ...streams, argv: [process.execPath, "loyalty", ...words], env: environment });
  process.chdir(directory);
  process.exitCode = undefined;
  try {
    // The command runs when its module is loaded.
    await import(/* @vite-ignore */ `${program}?run=${++runs}`);
    for (const listener of added("exit")) listener.call(process);
    return { code: Number(process.exitCode ?? 0), out: out.text, err: err.text };
  } finally {
    set({ argv, env, stdin, stdout, stderr });
    process.chdir(directoryBefore);
    process.exitCode = undefined;
    for (const event of events) for (const listener of added(event)) process.off(event, listener);
  }
}

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Waits for the end of a command. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let out = "";
  let err = "";
  // There is none if the output goes to a file.
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
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
