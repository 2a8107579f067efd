/**
 * The disk under the service's own database fills up under load, and is freed again: what can't be stored is not
 * acknowledged, and nobody has to start anything again.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { HttpConnection } from "../../test/support/http-connection.ts";
import { type Chaos, eventually, milliseconds, type Result } from "../chaos.ts";
import { type LoadSize, MixedLoad, overdueMilliseconds } from "../load/mixed-load.ts";
import { Operator } from "../operator.ts";
import { isReady, Service } from "../service.ts";

export interface DiskSize extends LoadSize {
  /** How often the disk fills up. */
  readonly times: number;
}

/** Room for the database, its log and some more; it is memory. */
const diskMegabytes = 400;
const fullMilliseconds = 3000;

export async function fullDisk(chaos: Chaos, size: DiskSize): Promise<Result> {
  const disk = join(chaos.directory, "disk");
  await mkdir(disk);
  const problem = await mountSmallDisk(disk);
  if (problem !== undefined) return { figures: [], violations: [], skipped: problem };
  chaos.atEnd(() => promisify(execFile)("umount", [disk]));
  const { port } = await Service.start(chaos, { dataDirectory: join(disk, "data") });
  const load = await MixedLoad.start(chaos, new Operator(chaos, port), port, size);
  const healed: number[] = [];
  while (chaos.goesOn(healed.length >= size.times)) {
    healed.push(await fillAndFree(disk, port, load));
    chaos.say(`full ${healed.length} times, ${load.tally.acknowledged} acknowledged`);
  }
  await load.stop();
  const figures = [
    { what: "times the disk was full", value: healed.length, aim: size.times },
    ...(await load.figures()),
    milliseconds("writes again after there is room, at most", Math.max(0, ...healed)),
  ];
  return { violations: load.violations.list(), figures };
}

/** @returns why it can't be done here, or undefined when it is done */
async function mountSmallDisk(directory: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root can mount a small disk to fill";
  try {
    await promisify(execFile)("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", directory]);
    await chmod(directory, 0o755);
    return undefined;
  } catch (error) {
    return `a small disk can't be mounted here: ${(error as Error).message.trim()}`;
  }
}

/** @returns milliseconds from there being room again until a write succeeds */
async function fillAndFree(disk: string, port: number, load: MixedLoad): Promise<number> {
  await sleep(1000);
  const ballast = join(disk, "ballast");
  await fill(ballast);
  await load.untilRefused(500, 120_000);
  await sleep(fullMilliseconds);
  await rm(ballast);
  const freedAt = performance.now();
  await load.untilWritten(freedAt);
  const health = new HttpConnection(port, overdueMilliseconds);
  await eventually("readiness", 60_000, () => isReady(health));
  health.close();
  return performance.now() - freedAt;
}

/** Writes until there is no room for another byte. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (const size of [1 << 20, 4096]) {
      const piece = Buffer.alloc(size);
      try {
        for (;;) await file.write(piece);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    await file.close();
  }
}
