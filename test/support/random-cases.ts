/**
 * Sets up each test file: the random cases of tests are the same in every run, so that a rare one does not fail an unrelated
 * change. TEST_SEED=random chooses others, TEST_SEED=123 those of a run that failed, and TEST_RUNS=20 tries 20 times as many.
 */
import { randomInt } from "node:crypto";
import { configureGlobal } from "fast-check";

const { TEST_SEED = "1", TEST_RUNS = "1" } = process.env;
/** Determines the cases. */
export const seed = TEST_SEED === "random" ? randomInt(2 ** 31) : Number(TEST_SEED);
/** How many cases to try, where it is not the default number. */
export const runs = (usual: number) => usual * Number(TEST_RUNS);

configureGlobal({ seed, numRuns: runs(100) });
