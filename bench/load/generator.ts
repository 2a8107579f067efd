/** The load generator: a process of its own, started by load.ts, that reports once and ends. */
import type { LoadResult, LoadTask } from "../load.ts";
import { KeepAliveConnection } from "./connection.ts";
import { Latencies } from "./latencies.ts";
import { requestsOf } from "./traffic.ts";

function run(task: LoadTask): Promise<LoadResult> {
  const { ports, connections, requestsPerSecond, warmUpSeconds, seconds, traffic } = task;
  const nextRequest = requestsOf(traffic);
  const latencies = new Latencies();
  const statuses: Record<string, number> = {};
  let refused: string | undefined;
  let measuring = false;
  let answers = 0;

  return new Promise((resolve, reject) => {
    const opened: KeepAliveConnection[] = [];
    // With a fixed rate, the connections that wait for their next request.
    const idle: (() => void)[] = [];
    for (let index = 0; index < connections; index++) {
      let sentAt = 0;
      const send = () => {
        sentAt = performance.now();
        connection.send(nextRequest());
      };
      const onAnswer = (status: number, body: string) => {
        answers += 1;
        if (measuring) latencies.add(performance.now() - sentAt);
        if (status >= 300) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          refused ??= body;
        }
        next();
      };
      const next = requestsPerSecond === undefined ? send : () => idle.push(send);
      const connection = new KeepAliveConnection(ports[index % ports.length] as number, onAnswer, reject);
      opened.push(connection);
      next();
    }
    const timer = requestsPerSecond === undefined ? undefined : sendAtRate(requestsPerSecond, idle);
    setTimeout(() => {
      measuring = true;
      const startedAt = performance.now();
      setTimeout(() => {
        const elapsed = (performance.now() - startedAt) / 1000;
        const { user, system } = process.cpuUsage();
        clearInterval(timer);
        for (const connection of opened) connection.close();
        resolve({
          answers,
          perSecond: latencies.count / elapsed,
          latency: latencies.summary(),
          refusals: statuses,
          refused,
          generatorCpuSeconds: (user + system) / 1_000_000,
        });
      }, seconds * 1000);
    }, warmUpSeconds * 1000);
  });
}

/** Sends what is due from the connection that has waited longest. If none is idle, the request is left out. */
function sendAtRate(requestsPerSecond: number, idle: (() => void)[]): NodeJS.Timeout {
  const startedAt = performance.now();
  let due = 0;
  return setInterval(() => {
    const until = ((performance.now() - startedAt) / 1000) * requestsPerSecond;
    for (; due < until; due++) idle.shift()?.();
  }, 1000 / requestsPerSecond);
}

process.once("message", (task: LoadTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
