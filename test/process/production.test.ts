/** What a release and the image consist of: it runs without the sources and with few packages. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";
import { startService } from "../support/service-process.ts";

const installation = useInstallation();
let directory = "";

beforeAll(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "loyalty-production-")), "loyalty");
  const program = join(installation.directory, "scripts/tarball.mjs");
  await promisify(execFile)(process.execPath, [program, "--directory", directory]);
});
afterAll(() => rm(dirname(directory), { recursive: true, force: true }));

it("has a tenth of the packages and of the bytes of the repository", async () => {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => lstat(join(file.parentPath, file.name)));
  const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(100_000_000);
  const packages = files.filter(
    ({ name, parentPath }) => name === "package.json" && /node_modules/.test(parentPath),
  );
  expect(packages.length).toBeGreaterThan(30);
  expect(packages.length).toBeLessThan(60);
  // It works wherever it is unpacked.
  for (const link of files.filter((file) => file.isSymbolicLink()))
    expect(await readlink(join(link.parentPath, link.name))).not.toMatch(/^\//);
});

it("serves the API and its documentation by `loyalty serve`, and tells systemd", async () => {
  const notify = `#!/bin/sh\n[ "$1" = --ready ] && touch "${directory}/notified"\n`;
  await writeFile(join(directory, "systemd-notify"), notify, { mode: 0o755 });
  const service = startService({
    directory,
    program: "bin/loyalty.mjs",
    arguments: ["serve"],
    environment: {
      LOYALTY_DATA_DIR: join(directory, "data"),
      PATH: `${directory}:${process.env.PATH}`,
      NOTIFY_SOCKET: "/run/systemd/notify",
    },
  });
  try {
    const baseUrl = await service.ready();
    await service.until(() => existsSync(join(directory, "notified")));
    for (const path of ["/docs", "/openapi.json", "/docs/guides"]) {
      expect((await fetch(baseUrl + path)).status, path).toBe(200);
    }
  } finally {
    expect(await service.stop()).toBe(0);
  }
});
