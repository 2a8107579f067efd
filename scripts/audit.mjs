#!/usr/bin/env node
/**
 * `npm run audit`: known weaknesses in the packages that are shipped. Exit status 0: none; 1: some; 2: nobody knows,
 * because the registry did not respond. A silence must never be taken for a clean bill.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const { stdout, error } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  cwd: join(import.meta.dirname, ".."),
  encoding: "utf8",
  shell: process.platform === "win32",
  timeout: 120_000,
});

process.exitCode = report();

function report() {
  const response = responseOf(stdout);
  if (error !== undefined || response?.metadata?.vulnerabilities === undefined) {
    const reason = error?.message ?? response?.message ?? "no response";
    console.error(`The registry did not respond the audit (${reason}). This counts for nothing.`);
    return 2;
  }
  const { total } = response.metadata.vulnerabilities;
  if (total === 0) {
    console.log("No known weakness in the packages that are shipped.");
    return 0;
  }
  for (const [name, { severity, range }] of Object.entries(response.vulnerabilities)) {
    console.error(`${severity}: ${name} ${range}`);
  }
  console.error(`${total} known weaknesses: npm audit --omit=dev says more.`);
  return 1;
}

function responseOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
