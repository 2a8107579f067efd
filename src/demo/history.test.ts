import fc from "fast-check";
import { expect, it } from "vitest";
import { eventTypeNames, eventTypes } from "../domain/ledger.ts";
import { type HistoryEntry, makeHistory, makeJoiningTimes } from "./history.ts";
import { makePeople } from "./people.ts";
import { createRandom } from "./random.ts";

const day = 24 * 60 * 60 * 1000;

const someHistory = fc
  .record({
    seed: fc.integer(),
    members: fc.integer({ min: 1, max: 60 }),
    now: fc.integer({ min: 0, max: 4e12 }),
  })
  .map(({ seed, members, now }) => {
    const random = createRandom(seed);
    const joinedAt = makeJoiningTimes(random, members, now);
    return { now, joinedAt, entries: makeHistory(random, joinedAt, now) };
  });

const accountOf = ({ member, event_type }: HistoryEntry) => `${member} ${eventTypes[event_type].account}`;

it("continues every account from entry to entry, and never goes below zero", () => {
  fc.assert(
    fc.property(someHistory, ({ entries }) => {
      const balances = new Map<string, number>();
      for (const entry of entries) {
        expect(entry.amount).not.toBe(0);
        expect(entry.balance_after).toBe((balances.get(accountOf(entry)) ?? 0) + entry.amount);
        expect(entry.balance_after).toBeGreaterThanOrEqual(0);
        balances.set(accountOf(entry), entry.balance_after);
      }
    }),
  );
});

it("goes forward in time, from after everybody joined to before today", () => {
  fc.assert(
    fc.property(someHistory, ({ entries, joinedAt, now }) => {
      let before = Number.NEGATIVE_INFINITY;
      for (const { created_at, member } of entries) {
        expect(created_at).toBeGreaterThanOrEqual(before);
        expect(created_at).toBeGreaterThanOrEqual(joinedAt[member] as number);
        expect(created_at).toBeLessThan(Math.floor(now / day) * day);
        before = created_at;
      }
    }),
  );
});

it("gives each entry a reference: a receipt, or one of its own that the ledger would give it", () => {
  fc.assert(
    fc.property(someHistory, ({ entries }) => {
      for (const [index, { event_type, reference_id }] of entries.entries()) {
        if (reference_id.startsWith("receipt-")) continue;
        expect(reference_id).toBe(`${eventTypes[event_type].prefix}-${index + 1}`);
      }
    }),
  );
});

it("repeats itself for the same seed, and differs for another", () => {
  const history = (seed: number) => {
    const random = createRandom(seed);
    return makeHistory(random, makeJoiningTimes(random, 60, 100 * day), 100 * day);
  };
  expect(history(1)).toEqual(history(1));
  expect(history(1)).not.toEqual(history(2));
});

it("is the same at every time and on every day, but for the time", () => {
  const history = (now: number) => {
    const random = createRandom(1);
    const entries = makeHistory(random, makeJoiningTimes(random, 60, now), now);
    return entries.map(({ created_at, ...entry }) => ({
      ...entry,
      age: Math.floor(now / day) * day - created_at,
    }));
  };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
      expect(history(now)).toEqual(history(0));
    }),
    { numRuns: 10 },
  );
});

it("knows all kinds of entries", () => {
  const random = createRandom(1);
  const entries = makeHistory(random, makeJoiningTimes(random, 200, 0), 0);
  expect(new Set(entries.map(({ event_type }) => event_type))).toEqual(new Set(eventTypeNames));
});

it("makes people whom nobody can mistake for one another", () => {
  const people = makePeople(createRandom(1));
  expect(new Set(people.map(({ phone_number }) => phone_number)).size).toBe(people.length);
  const emails = people.map(({ email }) => email).filter((email) => email !== null);
  expect(new Set(emails).size).toBe(emails.length);
});
