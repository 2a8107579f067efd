/** The main process of PostgreSQL: starts it, stops it, and stops one that a killed service left running. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { lchown, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Binaries, explainRefusal, programPath } from "./binaries.ts";
import { EmbeddedDatabaseError, errorCode, explainOutput } from "./error.ts";
import { type Account, inspectProcess, isPidTaken, onLines, spawnOptions } from "./processes.ts";

export interface Launch {
  readonly binaries: Binaries;
  readonly pgdata: string;
  readonly arguments: readonly string[];
  readonly account: Account | undefined;
  /** The working directory; see placeOf. */
  readonly directory: string;
  readonly onLine: (line: string) => void;
  /** Cancels the launch. */
  readonly signal: AbortSignal;
}

export interface Postmaster {
  /** Resolves, with how it ended, when the process is gone. */
  readonly ended: Promise<string>;
  /** Stops it as fast as it can cleanly, and uncleanly after a while. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Tells it to stop, and does not wait. */
  interrupt(): void;
}

/** Backends of a killed PostgreSQL are still running. The start can be retried. */
export class StillInUseError extends EmbeddedDatabaseError {}

/** How long each way of stopping may take: a clean stop, an immediate stop, a kill. */
const stages = [
  ["SIGINT", 10_000],
  ["SIGQUIT", 6_000],
  ["SIGKILL", 5_000],
] as const;

/**
 * Starts PostgreSQL and waits until it takes connections, for as long as it needs to recover.
 * @throws EmbeddedDatabaseError when it ends instead; StillInUseError when it would start a little later
 */
export async function launchPostmaster(launch: Launch): Promise<Postmaster> {
  const { binaries, pgdata, account, directory } = launch;
  const child = spawn(programPath(binaries, "postgres"), launch.arguments, {
    ...spawnOptions(account, directory),
    stdio: ["ignore", "pipe", "pipe"],
    // A session of its own keeps Ctrl-C from it: the service stops its parts in order.
    detached: true,
  });
  const lines: string[] = [];
  const collect = (line: string) => {
    lines.push(line);
    if (lines.length > 50) lines.shift();
    launch.onLine(line);
  };
  onLines(child.stdout, collect);
  onLines(child.stderr, collect);
  const closed = once(child, "close").catch(() => undefined);
  let running = true;
  const ended = (once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>).then(
    ([code, signal]) => {
      running = false;
      return signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    },
    () => "could not be started",
  );
  await once(child, "spawn").catch((error: unknown) => {
    throw explainRefusal(error, binaries);
  });
  const pid = child.pid as number;
  const postmaster = {
    ended,
    stop: async () => (running ? stopProcess(pid, ended) : undefined),
    interrupt: () => child.kill("SIGINT"),
  };
  try {
    while (running && !(await isReady(pgdata, pid))) await sleep(10, undefined, { signal: launch.signal });
    if (running) return postmaster;
    // The last lines arrive after the exit. Backends may hold the pipe open for longer.
    await Promise.race([closed, sleep(500)]);
    throw failure(binaries, lines, pgdata);
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

function failure(binaries: Binaries, lines: readonly string[], pgdata: string): EmbeddedDatabaseError {
  const error = explainOutput(`PostgreSQL ${binaries.version} did not start`, lines, pgdata);
  const busy = /pre-existing shared memory block .* is still in use/.test(error.message);
  return busy ? new StillInUseError(error.message) : error;
}

async function isReady(pgdata: string, pid: number): Promise<boolean> {
  const file = await readPidFile(pgdata);
  return file?.pid === pid && file.lines[7]?.trim() === "ready";
}

interface PidFile {
  readonly pid: number;
  readonly lines: readonly string[];
}

/** postmaster.pid holds, line by line: pid, directory, start, port, socket directory, address, memory, status. */
async function readPidFile(pgdata: string): Promise<PidFile | undefined> {
  try {
    const lines = (await readFile(join(pgdata, "postmaster.pid"), "utf8")).split("\n");
    // A server that was run for a single user writes its pid as a negative number.
    return { pid: Math.abs(Number.parseInt(lines[0] ?? "", 10)), lines };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Prepares the start of a new PostgreSQL: stops the one that a killed service left running, and keeps a stale
 * postmaster.pid from blocking the start. Only the holder of the lock may call it.
 * @param onFound called before a running PostgreSQL is stopped
 */
export async function stopLeftover(pgdata: string, onFound: () => void): Promise<void> {
  const file = await readPidFile(pgdata);
  if (file === undefined) return;
  const path = join(pgdata, "postmaster.pid");
  // A power failure cut the file off. PostgreSQL would take it for the file of a starting server.
  if (!(file.pid > 0)) return rm(path, { force: true });
  if (await isPostmaster(file.pid, pgdata)) {
    onFound();
    const gone = goneWhen(async () => !(await isPostmaster(file.pid, pgdata)));
    return stopProcess(file.pid, gone);
  }
  if (isPidTaken(file.pid)) await disownPidFile(path, file);
}

/**
 * Names the server in the titles of its processes. The name is unique on a machine.
 * @returns part of the setting `cluster_name`, which allows 63 characters of ASCII
 */
export async function serverName(pgdata: string): Promise<string> {
  const { dev, ino } = await stat(pgdata, { bigint: true });
  return `loyalty-${dev}-${ino}`;
}

/**
 * Ends the backends of a PostgreSQL that was killed. A backend notices the kill only after its statement, and until
 * then it keeps the next PostgreSQL from starting. On systems without /proc, the start waits instead.
 * @param pgdata no postmaster may be running there
 */
export async function endOrphans(pgdata: string): Promise<void> {
  if (process.platform !== "linux") return;
  const title = `postgres: ${await serverName(pgdata)}: `;
  for (const pid of (await readdir("/proc")).map(Number).filter((number) => number > 0)) {
    const found = await inspectProcess(pid);
    if (found?.commandLine.startsWith(title)) signalProcess(pid, "SIGQUIT");
  }
}

/**
 * Replaces a pid that another program has now, because PostgreSQL would not start while that program runs.
 * PostgreSQL ignores the pid of its parent. It needs the other lines to find backends of the killed postmaster.
 */
async function disownPidFile(path: string, { lines }: PidFile): Promise<void> {
  const { uid, gid } = await stat(path);
  const draft = `${path}.new`;
  // The account owns the directory, so the name may be a symbolic link. Root must not follow it.
  await rm(draft, { force: true });
  await writeFile(draft, [process.pid, ...lines.slice(1)].join("\n"), { flag: "wx", mode: 0o600 });
  if (process.getuid?.() === 0) await lchown(draft, uid, gid);
  await rename(draft, path);
}

async function isPostmaster(pid: number, pgdata: string): Promise<boolean> {
  const found = await inspectProcess(pid);
  if (found === undefined) return false;
  const { commandLine, directory } = found;
  const marks = [` -D ${pgdata} `, ` cluster_name=${await serverName(pgdata)} `];
  if (marks.some((mark) => commandLine.includes(mark))) return true;
  // It may have been started by hand, with a relative path.
  return directory === pgdata && /^\S*postgres(?:\.exe)? /.test(commandLine);
}

async function goneWhen(isGone: () => Promise<boolean>): Promise<void> {
  while (!(await isGone())) await sleep(20);
}

async function stopProcess(pid: number, gone: Promise<unknown>): Promise<void> {
  for (const [signal, bound] of stages) {
    const giveUp = new AbortController();
    const ended = gone.then(() => true);
    const overdue = sleep(bound, false, { signal: giveUp.signal }).catch(() => false);
    signalProcess(pid, signal);
    const isGone = await Promise.race([ended, overdue]);
    giveUp.abort();
    if (isGone) return;
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL (pid ${pid}) does not stop, not even by SIGKILL: restart the machine`,
  );
}

/** Ignores that the process has ended meanwhile. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
