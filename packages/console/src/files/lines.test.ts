import { expect, it } from "vitest";
import { lineOf } from "./lines.ts";

it.each([
  ["12.50", "12.50"],
  ["-12.50", "-12.50"],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["+34600111222", "'+34600111222"],
  ["-2+3", "'-2+3"],
  ["@a", "'@a"],
  ['say "no", twice', '"say ""no"", twice"'],
  ["two\nlines", '"two\nlines"'],
  ["", ""],
])("writes %j as %j", (text, cell) => {
  expect(lineOf([text, "next"])).toBe(`${cell},next`);
});
