import { ApiError } from "loyalty-sdk";
import { expect, it } from "vitest";
import { CliError, explain } from "./failure.ts";
import { flagOf } from "./field-options.ts";

const connection = {
  baseUrl: "http://127.0.0.1:8080/api",
  urlFrom: "by default",
  key: { key: "k", from: "LOYALTY_OPERATOR_KEY" },
};

function explained(status: number, code: string): CliError {
  const refusal = { path: "/op/x", status, code, details: {}, requestId: "r-1", retryAfterSeconds: 1 };
  const error = explain(new ApiError("said", refusal), connection, { nameOf: flagOf, business: 7 });
  if (!(error instanceof CliError)) throw error;
  return error;
}

it("says where to look when the service can't answer now", () => {
  const { advice, exitCode } = explained(503, "service_unavailable");
  expect(exitCode).toBe(3);
  expect(advice).toEqual([
    "Look at the service's log and at http://127.0.0.1:8080/health/ready, then run this again.",
    "The service's log has more under the request r-1.",
  ]);
});

it("gives a command that can be copied whole", () => {
  expect(explained(404, "program_not_found").advice).toEqual([
    "Check --program against: loyalty program list --business 7",
  ]);
});
