/** Days that several pages name are those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keyDays, latestRecordingDays } from "../../src/domain/idempotency.ts";

/** The text of a page, without its line breaks. */
const read = (page: string) =>
  readFileSync(join(import.meta.dirname, "../..", page), "utf8").replace(/\s+/g, " ");

it.each([
  ["docs/guides/till.md", /the sale is more than (\d+) days old/, latestRecordingDays],
  [
    "docs/guides/bookings.md",
    /`sold_on` with the day of the check-out, up to (\d+) days back/,
    latestRecordingDays,
  ],
  ["docs/guides/sales.md", /`sold_on`, up to (\d+) days back/, latestRecordingDays],
  ["docs/decisions/idempotency.md", /record a sale up to (\d+) days after it/, latestRecordingDays],
  ["docs/RELIABILITY.md", /a till may wait with a sale \((\d+) days\)/, latestRecordingDays],
  ["docs/CONFIGURATION.md", /gets it again; at least (\d+),/, keyDays.minimum],
  [".env.example", /gets it again; at least (\d+)\./, keyDays.minimum],
  ["docs/guides/idempotency.md", /kept for at least (\d+) days/, keyDays.minimum],
  ["docs/decisions/idempotency.md", /at least for (\d+)\./, keyDays.minimum],
  ["docs/decisions/idempotency.md", /are kept for (\d+) days/, keyDays.default],
  ["docs/RELIABILITY.md", /key is valid for (\d+) days/, keyDays.default],
  ["docs/BENCHMARKS.md", /key, which is deleted after (\d+) days/, keyDays.default],
  ["examples/README.md", /\((\d+) days by default\)/, keyDays.default],
])("%s says %s", (page, pattern, days) => {
  expect(Number(pattern.exec(read(page))?.[1])).toBe(days);
});
