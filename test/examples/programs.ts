/** Runs programs of examples/ as their users do: each a process of its own, against a service over HTTP. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import type { Credentials, World } from "../support/world.ts";

const root = join(import.meta.dirname, "../..");

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shop {
  readonly businessId: number;
  readonly credentials: Credentials;
}

/** A business of its own, so that no test sees another's members. */
export async function newShop(world: World, timeZone = "America/New_York"): Promise<Shop> {
  const businessId = await insertBusiness(world.sql, {
    name: "Shop",
    time_zone: timeZone,
    currency: "USD",
  });
  return { businessId, credentials: await world.integration({ ...world.home, businessId }) };
}

/** The environment in which a program calls the service for a shop. */
export function environmentOf({ credentials }: Shop, baseUrl: string): Record<string, string> {
  return {
    LOYALTY_URL: baseUrl,
    LOYALTY_CLIENT_ID: credentials.client_id,
    LOYALTY_CLIENT_SECRET: credentials.client_secret,
  };
}

/** Runs an example to its end. @param program below examples/ */
export function runExample(
  program: string,
  args: readonly string[],
  shop?: Shop,
  baseUrl = "",
): Promise<Run> {
  const words = [join(root, "examples", program), ...args];
  return runProgram(process.execPath, words, shop && environmentOf(shop, baseUrl));
}

/** Runs a program in the repository's root to its end. */
export function runProgram(
  program: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<Run> {
  return finished(startProgram(program, args, settings));
}

/** Starts a program in the repository's root. */
export function startProgram(
  program: string,
  args: readonly string[],
  settings: Record<string, string>,
): ChildProcess {
  const { LOYALTY_URL: _, LOYALTY_CLIENT_ID: __, LOYALTY_CLIENT_SECRET: ___, ...env } = process.env;
  return spawn(program, args, { cwd: root, env: { ...env, ...settings } });
}

/** Waits for the end of a program. */
export function finished(child: ChildProcess): Promise<Run> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

export interface Folder {
  /** Writes a file, and returns its path. */
  write(name: string, text: string): Promise<string>;
}

/** A folder for the files of the calling test file, which runs examples that need the client built. */
export function useFolder(): Folder {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "loyalty-examples-"));
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return {
    async write(name, text) {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    },
  };
}
