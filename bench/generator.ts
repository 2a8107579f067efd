/** The load generator: a process that gets one task, sends the result, and ends. */

import { type RateResult, type RateTask, sendAtRate } from "../test/support/runs/rate.ts";
import { percentile } from "../test/support/runs/report.ts";
import { requestsOf, type Workload } from "./workload.ts";

export interface LoadTask extends RateTask {
  readonly workload: Workload;
}

export interface LoadResult extends Omit<RateResult, "latencies"> {
  /** Milliseconds. */
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly generatorCpuSeconds: number;
}

process.once("message", async ({ workload, ...task }: LoadTask) => {
  const { latencies, ...result } = await sendAtRate(task, requestsOf(workload));
  const { user, system } = process.cpuUsage();
  const response: LoadResult = {
    ...result,
    mean: latencies.reduce((sum, value) => sum + value, 0) / latencies.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    generatorCpuSeconds: (user + system) / 1_000_000,
  };
  process.send?.(response, () => process.exit(0));
});
