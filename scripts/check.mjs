#!/usr/bin/env node
/**
 * `npm run check`: every check but the tests, one line for each. All of them run even if one fails; what the
 * failing ones printed follows at the end.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");

/** @type {{ name: string, about: string, commands: string[], env?: Record<string, string> }[]} */
const steps = [
  {
    name: "lint",
    about: "format, import order and lint rules (biome.json)",
    commands: ["biome check --diagnostic-level=warn --error-on-warnings ."],
  },
  {
    name: "types",
    about: "the compiler, on the service and on each package",
    commands: ["tsc --noEmit", ...packagesWithTypes().map((name) => `tsc --noEmit -p packages/${name}`)],
  },
  {
    name: "unused",
    about: "files, exports and dependencies that nothing uses (knip.json)",
    commands: ["knip --no-progress --no-config-hints"],
  },
  {
    name: "generated",
    about: "generated files are what `npm run generate` would write",
    commands: existsSync(join(root, "scripts/generate.mjs")) ? ["node scripts/generate.mjs --check"] : [],
  },
  {
    name: "documents",
    about: "the OpenAPI documents, by Spectral, OWASP's rules and Redocly (.spectral.yaml, redocly.yaml)",
    commands: ["spectral lint --quiet --fail-severity=hint docs/api/*openapi.json", "redocly lint"],
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  },
  {
    name: "architecture",
    about: "imports, house rules, and what each operation needs (test/architecture, test/operations)",
    commands: ["vitest run test/architecture.test.ts test/operations.test.ts --reporter=dot"],
    env: { TEST_WITHOUT_DATABASE: "1" },
  },
];

const names = steps.map(({ name }) => name);
const help = `Usage: npm run check -- [--only <name>[,<name>...]]

Runs these checks, all of them unless --only names some:

${steps.map(({ name, about }) => `  ${name.padEnd(13)} ${about}`).join("\n")}

Exit status: 0 when all pass, 1 when one fails, 2 when the arguments are wrong.
\`npm run format\` mends most of what lint reports. The tests are \`npm test\`.
`;

process.exitCode = await main();

async function main() {
  /** @type {{ only?: string[], help?: boolean }} */
  let options;
  try {
    options = parseArgs({
      options: { only: { type: "string", multiple: true }, help: { type: "boolean", short: "h" } },
    }).values;
  } catch (error) {
    return refuse(error.message);
  }
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const only = options.only?.flatMap((list) => list.split(",")).map((name) => name.trim());
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) return refuse(`No check is called ${unknown.join(", ")}.`);

  const failures = [];
  for (const step of steps) {
    if (only && !only.includes(step.name)) continue;
    const started = performance.now();
    const { passed, output } = await run(step);
    const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    const result = step.commands.length === 0 ? "none" : passed ? "ok" : "FAILED";
    console.log(`${result.padEnd(6)}  ${step.name.padEnd(13)} ${seconds.padStart(7)}  ${step.about}`);
    if (!passed) failures.push({ name: step.name, output });
  }
  for (const { name, output } of failures) console.log(`\n--- ${name} ---\n${output.trim()}`);
  if (failures.length > 0) console.log(`\nFailed: ${failures.map(({ name }) => name).join(", ")}.`);
  return failures.length > 0 ? 1 : 0;
}

/** @param {string} problem */
function refuse(problem) {
  console.error(`${problem}\nThe checks are ${names.join(", ")}; see npm run check -- --help.`);
  return 2;
}

/**
 * @param {(typeof steps)[number]} step
 * @returns {Promise<{ passed: boolean, output: string }>}
 */
async function run(step) {
  let passed = true;
  let output = "";
  for (const command of step.commands) {
    const result = await execute(command, step.env);
    passed &&= result.passed;
    if (!result.passed) output += result.output;
  }
  return { passed, output };
}

/**
 * Runs a command of ours or of a dependency; its output is kept, in the order it came.
 * @param {string} command
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ passed: boolean, output: string }>}
 */
function execute(command, env = {}) {
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: root,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: path, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}), ...env },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ passed: false, output: `${command}: ${error.message}\n` }));
    child.on("close", (code) => resolve({ passed: code === 0, output }));
  });
}

function packagesWithTypes() {
  const folder = join(root, "packages");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, "tsconfig.json")));
}
