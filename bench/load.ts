import { ask } from "./child.ts";
import type { LatencySummary } from "./load/latencies.ts";
import type { Traffic } from "./load/traffic.ts";

export interface LoadTask {
  /** One of each service under load; the connections are divided evenly among them. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** Requests at this fixed rate, as far as connections are free. By default each connection sends all the time. */
  readonly requestsPerSecond?: number;
  /** Responses that are no success are counted instead of failing the run. */
  readonly mayBeRefused?: boolean;
  /** Not measured, but for as long the load is on. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly traffic: Traffic;
}

export interface LoadResult {
  /** Answers in all, those of the warm-up too. */
  readonly answers: number;
  readonly perSecond: number;
  readonly latency: LatencySummary;
  /** Answers that were no success, by status, over the whole run. */
  readonly refusals: Readonly<Record<string, number>>;
  /** The body of the first of them. */
  readonly refused: string | undefined;
  /** Processor time of the load generator, for all answers. */
  readonly generatorCpuSeconds: number;
}

/**
 * Runs a load from a process of its own: every connection sends its next request when it has the answer to the
 * one before, or later if the task sets a rate.
 * @throws when the server closes a connection or refuses a request, unless the task expects refusals
 */
export async function load(task: LoadTask): Promise<LoadResult> {
  const { answer: result } = await ask<LoadResult>(new URL("./load/generator.js", import.meta.url), task);
  if (!task.mayBeRefused && Object.keys(result.refusals).length > 0) {
    throw new Error(`the load met refusals: ${JSON.stringify(result.refusals)}, such as ${result.refused}`);
  }
  return result;
}
