/** Where the time of a process went, from what `node --cpu-prof` wrote. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileSummary {
  /** Shares of the time that the process was busy, the largest first. */
  readonly byModule: readonly Share[];
  readonly byFunction: readonly Share[];
}

export interface Share {
  readonly name: string;
  readonly share: number;
}

const listed = 40;

/** Sums up the one profile in a directory. */
export async function summarizeProfile(directory: string): Promise<ProfileSummary> {
  const name = (await readdir(directory)).find((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) throw new Error(`no profile was written to ${directory}`);
  const profile = JSON.parse(await readFile(join(directory, name), "utf8")) as CpuProfile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byModule = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const time = profile.timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === "(idle)") continue;
    busy += time;
    const module = moduleOf(frame.url, frame.functionName);
    const line = frame.url === "" ? "" : ` ${module}:${frame.lineNumber + 1}`;
    const callee = `${frame.functionName || "(anonymous)"}${line}`;
    byModule.set(module, (byModule.get(module) ?? 0) + time);
    byFunction.set(callee, (byFunction.get(callee) ?? 0) + time);
  }
  return { byModule: sharesOf(byModule, busy), byFunction: sharesOf(byFunction, busy) };
}

/** The package, the folder of the service, or the part of the runtime. */
function moduleOf(url: string, functionName: string): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "native";
  if (url.startsWith("node:")) return url;
  const path = url.slice(url.lastIndexOf("/node_modules/"));
  const [, dependency] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (dependency !== undefined) return dependency;
  return url.slice(url.indexOf("/dist/") + "/dist/".length);
}

function sharesOf(times: ReadonlyMap<string, number>, total: number): Share[] {
  return [...times]
    .map(([name, time]) => ({ name, share: time / total }))
    .sort((a, b) => b.share - a.share)
    .slice(0, listed);
}
