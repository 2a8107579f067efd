/** What a scenario of `npm run chaos` gets. */
import type { Run } from "../test/support/runs/run.ts";

export interface Chaos extends Run {
  /** The source of all random choices. */
  readonly seed: number;
  /** The failed sequence to run again, for the scenario `model`. */
  readonly path?: string | undefined;
  /** Returns whether the scenario continues. @param reached whether it has done what it was asked to do */
  readonly goesOn: (reached: boolean) => boolean;
}
