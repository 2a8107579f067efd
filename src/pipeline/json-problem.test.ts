import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJsonObject } from "./json.ts";
import { jsonProblem } from "./json-problem.ts";

const problemOf = (text: string) => jsonProblem(Buffer.from(text));

it.each([
  ['{"a": 1,}', { reason: "syntax", line: 1, column: 9 }],
  ['{\n  "a": NaN\n}', { reason: "syntax", line: 2, column: 8 }],
  ["{'a': 1}", { reason: "syntax", line: 1, column: 2 }],
  ['{"a": 1} {}', { reason: "syntax", line: 1, column: 10 }],
  ['{"a": 1', { reason: "syntax", line: 1, column: 8 }],
  ['{"a": "x\ty"}', { reason: "syntax", line: 1, column: 7 }],
  ['{"a": 1, "b": 2, "a": 3}', { reason: "duplicate_name", line: 1, column: 18 }],
  ['{"a": 1, "\\u0061": 3}', { reason: "duplicate_name", line: 1, column: 10 }],
  ['{"__proto__": 1}', { reason: "forbidden_name", line: 1, column: 2 }],
  [`{"a": ${"[".repeat(16)}${"]".repeat(16)}}`, { reason: "too_deep", line: 1, column: 22 }],
  ["[1, 2]", { reason: "not_an_object" }],
  ["null", { reason: "not_an_object" }],
  ["", { reason: "empty" }],
  [" \n", { reason: "empty" }],
  ["a=1&b=2", { reason: "syntax", line: 1, column: 1 }],
])("says what is wrong with %j, and where", (text, problem) => {
  expect(parseJsonObject(Buffer.from(text))).toBe("malformed");
  expect(problemOf(text)).toEqual(problem);
});

it("names bytes that are not UTF-8, and a byte order mark", () => {
  expect(jsonProblem(Buffer.from('{"a": "caf\xe9"}', "latin1"))).toEqual({ reason: "not_utf8" });
  expect(problemOf("\ufeff{}")).toEqual({ reason: "byte_order_mark" });
});

it("finds a place in whatever JSON.parse rejects, and none in what it accepts", () => {
  const json = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.json({ maxDepth: 3 }).map((text) => text.slice(0, -1)),
    fc.string(),
  );
  fc.assert(
    fc.property(json, fc.nat(20), fc.constantFrom("", ",", "}", '"', "\\", "1", " "), (text, at, extra) => {
      const changed = text.slice(0, at) + extra + text.slice(at);
      let isJson = true;
      try {
        JSON.parse(changed);
      } catch {
        isJson = false;
      }
      const { reason } = problemOf(changed);
      if (reason === "duplicate_name" || reason === "forbidden_name" || reason === "too_deep") return;
      expect(["syntax", "empty"].includes(reason)).toBe(!isJson || changed.trim() === "");
    }),
  );
});
