/**
 * The lock that reserves the data directory for one service.
 *
 * The lock is the highest of the numbered files postgres.lock.1, 2, …. If its holder has ended, a process creates the file with the
 * next number. Only one process can create it. The highest file stays after a release, so the numbers only grow, and a slow process
 * can't take a used number. PostgreSQL's own lock is not enough, because it is free while the service restarts PostgreSQL.
 */
import { readdir, readFile, readlink, rm, truncate } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { writePrivateFile } from "../credentials/secret-files.ts";
import { codeOf } from "../database/faults.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { inspectProcess } from "./processes.ts";
import { longestSocketPath, socketOf } from "./settings.ts";

interface Holder {
  readonly pid: number;
  readonly identity: string;
  readonly namespace: string;
}

/**
 * Locks the data directory for this process.
 * @returns a function that releases the lock; the lock is also free when its holder has ended
 * @throws OperatorError when another service, or this one, holds it
 */
export async function acquireLock(dataDirectory: string): Promise<() => Promise<void>> {
  const namespace = await pidNamespace();
  const identity = (await inspectProcess(process.pid))?.identity ?? "";
  const record = JSON.stringify({ pid: process.pid, identity, namespace } satisfies Holder);
  const fileOf = (number: number) => join(dataDirectory, `postgres.lock.${number}`);
  for (;;) {
    const highest = Math.max(0, ...(await numbersIn(dataDirectory)));
    const holder = await readHolder(fileOf(highest));
    if (holder && (await isAlive(holder, namespace, dataDirectory))) {
      throw new OperatorError(
        `data directory ${dataDirectory} is in use by another loyalty service or command (pid ${holder.pid}): stop that one ` +
          "first, or set LOYALTY_DATA_DIR to another directory",
      );
    }
    const own = highest + 1;
    if (!(await writePrivateFile(fileOf(own), record, "keep"))) continue;
    const taken = await numbersIn(dataDirectory);
    // Another process may have used and removed this number since the first list was read.
    const isLate = taken.some((number) => number > own);
    for (const number of isLate ? [own] : taken.filter((each) => each < own))
      await rm(fileOf(number), { force: true });
    // An empty file has no holder. If this fails, the lock is free once this process ends.
    if (!isLate) return () => truncate(fileOf(own)).catch(() => undefined);
  }
}

async function numbersIn(dataDirectory: string): Promise<number[]> {
  const names = await readdir(dataDirectory);
  return names.flatMap((name) => {
    const number = /^postgres\.lock\.(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Returns undefined when the lock was released, or when a power failure has truncated it, which also ends its holder. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A pid of another boot or container can't be looked up here. Then the socket shows whether the service is alive. */
async function isAlive(holder: Holder, namespace: string, dataDirectory: string): Promise<boolean> {
  if (holder.namespace !== namespace) return isServed(join(dataDirectory, "postgres"));
  return (await inspectProcess(holder.pid))?.identity === holder.identity;
}

/** Returns whether a PostgreSQL, possibly in another container, listens on the socket in its data directory. */
export async function isServed(pgdata: string): Promise<boolean> {
  if (Buffer.byteLength(socketOf(pgdata)) > longestSocketPath) return false;
  return new Promise((resolve) => {
    const socket = connect(socketOf(pgdata));
    const finish = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}

/** Identifies the boot of the machine and the container, on Linux. */
async function pidNamespace(): Promise<string> {
  if (process.platform !== "linux") return "";
  const [boot, namespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return `${boot.trim()} ${namespace}`;
}
