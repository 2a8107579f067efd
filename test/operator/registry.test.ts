/** The operator operations as declared: they describe themselves and their fields. */
import { describe, expect, it } from "vitest";
import { bodyOf } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operator.ts";

/** Every schema in a schema, with where it lies. */
function* schemasIn(schema: object, place: string): Generator<[string, Record<string, unknown>]> {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  for (const [name, field] of Object.entries(properties)) {
    yield [`${place}.${name}`, field as Record<string, unknown>];
    yield* schemasIn(field, `${place}.${name}`);
  }
  if (items !== undefined) yield* schemasIn(items, `${place}[]`);
}

describe.each(operatorOperations)("$path", (operation) => {
  it("is the operator's", () => {
    expect(operation).toMatchObject({ scope: "operator" });
  });

  it("says what it is, and what each field is, with an example", () => {
    for (const text of [operation.summary, operation.description, operation.message]) {
      expect(text.trim()).toBe(text);
      expect(text).not.toBe("");
    }
    for (const [place, schema] of [
      ...schemasIn(bodyOf(operation), "request"),
      ...schemasIn(operation.output, "answer"),
    ]) {
      if ("properties" in schema) continue;
      expect(schema.description, place).toMatch(/\.$/);
      const [first] = (schema.anyOf ?? [schema]) as [{ examples?: unknown }];
      if (!("items" in schema)) expect(schema.examples ?? first.examples, place).toHaveLength(1);
    }
  });
});
