import { expect, it } from "vitest";
import { createActivityRecorder } from "./metrics.ts";

function recorder() {
  let now = 1_000_000;
  const activity = createActivityRecorder(() => now);
  return {
    activity,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

it("adds up what happened, and sorts it by the response", () => {
  const { activity } = recorder();
  for (const status of [200, 201, 400, 429, 500, 503]) activity.requestFinished(status, 0.5);
  activity.batchRecorded(8, 0.25);
  activity.batchRecorded(2, 0.75);
  expect(activity.read()).toEqual({
    minutes: 5,
    requests: 6,
    rejected: 2,
    failed: 2,
    requestSeconds: 3,
    batches: 2,
    postings: 10,
    batchSeconds: 1,
  });
});

it("forgets what is longer ago than its minutes, and not before", () => {
  const { activity, pass } = recorder();
  activity.requestFinished(200, 0.1);
  pass(60);
  activity.requestFinished(200, 0.1);
  pass(3 * 60);
  expect(activity.read().requests).toBe(2);
  pass(65);
  expect(activity.read().requests).toBe(1);
  pass(60);
  expect(activity.read().requests).toBe(0);
});

it("forgets an idle hour, then counts anew in the same places", () => {
  const { activity, pass } = recorder();
  for (let slot = 0; slot < 30; slot++) {
    activity.requestFinished(200, 0.1);
    pass(10);
  }
  pass(3600);
  expect(activity.read().requests).toBe(0);
  activity.requestFinished(200, 0.1);
  expect(activity.read().requests).toBe(1);
});
