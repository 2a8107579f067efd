import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, payloadOf } from "./idempotency.ts";

/** The same value with the members of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reordered(member)]));
}

/** What a request can hold: parsed JSON. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe("canonicalJson", () => {
  it("says the same value whatever the order of its members and the white space", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 8 }), (value, indent) => {
        const other = JSON.parse(JSON.stringify(reordered(value), null, indent)) as unknown;
        expect(canonicalJson(other)).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of an equal value, so that different values differ", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it.each([
    ['{"b":1,"a":[{"d":2,"c":null}]}', '{"a":[{"c":null,"d":2}],"b":1}'],
    ['{"amount":5.0}', '{"amount":5}'],
    ['{"amount":1e2}', '{"amount":100}'],
    ['{"amount":-0}', '{"amount":0}'],
    ['{"\\u0061":"\\u0062"}', '{"a":"b"}'],
    ['{"é":1,"e":2,"10":3,"9":4}', '{"10":3,"9":4,"e":2,"é":1}'],
  ])("makes of %s: %s", (text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });

  it("keeps the order of an array and the type of a value", () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: "1" }));
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });
});

it("tells payloads apart by operation and body, never by the key", () => {
  const body = { contact_id: 1, amount: 5 };
  const payload = payloadOf("/sp/wallet/adjust", { idempotency_key: "one", ...body });
  expect(payloadOf("/sp/wallet/adjust", { ...body, idempotency_key: "two" })).toBe(payload);
  expect(payloadOf("/sp/reward-points/adjust", body)).not.toBe(payload);
  expect(payloadOf("/sp/wallet/adjust", { ...body, amount: 6 })).not.toBe(payload);
});
