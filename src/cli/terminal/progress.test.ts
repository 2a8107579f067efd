import { describe, expect, it } from "vitest";
import { progressText, startProgress } from "./progress.ts";
import { byteText, durationText } from "./quantities.ts";
import type { Terminal } from "./terminal.ts";

function recorder(interactive: boolean): { terminal: Terminal; written: string[] } {
  const written: string[] = [];
  const write = async (text: string) => void written.push(text);
  const line = (text: string) => void written.push(`${text}\n`);
  return {
    terminal: { interactive, width: interactive ? 80 : undefined, style: (_, text) => text, line, write },
    written,
  };
}

describe("progress", () => {
  it("says how much is done, how fast, and how long it still takes", () => {
    expect(progressText(84_000, 0.42, 4, "lines")).toBe(
      "[██████████──────────────] 42% 84,000 lines, 21,000/s, 5.5 s left",
    );
    expect(progressText(200_000, 1, 10, "lines")).toBe(
      "[████████████████████████] 100% 200,000 lines, 20,000/s",
    );
    expect(progressText(500, undefined, 2, "members")).toBe("500 members, 250/s");
    expect(progressText(0, 0, 0, "lines")).toBe("[────────────────────────] 0% 0 lines, 0/s");
  });

  it("is one line of a terminal, drawn ten times a second at most, and gone at the end", () => {
    const { terminal, written } = recorder(true);
    let now = 0;
    const progress = startProgress(terminal, "lines", () => now);
    for (now = 1000; now < 1250; now += 10) progress.at(now, undefined);
    expect(written).toEqual([
      "\r\x1b[K1,000 lines, 1,000/s",
      "\r\x1b[K1,100 lines, 1,000/s",
      "\r\x1b[K1,200 lines, 1,000/s",
    ]);
    progress.end();
    expect(written.at(-1)).toBe("\r\x1b[K");
  });

  it("is not there where nobody looks", () => {
    const { terminal, written } = recorder(false);
    const progress = startProgress(terminal, "lines");
    progress.at(1, 0.5);
    progress.end();
    expect(written).toEqual([]);
  });
});

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
