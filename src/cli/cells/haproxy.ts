/**
 * The map files by which HAProxy finds the cell of a request: business.map has the cell of each business, client.map that of each
 * client_id. A change is written to the file for the next start, and told to the running HAProxy by its socket.
 */
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import type { Cells } from "./configuration.ts";

export type Haproxy = NonNullable<Cells["haproxy"]>;

export interface Routes {
  readonly businesses: ReadonlyMap<string, string>;
  readonly clients: ReadonlyMap<string, string>;
}

const files = { businesses: "business.map", clients: "client.map" } as const;
type Which = keyof typeof files;
const which = Object.keys(files) as Which[];
const responseWithinMilliseconds = 5000;
const lockedAtMostMilliseconds = 60_000;
/** HAProxy reads a command line of at most 16 kB. */
const commandsAtOnce = 100;

/** Reads the routes as they are in the files; none without files. */
async function readRoutes({ maps }: Haproxy): Promise<Routes> {
  const [businesses, clients] = await Promise.all(which.map((one) => readMap(join(maps, files[one]))));
  return { businesses: businesses ?? new Map(), clients: clients ?? new Map() };
}

async function readMap(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw failure(`${file} can't be read (${error.code}).`);
  });
  return new Map(
    text.split("\n").flatMap((line) => {
      const [key, cell] = line.trim().split(/\s+/);
      return key && cell && !key.startsWith("#") ? [[key, cell] as const] : [];
    }),
  );
}

/**
 * Changes the routes, one command at a time.
 * @param change returns all routes, from those that are there
 * @returns how many entries the files have
 */
export async function changeRoutes(
  haproxy: Haproxy,
  change: (now: Routes) => Promise<Routes> | Routes,
): Promise<number> {
  const unlock = await lockMaps(haproxy);
  try {
    const routes = await change(await readRoutes(haproxy));
    const maps = which.map((one) => [join(haproxy.maps, files[one]), routes[one]] as const);
    for (const [file, entries] of maps) await writeMap(file, entries);
    // One HAProxy that does not respond must not hide a change from the others.
    const told = await Promise.allSettled(
      haproxy.sockets.map(async (socket) => {
        for (const [file, entries] of maps) await tell(socket, file, entries);
      }),
    );
    for (const one of told) if (one.status === "rejected") throw one.reason;
    return routes.businesses.size + routes.clients.size;
  } finally {
    await unlock();
  }
}

/** @throws CliError when the maps can't be written, or an HAProxy does not respond or has other maps */
export async function checkHaproxy(haproxy: Haproxy): Promise<void> {
  await (await lockMaps(haproxy))();
  for (const socket of haproxy.sockets) {
    for (const one of which) await loadedMap(socket, join(haproxy.maps, files[one]));
  }
}

async function writeMap(file: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const lines = Array.from(entries, ([key, cell]) => `${key} ${cell}\n`);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, lines.join(""), { mode: 0o644, flush: true });
  await rename(draft, file);
}

/** A command that was killed leaves its lock. It counts until another command notices, which may be on another machine: a minute. */
async function lockMaps({ maps }: Haproxy): Promise<() => Promise<void>> {
  if (!existsSync(maps)) throw failure(`The directory ${maps} of the maps does not exist.`);
  const lock = join(maps, ".lock");
  for (const since = performance.now(); ; await sleep(50)) {
    try {
      await writeFile(lock, `${hostname()} ${process.pid}`, { flag: "wx" });
      return () => rm(lock, { force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST") throw failure(`The maps in ${maps} can't be written (${code}).`);
      const holder = await readFile(lock, "utf8").catch(() => "");
      if (hasEnded(holder) || performance.now() - since > lockedAtMostMilliseconds)
        await removeLock(lock, holder);
    }
  }
}

/** Whether the process that holds a lock was on this machine and has ended. */
function hasEnded(holder: string): boolean {
  const [machine, pid] = holder.split(" ");
  if (machine !== hostname() || !pid) return false;
  try {
    return !process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Removes the lock of one holder, and not the one that another command has taken meanwhile. */
async function removeLock(lock: string, holder: string): Promise<void> {
  const removed = `${lock}.${process.pid}`;
  try {
    await rename(lock, removed);
    if ((await readFile(removed, "utf8")) === holder) await rm(removed);
    else await rename(removed, lock);
  } catch (error) {
    // Another command has removed it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Changes what a running HAProxy has loaded from a file. */
async function tell(socket: string, file: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  const loaded = await loadedMap(socket, file);
  const commands = [
    ...Array.from(wanted).flatMap(([key, cell]) => {
      if (loaded.get(key) === cell) return [];
      return [`${loaded.has(key) ? "set" : "add"} map ${file} ${key} ${cell}`];
    }),
    ...Array.from(loaded.keys()).flatMap((key) => (wanted.has(key) ? [] : [`del map ${file} ${key}`])),
  ];
  for (let at = 0; at < commands.length; at += commandsAtOnce) {
    const said = (await askHaproxy(socket, commands.slice(at, at + commandsAtOnce).join(";"))).trim();
    if (said !== "")
      throw failure(`HAProxy at ${socket} rejected a change of ${file}: ${said.split("\n")[0]}`);
  }
}

async function loadedMap(socket: string, file: string): Promise<Map<string, string>> {
  const text = await askHaproxy(socket, `show map ${file}`);
  if (/^(?:Unknown|Can't|No such)/i.test(text.trim())) {
    throw failure(`HAProxy at ${socket} has no map ${file}: ${text.trim().split("\n")[0]}`);
  }
  const entries = text.split("\n").flatMap((line) => {
    const [, key, cell] = /^0x[0-9a-f]+ (\S+) (\S+)$/.exec(line.trim()) ?? [];
    return key !== undefined && cell !== undefined ? [[key, cell] as const] : [];
  });
  return new Map(entries);
}

/** Sends a command line to a socket: the path of a Unix socket, or an address with a port. */
function askHaproxy(socket: string, command: string): Promise<string> {
  const [host = "", port] = socket.split(":");
  return new Promise((resolve, reject) => {
    const connection = socket.startsWith("/") ? connect(socket) : connect(Number(port), host);
    let text = "";
    connection.setTimeout(responseWithinMilliseconds, () => connection.destroy(new Error("no response")));
    connection.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    connection.on("error", ({ message }) =>
      reject(failure(`HAProxy at ${socket} does not respond (${message}).`)),
    );
    connection.on("end", () => resolve(text));
    connection.end(`${command}\n`);
  });
}

const failure = (message: string) => new CliError(exitCodes.failed, message);
