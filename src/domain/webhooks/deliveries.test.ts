import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deliveries, type Delivery } from "./deliveries.ts";
import type { Outcome } from "./message.ts";
import { mostAttempts } from "./schedule.ts";

const limits = { max_in_flight: 8, ordered: false };
const eventsOf = (first: number, last: number): Delivery[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    event_no: first + index,
    attempts: 0,
    kind: "delivery",
  }));
const numbersOf = (deliveries: readonly Delivery[]) => deliveries.map(({ event_no }) => event_no);

/** Starts what may start. */
function startAll(deliveries: Deliveries): Delivery[] {
  const started: Delivery[] = [];
  for (let next = deliveries.start(); next !== undefined; next = deliveries.start()) started.push(next);
  return started;
}

describe("the deliveries of an endpoint", () => {
  it("are sent one, two, four and so on at the same time, up to the limit", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 100), 100);
    const sizes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const started = startAll(deliveries);
      sizes.push(started.length);
      expect(deliveries.inFlight).toBe(started.length);
      // One success is enough to double.
      const [first, ...others] = started as [Delivery, ...Delivery[]];
      deliveries.finish(first, "delivered");
      for (const other of others) deliveries.abandon(other);
    }
    expect(sizes).toEqual([1, 2, 4, 8, 8]);
  });

  it("fall to one at a time while responses are slow, and return when they are quick", () => {
    const deliveries = new Deliveries({ max_in_flight: 32, ordered: false }, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 200), 200);
    const response = (milliseconds: number) => {
      for (const one of startAll(deliveries)) deliveries.finish(one, "delivered", milliseconds);
      return [deliveries.window, deliveries.isSlow];
    };
    while (deliveries.window < 32) response(10);
    // All 32 that were in flight have hung.
    expect(response(14_000)).toEqual([1, true]);
    expect(response(14_000)).toEqual([1, true]);
    expect(response(10)).toEqual([2, false]);
  });

  it("keep their number if one response among quick ones is slow", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 200), 200);
    for (let round = 0; round < 5; round += 1) {
      const [first, ...others] = startAll(deliveries) as [Delivery, ...Delivery[]];
      deliveries.finish(first, "delivered", 14_000);
      for (const other of others) deliveries.finish(other, "delivered", 10);
      deliveries.finish(deliveries.start() as Delivery, "delivered", 10);
    }
    expect([deliveries.window, deliveries.isSlow]).toEqual([8, false]);
  });

  it("retry an event that fails while others succeed", () => {
    const deliveries = new Deliveries(limits, { cursor: 10, failures: 0 });
    deliveries.addEvents(eventsOf(11, 13), 20);
    deliveries.finish(deliveries.start() as Delivery, "failed");
    expect(deliveries.takeRetried()).toEqual([]);
    expect(deliveries.cursor).toBe(10);
    deliveries.finish(deliveries.start() as Delivery, "delivered");
    expect(numbersOf(deliveries.takeRetried())).toEqual([11]);
    expect(deliveries.cursor).toBe(12);
    deliveries.finish(deliveries.start() as Delivery, "delivered");
    expect(deliveries.cursor).toBe(20);
  });

  it("retry an event that fails when there are no others", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 1), 1);
    deliveries.finish(deliveries.start() as Delivery, "failed");
    deliveries.settle();
    expect(numbersOf(deliveries.takeRetried())).toEqual([1]);
    expect([deliveries.cursor, deliveries.failures]).toEqual([1, 1]);
  });

  it("stop before five different events that failed in a row", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 9), 9);
    for (let event = 1; event <= 5; event += 1) {
      expect(deliveries.stop).toBeUndefined();
      deliveries.finish(deliveries.start() as Delivery, "failed");
    }
    expect(deliveries.stop).toBe("failing");
    expect(deliveries.start()).toBeUndefined();
    deliveries.settle();
    expect(deliveries.takeRetried()).toEqual([]);
    expect(deliveries.cursor).toBe(0);
  });

  it("go on if something in flight succeeds after five have failed", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 20), 20);
    for (const first of startAll(deliveries)) deliveries.finish(first, "delivered");
    for (const second of startAll(deliveries)) deliveries.finish(second, "delivered");
    const [last, ...others] = startAll(deliveries) as [Delivery, ...Delivery[]];
    for (const other of others.slice(0, 5)) deliveries.finish(other, "failed");
    expect(deliveries.stop).toBe("failing");
    deliveries.finish(last, "delivered");
    expect(deliveries.stop).toBeUndefined();
    expect(deliveries.takeRetried()).toHaveLength(5);
  });

  it("count further attempts of an event while nothing succeeds", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 1), 1);
    deliveries.finish(deliveries.start() as Delivery, "failed");
    for (let attempts = 1; attempts < 5; attempts += 1) {
      expect(deliveries.stop).toBeUndefined();
      deliveries.addOthers([{ event_no: 1, attempts, kind: "retry" }]);
      deliveries.finish(deliveries.start() as Delivery, "failed");
    }
    expect(deliveries.stop).toBe("failing");
  });

  it("don't count further attempts of an event after a success", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 2), 2);
    deliveries.finish(deliveries.start() as Delivery, "failed");
    deliveries.finish(deliveries.start() as Delivery, "delivered");
    for (let attempts = 1; attempts < 10; attempts += 1) {
      deliveries.addOthers([{ event_no: 1, attempts, kind: "retry" }]);
      deliveries.finish(deliveries.start() as Delivery, "failed");
    }
    expect(deliveries.stop).toBeUndefined();
  });

  it("continue to count where the previous process stopped", () => {
    const deliveries = new Deliveries(limits, { cursor: 7, failures: 4 });
    deliveries.addEvents(eventsOf(8, 8), 8);
    deliveries.finish(deliveries.start() as Delivery, "failed");
    expect(deliveries.stop).toBe("failing");
  });

  it("retry up to a hundred events in a row that fail before one that a probe has delivered", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.wasProbed(500);
    deliveries.addEvents(eventsOf(1, 499), 500);
    for (let event = 1; event <= 104; event += 1) {
      expect(deliveries.stop).toBeUndefined();
      const started = startAll(deliveries);
      expect(numbersOf(started)).toEqual([event]);
      for (const one of started) deliveries.finish(one, "failed");
    }
    // A dead endpoint makes no more rows.
    expect(deliveries.stop).toBe("failing");
    expect(numbersOf(deliveries.takeRetried())).toEqual(numbersOf(eventsOf(1, 100)));
    expect(deliveries.cursor).toBe(100);
  });

  it("begin to count them again after a success", () => {
    const deliveries = new Deliveries({ max_in_flight: 1, ordered: false }, { cursor: 0, failures: 0 });
    deliveries.wasProbed(500);
    deliveries.addEvents(eventsOf(1, 499), 500);
    for (let event = 1; event <= 200; event += 1) {
      deliveries.finish(deliveries.start() as Delivery, event === 100 ? "delivered" : "failed");
      expect(deliveries.stop).toBeUndefined();
    }
    expect(deliveries.takeRetried()).toHaveLength(199);
  });

  it("count events after one that a probe has delivered", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.wasProbed(3);
    deliveries.addEvents([...eventsOf(1, 2), ...eventsOf(4, 9)], 9);
    for (let count = 1; count <= 6; count += 1) {
      expect(deliveries.stop).toBeUndefined();
      deliveries.finish(deliveries.start() as Delivery, "failed");
    }
    expect(deliveries.stop).toBe("failing");
    expect(deliveries.cursor).toBe(3);
  });

  it("are kept in order for an ordered endpoint, which stops at the first failure", () => {
    const deliveries = new Deliveries({ max_in_flight: 8, ordered: true }, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 9), 9);
    for (let event = 1; event <= 4; event += 1) {
      const [only, ...more] = startAll(deliveries);
      expect([only?.event_no, more]).toEqual([event, []]);
      deliveries.finish(only as Delivery, "delivered");
    }
    deliveries.finish(deliveries.start() as Delivery, "failed");
    expect([deliveries.stop, deliveries.start(), deliveries.cursor]).toEqual(["failing", undefined, 4]);
  });

  it("stop at a 410", () => {
    const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
    deliveries.addEvents(eventsOf(1, 2), 2);
    deliveries.finish(deliveries.start() as Delivery, "gone");
    expect([deliveries.stop, deliveries.start(), deliveries.cursor]).toEqual(["gone", undefined, 0]);
  });

  it("ignore the outcome of a test", () => {
    const deliveries = new Deliveries({ ...limits, ordered: true }, { cursor: 0, failures: 0 });
    deliveries.addOthers([{ event_no: 0, attempts: 0, kind: "test" }]);
    deliveries.finish(deliveries.start() as Delivery, "gone");
    expect(deliveries.stop).toBeUndefined();
  });
});

describe("random histories", () => {
  const outcome = fc.constantFrom<Outcome>("delivered", "delivered", "failed", "failed", "failed");
  /** What happens: events arrive, one of those in flight ends, or a retry comes. */
  const step = fc.oneof(
    fc.record({ arrive: fc.integer({ min: 1, max: 5 }), skip: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ ends: fc.nat(31), outcome }),
    fc.record({ retry: fc.integer({ min: 1, max: 9 }) }),
  );
  const settings = fc.record({ max_in_flight: fc.integer({ min: 1, max: 32 }), ordered: fc.boolean() });

  it("give up no event before something has succeeded after its first failure", () => {
    // Few events, and few successes.
    const pick = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(4) });
    const rarely = fc.nat(15).map((number): Outcome => (number === 0 ? "delivered" : "failed"));
    const few = fc.array(fc.record({ pick, outcome: rarely }), { minLength: 30, maxLength: 200 });
    fc.assert(
      fc.property(few, fc.boolean(), (steps, ordered) => {
        let deliveries = new Deliveries({ max_in_flight: 8, ordered }, { cursor: 0, failures: 0 });
        /** The attempts of events that wait to be sent again, and those of them after which something has succeeded. */
        const waiting = new Map<number, number>();
        const followed = new Set<number>();
        const succeeded = () => {
          for (const no of waiting.keys()) followed.add(no);
        };
        let last = 0;
        for (const { pick, outcome } of steps) {
          if (deliveries.stop !== undefined) {
            // Probes go on until one succeeds.
            if (outcome === "failed") continue;
            succeeded();
            deliveries = new Deliveries(
              { max_in_flight: 8, ordered },
              { cursor: deliveries.cursor, failures: 0 },
            );
            // The probe may have been a later event.
            deliveries.wasProbed(last + pick * 3);
            continue;
          }
          const due = [...waiting.keys()][pick];
          if (due === undefined) deliveries.addEvents(eventsOf(last + 1, ++last), last);
          else deliveries.addOthers([{ event_no: due, attempts: waiting.get(due) as number, kind: "retry" }]);
          const sent = deliveries.start() as Delivery;
          deliveries.finish(sent, outcome);
          if (outcome === "delivered") {
            waiting.delete(sent.event_no);
            succeeded();
          } else if (sent.kind === "retry") {
            waiting.set(sent.event_no, sent.attempts + 1);
            if (sent.attempts + 1 < mostAttempts) continue;
            expect(followed).toContain(sent.event_no);
            waiting.delete(sent.event_no);
          }
          deliveries.settle();
          for (const { event_no } of deliveries.takeRetried()) {
            waiting.set(event_no, 1);
            if (outcome === "delivered") followed.add(event_no);
          }
        }
      }),
    );
  });

  it("lose no event, never move the cursor back, and keep the limit", () => {
    fc.assert(
      fc.property(settings, fc.array(step, { maxLength: 120 }), (limits, steps) => {
        const deliveries = new Deliveries(limits, { cursor: 0, failures: 0 });
        const [delivered, retried, flying, sent] = [
          new Set<number>(),
          new Set<number>(),
          [] as Delivery[],
          [] as number[],
        ];
        const arrived: number[] = [];
        let last = 0;
        let cursor = 0;
        for (const each of steps) {
          if ("arrive" in each) {
            const events = eventsOf(last + 1, last + each.arrive);
            arrived.push(...numbersOf(events));
            last += each.arrive + each.skip;
            deliveries.addEvents(events, last);
          } else if ("retry" in each)
            deliveries.addOthers([{ event_no: 1, attempts: each.retry, kind: "retry" }]);
          else if (flying.length > 0) {
            const [ended] = flying.splice(each.ends % flying.length, 1) as [Delivery];
            deliveries.finish(ended, each.outcome);
            if (ended.kind === "delivery" && each.outcome === "delivered") delivered.add(ended.event_no);
          }
          const started = startAll(deliveries);
          flying.push(...started);
          sent.push(...numbersOf(started.filter(({ kind }) => kind === "delivery")));
          deliveries.settle();
          for (const { event_no } of deliveries.takeRetried()) retried.add(event_no);
          expect(deliveries.inFlight).toBe(flying.length);
          expect(flying.length).toBeLessThanOrEqual(limits.ordered ? 1 : limits.max_in_flight);
          expect(deliveries.cursor).toBeGreaterThanOrEqual(cursor);
          cursor = deliveries.cursor;
          // Each event up to the cursor was delivered, or is retried by itself. The events after it are sent again.
          for (const no of arrived) if (no <= cursor) expect(delivered.has(no) || retried.has(no)).toBe(true);
        }
        expect(sent).toEqual([...sent].sort((one, other) => one - other));
        if (limits.ordered) expect(retried.size).toBe(0);
      }),
    );
  });
});
