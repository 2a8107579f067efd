import { expect, it } from "vitest";
import { terminalLine } from "./terminal-log.ts";

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
