/**
 * Counts what the service did in the last minutes, for `loyalty status`. The metrics have everything since
 * the start.
 */
import type { RecentActivity } from "./contract/services.ts";

const minutes = 5;
const slotMilliseconds = 10_000;
const slots = (minutes * 60_000) / slotMilliseconds;

type Counts = { -readonly [Name in Exclude<keyof RecentActivity, "minutes">]: number };

export interface ActivityRecorder {
  requestFinished(status: number, seconds: number): void;
  batchRecorded(size: number, seconds: number): void;
  /** What was recorded in the last minutes, to ten seconds. */
  read(): RecentActivity;
}

const nothing = (): Counts => ({
  requests: 0,
  refused: 0,
  failed: 0,
  requestSeconds: 0,
  batches: 0,
  postings: 0,
  batchSeconds: 0,
});

/** @param clock monotonic milliseconds */
export function createActivityRecorder(clock: () => number): ActivityRecorder {
  const ring = Array.from({ length: slots }, () => ({ slot: -1, counts: nothing() }));

  /** The counts of the time that runs. */
  const current = (): Counts => {
    const slot = Math.floor(clock() / slotMilliseconds);
    const place = ring[slot % slots] as (typeof ring)[number];
    if (place.slot !== slot) Object.assign(place, { slot, counts: nothing() });
    return place.counts;
  };

  return {
    requestFinished(status, seconds) {
      const counts = current();
      counts.requests += 1;
      if (status >= 400 && status < 500) counts.refused += 1;
      if (status >= 500) counts.failed += 1;
      counts.requestSeconds += seconds;
    },
    batchRecorded(size, seconds) {
      const counts = current();
      counts.batches += 1;
      counts.postings += size;
      counts.batchSeconds += seconds;
    },
    read() {
      const oldest = Math.floor(clock() / slotMilliseconds) - slots + 1;
      const counts = ring
        .filter(({ slot }) => slot >= oldest)
        .reduce((total, place) => sum(total, place.counts), nothing());
      return { minutes, ...counts };
    },
  };
}

function sum(a: Counts, b: Counts): Counts {
  return {
    requests: a.requests + b.requests,
    refused: a.refused + b.refused,
    failed: a.failed + b.failed,
    requestSeconds: a.requestSeconds + b.requestSeconds,
    batches: a.batches + b.batches,
    postings: a.postings + b.postings,
    batchSeconds: a.batchSeconds + b.batchSeconds,
  };
}
