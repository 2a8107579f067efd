import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OperatorError } from "../domain/access/operator-error.ts";
import { readOrMakeSecret } from "./secret-files.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-secret-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it("makes a secret once and keeps it for its owner's eyes only", async () => {
  const secret = await readOrMakeSecret(directory, "secret");
  expect(secret).toMatch(/^[A-Za-z0-9_-]{64}$/);
  expect(await readOrMakeSecret(directory, "secret")).toBe(secret);
  expect((await stat(join(directory, "secret"))).mode & 0o777).toBe(0o600);
  expect(await readOrMakeSecret(directory, "other")).not.toBe(secret);
});

it("agrees with everyone who asks at the same time, and leaves nothing else behind", async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => readOrMakeSecret(directory, "secret")));
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(directory)).toEqual(["secret"]);
});

it.each(["", "\n", "too short to be a secret"])("rejects a file that holds %j", async (text) => {
  await writeFile(join(directory, "secret"), text);
  await expect(readOrMakeSecret(directory, "secret")).rejects.toThrow(OperatorError);
  expect(await readFile(join(directory, "secret"), "utf8")).toBe(text);
});

it("says what is wrong with a file that can't be read", async () => {
  await mkdir(join(directory, "secret"));
  await expect(readOrMakeSecret(directory, "secret")).rejects.toThrow(/can't be read or made \(EISDIR\)/);
});
