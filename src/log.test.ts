import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { jsonLog, LineWriter, terminalLine } from "./log.ts";

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
  await vi.waitFor(() => expect(read()).toBe("one\ntwo\n"), { timeout: 60_000 });
  lines.write("three\n");
  await vi.waitFor(() => expect(read()).toBe("one\ntwo\nthree\n"), { timeout: 60_000 });
  close();
});

it("writes many lines in their order, whole, while more come", async () => {
  const { lines, read, close } = logFile("many");
  const all = Array.from({ length: 20_000 }, (_, number) => `${number} ${"é€𝄞x".repeat(number % 50)}\n`);
  for (const [number, line] of all.entries()) {
    lines.write(line);
    if (number % 1000 === 0) await sleep(1);
  }
  await vi.waitFor(() => expect(read()).toBe(all.join("")), { timeout: 60_000 });
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

describe("the log on a terminal", () => {
  const time = new Date(2026, 3, 17, 5, 0, 1).toISOString();
  const line = (fields: object) => terminalLine(JSON.stringify({ level: 30, time, ...fields }));

  it("is one line for a request", () => {
    const request = {
      operation: "/api/sp/members/list",
      status: 401,
      error_code: "unauthorized",
      reason: "missing",
    };
    expect(line({ ...request, duration_ms: 0.4, request_id: "1", msg: "request" })).toBe(
      "05:00:01 POST /api/sp/members/list 401 unauthorized missing 0.4 ms\n",
    );
    expect(line({ method: "GET", status: 404, error_code: "operation_not_found", msg: "request" })).toBe(
      "05:00:01 GET 404 operation_not_found\n",
    );
  });

  it("has the fields of other events, and the stack of an error below", () => {
    expect(line({ level: 40, msg: "settling points failed", fault: { code: "57P01" }, tries: 2 })).toBe(
      '05:00:01 warning settling points failed fault={"code":"57P01"} tries=2\n',
    );
    expect(line({ level: 50, msg: "failed", err: { message: "no", stack: "Error: no\n    at here" } })).toBe(
      "05:00:01 error failed\nError: no\n    at here\n",
    );
  });
});
