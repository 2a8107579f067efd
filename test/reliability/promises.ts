/** Scenarios of `npm run chaos` in their short form. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, type TestContext } from "vitest";
import type { Chaos } from "../../chaos/chaos.ts";
import { useInstallation } from "../support/installation.ts";
import { brokenFigures, type Result } from "../support/runs/report.ts";
import { type Cleanup, cleanUp } from "../support/runs/run.ts";

/** Always the same: a failure that chance found must come again at the next run. */
const seed = 20_260_417;

export interface ChaosOfTests {
  /** What a scenario is given, to go on until it has reached its aim; it ends with the test, or outside of one with the file. */
  begin(): Chaos;
}

/** For the calling test file: an installation, and a directory for what its scenarios write, removed after its tests. */
export function useChaos(): ChaosOfTests {
  const installation = useInstallation();
  let directory = "";
  const ofFile: Cleanup[] = [];
  const ofTest: Cleanup[] = [];
  let cleanups = ofFile;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "loyalty-chaos-"));
    await chmod(directory, 0o755);
  });
  beforeEach(() => {
    cleanups = ofTest;
  });
  afterEach(() => cleanUp(ofTest));
  afterAll(async () => {
    await cleanUp(ofFile);
    await rm(directory, { recursive: true, force: true });
  });
  return {
    begin: () => ({
      installation: installation.directory,
      directory,
      newDataDirectory: () => installation.dataDirectory(directory),
      seed,
      atEnd: (cleanup) => cleanups.push(cleanup),
      say: () => undefined,
      goesOn: (reached) => !reached,
    }),
  };
}

/** Fails the test if a promise was broken, and skips it if the scenario can't be run here. @returns the figures by their names */
export function keptPromises(result: Result, context?: TestContext): Record<string, number> {
  if (result.skipped !== undefined) context?.skip(result.skipped);
  expect([...result.violations, ...brokenFigures(result)]).toEqual([]);
  return Object.fromEntries(result.figures.map(({ what, value }) => [what, value]));
}

/** A request that waits for too long gets this. On a machine that pauses, any request does. */
const isLate = (violation: string) => /^another business got retryable |"status":503\b/.test(violation);

/** Fails the test if a promise was broken, but not if requests were told to come again. @returns whether none was */
export function servedInTime(result: Result): boolean {
  const { violations } = result;
  if (!violations.some(isLate)) {
    keptPromises(result);
    return true;
  }
  expect(violations.filter((violation) => !isLate(violation))).toEqual([]);
  return false;
}

/** The same but for bounds of time, where the load of a busy machine could break them. */
export function keptPromisesInTheEnd(result: Result, context?: TestContext): Record<string, number> {
  const figures = result.figures.filter(({ unit, promised }) => unit !== "ms" || promised === undefined);
  return keptPromises({ ...result, figures }, context);
}
