import { Type } from "typebox";
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
  },
  { additionalProperties: false },
);
const { accepts, failures } = validatorOf(schema);

describe("a validator", () => {
  it("accepts what the schema allows", () => {
    for (const body of [{ name: "n" }, { name: "n", count: 9, list: ["a", "a"], kind: "y" }]) {
      expect(accepts(body)).toBe(true);
      expect(failures(body)).toEqual([]);
    }
  });

  const refused: [body: object, field: string, code: string, message: string][] = [
    [{}, "name", "required", "name is required."],
    [{ name: "" }, "name", "too_short", "name must have at least 1 character."],
    [{ name: " " }, "name", "too_short", "name must not be blank."],
    [{ name: "n".repeat(256) }, "name", "too_long", "name must have at most 255 characters."],
    [{ name: "a\n" }, "name", "invalid_format", "name must be text without control characters."],
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
    [{ name: "n", other: 1 }, "other", "unknown_field", "other is not a field of this operation."],
    [{ name: "n", "a/b~c": 1 }, "a/b~c", "unknown_field", "a/b~c is not a field of this operation."],
  ];
  it.each(refused)("says of %j what is wrong", (body, field, code, message) => {
    expect(accepts(body)).toBe(false);
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

  it("reports hundreds of failures as well", () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, 1]));
    expect(failures({ name: "n", ...body })).toHaveLength(500);
  });
});
