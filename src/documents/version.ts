import { readFileSync } from "node:fs";

const manifest = new URL("../../package.json", import.meta.url);

/** The service's version, which its contract shares. */
export const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
