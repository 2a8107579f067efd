import { expect, it } from "vitest";
import { busyPace, createPace } from "./pace.ts";

function makePace() {
  const state = { isBusy: false, now: 1000 };
  const pace = createPace({ isBusy: () => state.isBusy, clock: () => state.now });
  /** Starts as many requests as may start, up to a limit. */
  const startAll = (limit = 100) => {
    let started = 0;
    while (started < limit && pace.mayStart) {
      pace.start();
      started += 1;
    }
    return started;
  };
  return { state, pace, startAll };
}

it("lets any number of requests start while no postings wait", () => {
  const { state, startAll } = makePace();
  expect(startAll()).toBe(100);
  state.now += 1;
  expect(startAll()).toBe(100);
});

it("lets few start while postings wait, and the next ones after a pause", () => {
  const { state, pace, startAll } = makePace();
  state.isBusy = true;
  expect(startAll()).toBe(busyPace.requests);
  expect(pace.pauseMilliseconds).toBe(busyPace.milliseconds);
  state.now += busyPace.milliseconds - 1;
  expect(startAll()).toBe(0);
  state.now += 1;
  expect(startAll()).toBe(busyPace.requests);
  // After a longer pause, they don't add up.
  state.now += 10 * busyPace.milliseconds;
  expect(startAll()).toBe(busyPace.requests);
  state.isBusy = false;
  expect(startAll()).toBe(100);
});

it("counts what started before the postings came", () => {
  const { state, startAll } = makePace();
  startAll(busyPace.requests - 1);
  state.isBusy = true;
  expect(startAll()).toBe(1);
});
