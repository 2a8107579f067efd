/**
 * The disk under the service's own database fills up under load, and is freed again: what can't be stored is not
 * acknowledged, and nobody has to start anything again.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../test/support/service-process.ts";
import { Operator } from "../business.ts";
import { type Chaos, eventually, percentile, type Result } from "../chaos.ts";
import { Caller } from "../load/caller.ts";
import { loadFigures, type MixedLoad, startMixedLoad } from "../load/mixed-load.ts";
import { isReady, startService, untilReady } from "../service.ts";

export interface DiskSize {
  /** How often the disk fills up. */
  readonly times: number;
  readonly businesses: number;
  readonly writers: number;
}

/** Room for the database, its log and some more; it is memory. */
const diskMegabytes = 400;
const fullMilliseconds = 3000;
const overdueMilliseconds = 20_000;

export async function fullDisk(chaos: Chaos, size: DiskSize): Promise<Result> {
  const disk = join(chaos.directory, "disk");
  await mkdir(disk);
  const problem = await mountSmallDisk(disk);
  if (problem !== undefined) return { figures: [], violations: [], skipped: problem };
  const service = startService(chaos, { port: await freePort(), dataDirectory: join(disk, "data") });
  const operator = new Operator(service.port);
  try {
    await untilReady(service);
    const load = await startMixedLoad({
      port: service.port,
      operator,
      businesses: size.businesses,
      writers: size.writers,
      members: 40,
      seed: chaos.seed,
      overdueMilliseconds,
    });
    const healed: number[] = [];
    while (chaos.goesOn(healed.length >= size.times)) {
      healed.push(await fillAndFree(disk, service.port, load));
      chaos.say(`full ${healed.length} times, ${load.tally.acknowledged} acknowledged`);
    }
    await load.stop();
    const { tally, violations } = load;
    const found = await load.compare();
    return {
      violations: violations.list(),
      figures: [
        { what: "times the disk was full", value: healed.length, aim: size.times },
        { what: "writes acknowledged", value: tally.acknowledged },
        ...loadFigures(tally, found),
        { what: "writes again after there is room, at most", value: percentile(healed, 1), unit: "ms" },
      ],
    };
  } finally {
    operator.close();
    await service.process.stop();
    await promisify(execFile)("umount", [disk]);
  }
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
async function fillAndFree(disk: string, port: number, { tally }: MixedLoad): Promise<number> {
  await sleep(1000);
  const ballast = join(disk, "ballast");
  await fill(ballast);
  await eventually("writes are refused on a full disk", 120_000, () => {
    const quiet = performance.now() - tally.lastWriteAt > 500;
    return quiet && tally.lastUnavailableAt > tally.lastWriteAt;
  });
  await sleep(fullMilliseconds);
  await rm(ballast);
  const freedAt = performance.now();
  await eventually("writes succeed", 60_000, () => tally.lastWriteAt > freedAt);
  const health = new Caller(port, overdueMilliseconds);
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
