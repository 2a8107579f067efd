/**
 * The lock that reserves the data directory for one service.
 *
 * The lock is the highest of the numbered files postgres.lock.1, .2, …. A process that finds the holder dead creates
 * the next number, which only one process can. The highest file is never removed, not even on release, so the numbers
 * only grow and a stalled process can't take a used number. PostgreSQL's own lock is not enough, because it is free
 * while the supervisor restarts PostgreSQL.
 */

import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedDatabaseError, errorCode } from "./error.ts";
import { inspectProcess, pidNamespace } from "./processes.ts";

const prefix = "postgres.lock.";

interface Holder {
  readonly pid: number;
  readonly identity: string;
  readonly namespace: string;
}

/**
 * Locks the data directory for this process.
 * @param answers returns whether a PostgreSQL serves the data directory; called when the last holder ran in another
 *   container, because its pid can't be looked up
 * @returns a function that releases the lock; the lock is also free once its holder is dead
 * @throws EmbeddedDatabaseError when another service, or this one, holds it
 */
export async function acquireLock(
  dataDirectory: string,
  answers: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const namespace = await pidNamespace();
  const identity = (await inspectProcess(process.pid))?.identity ?? "";
  const record = JSON.stringify({ pid: process.pid, identity, namespace } satisfies Holder);
  for (;;) {
    const highest = (await numbers(dataDirectory)).at(-1) ?? 0;
    const holder = await readHolder(dataDirectory, highest);
    if (holder && (await isAlive(holder, namespace, answers))) throw inUse(dataDirectory, holder.pid);
    const own = highest + 1;
    if (!(await create(dataDirectory, own, record))) continue;
    const taken = await numbers(dataDirectory);
    // The list was read earlier. Another process may have used and removed this number meanwhile.
    if (taken.some((number) => number > own)) {
      await remove(dataDirectory, own);
      continue;
    }
    for (const number of taken) if (number < own) await remove(dataDirectory, number);
    return () => release(dataDirectory, own);
  }
}

function inUse(dataDirectory: string, pid: number): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `data directory ${dataDirectory} is in use by another loyalty service (pid ${pid}): stop that one first, ` +
      "or set LOYALTY_DATA_DIR to another directory",
  );
}

async function isAlive(holder: Holder, namespace: string, answers: () => Promise<boolean>): Promise<boolean> {
  if (holder.namespace !== namespace) return answers();
  return (await inspectProcess(holder.pid))?.identity === holder.identity;
}

/** Returns the numbers in use, ascending. */
async function numbers(dataDirectory: string): Promise<number[]> {
  const names = await readdir(dataDirectory);
  const found = names.filter((name) => /^postgres\.lock\.\d+$/.test(name));
  return found.map((name) => Number(name.slice(prefix.length))).sort((a, b) => a - b);
}

/** Returns undefined when the lock was released, or when a power failure, which ends every holder, cut it off. */
async function readHolder(dataDirectory: string, number: number): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDirectory, prefix + number), "utf8")) as Holder;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns false when the number is taken. The link makes the file appear with its content. */
async function create(dataDirectory: string, number: number, record: string): Promise<boolean> {
  const draft = join(dataDirectory, `postgres.lock-${randomUUID()}`);
  try {
    await writeFile(draft, record, { flag: "wx", mode: 0o600 });
    await link(draft, join(dataDirectory, prefix + number));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function remove(dataDirectory: string, number: number): Promise<void> {
  await rm(join(dataDirectory, prefix + number), { force: true });
}

/** An empty file has no holder. If this fails, the lock is free once this process ends. */
async function release(dataDirectory: string, number: number): Promise<void> {
  await truncate(join(dataDirectory, prefix + number)).catch(() => undefined);
}
