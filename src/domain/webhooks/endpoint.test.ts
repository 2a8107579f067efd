import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterProbe, beginsToFail, chooseProbe, type EndpointState } from "./endpoint.ts";
import type { Outcome } from "./message.ts";

const day = 24 * 3600;

describe("a failing endpoint", () => {
  it("is enabled by a success, disabled by a 410, and disabled after five days without a success", () => {
    const at = { chance: 0.5 };
    expect(beginsToFail(at)).toMatchObject({ status: "failing", failures: 0, dueSeconds: 5 });
    expect(afterProbe({ failures: 3, seconds: 60 }, "failed", at)).toMatchObject({
      status: "failing",
      failures: 4,
      dueSeconds: 600,
    });
    expect(afterProbe({ failures: 3, seconds: 9 * day }, "delivered", at)).toMatchObject({
      status: "enabled",
      failures: 0,
    });
    expect(afterProbe({ failures: 3, seconds: 60 }, "gone", at)).toMatchObject({
      status: "disabled",
      disabledReason: "gone",
    });
    expect(afterProbe({ failures: 3, seconds: 5 * day - 1 }, "failed", at).status).toBe("failing");
    expect(afterProbe({ failures: 3, seconds: 5 * day }, "failed", at)).toMatchObject({
      status: "disabled",
      disabledReason: "no_success",
    });
  });

  it("costs one probe in ten minutes, for five days at most", () => {
    const chances = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(chances, fc.constantFrom<Outcome>("failed"), (random, outcome) => {
        const next = () => ({ chance: random.next().value as number });
        let state: EndpointState = beginsToFail(next());
        let seconds = 0;
        let probes = 0;
        while (state.status === "failing") {
          seconds += state.dueSeconds as number;
          state = afterProbe({ failures: state.failures, seconds }, outcome, next());
          probes += 1;
        }
        expect(state.disabledReason).toBe("no_success");
        expect(seconds).toBeGreaterThanOrEqual(5 * day);
        expect(seconds).toBeLessThan(5 * day + 720);
        // One for each eight minutes at most, and four more at the beginning.
        expect(probes).toBeLessThanOrEqual((5 * day) / 480 + 5);
      }),
      { numRuns: 20 },
    );
  });
});

it("chooses as probes the newest event, events of different types, and then the next ones", () => {
  const next = [
    { no: 1, type: "sale.recorded" },
    { no: 2, type: "sale.recorded" },
    { no: 3, type: "wallet.paid" },
    { no: 4, type: "sale.recorded" },
    { no: 5, type: "member.created" },
  ];
  const newest = { no: 900, type: "sale.recorded" };
  const chosen = (last: typeof newest | undefined) =>
    Array.from({ length: 12 }, (_, failures) => chooseProbe(next, last, failures)?.no);
  expect(chosen(newest)).toEqual([1, 900, 3, 900, 5, 900, 2, 900, 4, 900, 1, 900]);
  expect(chosen(undefined)).toEqual([1, 1, 3, 3, 5, 5, 2, 2, 4, 4, 1, 1]);
});
