/** Runs programs, and inspects processes that others started. */

import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

/** An account of the operating system that the database runs as, when the service itself is root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Returns the options of every spawned program. The service's environment holds secrets and PG* settings. */
export function spawnOptions(account: Account | undefined, directory = "/") {
  const { PATH = "/usr/bin:/bin" } = process.env;
  return {
    // The account may not be able to enter the service's own working directory.
    cwd: directory,
    env: { PATH, LC_ALL: "C", TZ: "UTC" },
    ...(account && { uid: account.uid, gid: account.gid }),
  };
}

export interface RunOptions {
  readonly account?: Account | undefined;
  readonly input?: string;
  /** The working directory. The account need not be able to enter it by itself. */
  readonly directory?: string;
}

/**
 * Runs a program to its end.
 * @returns whether it failed, and the lines that it wrote
 * @throws a system error if it cannot be started (ENOENT, EACCES, EPERM)
 */
export async function run(
  command: string,
  args: readonly string[],
  { account, input = "", directory }: RunOptions = {},
): Promise<{ failed: boolean; lines: readonly string[] }> {
  const options = { ...spawnOptions(account, directory), maxBuffer: Number.POSITIVE_INFINITY };
  const running = promisify(execFile)(command, args, options);
  // A program may end without reading its input.
  running.child.stdin?.on("error", () => undefined).end(input);
  let failed = false;
  const { stdout, stderr } = await running.catch(
    (error: { code: unknown; stdout: string; stderr: string }) => {
      if (typeof error.code === "string") throw error;
      failed = true;
      return error;
    },
  );
  return { failed, lines: `${stdout}\n${stderr}`.split(/\r?\n/).filter((line) => line !== "") };
}

export interface RunningProcess {
  /** Distinguishes the process from earlier and later ones with the same pid. */
  readonly identity: string;
  readonly commandLine: string;
  /** The working directory, if the system reports it. */
  readonly directory: string | undefined;
}

/** Inspects the process with a pid. Returns undefined for no process or a zombie. */
export async function inspectProcess(pid: number): Promise<RunningProcess | undefined> {
  return process.platform === "linux" ? inspectByProc(pid) : inspectByPs(pid);
}

async function inspectByProc(pid: number): Promise<RunningProcess | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, "latin1");
    // The second field is the name in parentheses, which may itself contain spaces and parentheses.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    if (startTime === undefined || state === "Z" || state === "X") return undefined;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
    // Root in a container without CAP_SYS_PTRACE may not see the directory of another account's process.
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return { identity: startTime, commandLine: commandLine.replaceAll("\0", " "), directory };
  } catch {
    return undefined;
  }
}

async function inspectByPs(pid: number): Promise<RunningProcess | undefined> {
  const { lines } = await run("ps", ["-ww", "-o", "stat=,lstart=,args=", "-p", String(pid)]);
  const match = /^\s*(?!Z)\S+\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(lines[0] ?? "");
  if (match === null) return undefined;
  return { identity: match[1] ?? "", commandLine: `${match[2]} `, directory: undefined };
}
