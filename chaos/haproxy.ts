/** HAProxy with deploy/haproxy.cfg in front of two services, and the command line that knows them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../test/support/runs/run.ts";
import { operatorKey, type Service } from "../test/support/runs/service.ts";
import { freePort } from "../test/support/service-process.ts";
import type { Chaos } from "./chaos.ts";

const program = "/usr/sbin/haproxy";

/** @returns why HAProxy can't be used here */
export async function findHaproxy(): Promise<string | undefined> {
  const found = await access(program).then(
    () => true,
    () => false,
  );
  return found ? undefined : `HAProxy is not in ${program}: apt-get install haproxy`;
}

export interface Proxied {
  /** Of two HAProxies, as on two machines. */
  readonly ports: readonly [number, number];
  /** Kills one of them, and starts it again. */
  readonly restart: (nth: 0 | 1) => Promise<void>;
  /** Runs the command line. @param killAfterMilliseconds kills it then @returns its exit code, and what it printed */
  readonly command: (words: readonly string[], killAfterMilliseconds?: number) => Promise<Ended>;
}

interface Ended {
  readonly code: number | string;
  readonly said: string;
}

interface ServicesOfCells {
  readonly north: Service;
  readonly south: Service;
}

interface Started {
  readonly port: number;
  readonly restart: () => Promise<void>;
}

/** Starts an HAProxy until the scenario ends. It has found the services then. */
async function startOne(
  chaos: Chaos,
  cells: ServicesOfCells,
  maps: string,
  socket: string,
): Promise<Started> {
  const port = await freePort();
  const text = await readFile(join(chaos.installation, "deploy/haproxy.cfg"), "utf8");
  const changes: [RegExp, string][] = [
    [/\/run\/haproxy\/admin\.sock/, socket],
    [/\/etc\/haproxy\/loyalty\//g, `${maps}/`],
    [/bind :443 .*/, `bind 127.0.0.1:${port}`],
    [/^ {2}log .*\n/m, ""],
    ...(["north", "south"] as const).flatMap((name): [RegExp, string][] => [
      [new RegExp(`server ${name}-1 .*`), `server ${name}-1 127.0.0.1:${cells[name].port}`],
      [new RegExp(` {2}server ${name}-2 .*\n`), ""],
    ]),
  ];
  const file = `${socket}.cfg`;
  await writeFile(
    file,
    changes.reduce((changed, [from, to]) => {
      if (!changed.match(from)) throw new Error(`deploy/haproxy.cfg has nothing like ${from}`);
      return changed.replace(from, to);
    }, text),
  );
  let child: ChildProcess;
  let said = "";
  const start = async () => {
    child = spawn(program, ["-db", "-f", file], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      said += part;
    });
    await eventually(
      "HAProxy",
      20_000,
      () =>
        fetch(`http://127.0.0.1:${port}/api/sp/members/list`, { method: "POST" }).then(
          ({ status }) => status === 415 || status === 400 || status === 401,
          () => false,
        ),
      () => said,
    );
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  chaos.atEnd(kill);
  await start();
  return {
    port,
    restart: async () => {
      await kill();
      await start();
    },
  };
}

/** Starts two HAProxies, and writes the file with the cells for the command line. */
export async function startHaproxies(chaos: Chaos, cells: ServicesOfCells): Promise<Proxied> {
  const folder = join(chaos.directory, "haproxy");
  const maps = join(folder, "maps");
  await mkdir(maps, { recursive: true });
  for (const name of ["business.map", "client.map"]) await writeFile(join(maps, name), "");
  const sockets = ["one.sock", "two.sock"].map((name) => join(folder, name)) as [string, string];
  const both = [
    await startOne(chaos, cells, maps, sockets[0]),
    await startOne(chaos, cells, maps, sockets[1]),
  ] as const;
  const configuration = join(folder, "cells.json");
  const cellOf = ({ port: at, dataDirectory }: Service) => ({
    url: `http://127.0.0.1:${at}`,
    data_directory: dataDirectory,
  });
  const known = { north: cellOf(cells.north), south: cellOf(cells.south) };
  // The services of a run have their key from the environment, and not in their data directories.
  const keyFile = join(folder, "operator.key");
  await writeFile(keyFile, operatorKey);
  const withKey = Object.entries(known).map(([name, cell]) => [
    name,
    { ...cell, operator_key_file: keyFile },
  ]);
  await writeFile(
    configuration,
    JSON.stringify({ cells: Object.fromEntries(withKey), haproxy: { maps, sockets } }),
  );
  const command: Proxied["command"] = async (words, killAfterMilliseconds) => {
    const started = spawn(process.execPath, [join(chaos.installation, "dist/cli/main.js"), ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, LOYALTY_CELLS: configuration },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        printed += part;
      });
    }
    const timer = killAfterMilliseconds && setTimeout(() => started.kill("SIGKILL"), killAfterMilliseconds);
    const [code, signal] = await once(started, "close");
    if (timer) clearTimeout(timer);
    return { code: code ?? signal, said: printed };
  };
  return { ports: [both[0].port, both[1].port], restart: (nth) => both[nth].restart(), command };
}
