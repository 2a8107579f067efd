/**
 * Collects postings into batches, one business to a batch, without a timer: those that are at hand together go
 * together, and those that arrive while batches of their business are in flight make the next one.
 */
import { Refusal } from "../contract/errors.ts";
import { faultOf } from "../database/connection.ts";
import type { PostingCommand, WriteOutcome } from "./posting-batch.ts";

export interface PostingQueueSettings {
  /** The most postings that one batch takes. */
  readonly batchSize: number;
  /** This many don't wait for more: while the database is at them, this process can be at those that follow. */
  readonly fullBatch: number;
  /** The most batches of one business in flight at once: while one is recorded, another is on its way. */
  readonly batchesOfBusiness: number;
  /** The most postings that wait, over all businesses; past it they are refused. */
  readonly capacity: number;
  /** The most postings of one business that wait; past it they are refused. */
  readonly capacityOfBusiness: number;
  /** While a posting of its business has waited longer than this for its batch, none is taken. */
  readonly longestWaitMilliseconds: number;
  /** Those that are refused are told to come again one after the other, this far apart. */
  readonly turnMilliseconds: number;
  /** But none later than this. */
  readonly longestRetryAfterSeconds: number;
  /** The most batches in flight at once, over all businesses. */
  readonly batchesAtOnce: number;
}

interface Waiting {
  readonly command: PostingCommand;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly since: number;
}

export interface PostingQueueObserver {
  batchRecorded(size: number, seconds: number): void;
}

export interface PostingQueue {
  /** @returns why no posting of a business is taken now, or undefined when one is */
  overload(businessId: number): Refusal | undefined;
  /** Posts a command. Resolves after the commit, or with a refusal; rejects when the outcome is unknown. */
  post(businessId: number, command: PostingCommand): Promise<WriteOutcome>;
  /** How many postings wait or are in flight. */
  depth(): number;
}

/** How often a batch is tried again when it may succeed: a deadlock, or a key taken by another process. */
const tries = 5;

/** @param run decides and records a batch in one transaction */
export function createPostingQueue(
  run: (businessId: number, commands: readonly PostingCommand[]) => Promise<WriteOutcome[]>,
  settings: PostingQueueSettings,
  observer: PostingQueueObserver,
): PostingQueue {
  const waiting = new Map<number, Waiting[]>();
  /** How many batches of a business are in flight. */
  const inFlight = new Map<number, number>();
  let batches = 0;
  let depth = 0;
  let startsSoon = false;
  /** When the posting of a business that was refused last may come again. */
  const lastTurns = new Map<number, number>();

  const mayStart = (businessId: number) =>
    batches < settings.batchesAtOnce && (inFlight.get(businessId) ?? 0) < settings.batchesOfBusiness;

  const start = (businessId: number, queue: Waiting[]) => {
    const batch = queue.splice(0, settings.batchSize);
    // Taken out and, if more wait, put back at the end: businesses take turns.
    waiting.delete(businessId);
    if (queue.length > 0) waiting.set(businessId, queue);
    inFlight.set(businessId, (inFlight.get(businessId) ?? 0) + 1);
    batches += 1;
    void settle(businessId, batch).finally(() => {
      const others = (inFlight.get(businessId) ?? 0) - 1;
      if (others === 0) inFlight.delete(businessId);
      else inFlight.set(businessId, others);
      batches -= 1;
      depth -= batch.length;
      // In a rush, what has arrived already takes seconds to read: it must not hold up what is full.
      if ((waiting.get(businessId)?.length ?? 0) >= settings.fullBatch) startAll();
      else if (waiting.size > 0) startSoon();
    });
  };

  /** Starts what may start, the business that waits longest first. */
  const startAll = () => {
    for (const [businessId, queue] of waiting) {
      if (batches >= settings.batchesAtOnce) return;
      if (mayStart(businessId)) start(businessId, queue);
    }
  };

  /** After the requests that have arrived already are read: they go together. */
  const startSoon = () => {
    if (startsSoon) return;
    startsSoon = true;
    setImmediate(() => {
      startsSoon = false;
      startAll();
    });
  };

  const settle = async (businessId: number, batch: readonly Waiting[]): Promise<void> => {
    const startedAt = performance.now();
    try {
      const outcomes = await runWithRetries(run, businessId, batch.map(commandOf));
      observer.batchRecorded(batch.length, (performance.now() - startedAt) / 1000);
      for (const [index, item] of batch.entries()) item.resolve(outcomes[index] as WriteOutcome);
    } catch (error) {
      // One bad command must fail alone. When the database is away, one by one would only take longer.
      if (batch.length > 1 && faultOf(error) === "other") {
        for (const item of batch) await settle(businessId, [item]);
      } else for (const item of batch) item.reject(error);
    }
  };

  const isFull = (businessId: number) => {
    if (depth >= settings.capacity) return true;
    const queue = waiting.get(businessId);
    if (queue === undefined) return false;
    const waits = performance.now() - (queue[0] as Waiting).since;
    return queue.length >= settings.capacityOfBusiness || waits > settings.longestWaitMilliseconds;
  };

  /** Were all told the same, they would come back together, and refusing them would be all that is done. */
  const nextTurnSeconds = (businessId: number) => {
    const now = performance.now();
    const latest = now + settings.longestRetryAfterSeconds * 1000;
    const next = Math.max(lastTurns.get(businessId) ?? 0, now) + settings.turnMilliseconds;
    const turn = Math.min(next, latest);
    lastTurns.set(businessId, turn);
    return Math.ceil((turn - now) / 1000);
  };

  const overload = (businessId: number) =>
    isFull(businessId) ? new Refusal("service_unavailable", {}, nextTurnSeconds(businessId)) : undefined;

  return {
    overload,
    post(businessId, command) {
      const refusal = overload(businessId);
      if (refusal !== undefined) return Promise.resolve(refusal);
      depth += 1;
      return new Promise((resolve, reject) => {
        const queue = waiting.get(businessId) ?? [];
        queue.push({ command, resolve, reject, since: performance.now() });
        if (queue.length === 1) waiting.set(businessId, queue);
        if (queue.length >= settings.fullBatch && mayStart(businessId)) start(businessId, queue);
        else startSoon();
      });
    },
    depth: () => depth,
  };
}

const commandOf = (item: Waiting) => item.command;

async function runWithRetries(
  run: (businessId: number, commands: readonly PostingCommand[]) => Promise<WriteOutcome[]>,
  businessId: number,
  commands: readonly PostingCommand[],
): Promise<WriteOutcome[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(businessId, commands);
    } catch (error) {
      const fault = faultOf(error);
      if (attempt >= tries || (fault !== "retry" && fault !== "conflict")) throw error;
    }
  }
}
