/** Closes connections that were being handed to a worker when it died. */
import type { Worker } from "node:cluster";

/** The parts that matter of the messages by which Node hands connections to workers. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  /** The seq of the message that this one acknowledges. */
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/**
 * Closes what a dead worker has not taken over. Node keeps a connection open in the first process until the worker
 * says that it has it; of one that dies in between, the client would get neither a response nor an end. Workers that
 * accept connections themselves (SCHED_NONE) would not need this, but one of four then got 61 of 64 connections.
 */
export function closeWhenLost(worker: Worker): void {
  const child = worker.process;
  const handed = new Map<number, Handle>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [ClusterMessage, Handle | undefined];
    if (message.cmd === "NODE_CLUSTER" && message.act === "newconn" && handle !== undefined) {
      handed.set(message.seq as number, handle);
    }
    return send(...given);
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) handed.delete(ack);
  });
  worker.once("exit", () => {
    for (const handle of handed.values()) handle.close();
    handed.clear();
  });
}
