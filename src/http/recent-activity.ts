/** Counts what the service did in the last minutes, for `loyalty status`. The metrics have everything since the start. */
import type { RecentActivity } from "../contract/services.ts";

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

const nothing: Counts = {
  requests: 0,
  refused: 0,
  failed: 0,
  requestSeconds: 0,
  batches: 0,
  postings: 0,
  batchSeconds: 0,
};

/** @param clock monotonic milliseconds */
export function createActivityRecorder(clock: () => number): ActivityRecorder {
  const ring = Array.from({ length: slots }, () => ({ slot: -1, counts: { ...nothing } }));
  const currentSlot = () => Math.floor(clock() / slotMilliseconds);

  const add = (counts: Partial<Counts>) => {
    const slot = currentSlot();
    const place = ring[slot % slots] as (typeof ring)[number];
    if (place.slot !== slot) Object.assign(place, { slot, counts: { ...nothing } });
    addTo(place.counts, counts);
  };

  return {
    requestFinished(status, seconds) {
      const refused = Number(status >= 400 && status < 500);
      add({ requests: 1, refused, failed: Number(status >= 500), requestSeconds: seconds });
    },
    batchRecorded: (size, seconds) => add({ batches: 1, postings: size, batchSeconds: seconds }),
    read() {
      const oldest = currentSlot() - slots + 1;
      const total = { ...nothing };
      for (const { slot, counts } of ring) if (slot >= oldest) addTo(total, counts);
      return { minutes, ...total };
    },
  };
}

function addTo(total: Counts, counts: Partial<Counts>): void {
  for (const [name, count] of Object.entries(counts)) total[name as keyof Counts] += count;
}
