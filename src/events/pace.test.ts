import { expect, it } from "vitest";
import { backlogMilliseconds, busyPace, createPace, longestWaitMilliseconds } from "./pace.ts";

function makePace() {
  const state = { isBusy: true, now: 1_000_000 };
  const pace = createPace({ isBusy: () => state.isBusy, clock: () => state.now });
  /** How many of a hundred requests for events of an age may start. */
  const startAll = (age: number) =>
    Array.from({ length: 100 }, () => pace.mayStart(state.now - age)).filter(Boolean).length;
  return { state, pace, startAll };
}

it("lets any number of requests start while no postings wait", () => {
  const { state, startAll } = makePace();
  state.isBusy = false;
  expect([0, longestWaitMilliseconds, backlogMilliseconds].map(startAll)).toEqual([100, 100, 100]);
});

it("lets few start for new events while postings wait, and the next ones later", () => {
  const { state, startAll } = makePace();
  expect(startAll(0)).toBe(busyPace.requests);
  expect(startAll(longestWaitMilliseconds - 1)).toBe(0);
  state.now += busyPace.milliseconds;
  expect(startAll(0)).toBe(busyPace.requests);
});

it("lets all start whose events have waited long enough, however many postings wait", () => {
  const { startAll } = makePace();
  expect([startAll(0), startAll(longestWaitMilliseconds)]).toEqual([busyPace.requests, 100]);
  expect(startAll(backlogMilliseconds - 1)).toBe(100);
});

it("does not let a backlog take a busy process", () => {
  const { state, startAll } = makePace();
  // It shrinks: each time, its oldest event is younger.
  for (let age = backlogMilliseconds + 5000; age >= backlogMilliseconds; age -= busyPace.milliseconds) {
    expect(startAll(age)).toBe(busyPace.requests);
    state.now += busyPace.milliseconds;
  }
});

it.each([1000, 2000, 4000])(
  "lets a backlog catch up while postings always wait and %i events a second are recorded",
  (perSecond) => {
    const { state, pace } = makePace();
    const look = 20;
    const outage = 90_000;
    // The events of the outage and those since, as the times at which they were recorded.
    const waiting = Array.from({ length: (outage / look) | 0 }, (_, nth) => state.now - outage + nth * look);
    const each = (perSecond * look) / 1000;
    let left = 0;
    const age = () => state.now - (waiting[0] ?? state.now);
    let steps = 0;
    for (; age() >= backlogMilliseconds && steps < 50_000; steps += 1) {
      waiting.push(state.now);
      while (waiting.length > 0) {
        if (left === 0) left = each;
        while (left > 0 && pace.mayStart(waiting[0] as number)) left -= 1;
        if (left > 0) break;
        waiting.shift();
      }
      state.now += look;
    }
    expect(age()).toBeLessThan(backlogMilliseconds);
    expect((steps * look) / 1000).toBeLessThan(10 * (outage / 1000));
  },
);

it.each([10, 100, 1000])(
  "keeps up while postings always wait and %i events are recorded in each look",
  (each) => {
    const { state, pace } = makePace();
    const look = 20;
    let waiting: number[] = [];
    let longest = 0;
    for (let step = 0; step < 200; step += 1) {
      waiting.push(...Array<number>(each).fill(state.now));
      waiting = waiting.filter((recordedAt) => {
        const starts = pace.mayStart(recordedAt);
        if (starts) longest = Math.max(longest, state.now - recordedAt);
        return !starts;
      });
      state.now += look;
    }
    expect(longest).toBeLessThanOrEqual(longestWaitMilliseconds);
    expect(waiting.length).toBeLessThanOrEqual(each * (longestWaitMilliseconds / look));
  },
);
