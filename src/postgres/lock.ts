/**
 * The lock that gives one service the data directory for as long as it lives.
 *
 * It is a row of numbered files, postgres.lock.1, .2, …, of which the highest is the lock: whoever finds its
 * holder dead takes the next number, which only one can create. The highest file is never removed, not even
 * when the lock is given back, so that the numbers only grow, and a process that stalls between looking and
 * taking cannot take a number that has been used. PostgreSQL's own lock would not do: it is free while the
 * supervisor restarts PostgreSQL.
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
 * Takes the data directory for this process.
 * @param answers whether a PostgreSQL serves the data directory; asked when the last holder ran in another
 *   container, whose pids cannot be looked up
 * @returns gives the lock back; a lock that is not given back is free as soon as its holder is dead
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
    // While this process looked at an old list, others may have used this number and tidied it away.
    if (taken.some((number) => number > own)) {
      await remove(dataDirectory, own);
      continue;
    }
    for (const number of taken) if (number < own) await remove(dataDirectory, number);
    return () => giveBack(dataDirectory, own);
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

/** The numbers that are in use, ascending. */
async function numbers(dataDirectory: string): Promise<number[]> {
  const names = await readdir(dataDirectory);
  const found = names.filter((name) => /^postgres\.lock\.\d+$/.test(name));
  return found.map((name) => Number(name.slice(prefix.length))).sort((a, b) => a - b);
}

/** Undefined when the lock was given back, or when a power failure cut the record off: no holder survives that. */
async function readHolder(dataDirectory: string, number: number): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDirectory, prefix + number), "utf8")) as Holder;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || code === "ENOENT") return undefined;
    throw error;
  }
}

/** False when the number is taken. The record is there from the first moment on, as it is linked in. */
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

/** An empty lock has no holder. Should this fail, the lock is free when this process ends. */
async function giveBack(dataDirectory: string, number: number): Promise<void> {
  await truncate(join(dataDirectory, prefix + number)).catch(() => undefined);
}
