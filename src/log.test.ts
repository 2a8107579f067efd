import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it, vi } from "vitest";
import { jsonLog, LineWriter } from "./log.ts";

const directory = mkdtempSync(join(tmpdir(), "loyalty-log-"));
afterAll(() => rmSync(directory, { recursive: true }));

function logFile(name: string) {
  const path = join(directory, name);
  const fd = openSync(path, "w");
  return { lines: new LineWriter(fd), read: () => readFileSync(path, "utf8"), close: () => closeSync(fd) };
}

it("writes the lines that come together at once, and soon", async () => {
  const { lines, read, close } = logFile("together");
  lines.write("one\n");
  lines.write("two\n");
  expect(read()).toBe("");
  await vi.waitFor(() => expect(read()).toBe("one\ntwo\n"), { timeout: 10_000 });
  lines.write("three\n");
  await vi.waitFor(() => expect(read()).toBe("one\ntwo\nthree\n"), { timeout: 10_000 });
  close();
});

it("writes many lines in their order, whole, while more come", async () => {
  const { lines, read, close } = logFile("many");
  const all = Array.from({ length: 20_000 }, (_, number) => `${number} ${"é€𝄞x".repeat(number % 50)}\n`);
  for (const [number, line] of all.entries()) {
    lines.write(line);
    if (number % 1000 === 0) await sleep(1);
  }
  await vi.waitFor(() => expect(read()).toBe(all.join("")), { timeout: 10_000 });
  close();
});

it("has written everything at its end", () => {
  const { lines, read, close } = logFile("end");
  lines.write("first\n");
  lines.write("last\n");
  lines.end();
  expect(read()).toBe("first\nlast\n");
  close();
});

it("tells of a failure without what a server quotes", () => {
  const written: string[] = [];
  const log = jsonLog("info", { write: (line) => void written.push(line) });
  const error = Object.assign(new Error("duplicate key"), {
    code: "23505",
    detail: "Key (email)=(ana@example.com)",
  });
  log.warn({ err: error }, "failed");
  expect(JSON.parse(written[0] as string)).toMatchObject({
    msg: "failed",
    err: { code: "23505", message: "duplicate key" },
  });
  expect(written.join()).not.toContain("ana@");
});

it("does without a log where nothing can be written", async () => {
  const { lines, close } = logFile("closed");
  close();
  lines.write("lost\n");
  await sleep(150);
  lines.write("lost\n");
  lines.end();
});
