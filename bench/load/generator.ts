/** The load generator: a process of its own, started by load.ts, that reports once and ends. */
import type { LoadResult, LoadTask } from "../load.ts";
import { KeepAliveConnection } from "./connection.ts";
import { Latencies } from "./latencies.ts";
import { requestsOf } from "./traffic.ts";

function run({ port, connections, warmUpSeconds, seconds, traffic }: LoadTask): Promise<LoadResult> {
  const nextRequest = requestsOf(traffic);
  const latencies = new Latencies();
  const statuses: Record<string, number> = {};
  let refused: string | undefined;
  let measuring = false;
  let answers = 0;

  return new Promise((resolve, reject) => {
    const opened: KeepAliveConnection[] = [];
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
        send();
      };
      const connection = new KeepAliveConnection(port, onAnswer, reject);
      opened.push(connection);
      send();
    }
    setTimeout(() => {
      measuring = true;
      const startedAt = performance.now();
      setTimeout(() => {
        const elapsed = (performance.now() - startedAt) / 1000;
        const { user, system } = process.cpuUsage();
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

process.once("message", (task: LoadTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
