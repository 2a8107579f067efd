import { Compile } from "typebox/compile";
import { describe, expect, it } from "vitest";
import { exampleOf, publishedSchema } from "../../tools/docs/schemas.ts";
import { operatorOperations, partnerOperations } from "../operations/operations.ts";
import { fields, Type } from "./declare.ts";
import { afterErasure, hasPersonalData, personalFieldsOf } from "./personal.ts";

const operations = [...partnerOperations, ...operatorOperations];
const changes = operations.filter(({ kind }) => kind === "write" || kind === "posting");
const withPersonalData = changes.filter(({ output }) => hasPersonalData(output));

describe("the responses of changes", () => {
  it("have personal data in some", () => {
    expect(withPersonalData.map(({ path }) => path)).toContain("/sp/members/create");
  });

  it.each(withPersonalData)("$path names the one member that it is about, and is no posting", (operation) => {
    // The event of a posting has the data of the response, and events are never erased.
    expect(operation.kind).toBe("write");
    expect(operation.output).toMatchObject({ properties: { contact_id: fields.contactId } });
  });

  it.each(withPersonalData)(
    "$path still has its form after an erasure, and no personal value",
    ({ output }) => {
      const before = exampleOf(publishedSchema(output));
      const after = afterErasure(output, before) as Record<string, unknown>;
      expect(Compile(output).Check(after)).toBe(true);
      for (const name of personalFieldsOf(output))
        expect([name, after[name]]).not.toEqual([name, (before as Record<string, unknown>)[name]]);
      expect(after.contact_id).toBe((before as Record<string, unknown>).contact_id);
    },
  );
});

const note = Type.Object({
  contact_id: fields.contactId,
  notes: Type.Array(
    Type.Object({ text: fields.personal(fields.text(99, "The note.", "Likes tea")), day: fields.day("") }),
  ),
  author: Type.Union([Type.Object({ name: fields.firstName }), Type.Null()]),
  email: fields.nullableEmail,
});

it("is found and erased in lists, in objects and beside null", () => {
  expect(personalFieldsOf(note)).toEqual(new Set(["text", "name", "email"]));
  const value = {
    contact_id: 7,
    notes: [{ text: "Likes tea", day: "2026-01-01" }],
    author: { name: "Ana" },
    email: "ana@example.com",
  };
  const after = { contact_id: 7, notes: [{ text: "Erased", day: "2026-01-01" }], author: null, email: null };
  expect(afterErasure(note, value)).toEqual(after);
  expect(afterErasure(note, after)).toEqual(after);
});
