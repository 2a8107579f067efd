/** The main process of PostgreSQL: starts it, restarts it when it ends, and stops one that a killed service left running. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { readIfPresent } from "../credentials/secret-files.ts";
import { codeOf } from "../database/faults.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { programPath } from "./binaries.ts";
import type { Cluster } from "./cluster.ts";
import { explainOutput, reportsProblem } from "./error.ts";
import { inspectProcess, spawnOptions } from "./processes.ts";
import { socketOf } from "./settings.ts";

interface Supervision {
  readonly cluster: Cluster;
  /** The arguments of `postgres`. */
  readonly args: readonly string[];
  /** Gets lines for the operator. */
  readonly onProgress: (line: string) => void;
}

/** How many milliseconds each way of stopping may take: a clean stop, an immediate stop, a kill. */
const stages = [
  ["SIGINT", 10_000],
  ["SIGQUIT", 6_000],
  ["SIGKILL", 5_000],
] as const;

/** How long a start waits for the backends of a killed PostgreSQL to end, and how often it looks. */
const orphansMilliseconds = 30_000;
const lookAgainMilliseconds = 20;

const retryMilliseconds = 1_000;

/**
 * Starts PostgreSQL, and restarts it from then on when it ends.
 * @returns a function that stops PostgreSQL, or the attempt to restart it, and resolves when it has ended
 * @throws OperatorError when it does not start; nothing is left running then
 */
export async function supervise(supervision: Supervision): Promise<() => Promise<void>> {
  const { onProgress } = supervision;
  const stopping = new AbortController();
  const { signal } = stopping;
  let postmaster = await startOnce(supervision, signal);

  const keepRunning = async () => {
    for (;;) {
      const reason = `PostgreSQL ${await postmaster.ended}`;
      if (signal.aborted) return;
      onProgress(`${reason}; starting it again …`);
      const next = await restart(supervision, signal);
      if (next === undefined) return;
      postmaster = next;
      if (signal.aborted) return postmaster.stop();
      onProgress(`${reason}; it was started again.`);
    }
  };
  const running = keepRunning();
  // The service may exit without waiting for PostgreSQL.
  const leave = () => postmaster.interrupt();
  process.on("exit", leave);
  return async () => {
    stopping.abort();
    await postmaster.stop();
    await running;
    process.off("exit", leave);
  };
}

/** Retries until PostgreSQL starts or the service stops, because a cause such as a full disk may be temporary. */
async function restart(supervision: Supervision, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      return await startOnce(supervision, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      supervision.onProgress(`${(error as Error).message}; trying again in ${retryMilliseconds} ms …`);
      await sleep(retryMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Starts PostgreSQL once, after one that was left running, and its backends, have ended. */
async function startOnce(supervision: Supervision, signal: AbortSignal) {
  const { pgdata } = supervision.cluster;
  await stopLeftover(pgdata, supervision.onProgress);
  await endOrphans(pgdata, signal);
  for (const path of [socketOf(pgdata), `${socketOf(pgdata)}.lock`]) await rm(path, { force: true });
  return launch(supervision, signal);
}

/** Starts the process and waits until it takes connections, for as long as it needs to recover. */
async function launch({ cluster, args, onProgress }: Supervision, signal: AbortSignal) {
  const { binaries, pgdata, account } = cluster;
  const child = spawn(programPath(binaries, "postgres"), args, {
    ...spawnOptions(account, pgdata),
    stdio: ["ignore", "ignore", "pipe"],
    // In its own session, it does not get a Ctrl-C. The service stops its parts in order.
    detached: true,
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > 50) lines.shift();
    if (reportsProblem(line)) onProgress(`PostgreSQL: ${line}`);
    if (line.includes("was not properly shut down")) onProgress("Recovering after an unclean stop …");
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
    /** Resolves when the process has ended, with the way in which it ended. */
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

const pidFileOf = (pgdata: string) => join(pgdata, "postmaster.pid");

/** Returns the lines of the file: pid, directory, start, port, socket directory, address, memory, status. None without a file. */
async function readPidFile(pgdata: string): Promise<string[]> {
  return (await readIfPresent(pidFileOf(pgdata)))?.split("\n") ?? [];
}

async function isReady(pgdata: string, pid: number): Promise<boolean> {
  const lines = await readPidFile(pgdata);
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

/**
 * Prepares the start of a new PostgreSQL: stops the one that a killed service left running, and keeps a stale
 * postmaster.pid from blocking the start. Only the holder of the lock may call it.
 */
export async function stopLeftover(pgdata: string, onProgress: (line: string) => void): Promise<void> {
  const [first, ...others] = await readPidFile(pgdata);
  if (first === undefined) return;
  // A server that was run for a single user writes its pid as a negative number.
  const pid = Math.abs(Number.parseInt(first, 10));
  // A power failure has truncated the file. PostgreSQL would take it for the file of a starting server.
  if (!(pid > 0)) return rm(pidFileOf(pgdata), { force: true });
  if (await isPostmaster(pid, pgdata)) {
    onProgress("Stopping the PostgreSQL that an earlier run left behind …");
    const gone = async () => {
      while (await isPostmaster(pid, pgdata)) await sleep(20);
    };
    return stopProcess(pid, gone());
  }
  // Another program may have the pid now, and PostgreSQL would not start while it runs. PostgreSQL ignores the pid of
  // its parent. It needs the other lines to find backends of the killed postmaster. The account owns the directory, so
  // the name may be a symbolic link, which root must not follow.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(pidFileOf(pgdata), [process.pid, ...others].join("\n"), { flag });
}

/** The name of the server in the titles of its processes: ASCII, and unique on a machine. */
export async function serverName(pgdata: string): Promise<string> {
  const { dev, ino } = await stat(pgdata, { bigint: true });
  return `loyalty-${dev}-${ino}`;
}

async function isPostmaster(pid: number, pgdata: string): Promise<boolean> {
  const found = await inspectProcess(pid);
  const marks = [` -D ${pgdata} `, ` cluster_name=${await serverName(pgdata)} `];
  return marks.some((mark) => found?.commandLine.includes(mark));
}

/**
 * Ends the backends of a PostgreSQL that was killed. A backend notices this only after its statement. Until then, the next
 * PostgreSQL can't start. On systems without /proc, the start is repeated until they have ended.
 */
async function endOrphans(pgdata: string, signal: AbortSignal): Promise<void> {
  if (process.platform !== "linux") return;
  const title = `postgres: ${await serverName(pgdata)}: `;
  const deadline = performance.now() + orphansMilliseconds;
  while (performance.now() < deadline) {
    const orphans: number[] = [];
    for (const pid of (await readdir("/proc")).map(Number).filter((number) => number > 0)) {
      const commandLine = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
      if (commandLine.startsWith(title)) orphans.push(pid);
    }
    if (orphans.length === 0) return;
    for (const pid of orphans) signalProcess(pid, "SIGQUIT");
    await sleep(lookAgainMilliseconds, undefined, { signal });
  }
}

async function stopProcess(pid: number, gone: Promise<unknown>): Promise<void> {
  for (const [signal, milliseconds] of stages) {
    signalProcess(pid, signal);
    const overdue = sleep(milliseconds, false, { ref: false });
    if (await Promise.race([gone.then(() => true), overdue])) return;
  }
  throw new OperatorError(`PostgreSQL (pid ${pid}) does not stop, not even by SIGKILL: restart the machine`);
}

/** Has no effect if the process has ended meanwhile. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
