/** The alert rules and the dashboard: they are valid, and ask for metrics that the service has. */
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { addProcessMetrics } from "../../src/http/metrics.ts";
import { startService, useWorld } from "../support/world.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) process.stderr.write("No promtool: the alert rules are not checked by it.\n");
const world = useWorld();

it.skipIf(!hasPromtool)("has alert rules and metrics that promtool accepts", async () => {
  const { stdout } = await promisify(execFile)("promtool", ["check", "rules", pathOf("alerts.yaml")]);
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  const tested = await promisify(execFile)("promtool", ["test", "rules", pathOf("alerts.test.yaml")]);
  expect(tested.stdout).toContain("SUCCESS");
  const service = await startService(world, {});
  const text = await service.metrics();
  await service.close();
  // Those of the runtime, which prom-client names, are not ours to change.
  const own = text
    .split("\n")
    .filter((line) => /^(?:# (?:HELP|TYPE) )?loyalty_/.test(line))
    .join("\n");
  const checked = spawnSync("promtool", ["check", "metrics"], { input: `${own}\n`, encoding: "utf8" });
  expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, "", ""]);
});

it("asks for metrics that the service has", async () => {
  const service = await startService(world, {});
  const ofProcess = new Registry();
  addProcessMetrics(ofProcess);
  const text = (await service.metrics()) + (await ofProcess.metrics());
  await service.close();
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  for (const file of ["alerts.yaml", "dashboard.json"]) {
    const content = await readFile(pathOf(file), "utf8");
    const asked = [...content.matchAll(/\b(?:loyalty|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_(?:count|sum|bucket)$/, ""),
    );
    expect(asked.length).toBeGreaterThan(5);
    for (const name of asked) expect(known, `${file}: ${name}`).toContain(name);
  }
  expect(JSON.parse(await readFile(pathOf("dashboard.json"), "utf8")).panels.length).toBeGreaterThan(5);
});

it("shows one cell or all of them, and compares them", async () => {
  const dashboard = JSON.parse(await readFile(pathOf("dashboard.json"), "utf8"));
  const variables = dashboard.templating.list as { name: string; includeAll?: boolean; multi?: boolean }[];
  expect(variables.find(({ name }) => name === "cell")).toMatchObject({ includeAll: true, multi: true });
  const queries = (dashboard.panels as { targets?: { expr: string }[] }[]).flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  );
  for (const query of queries) {
    const metrics = query.match(/\b(?:loyalty|nodejs)_\w+/g) ?? [];
    const chosen = query.match(/cell=~"\$cell"/g) ?? [];
    expect([query, chosen.length]).toEqual([query, metrics.length]);
  }
  expect(queries.filter((query) => /by \(cell\b/.test(query)).length).toBeGreaterThanOrEqual(4);
});
