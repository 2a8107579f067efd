/** The installed package: its version, and the files beside the program that it reads at run time. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory with package.json and migrations/. It is searched for, because the built program is one file. */
export const packageRoot = above(dirname(fileURLToPath(import.meta.url)));

function above(directory: string): string {
  return existsSync(join(directory, "migrations")) ? directory : above(dirname(directory));
}

/** The service's version, which its contract shares. */
export const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  version: string;
};
