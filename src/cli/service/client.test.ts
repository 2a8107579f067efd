import { expect, it } from "vitest";
import { createRetries } from "./client.ts";

it("says each reason once, and at the end how often it was", () => {
  const said: string[] = [];
  const retries = createRetries((line) => said.push(line));
  for (let time = 0; time < 3; time += 1) retries.tell("/op/x responded with 503 service_unavailable");
  retries.tell("/op/y: no response (ECONNRESET\u001b[2J)");
  expect(said).toEqual([
    "Retrying: /op/x responded with 503 service_unavailable",
    "Retrying: /op/y: no response (ECONNRESET\ufffd[2J)",
  ]);
  retries.sum();
  retries.sum();
  expect(said.slice(2)).toEqual(["Retried 3 times: /op/x responded with 503 service_unavailable"]);
});
