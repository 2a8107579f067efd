/** The load generator: a process of its own, that reports once and ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { HttpConnection } from "../../test/support/http-connection.ts";
import { answerTask } from "../child.ts";
import { type LatencySummary, summaryOf } from "../report.ts";
import { requestsOf, type Traffic } from "./traffic.ts";

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

const overdueMilliseconds = 60_000;

async function run(task: LoadTask): Promise<LoadResult> {
  const { ports, connections, requestsPerSecond, warmUpSeconds, seconds, traffic } = task;
  const nextRequest = requestsOf(traffic);
  const latencies: number[] = [];
  const refusals: Record<string, number> = {};
  let refused: string | undefined;
  let phase: "warm-up" | "measured" | "ended" = "warm-up";
  let answers = 0;
  const due = requestsPerSecond === undefined ? undefined : new FixedRate(requestsPerSecond);
  const opened = Array.from(
    { length: connections },
    (_, index) => new HttpConnection(ports[index % ports.length] as number, overdueMilliseconds),
  );
  const work = async (connection: HttpConnection) => {
    for (;;) {
      await due?.next();
      const sentAt = performance.now();
      const answer = await connection.send(nextRequest());
      if (phase === "ended") return;
      if (typeof answer === "string") throw new Error(`a request was ${answer}`);
      answers += 1;
      if (phase === "measured") latencies.push(performance.now() - sentAt);
      if (answer.status < 300) continue;
      refusals[answer.status] = (refusals[answer.status] ?? 0) + 1;
      refused ??= answer.body;
    }
  };
  const working = Promise.all(opened.map(work));
  await Promise.race([sleep(warmUpSeconds * 1000), working]);
  phase = "measured";
  const startedAt = performance.now();
  await Promise.race([sleep(seconds * 1000), working]);
  phase = "ended";
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage();
  return {
    answers,
    perSecond: latencies.length / elapsed,
    latency: summaryOf(latencies),
    refusals,
    refused,
    generatorCpuSeconds: (user + system) / 1_000_000,
  };
}

/** Lets connections send at a rate, the one that has waited longest first. If none waits, the request is left out. */
class FixedRate {
  readonly #waiting: (() => void)[] = [];

  constructor(requestsPerSecond: number) {
    const startedAt = performance.now();
    let due = 0;
    setInterval(() => {
      const until = ((performance.now() - startedAt) / 1000) * requestsPerSecond;
      for (; due < until; due++) this.#waiting.shift()?.();
    }, 1000 / requestsPerSecond);
  }

  /** @returns when a connection may send */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

answerTask(run);
