/** The processes that a run starts: all of them end with it, however it ends. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

const running = new Set<ChildProcess>();
let interrupted = false;

/** Keeps account of a process. @throws when the run was interrupted */
export function track<Child extends ChildProcess>(child: Child): Child {
  if (interrupted) {
    child.kill();
    throw new Error("interrupted");
  }
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** At an interrupt every process is told to end, and what waits for it fails. */
export function endOnSignals(): void {
  const onSignal = () => {
    interrupted = true;
    for (const child of running) child.kill("SIGTERM");
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
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
  const child = track(fork(module, { stdio: "inherit", env: { ...process.env, ...environment } }));
  child.send(task);
  const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof first !== "object" || first === null) throw new Error(`${module.pathname} failed`);
  return { child, answer: first as Answer };
}
