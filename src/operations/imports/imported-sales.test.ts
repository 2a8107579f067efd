/** Which lines are one sale, for any lines and any order of imports. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { FoundSale } from "../../database/imports/look-ups.ts";
import { type Decisions, decideLines } from "./imported-lines.ts";
import {
  differencesOfSale,
  type IdentityOptions,
  identityOfSale,
  type KnownSale,
  keptOfSale,
  recordOfSale,
  type SaleLine,
} from "./imported-sales.ts";

interface Values {
  readonly reference_id: string | undefined;
  readonly contact_id: number;
  readonly day: string;
  readonly amount: number;
  readonly location_id: number | undefined;
  readonly equal_before: number;
}

const line: fc.Arbitrary<Values> = fc.record({
  reference_id: fc.constantFrom("1", "2", undefined),
  contact_id: fc.constantFrom(1, 2),
  day: fc.constantFrom("2026-03-02", "2026-03-03"),
  amount: fc.constantFrom(350, 420),
  location_id: fc.constantFrom(7, 8),
  equal_before: fc.constantFrom(0, 1),
});

const options: fc.Arbitrary<IdentityOptions> = fc.record({
  batch: fc.constantFrom(undefined, "till-1"),
  reference_per: fc.subarray(["day", "location"] as const),
});

/** The values that make lines one sale, besides the options. */
const nameOf = ({ reference_id, contact_id, day, amount, location_id, equal_before }: Values) =>
  JSON.stringify([
    ...[reference_id, contact_id, day, amount, location_id],
    reference_id === undefined ? equal_before : null,
  ]);

/** Imports lines, and keeps what they record for later imports. */
function importOf(values: readonly Values[], given: IdentityOptions, records: Map<string, KnownSale>) {
  const lines = values.map(({ day, ...one }, index) => {
    const found = { contact_id: one.contact_id, erased: false, sold_on: day, local_time: `${day} 00:00` };
    const saleLine = { ...one, line: index + 1, sold_at: day } as SaleLine;
    const identity = identityOfSale(saleLine, found as FoundSale, one.location_id, given);
    return { line: saleLine, bad: false, rejections: [], found: found as FoundSale, identity };
  });
  const known = new Map(records);
  const decisions: Decisions<SaleLine, FoundSale, KnownSale> = {
    records: known,
    differencesOf: (one, found, record, of) => differencesOfSale(one, found, record, of, given),
    failuresOf: () => [],
    accept: (one, found, of) => recordOfSale(one, found, of, false, one.line),
    keptOf: keptOfSale,
  };
  const result = decideLines(lines, decisions, false);
  // What an import records has no line for the next one.
  for (const [digest, { line: _, ...record }] of known) records.set(digest, record);
  return result;
}

it("a line is new, the same as a recorded one, or rejected; never dropped, and never recorded twice", () => {
  const imports = fc.array(fc.tuple(fc.array(line, { maxLength: 12 }), options), { maxLength: 5 });
  fc.assert(
    fc.property(imports, (files) => {
      const records = new Map<string, KnownSale>();
      const recorded = new Map<string, Set<string>>();
      for (const [values, given] of files) {
        const { rows, skipped, rejected } = importOf(values, given, records);
        const accepted = new Set(rows.map((one) => one.line));
        const bad = new Set(rejected.map((one) => one.line));
        expect(accepted.size + skipped.length + bad.size).toBe(values.length);
        const batch = recorded.get(given.batch ?? "") ?? new Set();
        recorded.set(given.batch ?? "", batch);
        for (const [index, one] of values.entries()) {
          const isKnown = batch.has(nameOf(one));
          if (accepted.has(index + 1)) {
            expect(isKnown).toBe(false);
            batch.add(nameOf(one));
            continue;
          }
          if (bad.has(index + 1)) {
            expect(one.reference_id).toBeDefined();
            continue;
          }
          // A skipped line is recorded, at the same location if numbers restart there.
          const withLocation = one.reference_id === undefined || given.reference_per?.includes("location");
          const places = withLocation ? [one.location_id] : [7, 8];
          expect(places.some((location_id) => batch.has(nameOf({ ...one, location_id })))).toBe(true);
        }
      }
    }),
  );
});

it("a file that is imported again with the same options changes nothing", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), options, (values, given) => {
      const records = new Map<string, KnownSale>();
      const first = importOf(values, given, records);
      const again = importOf(values, given, records);
      expect(again.rows).toEqual([]);
      expect(again.rejected.map((one) => one.line)).toEqual(first.rejected.map((one) => one.line));
      expect(again.skipped).toHaveLength(first.rows.length + first.skipped.length);
    }),
  );
});

it("no line is rejected where its numbers restart at its day and location", () => {
  const unique = fc.uniqueArray(line, {
    maxLength: 12,
    selector: ({ reference_id, day, location_id, ...rest }) =>
      reference_id === undefined
        ? JSON.stringify([day, location_id, rest])
        : `${reference_id} ${day} ${location_id}`,
  });
  fc.assert(
    fc.property(unique, (values) => {
      const { rows, rejected } = importOf(values, { reference_per: ["location", "day"] }, new Map());
      expect(rejected).toEqual([]);
      expect(rows).toHaveLength(values.length);
    }),
  );
});
