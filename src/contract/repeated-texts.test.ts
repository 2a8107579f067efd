import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import * as fields from "./fields.ts";
import { validatorOf } from "./validation.ts";

const words = Type.Array(fields.sku, { uniqueItems: true });
const schema = Type.Object({
  skus: Type.Optional(words),
  rates: Type.Optional(Type.Array(Type.Object({ categories: words }))),
  free: Type.Optional(Type.Array(fields.sku)),
  kinds: Type.Optional(Type.Array(Type.Enum(["a", "b"]), { uniqueItems: true })),
  ids: Type.Optional(Type.Array(fields.tierId, { uniqueItems: true })),
});
const validate = validatorOf(schema);
const failures = (body: Record<string, unknown>) => validate(body).failures;
const twice = (field: string, text: string) => ({
  ...{ field, code: "not_allowed_value" },
  message: `${field} must not contain "${text}" twice: case and outer blanks don't matter.`,
});

describe("a list of texts that must differ", () => {
  it("has none twice, as rules compare them", () => {
    expect(failures({ skus: ["Coffee", "tea", " COFFEE"] })).toEqual([twice("skus", "COFFEE")]);
    expect(failures({ skus: ["Straße", "tea", "tea "] })).toEqual([twice("skus", "tea")]);
    expect(failures({ skus: ["tea", "tea"] })).toEqual([twice("skus", "tea")]);
    expect(failures({ rates: [{ categories: ["a"] }, { categories: ["a", "b", "A"] }] })).toEqual([
      twice("rates.1.categories", "A"),
    ]);
  });

  it("may have the same text as another list, and other lists may have a text twice", () => {
    const rates = [{ categories: ["a"] }, { categories: ["a"] }];
    expect(failures({ skus: ["a", "b"], rates, free: ["a", "a"], kinds: ["a", "b"], ids: [1, 2] })).toEqual(
      [],
    );
  });

  it("is told besides other failures, and a list of something else only once", () => {
    expect(failures({ skus: ["a", "A"], ids: ["x"] }).map(({ field }) => field)).toEqual(["skus", "ids.0"]);
    expect(
      failures({ skus: ["a", 1, "a"], rates: "none" })
        .map(({ field }) => field)
        .sort(),
    ).toEqual([...["rates", "skus", "skus.1"]]);
  });
});
