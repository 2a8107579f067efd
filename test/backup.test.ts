/** Backups of the embedded database: made while it is written to, restored elsewhere, and compared. */
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Manifest } from "../src/database/backup/files.ts";
import { makeBackup } from "../src/database/backup/make.ts";
import { restoreBackup } from "../src/database/backup/restore.ts";
import type { DemoFile } from "../src/demo/file.ts";
import { useInstallation } from "./support/installation.ts";
import { post, type ServiceProcess, startService } from "./support/service-process.ts";

// Real processes on a busy machine take their time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const installation = useInstallation();
const { signal } = new AbortController();
let directory: string;
let data: string;
let backup: string;
let service: ServiceProcess | undefined;
/** What was acknowledged before the backup began: answers by idempotency key. */
const acknowledged = new Map<string, unknown>();

const backUp = (target: string, dataDirectory = data) =>
  makeBackup({ dataDirectory, target, signal, onProgress: () => undefined });
const restore = (source: string, dataDirectory: string) => restoreBackup({ source, dataDirectory, signal });

async function start(dataDirectory: string): Promise<{ demo: DemoFile; baseUrl: string }> {
  service = startService({
    directory: installation.directory,
    environment: { LOYALTY_DATA_DIR: dataDirectory, LOYALTY_RATE_LIMIT: "0" },
  });
  const baseUrl = await service.ready();
  return { demo: JSON.parse(await readFile(join(dataDirectory, "demo.json"), "utf8")), baseUrl };
}

async function stop(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function tokenOf({ client_id, client_secret }: DemoFile, baseUrl: string): Promise<string> {
  return (await post(`${baseUrl}/sp/auth/token`, { client_id, client_secret })).body.data.access_token;
}

async function creditsIn(baseUrl: string, token: string): Promise<number> {
  const filter = { event_types: ["reward_points_adjustment"] };
  return (await post(`${baseUrl}/sp/transactions/list`, filter, token)).body.meta.pagination.total;
}

const credit = (demo: DemoFile, nth: number) => ({
  idempotency_key: `credit-${nth}`,
  contact_id: demo.contact_ids[nth % demo.contact_ids.length],
  points: 1 + (nth % 7),
  adjustment_type: "credit",
  reference_id: `credit-${nth}`,
});

/** Credits points from several callers at once, until it is told to stop. */
function startCredits(demo: DemoFile, baseUrl: string, token: string) {
  let going = true;
  let next = 0;
  const answers = new Map<string, unknown>();
  const work = async () => {
    while (going) {
      const body = credit(demo, next++);
      const reply = await post(`${baseUrl}/sp/reward-points/adjust`, body, token);
      expect(reply.status).toBe(200);
      answers.set(body.idempotency_key, reply.body);
    }
  };
  const callers = Array.from({ length: 8 }, work);
  return {
    answers,
    async stop() {
      going = false;
      await Promise.all(callers);
    },
  };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-backup-"));
  await chmod(directory, 0o755);
  data = join(directory, "data");
  backup = join(directory, "backup");
  const { demo, baseUrl } = await start(data);
  const credits = startCredits(demo, baseUrl, await tokenOf(demo, baseUrl));
  await vi.waitUntil(() => credits.answers.size > 200, { timeout: 60_000 });
  for (const [key, answer] of credits.answers) acknowledged.set(key, answer);
  await backUp(backup);
  // The load went on while the files were copied, or the backup would show nothing.
  expect(credits.answers.size).toBeGreaterThan(acknowledged.size);
  await credits.stop();
  await stop();
});
afterAll(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

it("brings back all that was acknowledged before, in a ledger without a fault, and answers its keys", async () => {
  const restored = join(directory, "restored");
  await restore(backup, restored);
  const { demo, baseUrl } = await start(restored);
  const operatorKey = (await readFile(join(restored, "operator.key"), "utf8")).trim();
  const { business_id } = demo;
  for (const part of ["accounts", "points", "entries", "entry_counts", "member_counts"]) {
    const verified = await post(`${baseUrl}/op/ledger/verify`, { business_id, part }, operatorKey);
    expect(verified.body).toMatchObject({ success: true, data: { mismatch_count: 0, next: null } });
  }
  // The key that signs tokens came with it.
  const token = await tokenOf(demo, baseUrl);
  const total = await creditsIn(baseUrl, token);
  for (const [key, answer] of acknowledged) {
    const again = await post(
      `${baseUrl}/sp/reward-points/adjust`,
      credit(demo, Number(key.slice("credit-".length))),
      token,
    );
    expect(again.body).toEqual(answer);
  }
  // Had one been lost, it would have been done anew.
  expect(await creditsIn(baseUrl, token)).toBe(total);
  await stop();
});

it("is for its owner's eyes only, and keeps what belongs to the run out", async () => {
  const modeOf = async (path: string) => (await stat(join(backup, path))).mode & 0o777;
  for (const path of [".", "postgres", "postgres/base"]) expect(await modeOf(path)).toBe(0o700);
  for (const path of ["backup.json", "secret", "operator.key", "postgres.password", "postgres/PG_VERSION"]) {
    expect(await modeOf(path)).toBe(0o600);
  }
  const names = await readdir(join(backup, "postgres"));
  expect(names).toContain("backup_label");
  expect(names).not.toContain("postmaster.pid");
  expect((await readdir(directory)).filter((name) => name.includes(".part"))).toEqual([]);
});

it("can be made while the service is stopped, and restored as well", async () => {
  const stopped = join(directory, "backup-stopped");
  const made = await backUp(stopped);
  expect(made.missing).toEqual([]);
  const restored = join(directory, "restored-stopped");
  const answer = await restore(stopped, restored);
  expect(answer).toMatchObject({ madeAt: made.madeAt, missing: [] });
  const { demo, baseUrl } = await start(restored);
  const token = await tokenOf(demo, baseUrl);
  expect(await creditsIn(baseUrl, token)).toBeGreaterThan(acknowledged.size);
  await stop();
});

it("says which secrets it does not have", async () => {
  const partial = join(directory, "without-secret");
  await restore(backup, partial);
  await rm(join(partial, "secret"));
  expect((await backUp(join(directory, "backup-partial"), partial)).missing).toEqual(["secret"]);
});

it("overwrites nothing", async () => {
  await expect(backUp(backup)).rejects.toThrow(/is not empty/);
  await expect(backUp(join(data, "backup"))).rejects.toThrow(/lies in the data directory/);
  await expect(restore(backup, data)).rejects.toThrow(/is not empty \(.*LOYALTY_DATA_DIR/);
  const taken = join(directory, "taken");
  await mkdir(taken);
  await writeFile(join(taken, "notes.txt"), "mine");
  await expect(restore(backup, taken)).rejects.toThrow(/is not empty \(notes\.txt\)/);
  expect(await readdir(taken)).toEqual(["notes.txt"]);
});

it("refuses what is no backup, no database, or another version's", async () => {
  await expect(restore(directory, join(directory, "x1"))).rejects.toThrow(/is no backup/);
  await expect(backUp(join(directory, "x2"), join(directory, "nothing"))).rejects.toThrow(
    /holds no database/,
  );
  await withManifest({ postgresql: "9" }, async () => {
    await expect(restore(backup, join(directory, "x3"))).rejects.toThrow(/made by PostgreSQL 9/);
  });
  await withManifest({ format: 2 as never }, async () => {
    await expect(restore(backup, join(directory, "x4"))).rejects.toThrow(/later release/);
  });
  for (const path of ["../x", "/etc/x", "postgres/../../x", "a//b", ".."]) {
    await withManifest({ directories: [path] }, async () => {
      await expect(restore(backup, join(directory, "x5"))).rejects.toThrow(/not to be trusted/);
    });
  }
});

it("notices a file that was changed, cut off or lost, and then restores nothing", async () => {
  const file = join(backup, "postgres", "global", "pg_control");
  const sound = await readFile(file);
  const target = join(directory, "damaged");
  const damages: [() => Promise<void>, RegExp][] = [
    [() => appendFile(file, "x"), /pg_control has changed/],
    [() => writeFile(file, Buffer.from(sound).fill(1, 10, 11)), /pg_control has changed/],
    [() => rm(file), /pg_control is missing/],
  ];
  for (const [damage, message] of damages) {
    await damage();
    await expect(restore(backup, target)).rejects.toThrow(message);
    expect((await readdir(target)).filter((name) => !name.startsWith("postgres.lock"))).toEqual([]);
    await rm(file, { force: true });
    await writeFile(file, sound);
  }
});

it("leaves nothing behind when it is given up", async () => {
  const controller = new AbortController();
  const target = join(directory, "given-up");
  const options = { dataDirectory: data, target, signal: controller.signal };
  const onProgress = (line: string) => line.startsWith("Copying") && controller.abort();
  await expect(makeBackup({ ...options, onProgress })).rejects.toThrow(/abort/i);
  expect((await readdir(directory)).filter((name) => name.startsWith("given-up"))).toEqual([]);
});

/** Has the backup say something else of itself for a while. */
async function withManifest(changes: Partial<Manifest>, check: () => Promise<void>): Promise<void> {
  const file = join(backup, "backup.json");
  const sound = await readFile(file, "utf8");
  await writeFile(file, JSON.stringify({ ...JSON.parse(sound), ...changes }));
  await check().finally(() => writeFile(file, sound));
}
