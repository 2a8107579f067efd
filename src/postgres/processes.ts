/** Runs programs, as another account if the service is root, and inspects processes that others started. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { OperatorError } from "../domain/access/operator-error.ts";

/** The account that runs PostgreSQL. PostgreSQL rejects root, so a service of root starts it as another account. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses the account: the owner of the data, else `postgres`, else `nobody`.
 * @returns undefined when the service is not root and PostgreSQL runs as the service does
 * @throws OperatorError when the system has none of these accounts, or is not Linux
 */
export async function databaseAccount(pgdata: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== "linux") {
    throw new OperatorError("PostgreSQL cannot run as root: run the service as an ordinary user");
  }
  const owner = await stat(pgdata).then(
    ({ uid }) => uid,
    () => 0,
  );
  for (const name of [...(owner === 0 ? [] : [String(owner)]), "postgres", "nobody"]) {
    const { failed, lines } = await runProgram("id", [name]);
    const match = /^uid=(\d+)\(([^)]+)\) gid=(\d+)/.exec(lines[0] ?? "");
    if (!failed && match) return { name: match[2] ?? name, uid: Number(match[1]), gid: Number(match[3]) };
  }
  throw new OperatorError(
    "PostgreSQL cannot run as root, and this system has no account postgres or nobody to run it: create one " +
      "(useradd --system postgres), or run the service as an ordinary user",
  );
}

/** Returns the options of every spawned program. It does not get the service's environment, which has secrets and PG* settings. */
export function spawnOptions(account: Account | undefined, directory = "/") {
  const { PATH = "/usr/bin:/bin" } = process.env;
  return {
    // The account may not be able to enter the service's own working directory.
    cwd: directory,
    env: { PATH, LC_ALL: "C", TZ: "UTC" },
    ...(account && { uid: account.uid, gid: account.gid }),
  };
}

interface RunOptions {
  readonly account?: Account | undefined;
  readonly input?: string;
  /** The working directory. It may be one that the account can't reach by itself. */
  readonly directory?: string;
}

/** Runs a program. @returns whether it failed, and its lines @throws a system error if it cannot be started */
export async function runProgram(
  command: string,
  args: readonly string[],
  { account, input = "", directory }: RunOptions = {},
): Promise<{ failed: boolean; lines: readonly string[] }> {
  const options = { ...spawnOptions(account, directory), maxBuffer: Number.POSITIVE_INFINITY };
  const running = promisify(execFile)(command, args, options);
  // A program may end without reading its input.
  running.child.stdin?.on("error", () => undefined).end(input);
  let failed = false;
  const { stdout, stderr } = await running.catch(
    (error: { code: unknown; stdout: string; stderr: string }) => {
      if (typeof error.code === "string") throw error;
      failed = true;
      return error;
    },
  );
  return { failed, lines: `${stdout}\n${stderr}`.split(/\r?\n/).filter((line) => line !== "") };
}

interface RunningProcess {
  /** Distinguishes the process from earlier and later ones with the same pid. */
  readonly identity: string;
  /** The arguments, each followed by a space. */
  readonly commandLine: string;
}

/** Inspects the process with a pid. Returns undefined for no process or a zombie. */
export async function inspectProcess(pid: number): Promise<RunningProcess | undefined> {
  if (process.platform !== "linux") {
    const { lines } = await runProgram("ps", ["-ww", "-o", "stat=,lstart=,args=", "-p", String(pid)]);
    const match = /^\s*(?!Z)\S+\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(lines[0] ?? "");
    return match === null ? undefined : { identity: match[1] ?? "", commandLine: `${match[2]} ` };
  }
  // Small containers have no ps.
  try {
    const status = await readFile(`/proc/${pid}/stat`, "latin1");
    // The second field is the name in parentheses, which may itself contain spaces and parentheses.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    if (startTime === undefined || state === "Z" || state === "X") return undefined;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
    return { identity: startTime, commandLine: commandLine.replaceAll("\0", " ") };
  } catch {
    return undefined;
  }
}
