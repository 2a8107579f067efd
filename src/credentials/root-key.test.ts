import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRootKey } from "./root-key.ts";

const [oldKey, newKey] = ["old-".repeat(10), "new-".repeat(10)];
let directory: string;
let file: string;
let now: number;
let used: string[];
let faults: string[];
let failing: boolean;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-root-key-"));
  file = join(directory, "operator.key");
  [now, used, faults, failing] = [0, [], [], false];
  await writeFile(file, `${oldKey}\n`);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function make(from: string | undefined = file) {
  const listener = {
    async onUse(key: string) {
      if (failing) throw new Error("the database is away");
      used.push(key);
    },
    onFault: (fault: string) => void faults.push(fault),
  };
  return createRootKey({ key: oldKey, file: from }, listener, () => now);
}

it("accepts a new key in the file at once, and the old one for at most a second", async () => {
  const { isKey } = make();
  expect(await isKey(oldKey)).toBe(true);
  await writeFile(file, `${newKey}\n`);
  now = 1000;
  expect(await isKey(oldKey)).toBe(true);
  now = 1001;
  expect(await isKey(newKey)).toBe(true);
  expect(await isKey(oldKey)).toBe(false);
});

it("rejects the old key after a second, also if nobody has sent the new one", async () => {
  const { isKey } = make();
  await writeFile(file, newKey);
  now = 1001;
  expect(await isKey(oldKey)).toBe(false);
});

it("never changes a key that is set in the environment", async () => {
  const key = createRootKey(
    { key: oldKey, file: undefined },
    { onUse: async () => {}, onFault: () => {} },
    () => now,
  );
  await writeFile(file, newKey);
  now = 5000;
  expect(await key.isKey(newKey)).toBe(false);
  expect(await key.isKey(oldKey)).toBe(true);
});

it.each([
  ["is gone", () => rm(file)],
  ["is empty", () => writeFile(file, "")],
  ["has a key that is too short", () => writeFile(file, "short")],
  ["has two keys", () => writeFile(file, `${newKey}\n${oldKey}\n`)],
])("keeps the last valid key when the file %s, and reports it once", async (_what, damage) => {
  const { isKey } = make();
  await damage();
  for (now of [2000, 4000, 6000]) expect(await isKey(oldKey)).toBe(true);
  expect(await isKey("short")).toBe(false);
  expect(await isKey("")).toBe(false);
  expect(faults).toHaveLength(1);
  await writeFile(file, newKey);
  expect(await isKey(newKey)).toBe(true);
});

it("tells which key is in use, once for each, and again after a failure", async () => {
  const { isKey, start } = make();
  failing = true;
  await start();
  failing = false;
  await isKey(oldKey);
  await isKey(oldKey);
  await writeFile(file, newKey);
  now = 2000;
  await isKey(oldKey);
  await isKey(newKey);
  expect(used).toEqual([oldKey, newKey]);
});
