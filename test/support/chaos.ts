import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Chaos, type Cleanup, cleanUp, type Result } from "../../chaos/chaos.ts";
import type { Installation } from "./installation.ts";

/** The seed of the short form: a failure that chance found must come again at the next run. */
const seed = 20_260_417;

export interface ChaosOfTests {
  /** What a scenario is given, to go on until it has reached its aim; it ends with the test, or outside of one with the file. */
  begin(): Chaos;
}

/** For the calling test file: a directory for what its scenarios write, removed after its tests. */
export function useChaos(installation: Installation): ChaosOfTests {
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
  afterEach(() => cleanUp(ofTest), 60_000);
  afterAll(async () => {
    await cleanUp(ofFile);
    await rm(directory, { recursive: true, force: true });
  }, 60_000);
  return {
    begin: () => ({
      installation: installation.directory,
      directory,
      seed,
      atEnd: (cleanup) => cleanups.push(cleanup),
      say: () => undefined,
      goesOn: (reached) => !reached,
    }),
  };
}

/** The figures of a result by what they are of. */
export function figuresOf({ figures }: Result): Record<string, number> {
  return Object.fromEntries(figures.map(({ what, value }) => [what, value]));
}
