/** The programs on a Node that is too old: each says so, before it loads what that Node can't parse. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";

const installation = useInstallation();
// `npm start` runs the build first.
const programs = ["scripts/build.mjs", "bin/loyalty.mjs", "dist/main.js"];

function messageOf(program: string, { node = process.execPath, options = [] as string[] }): string {
  const { directory } = installation;
  const { status, stdout, stderr } = spawnSync(node, [...options, join(directory, program)], {
    cwd: directory,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([1, ""]);
  return stderr;
}

it.each(programs)("%s needs the version that package.json names", (program) => {
  const [oldest = ""] = /\d.+/.exec(JSON.parse(readFileSync("package.json", "utf8")).engines.node) ?? [];
  for (const node of ["18.20.8", "20.18.3"]) {
    const versions = `Object.defineProperty(process, "versions", { value: { node: "${node}" } })`;
    const options = ["--import", `data:text/javascript,${encodeURIComponent(versions)}`];
    expect(messageOf(program, { options })).toBe(`Needs Node ${oldest} or newer; this is ${node}.\n`);
  }
});

it.for(programs)("%s says so on the Node at UNSUPPORTED_NODE", (program, context) => {
  const node = process.env.UNSUPPORTED_NODE;
  if (node === undefined) return context.skip("no such Node.js at UNSUPPORTED_NODE; .ci/run installs it");
  expect(messageOf(program, { node })).toMatch(/^Needs Node [\d.]+ or newer; this is 18\.[\d.]+\.\n$/);
});
