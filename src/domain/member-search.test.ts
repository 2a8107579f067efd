import fc from "fast-check";
import { expect, it } from "vitest";
import { wordingsOf } from "./member-search.ts";
import { fold } from "./text.ts";

const wordsOf = (search: string) => wordingsOf(search).map(({ words }) => words.join(" "));

it.each([
  ["Ana  López", ["ana lopez"]],
  [" Weiß ", ["weiss"]],
  ["+34600111222", ["+34600111222"]],
  ["600111222", ["600111222"]],
  ["0034600111222", ["0034600111222", "+34600111222"]],
  ["+34 600 111 222", ["+34 600 111 222", "+34600111222"]],
  ["0034 (600) 111-222", ["0034 (600) 111-222", "+34600111222"]],
  ["ana 600 111", ["ana 600 111", "ana 600111"]],
  ["600 ana 111", ["600 ana 111"]],
  ["00", ["00"]],
  ["0012", ["0012", "+12"]],
  ["-", ["-"]],
  ["a-1", ["a-1"]],
])("reads %j as %j", (search, wordings) => {
  expect(wordsOf(search)).toEqual(wordings);
});

it.each([
  ["iglesias", ["iglesias"]],
  ["ana lopez", ["lopez", "ana"]],
  ["+34600111222", ["00111222"]],
  ["member.495686@example.com", ["r.495686"]],
  ["a@example.com", ["mple.com"]],
  ["@example", ["@example"]],
  ["io", []],
  ["a.b.c", []],
  ["one three four five", ["three", "four", "five"]],
])("looks up of %j the parts %j", (search, parts) => {
  expect(wordingsOf(search)[0]?.indexed).toEqual(parts);
});

it("looks up parts of the words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (search) => {
      for (const { words, indexed } of wordingsOf(search)) {
        for (const part of indexed) expect(words.some((word) => word.includes(part))).toBe(true);
      }
      expect(wordsOf(search)[0]).toBe(fold(search).split(/\s+/u).join(" ").trim());
    }),
  );
});

it("finds a phone number however its digits are grouped", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
  const gaps = fc.array(fc.constantFrom("", " ", "-", ".", "  "), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(digits, gaps, fc.constantFrom("+", "00", "+ ", "00 "), (number, between, prefix) => {
      const written = prefix + [...number].map((digit, index) => digit + between[index]).join("");
      expect(wordsOf(written.trim()).at(-1)).toBe(`+${number}`);
    }),
  );
});
