/** Where the time of a process went, from what `node --cpu-prof` wrote. */
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { root } from "./service.ts";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly name: string;
  /** Of the time that the process was busy. */
  readonly share: number;
}

export interface ProfileSummary {
  /** By the package or module that had the work done, the largest first. */
  readonly byOwner: readonly Share[];
  /** By the function that ran. */
  readonly byFunction: readonly Share[];
}

const listedFunctions = 40;

/**
 * Sums up the one profile in a directory.
 * @param skipSeconds of the start, in which the process loads and warms up
 */
export async function summarizeProfile(directory: string, skipSeconds: number): Promise<ProfileSummary> {
  const name = (await readdir(directory)).find((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) throw new Error(`no profile was written to ${directory}`);
  const profile = JSON.parse(await readFile(join(directory, name), "utf8")) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const stackOf = (id: number) => {
    const stack: ProfileNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      stack.push(nodes.get(at) as ProfileNode);
    }
    return stack;
  };
  const byOwner = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let elapsed = 0;
  let busy = 0;
  for (const [index, id] of profile.samples.entries()) {
    const time = profile.timeDeltas[index] ?? 0;
    elapsed += time;
    const stack = stackOf(id);
    const { callFrame } = stack[0] as ProfileNode;
    const { functionName, url } = callFrame;
    if (elapsed < skipSeconds * 1_000_000 || functionName === "(idle)") continue;
    busy += time;
    add(byOwner, ownerOf(stack), time);
    const { name, line } = placeOf(callFrame);
    add(byFunction, url === "" ? functionName : `${functionName} ${name}:${line}`, time);
  }
  return {
    byOwner: sharesOf(byOwner, busy),
    byFunction: sharesOf(byFunction, busy).slice(0, listedFunctions),
  };
}

/** The nearest caller that is no part of the runtime; for work that nobody asked for, the part of the runtime. */
function ownerOf(stack: readonly ProfileNode[]): string {
  const caller = stack.find(({ callFrame }) => callFrame.url !== "" && !callFrame.url.startsWith("node:"));
  if (caller !== undefined) return placeOf(caller.callFrame).name;
  const name = stack[0]?.callFrame.functionName ?? "";
  if (name === "(garbage collector)") return "garbage collection";
  const isNetwork = stack.some(({ callFrame }) => /^node:(_http|net|internal\/stream)/.test(callFrame.url));
  return isNetwork ? "HTTP and sockets of Node.js" : "Node.js";
}

/** The built service is one file; its map says from which module a line came. */
const sourceMap = new SourceMap(JSON.parse(readFileSync(join(root, "dist/main.js.map"), "utf8")));

/** The name of the package or the path of the module, and the line there. */
function placeOf({ url, lineNumber, columnNumber }: ProfileNode["callFrame"]): {
  name: string;
  line: number;
} {
  if (!url.endsWith("/dist/main.js")) return { name: packageOf(url) ?? url, line: lineNumber + 1 };
  const entry = sourceMap.findEntry(lineNumber, columnNumber);
  if (!("originalSource" in entry)) return { name: "dist/main.js", line: lineNumber + 1 };
  const { originalSource, originalLine } = entry;
  return { name: packageOf(originalSource) ?? originalSource.replace("../src/", ""), line: originalLine + 1 };
}

function packageOf(path: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

function sharesOf(times: ReadonlyMap<string, number>, total: number): Share[] {
  return [...times].map(([name, time]) => ({ name, share: time / total })).sort((a, b) => b.share - a.share);
}
