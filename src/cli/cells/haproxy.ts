/**
 * The map files by which HAProxy finds the cell of a request: business.map has the cell of each business, client.map that of each
 * client_id. A change is written to the file for the next start, and told to the running HAProxy by its socket.
 */
import { randomUUID } from "node:crypto";
import { access, constants, readFile, rename, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
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
 * Writes the routes into the files, for the next start of HAProxy.
 * @param change returns all routes, from those that are there
 */
export async function writeRoutes(
  haproxy: Haproxy,
  change: (now: Routes) => Routes,
): Promise<{ readonly routes: Routes; readonly isChanged: boolean }> {
  await requireMaps(haproxy);
  const now = await readRoutes(haproxy);
  const routes = change(now);
  for (const one of which) await writeMap(join(haproxy.maps, files[one]), routes[one]);
  return { routes, isChanged: !isDeepStrictEqual(routes, now) };
}

async function requireMaps({ maps }: Haproxy): Promise<void> {
  await access(maps, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw failure(
      code === "ENOENT"
        ? `The directory ${maps} of the maps does not exist.`
        : `The maps in ${maps} can't be written (${code}).`,
    );
  });
}

/**
 * Tells the running HAProxies routes.
 * @param forgets whether they forget all others
 * @returns whether one of them had others, and the fault of one that was not told
 */
export async function tellRoutes(
  { maps, sockets }: Haproxy,
  routes: Routes,
  forgets = false,
): Promise<{ readonly isChanged: boolean; readonly fault: Error | undefined }> {
  // One HAProxy that does not respond must not hide a change from the others.
  const told = await Promise.allSettled(
    sockets.flatMap((socket) =>
      which.map((one) => tell(socket, join(maps, files[one]), routes[one], forgets)),
    ),
  );
  const fault = told.find((one) => one.status === "rejected")?.reason as Error | undefined;
  return { isChanged: told.some((one) => one.status === "fulfilled" && one.value), fault };
}

/** @throws CliError when the maps can't be written, or an HAProxy does not respond or has other maps */
export async function checkHaproxy(haproxy: Haproxy): Promise<void> {
  await requireMaps(haproxy);
  for (const socket of haproxy.sockets) {
    for (const one of which) await loadedMap(socket, join(haproxy.maps, files[one]));
  }
}

async function writeMap(file: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const lines = Array.from(entries, ([key, cell]) => `${key} ${cell}\n`);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, lines.join(""), { mode: 0o644, flush: true });
  await rename(draft, file);
}

/** Changes what a running HAProxy has loaded from a file. @returns whether it had something else */
async function tell(
  socket: string,
  file: string,
  wanted: ReadonlyMap<string, string>,
  forgets: boolean,
): Promise<boolean> {
  const loaded = await loadedMap(socket, file);
  const commands = [
    ...Array.from(wanted).flatMap(([key, cell]) => {
      if (loaded.get(key) === cell) return [];
      return [`${loaded.has(key) ? "set" : "add"} map ${file} ${key} ${cell}`];
    }),
    ...Array.from(loaded.keys()).flatMap((key) =>
      forgets && !wanted.has(key) ? [`del map ${file} ${key}`] : [],
    ),
  ];
  for (let at = 0; at < commands.length; at += commandsAtOnce) {
    const said = (await askHaproxy(socket, commands.slice(at, at + commandsAtOnce).join(";"))).trim();
    if (said !== "")
      throw failure(
        `HAProxy at ${socket} rejected a change of ${file}: ${said.split("\n")[0]} Its socket needs "level admin". Then repeat the command.`,
      );
  }
  return commands.length > 0;
}

/** The cells of keys; "several" for a key that is there more than once. */
async function loadedMap(socket: string, file: string): Promise<Map<string, string>> {
  const text = await askHaproxy(socket, `show map ${file}`);
  if (/^(?:Unknown|Can't|No such)/i.test(text.trim())) {
    throw failure(
      `HAProxy at ${socket} has no map ${file}: ${text.trim().split("\n")[0]} Let its configuration name this file, and restart it.`,
    );
  }
  const entries = text.split("\n").flatMap((line) => {
    const [, key, cell] = /^0x[0-9a-f]+ (\S+) (\S+)$/.exec(line.trim()) ?? [];
    return key !== undefined && cell !== undefined ? [[key, cell] as const] : [];
  });
  const loaded = new Map<string, string>();
  // HAProxy takes the first one of a key that two commands have added at the same time. It is set again.
  for (const [key, cell] of entries) loaded.set(key, loaded.has(key) ? "several" : cell);
  return loaded;
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
      reject(
        failure(
          `HAProxy at ${socket} does not respond (${message}). Start it. If it is gone, remove it from haproxy.sockets in the file of ` +
            "LOYALTY_CELLS. Then repeat the command.",
        ),
      ),
    );
    connection.on("end", () => resolve(text));
    connection.end(`${command}\n`);
  });
}

const failure = (message: string) => new CliError(exitCodes.failed, message);
