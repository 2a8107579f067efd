import { expect, it } from "vitest";
import { byteText, durationText } from "./quantities.ts";

it("durations and sizes are as people read them", () => {
  expect([0, 0.84, 9.96, 45, 200, 3600, 93_600, 90_061].map(durationText)).toEqual([
    "0 s",
    "0.8 s",
    "10 s",
    "45 s",
    "3 min 20 s",
    "1 h",
    "1 d 2 h",
    "1 d 1 h",
  ]);
  expect([0, 999, 48_234_496, 33e9].map(byteText)).toEqual(["0 B", "999 B", "48.2 MB", "33 GB"]);
});
