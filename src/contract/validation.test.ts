import fc from "fast-check";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { describe, expect, it } from "vitest";
import * as fields from "./fields.ts";
import { validatorOf } from "./validation.ts";

const schema = Type.Object(
  {
    name: fields.tierName,
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    list: Type.Optional(Type.Array(Type.Enum(["a", "b"]), { minItems: 1, maxItems: 2 })),
    kind: Type.Optional(Type.Enum(["x", "y"])),
    day: Type.Optional(fields.day("A day.")),
    time: Type.Optional(fields.sandboxTime("A time.")),
    unit: Type.Optional(fields.nullable(fields.periodUnit, "A unit or null.")),
  },
  { additionalProperties: false },
);
const validate = validatorOf(schema);
const failures = (body: Record<string, unknown>) => validate(body).failures;

describe("a validator", () => {
  it("accepts what the schema allows", () => {
    for (const body of [{ name: "n" }, { name: "n", count: 9, list: ["a", "a"], kind: "y" }]) {
      expect(failures(body)).toEqual([]);
    }
  });

  const rejected: [body: object, field: string, code: string, message: string][] = [
    [{}, "name", "required", "name is required."],
    [{ name: "" }, "name", "too_short", "name must have at least 1 character."],
    [{ name: " " }, "name", "too_short", "name must contain a visible character."],
    [{ name: "n".repeat(256) }, "name", "too_long", "name must have at most 255 characters."],
    [{ name: "\u200b" }, "name", "too_short", "name must contain a visible character."],
    [
      { name: "a\n" },
      "name",
      "invalid_format",
      "name must be text without control characters or bidirectional overrides.",
    ],
    [{ name: 5 }, "name", "invalid_type", "name must be a string."],
    [{ name: "n", count: 0 }, "count", "out_of_range", "count must be at least 1."],
    [{ name: "n", count: 10 }, "count", "out_of_range", "count must be at most 9."],
    [{ name: "n", count: "5" }, "count", "invalid_type", "count must be an integer."],
    [{ name: "n", list: [] }, "list", "too_short", "list must have at least 1 item."],
    [{ name: "n", list: ["a", "b", "a"] }, "list", "too_long", "list must have at most 2 items."],
    [{ name: "n", list: "a" }, "list", "invalid_type", "list must be an array."],
    [{ name: "n", list: ["a", "c"] }, "list.1", "not_allowed_value", "list.1 must be one of: a, b."],
    [{ name: "n", list: [5] }, "list.0", "invalid_type", "list.0 must be a string."],
    [{ name: "n", kind: "z" }, "kind", "not_allowed_value", "kind must be one of: x, y."],
    [{ name: "n", kind: null }, "kind", "invalid_type", "kind must be a string."],
    [
      { name: "n", day: "2023-02-29" },
      "day",
      "invalid_format",
      "day must be a date that exists, as YYYY-MM-DD.",
    ],
    [
      { name: "n", time: "2027-01-01 10:00" },
      "time",
      "invalid_format",
      "time must be a day or a time that exists, as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS.",
    ],
    [
      { name: "n", unit: "eon" },
      "unit",
      "not_allowed_value",
      "unit must be one of: day, week, month, year, or null.",
    ],
    [{ name: "n", other: 1 }, "other", "unknown_field", "other is not a field of this operation."],
    [{ name: "n", "a/b~c": 1 }, "a/b~c", "unknown_field", "a/b~c is not a field of this operation."],
  ];
  it.each(rejected)("says of %j what is wrong", (body, field, code, message) => {
    expect(failures(body as Record<string, unknown>)).toEqual([{ field, code, message }]);
  });

  it("reports every failure, one for each field", () => {
    const body = { count: 0.5, list: ["c", null], kind: 5, day: "", other: 1, another: 2 };
    expect(
      failures(body)
        .map(({ field, code }) => `${field} ${code}`)
        .sort(),
    ).toEqual([
      "another unknown_field",
      "count invalid_type",
      "day too_short",
      "kind invalid_type",
      "list.0 not_allowed_value",
      "list.1 invalid_type",
      "name required",
      "other unknown_field",
    ]);
  });

  it.each([500, 999, 1000, 1001, 5000])("reports %d unknown fields, and what else is wrong", (unknown) => {
    const body = Object.fromEntries(Array.from({ length: unknown }, (_, index) => [`field_${index}`, 1]));
    expect(failures({ name: "n", ...body })).toHaveLength(unknown);
    const wrong = failures({ ...body, name: 5, count: 10 });
    expect(wrong.slice(-2).map(({ field, code }) => `${field} ${code}`)).toEqual([
      "name invalid_type",
      "count out_of_range",
    ]);
    expect(wrong).toHaveLength(unknown + 2);
  });

  it("rejects a list of thousands of wrong items, and what comes after it", () => {
    const body = { name: "n", list: Array.from({ length: 5000 }, () => 1), other: 1 };
    const rejected = failures(body).map(({ field }) => field);
    expect(rejected.sort()).toEqual(["list", "list.0", "list.1", "list.2", "other"]);
  });

  it("names an unknown field that has no name, or one with a dot", () => {
    expect(failures({ name: "n", "": 1, "count.x": 1 })).toEqual([
      { field: "", code: "unknown_field", message: '"" is not a field of this operation.' },
      { field: "count.x", code: "unknown_field", message: "count.x is not a field of this operation." },
    ]);
  });

  it("shows the beginning of a long name, and no characters that hide others", () => {
    const sent = { name: "n", ["a".repeat(60_000)]: 1, ["😀".repeat(256)]: 1, "a\nb\u202ec\ud800": 1 };
    expect(failures(sent).map(({ field }) => field)).toEqual([
      `${"a".repeat(254)}…`,
      `${"😀".repeat(254)}…`,
      "a\ufffdb\ufffdc\ufffd",
    ]);
  });

  it("finds no failure exactly when the schema allows the body", () => {
    const value = fc.oneof(
      fc.constantFrom("a", "x", "n", "", 1, 9, 10, 0.5, null, "2024-02-29"),
      fc.jsonValue(),
    );
    const body = fc.dictionary(
      fc.oneof(fc.constantFrom("name", "count", "list", "kind", "day"), fc.string()),
      value,
    );
    fc.assert(
      fc.property(body, (candidate) => {
        expect(failures(candidate).length === 0).toBe(Value.Check(schema, candidate));
      }),
    );
  });
});
