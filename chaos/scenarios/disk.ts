/** Fills the disk of the service's own database under load, and frees it again. */
import { execFile } from "node:child_process";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { milliseconds, type Result } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type LoadSize, startLoad, underLoad } from "../load/load.ts";

export interface DiskSize extends LoadSize {
  /** How often the disk becomes full. */
  readonly times: number;
}

/** For the database and its log; it is a disk in memory. */
const diskMegabytes = 400;
const fullMilliseconds = 3000;

export async function fullDisk(chaos: Chaos, size: DiskSize): Promise<Result> {
  const disk = join(chaos.directory, "disk");
  await mkdir(disk);
  const problem = await mountSmallDisk(disk);
  if (problem !== undefined) return { figures: [], violations: [], skipped: problem };
  chaos.atEnd(() => promisify(execFile)("umount", [disk]));
  const service = await Service.start(chaos, { dataDirectory: join(disk, "data") });
  const load = await startLoad(chaos, service.port, size);
  let longest = 0;
  const order = { what: "times the disk was full", times: size.times };
  const figures = await underLoad(chaos, load, order, async () => {
    await sleep(1000);
    const ballast = join(disk, "ballast");
    await fill(ballast);
    await load.untilRejected(500, 120_000);
    await sleep(fullMilliseconds);
    await rm(ballast);
    const freedAt = performance.now();
    await load.untilWritten(freedAt);
    await service.ready();
    longest = Math.max(longest, performance.now() - freedAt);
  });
  const recovery = milliseconds("first write after there is space again, at most", longest);
  return { violations: load.violations.list(), figures: [...figures, recovery] };
}

/** @returns why it is not possible here */
async function mountSmallDisk(directory: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root can mount a small disk";
  try {
    await promisify(execFile)("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", directory]);
    await chmod(directory, 0o755);
    return undefined;
  } catch (error) {
    return `a small disk can't be mounted here: ${(error as Error).message.trim()}`;
  }
}

/** Writes until there is no space for another byte. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  for (const size of [1 << 20, 4096]) {
    const write = async (): Promise<void> => {
      for (;;) await file.write(Buffer.alloc(size));
    };
    await write().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOSPC") throw error;
    });
  }
  await file.close();
}
