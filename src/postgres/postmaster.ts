/** The main process of PostgreSQL: starts it, stops it, and stops one that a killed service left running. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../database/faults.ts";
import { programPath } from "./binaries.ts";
import { type Cluster, placeOf } from "./cluster.ts";
import { EmbeddedDatabaseError, explainOutput } from "./error.ts";
import { inspectProcess, spawnOptions } from "./processes.ts";

export interface Postmaster {
  /** Resolves, with how it ended, when the process is gone. */
  readonly ended: Promise<string>;
  /** Stops it as fast as it can cleanly, and uncleanly after a while. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Tells it to stop, and does not wait. */
  interrupt(): void;
}

/** How many milliseconds each way of stopping may take: a clean stop, an immediate stop, a kill. */
const stages = [
  ["SIGINT", 10_000],
  ["SIGQUIT", 6_000],
  ["SIGKILL", 5_000],
] as const;

/**
 * Starts PostgreSQL and waits until it takes connections, for as long as it needs to recover.
 * @param onLine gets each line of its log
 * @param signal cancels the start
 * @throws EmbeddedDatabaseError when it ends instead
 */
export async function launchPostmaster(
  cluster: Cluster,
  args: readonly string[],
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<Postmaster> {
  const { binaries, pgdata, account } = cluster;
  const child = spawn(programPath(binaries, "postgres"), args, {
    ...spawnOptions(account, placeOf(cluster, pgdata).directory),
    stdio: ["ignore", "ignore", "pipe"],
    // A session of its own keeps Ctrl-C from it: the service stops its parts in order.
    detached: true,
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > 50) lines.shift();
    onLine(line);
  });
  await once(child, "spawn");
  const pid = child.pid as number;
  let running = true;
  const closed = once(child, "close");
  const ended = once(child, "exit").then(([code, endedBy]: (string | number | null)[]) => {
    running = false;
    return endedBy === null ? `ended with code ${code}` : `was ended by ${endedBy}`;
  });
  const postmaster = {
    ended,
    stop: async () => (running ? stopProcess(pid, ended) : undefined),
    interrupt: () => child.kill("SIGINT"),
  };
  try {
    while (running && !(await isReady(pgdata, pid))) await sleep(10, undefined, { signal });
    if (running) return postmaster;
    // The last lines arrive after the exit. Backends may hold the pipe open for longer.
    await Promise.race([closed, sleep(500)]);
    throw explainOutput(`PostgreSQL ${binaries.version} did not start`, lines, pgdata);
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

interface PidFile {
  readonly path: string;
  readonly pid: number;
  readonly lines: readonly string[];
}

/** postmaster.pid holds, line by line: pid, directory, start, port, socket directory, address, memory, status. */
async function readPidFile(pgdata: string): Promise<PidFile | undefined> {
  const path = join(pgdata, "postmaster.pid");
  try {
    const lines = (await readFile(path, "utf8")).split("\n");
    // A server that was run for a single user writes its pid as a negative number.
    return { path, pid: Math.abs(Number.parseInt(lines[0] ?? "", 10)), lines };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function isReady(pgdata: string, pid: number): Promise<boolean> {
  const file = await readPidFile(pgdata);
  return file?.pid === pid && file.lines[7]?.trim() === "ready";
}

/**
 * Prepares the start of a new PostgreSQL: stops the one that a killed service left running, and keeps a stale
 * postmaster.pid from blocking the start. Only the holder of the lock may call it.
 * @param onFound called before a running PostgreSQL is stopped
 */
export async function stopLeftover(pgdata: string, onFound: () => void): Promise<void> {
  const file = await readPidFile(pgdata);
  if (file === undefined) return;
  const { path, pid, lines } = file;
  // A power failure cut the file off. PostgreSQL would take it for the file of a starting server.
  if (!(pid > 0)) return rm(path, { force: true });
  if (await isPostmaster(pid, pgdata)) {
    onFound();
    const gone = async () => {
      while (await isPostmaster(pid, pgdata)) await sleep(20);
    };
    return stopProcess(pid, gone());
  }
  // Another program may have the pid now, and PostgreSQL would not start while it runs. PostgreSQL ignores the pid of
  // its parent. It needs the other lines to find backends of the killed postmaster. The account owns the directory, so
  // the name may be a symbolic link, which root must not follow.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(path, [process.pid, ...lines.slice(1)].join("\n"), { flag });
}

/**
 * Names the server in the titles of its processes. The name is unique on a machine.
 * @returns the setting `cluster_name`, which allows 63 characters of ASCII
 */
export async function serverName(pgdata: string): Promise<string> {
  const { dev, ino } = await stat(pgdata, { bigint: true });
  return `loyalty-${dev}-${ino}`;
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

async function stopProcess(pid: number, gone: Promise<unknown>): Promise<void> {
  for (const [signal, milliseconds] of stages) {
    signalProcess(pid, signal);
    const overdue = sleep(milliseconds, false, { ref: false });
    if (await Promise.race([gone.then(() => true), overdue])) return;
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
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
