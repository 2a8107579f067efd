/** What the service did in the last minutes, for its operator to see at a glance; metrics hold the whole. */
import type { RecentActivity } from "./contract/services.ts";

const minutes = 5;
const slotMilliseconds = 10_000;
const slots = (minutes * 60_000) / slotMilliseconds;

type Counts = Omit<RecentActivity, "minutes">;

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

  const add = (change: Partial<Counts>) => {
    const slot = Math.floor(clock() / slotMilliseconds);
    const place = ring[slot % slots] as (typeof ring)[number];
    if (place.slot !== slot) Object.assign(place, { slot, counts: nothing() });
    place.counts = sum(place.counts, change);
  };

  return {
    requestFinished: (status, seconds) =>
      add({
        requests: 1,
        refused: status >= 400 && status < 500 ? 1 : 0,
        failed: status >= 500 ? 1 : 0,
        requestSeconds: seconds,
      }),
    batchRecorded: (size, seconds) => add({ batches: 1, postings: size, batchSeconds: seconds }),
    read() {
      const oldest = Math.floor(clock() / slotMilliseconds) - slots + 1;
      const counts = ring
        .filter(({ slot }) => slot >= oldest)
        .reduce((total, place) => sum(total, place.counts), nothing());
      return { minutes, ...counts };
    },
  };
}

function sum(a: Counts, b: Partial<Counts>): Counts {
  return {
    requests: a.requests + (b.requests ?? 0),
    refused: a.refused + (b.refused ?? 0),
    failed: a.failed + (b.failed ?? 0),
    requestSeconds: a.requestSeconds + (b.requestSeconds ?? 0),
    batches: a.batches + (b.batches ?? 0),
    postings: a.postings + (b.postings ?? 0),
    batchSeconds: a.batchSeconds + (b.batchSeconds ?? 0),
  };
}
