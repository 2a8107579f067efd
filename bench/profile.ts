/** Where the time of the service goes, by one more load on a service that profiles itself. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, measure } from "./bench.ts";
import type { Traffic } from "./load/traffic.ts";
import type { Figure } from "./report.ts";
import { root, startService } from "./service.ts";

/** Loading and warming up are left out of the profile. */
const skipSeconds = 4;
const loadSeconds = 15;
const leastShare = 0.01;

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

interface Share {
  readonly name: string;
  /** Of the time that the process was busy. */
  readonly share: number;
}

interface ProfileSummary {
  /** By the package or module that had the work done, the largest first. */
  readonly byOwner: readonly Share[];
  /** By the function that ran. */
  readonly byFunction: readonly Share[];
}

const listedFunctions = 40;

/**
 * Where the service's time goes while it adjusts over 64 connections. Its figures are apart: being profiled slows it
 * down.
 */
export async function profileAdjustments(
  bench: Bench,
  database: string,
  traffic: Traffic,
): Promise<Figure[]> {
  bench.say("profile …");
  const directory = await mkdtemp(join(tmpdir(), "loyalty-bench-profile-"));
  try {
    const nodeOptions = ["--cpu-prof", `--cpu-prof-dir=${directory}`];
    const service = await startService({ server: bench.server, database, nodeOptions });
    // The profile is written when the service ends.
    await measure(bench, service, traffic, { seconds: loadSeconds }).finally(service.stop);
    const { byOwner, byFunction } = await summarizeProfile(directory);
    return byOwner
      .filter(({ share }) => share >= leastShare)
      .map(({ name, share }, index) => ({
        what: `profile, ${name}`,
        value: share * 100,
        unit: "%",
        ...(index === 0 ? { details: { byFunction } } : {}),
      }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Sums up the one profile in a directory, but for the start. */
async function summarizeProfile(directory: string): Promise<ProfileSummary> {
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
