/** A built copy runs without its sources and with production dependencies alone, as in a container. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";
import { startService } from "../support/service-process.ts";

const repository = join(import.meta.dirname, "../..");
const installation = useInstallation();
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-production-"));
  for (const part of ["bin", "dist", "migrations", "packages", "demo", "package.json"]) {
    const source = join(installation.directory, part);
    await cp(source, join(directory, part), { recursive: true, preserveTimestamps: true });
  }
  // What `npm ci --omit=dev` installs.
  const listing = ["ls", "--omit=dev", "--all", "--parseable"];
  const { stdout } = await promisify(execFile)("npm", listing, { cwd: repository });
  for (const source of stdout.trim().split("\n").slice(1)) {
    const name = source.slice(join(repository, "node_modules/").length);
    if (!source.includes("/node_modules/") || name.includes("/node_modules/")) continue;
    await mkdir(dirname(join(directory, "node_modules", name)), { recursive: true });
    const target = name === "loyalty-sdk" ? join(directory, "packages/sdk") : source;
    await symlink(target, join(directory, "node_modules", name));
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

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
