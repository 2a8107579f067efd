import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rareParts } from "./search-parts.ts";

const members = Array.from(
  { length: 200 },
  (_, nth) => `${["ana", "eva"][nth % 2]} garcia\n+3460000${1000 + nth}\nmember.${nth}@example.com`,
);

describe("the parts of a search that an index is asked for", () => {
  it("leaves out what most texts have", () => {
    expect(rareParts("member.123@example.com", members)).toEqual(["123@"]);
    expect(rareParts("+34600001123", members)).toEqual(["123"]);
  });

  it("leaves out what narrows nothing down further", () => {
    const sample = [...members, ...Array.from({ length: 5 }, () => "lucia fernandez\n+34\n")];
    expect(rareParts("lucia fernandez", sample)).toHaveLength(1);
  });

  it("has none where an index is of no use", () => {
    for (const search of ["a", "mu", "garcia", "example.com", "+34", "a.b-c", "--- ---"]) {
      expect(rareParts(search, members)).toEqual([]);
    }
  });

  it("takes the whole search without a sample, if it has any use", () => {
    expect(rareParts("example.com", [])).toEqual(["example.com"]);
    expect(rareParts("mu", [])).toEqual([]);
  });

  it("gives only parts of the search, in their order and side by side", () => {
    const letters = fc.string({
      unit: fc.constantFrom("a", "b", "ñ", "1", ".", " ", "%", "👋"),
      maxLength: 14,
    });
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 30 }), (search, sample) => {
        let rest = search;
        for (const part of rareParts(search, sample)) {
          expect(rest).toContain(part);
          rest = rest.slice(rest.indexOf(part) + part.length);
        }
      }),
    );
  });
});
