import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestCase, type TestSpecification } from "vitest/node";

const tests = ["src", "test", "tools", "packages/sdk/src", "packages/console/src"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".test.ts")),
);
const testsWith = (pattern: RegExp) =>
  tests.filter((path) => pattern.test(readFileSync(join(import.meta.dirname, path), "utf8")));

/** These replace a package, so they must not share modules with other files. */
const standIns = testsWith(/vi\.mock\(/);

/** `npm run test:random` runs only the tests whose cases are random, with other cases and more of them than usual. */
const random = process.env.TEST_RUNS ? testsWith(/"fast-check"|support\/random-cases\.ts/) : undefined;

/** Tests that start processes, by themselves or by these helpers, and long waits. */
const slow = new Set([
  ...testsWith(
    /node:child_process|playwright|support\/(?:chromium|cli|console|installation|service-process)\.ts/,
  ),
  ...tests.filter((path) =>
    /^(?:src\/(?:database\/connection|demo\/|postgres\/)|test\/(?:access|examples|lists|plans|reliability|sdk|security|shops)\/|test\/(?:.*\/)?[^/]*(?:import|verify)|test\/(?:database\/backup|ledger\/(?:blocks|counts|crashes)|process\/health)\.)/.test(
      path,
    ),
  ),
]);

/** `npm test` leaves these out, and `npm run test:slow` runs no others. */
const left = process.env.TEST_FAST
  ? [...slow]
  : process.env.TEST_SLOW
    ? tests.filter((path) => !slow.has(path))
    : [];

/** These wait for timeouts and processes. */
const waiting =
  /\/(?:test\/(?:reliability|process|access|database|webhooks|sdk)|src\/(?:postgres|database))\//;
/** Each of these takes a minute or more on a busy machine, or is a short file with long tests, which would begin last. */
const longest =
  /\/test\/(?:console\/(?:files|languages|pages|picture)\.|contract\/(?:full-disk|lasting-faults)|documents\/(?:browser|folder|operating|readme|till-queue)|reliability\/|shops\/|process\/start|cli\/(?:backup|import(?:-identity)?)\.|plans\/lists|webhooks\/delivery\.|sdk\/faults|security\/(?:fuzz|half-open|overload|secrets)|pages\/wallet-passes)/;

/** Begins with the longest files, and gives out files that wait and others in turn, so that the processor always has work. */
class InTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const inOrder = [
      ...sorted.filter(({ moduleId }) => longest.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !longest.test(moduleId)),
    ];
    const waitingFirst = inOrder.filter(({ moduleId }) => waiting.test(moduleId));
    const others = inOrder.filter(({ moduleId }) => !waiting.test(moduleId));
    return inOrder.flatMap((_, nth) => [waitingFirst[nth], others[nth]].filter((file) => file !== undefined));
  }
}

const each = {
  // Tests use the source of the client instead of its last build.
  resolve: {
    alias: {
      "loyalty-sdk/development": join(import.meta.dirname, "packages/sdk/src/development/index.ts"),
      "loyalty-sdk/shops": join(import.meta.dirname, "packages/sdk/src/shops/index.ts"),
      "loyalty-sdk": join(import.meta.dirname, "packages/sdk/src/index.ts"),
    },
  },
  test: {
    pool: "forks",
    setupFiles: "test/support/random-cases.ts",
    // They end what hangs. None is a measure of speed: a busy machine takes many times as long as an idle one.
    testTimeout: 600_000 * Number(process.env.TEST_RUNS ?? 1),
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
} as const;

export default defineConfig({
  test: {
    // TEST_WITHOUT_DATABASE=1 spares the start of PostgreSQL for tests that need none, such as those of src/domain.
    globalSetup: process.env.TEST_WITHOUT_DATABASE ? [] : ["test/support/global-setup.ts"],
    // Tests of faults wait much, so that four use two cores better than two.
    maxWorkers: 4,
    sequence: { sequencer: InTurn },
    // A little below what `npm run coverage` measures. It leaves out slow tests, and does not see programs that tests start.
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "packages/sdk/src/**/*.ts"],
      reporter: process.env.CI ? ["text-summary"] : ["text-summary", "html"],
      thresholds: { statements: 69, branches: 66, functions: 70, lines: 71 },
    },
    reporters: process.env.CI ? ["default", closingLine()] : ["default"],
    projects: [
      {
        ...each,
        test: {
          ...each.test,
          name: "all",
          include: random ?? [
            "src/**/*.test.ts",
            "test/**/*.test.ts",
            "tools/**/*.test.ts",
            "packages/*/src/**/*.test.ts",
          ],
          exclude: [...standIns, ...left],
          // Loading the service took a third of a run when each file did it anew.
          isolate: false,
        },
      },
      {
        ...each,
        test: {
          ...each.test,
          name: "stand-ins",
          include: random ? [] : standIns,
          exclude: left,
          isolate: true,
        },
      },
    ],
  },
});

/** The first line of why a test failed. The end of a long output is sometimes all that is kept of it. */
function reasonOf(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return error === undefined ? "" : `: ${error.message.split("\n", 1)[0]?.slice(0, 300)}`;
}

/**
 * Prints `N passed, N failed` (`, N skipped` when there are any) as the last line of a CI run, where the CI
 * host reads it, and before it the names of what failed. It is written as the process exits, so that no teardown can print after it.
 * An error outside every test (a file that does not load, a hook, an unhandled rejection) counts as one failure, and a run in
 * which no test ran fails, even if every test was only skipped. If TEST_COUNTS names a file, what an earlier part of the tests
 * counted is added, and the sum is written into it.
 */
function closingLine(): Reporter {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const file = process.env.TEST_COUNTS;
  const fail = (name: string, number = 1) => {
    if (number === 0) return;
    count.failed += number;
    failures.push(name);
  };
  return {
    onInit() {
      process.once("exit", () => {
        if (count.passed + count.failed === 0) {
          process.stderr.write("No test ran.\n");
          process.exitCode = 1;
        }
        if (file !== undefined) {
          const earlier = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { failures: [] };
          for (const state of ["passed", "failed", "skipped"] as const) count[state] += earlier[state] ?? 0;
          failures.unshift(...earlier.failures);
          writeFileSync(file, JSON.stringify({ ...count, failures }));
        }
        for (const name of failures) process.stdout.write(`Failed: ${name}\n`);
        const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
        process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
      });
    },
    onTestRunEnd(modules, unhandledErrors) {
      fail("an error outside every test", unhandledErrors.length);
      for (const module of modules) {
        fail(module.relativeModuleId, module.errors().length);
        for (const suite of module.children.allSuites()) {
          fail(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors().length);
        }
        for (const test of module.children.allTests()) {
          const { state } = test.result();
          if (state === "failed") fail(`${module.relativeModuleId} > ${test.fullName}${reasonOf(test)}`);
          else count[state === "pending" ? "skipped" : state] += 1;
        }
      }
    },
  };
}
