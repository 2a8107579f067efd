/** Runs programs, and inspects processes that others started. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readlink } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

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

export interface Outcome {
  /** The exit code, or the name of the signal that ended the program. */
  readonly status: number | NodeJS.Signals;
  readonly lines: readonly string[];
}

export interface RunOptions {
  readonly account?: Account | undefined;
  readonly input?: string;
  /** The working directory. The account need not be able to enter it by itself. */
  readonly directory?: string;
}

/**
 * Runs a program to its end.
 * @throws a system error if it cannot be started (ENOENT, EACCES, EPERM); its own failure is in the outcome
 */
export async function run(
  command: string,
  args: readonly string[],
  { account, input = "", directory }: RunOptions = {},
): Promise<Outcome> {
  const child = spawn(command, args, { ...spawnOptions(account, directory), stdio: "pipe" });
  const lines: string[] = [];
  const collect = (line: string) => lines.push(line);
  onLines(child.stdout, collect);
  onLines(child.stderr, collect);
  child.stdin.on("error", () => {
    // The program ended without reading its input: its exit code says why.
  });
  child.stdin.end(input);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { status: code ?? signal ?? 1, lines };
}

/** Hands over each line as it is written. */
export function onLines(stream: Readable, listener: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", listener);
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

/** Returns whether the pid is in use, including by a zombie or by a process of another account. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Identifies the boot of the machine and the container, on Linux. Pids recorded in another one can't be looked up
 * in this one.
 */
export async function pidNamespace(): Promise<string> {
  if (process.platform !== "linux") return "";
  const [boot, namespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return `${boot.trim()} ${namespace}`;
}
