/** Where the service spends its time, from one more load on a service that profiles itself. */
import { readdir, readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join } from "node:path";
import type { Figure } from "../test/support/runs/report.ts";
import { adjusting, type Bench, fill, measure, startServer } from "./bench.ts";

/** Start and warm-up are not part of the profile. */
const skipSeconds = 4;
const loadSeconds = 15;
const leastShare = 0.01;
const members = 10_000;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

/** The shares of packages and modules. Profiling makes the service slower, so this is a load of its own. */
export async function profileAdjustments(bench: Bench): Promise<Figure[]> {
  bench.say("profile …");
  const directory = bench.directory;
  const server = await startServer(bench, { nodeOptions: ["--cpu-prof", `--cpu-prof-dir=${directory}`] });
  const filled = await fill(server, { members, entries: 0 });
  await measure(bench, server.service.port, adjusting(filled), { seconds: loadSeconds });
  // The service writes the profile when it ends.
  await server.service.process.stop();
  const name = (await readdir(directory)).find((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) throw new Error(`there is no profile in ${directory}`);
  const profile = JSON.parse(await readFile(join(directory, name), "utf8")) as CpuProfile;
  const map = JSON.parse(await readFile(join(bench.installation, "dist/start.js.map"), "utf8"));
  const { times, busy } = timesOf(profile, new SourceMap(map));
  return [...times]
    .map(([owner, time]) => ({ what: `profile, ${owner}`, value: (time / busy) * 100, unit: "%" }))
    .filter(({ value }) => value >= leastShare * 100)
    .sort((a, b) => b.value - a.value);
}

function timesOf({ nodes, samples, timeDeltas }: CpuProfile, map: SourceMap) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const times = new Map<string, number>();
  let [elapsed, busy] = [0, 0];
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    elapsed += time;
    const stack: CallFrame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      stack.push(frames.get(at) as CallFrame);
    }
    if (elapsed < skipSeconds * 1_000_000 || stack[0]?.functionName === "(idle)") continue;
    busy += time;
    const owner = ownerOf(stack, map);
    times.set(owner, (times.get(owner) ?? 0) + time);
  }
  return { times, busy };
}

/** The package or module of the nearest caller outside of Node.js; otherwise the part of Node.js. */
function ownerOf(stack: readonly CallFrame[], map: SourceMap): string {
  const caller = stack.find(({ url }) => url !== "" && !url.startsWith("node:"));
  if (caller !== undefined) {
    // The built service is one file.
    const entry = map.findEntry(caller.lineNumber, caller.columnNumber);
    const source = "originalSource" in entry ? entry.originalSource : caller.url;
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
    return name ?? source.replace("../src/", "");
  }
  if (stack[0]?.functionName === "(garbage collector)") return "garbage collection";
  const isNetwork = stack.some(({ url }) => /^node:(_http|net|internal\/stream)/.test(url));
  return isNetwork ? "HTTP and sockets of Node.js" : "Node.js";
}
