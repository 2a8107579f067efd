/** Keeps rejected requests and counts of requests in memory, and writes them to the database in the background. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { describeFault, isTransient } from "../database/faults.ts";
import type {
  CountedRequests,
  RejectedRequest,
  RequestCounts,
  SenderKey,
  WriteRequests,
} from "../database/requests.ts";

const usualSettings = {
  /** The most rejected requests that wait for the database, about 1 MB. */
  capacity: 2000,
  atOnce: 500,
  /** The most sums of counts that wait for the database, by hour, integration and operation. */
  mostCounts: 20_000,
  /** When a rejected request and a count are written at the latest. */
  writeMilliseconds: 1000,
  countMilliseconds: 10_000,
  /** How long `finish` waits for a database that does not respond. */
  finishMilliseconds: 2000,
};

export type WriterSettings = Partial<typeof usualSettings>;

const hourMilliseconds = 3_600_000;

type Counts = { -readonly [Name in keyof RequestCounts]: RequestCounts[Name] };

interface Part {
  readonly requests: readonly RejectedRequest[];
  readonly sums: readonly CountedRequests[];
}

function halvesOf({ requests, sums }: Part): [Part, Part] {
  if (requests.length > 0 && sums.length > 0) {
    return [
      { requests, sums: [] },
      { requests: [], sums },
    ];
  }
  const [ofRequests, ofSums] = [Math.ceil(requests.length / 2), Math.ceil(sums.length / 2)];
  return [
    { requests: requests.slice(0, ofRequests), sums: sums.slice(0, ofSums) },
    { requests: requests.slice(ofRequests), sums: sums.slice(ofSums) },
  ];
}

export interface WriterParts {
  readonly log: Logger;
  readonly metrics: {
    /** Counts rejected requests and counts that are lost, because the database does not accept them. */
    requestsUnlogged(lost: number): void;
  };
}

export function createRequestWriter(
  into: WriteRequests,
  { log, metrics }: WriterParts,
  chosen: WriterSettings,
) {
  const settings = { ...usualSettings, ...chosen };
  const waiting: RejectedRequest[] = [];
  const counts = createCounts(settings.mostCounts);
  let writing: Promise<unknown> = Promise.resolve();
  const timers: { write?: NodeJS.Timeout | undefined; count?: NodeJS.Timeout | undefined } = {};

  /** Writes what waits. @param withCounts also the counts @returns whether the database accepted it */
  const writeOnce = async (withCounts: boolean): Promise<boolean> => {
    const requests = waiting.slice(0, settings.atOnce);
    const sums = withCounts ? counts.take() : [];
    const parts: Part[] = [{ requests, sums }];
    try {
      for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
        const rest = await writePart(part);
        parts.pop();
        parts.push(...rest);
      }
      waiting.splice(0, requests.length);
      return true;
    } catch (error) {
      const left = parts.toReversed().flatMap((part) => part.requests);
      waiting.splice(0, requests.length, ...left);
      const leftSums = parts.flatMap((part) => part.sums);
      counts.putBack(leftSums);
      const waits = { requests: waiting.length, counts: leftSums.length };
      log.warn({ fault: describeFault(error), ...waits }, "the request log can't be written");
      return false;
    }
  };
  /**
   * Writes a part of what waits. If the database can't store it, its halves are to be written one after the other, and a single row
   * is dropped, so that it keeps no other back.
   * @returns the parts to write instead, the first one last
   */
  const writePart = async (part: Part): Promise<Part[]> => {
    const size = part.requests.length + part.sums.length;
    if (size === 0) return [];
    try {
      await into(part.requests, part.sums);
      return [];
    } catch (error) {
      if (isTransient(error)) throw error;
      if (size > 1) return halvesOf(part).toReversed();
      metrics.requestsUnlogged(1);
      log.error({ fault: describeFault(error) }, "a row of the request log can't be stored");
      return [];
    }
  };
  /** Writes after the write that is under way. What the database does not accept is written again later. */
  const write = (withCounts: boolean): Promise<boolean> => {
    const mine = writing
      .then(() => writeOnce(withCounts))
      .then((accepted) => {
        if (waiting.length > 0) scheduleWrite();
        if (!accepted && withCounts) scheduleCounts();
        return accepted;
      });
    writing = mine;
    return mine;
  };
  const scheduleWrite = () => {
    timers.write ??= setTimeout(() => {
      timers.write = undefined;
      void write(false);
    }, settings.writeMilliseconds).unref();
  };
  const scheduleCounts = () => {
    timers.count ??= setTimeout(() => {
      timers.count = undefined;
      void write(true);
    }, settings.countMilliseconds).unref();
  };

  return {
    count(sender: SenderKey, operation: string, what: keyof RequestCounts): void {
      if (!counts.add(sender, operation, what)) metrics.requestsUnlogged(1);
      if (timers.count === undefined) scheduleCounts();
    },
    /** Adds a rejected request. @returns false if too many wait */
    push(request: RejectedRequest): boolean {
      if (waiting.length >= settings.capacity) {
        metrics.requestsUnlogged(1);
        return false;
      }
      waiting.push(request);
      scheduleWrite();
      return true;
    },
    /** Resolves when the requests so far are written, or can't be. */
    written: () => write(true),
    /** Writes what waits, or gives up after a while if the database does not respond. */
    async finish() {
      const writeAll = async () => {
        for (let accepted = true; accepted && waiting.length > 0; ) accepted = await write(false);
        await write(true);
      };
      await Promise.race([writeAll(), sleep(settings.finishMilliseconds, undefined, { ref: false })]);
      clearTimeout(timers.write);
      clearTimeout(timers.count);
    },
  };
}

/** Counts in memory. @param most sums; further ones are not counted */
function createCounts(most: number) {
  const sums = new Map<string, Omit<CountedRequests, keyof Counts> & Counts>();
  const sumOf = (hours: number, sender: SenderKey, operation: string) => {
    // A client_id may be the text of a number.
    const key = `${hours} ${operation} ${typeof sender} ${sender}`;
    const known = sums.get(key);
    if (known !== undefined || sums.size >= most) return known;
    const hour = new Date(hours * hourMilliseconds).toISOString();
    const made = { sender, operation, hour, succeeded: 0, rejected: 0, failed: 0, unlisted: 0 };
    sums.set(key, made);
    return made;
  };
  return {
    /** @returns false if it was not counted */
    add(sender: SenderKey, operation: string, what: keyof RequestCounts): boolean {
      const sum = sumOf(Math.floor(Date.now() / hourMilliseconds), sender, operation);
      if (sum !== undefined) sum[what] += 1;
      return sum !== undefined;
    },
    /** Returns the sums, and begins again at 0. */
    take(): CountedRequests[] {
      const taken = [...sums.values()];
      sums.clear();
      return taken;
    },
    putBack(taken: readonly CountedRequests[]): void {
      for (const { sender, operation, hour, ...added } of taken) {
        const sum = sumOf(Date.parse(hour) / hourMilliseconds, sender, operation);
        if (sum === undefined) continue;
        for (const [name, number] of Object.entries(added)) sum[name as keyof Counts] += number;
      }
    },
  };
}
