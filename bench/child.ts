/** The processes that a run starts: all of them end with it, however it ends. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

const running = new Set<ChildProcess>();

/** Keeps account of a process. */
export function track(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

/** At an interrupt every process is told to end. What waits for it fails, and stops the rest. */
export function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      for (const child of running) child.kill("SIGTERM");
    });
  }
}

/**
 * Starts a module in a process of its own, hands it a task and waits for what it sends back.
 * @throws when it ends without an answer
 */
export async function ask<Answer extends object>(
  module: URL,
  task: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; answer: Answer }> {
  const child = fork(module, { stdio: "inherit", env: { ...process.env, ...environment } });
  track(child);
  child.send(task);
  const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof first !== "object" || first === null) throw new Error(`${module.pathname} failed`);
  return { child, answer: first as Answer };
}

/** In such a process: does the task, sends back what came of it, and ends. */
export function answerTask<Task>(run: (task: Task) => Promise<object>): void {
  process.once("message", (task: Task) => {
    run(task).then(
      (answer) => process.send?.(answer, () => process.exit(0)),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
