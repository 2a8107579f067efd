/** What processes cost, as Linux tells it; elsewhere these figures are missing, and the report says so. */
import { readdir, readFile } from "node:fs/promises";

const clockTicksPerSecond = 100;

/** Seconds of processor time that a process has used so far. */
async function cpuSecondsOf(pid: number | string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [, user = "0", system = "0"] = /\) \S+ (?:\S+ ){10}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user) + Number(system)) / clockTicksPerSecond;
}

/** Processor time of a process and of those it started that still run, such as PostgreSQL's backends. */
export async function cpuSecondsOfTree(pid: number): Promise<number> {
  let seconds = await cpuSecondsOf(pid);
  for (const child of await childrenOf(pid)) seconds += await cpuSecondsOf(child);
  return seconds;
}

/** A process and those it started that still run. */
export async function pidsOfTree(pid: number): Promise<number[]> {
  return [pid, ...(await childrenOf(pid)).map(Number)];
}

async function childrenOf(pid: number): Promise<string[]> {
  const children: string[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    if (/\) \S+ (\d+)/.exec(stat)?.[1] === String(pid)) children.push(name);
  }
  return children;
}

/** Bytes of memory that a process holds; undefined where it can't be told. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Bytes of memory that a process and its children hold, with what they share counted once; undefined where it can't be told. */
export async function memoryOfTree(pid: number): Promise<number | undefined> {
  let kilobytes = 0;
  for (const each of await pidsOfTree(pid)) {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, "utf8").catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes === 0 ? undefined : kilobytes * 1024;
}
