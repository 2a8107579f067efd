import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, statfs, writeFile } from "node:fs/promises";
import { freemem } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "loyalty-tests-";
/** A run has up to two gigabytes of files at a time. */
const neededBytes = 4 * 2 ** 30;

/**
 * Puts the temporary files of all tests into memory, unless TMPDIR says where they go, or the system has too little of it. Tests make
 * hundreds of databases, each of hundreds of files, and on some disks this takes more time than the tests themselves.
 * @returns removes the files
 */
export async function keepFilesInMemory(): Promise<() => Promise<void>> {
  const nothing = async () => {};
  if (process.env.TMPDIR !== undefined || !(await hasRoom())) return nothing;
  for (const name of await readdir(memory)) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    // The run was killed.
    await rm(join(memory, name), { recursive: true, force: true });
  }
  const directory = join(memory, `${prefix}${process.pid}`);
  const remove = () => rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  // As the system's directory of temporary files: tests run programs as other accounts.
  await chmod(directory, 0o1777);
  if (!(await runsPrograms(directory))) {
    await remove();
    return nothing;
  }
  process.env.TMPDIR = directory;
  return async () => {
    delete process.env.TMPDIR;
    await remove();
  };
}

async function hasRoom(): Promise<boolean> {
  const room = await statfs(memory).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize >= neededBytes && freemem() >= 2 * neededBytes;
}

/** A system may forbid it. Tests write programs of a few lines, which they run. */
async function runsPrograms(directory: string): Promise<boolean> {
  const program = join(directory, "program");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    execFileSync(program);
    return true;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
