import { describe, expect, it } from "vitest";
import { csvLine, withoutFormula } from "./files.ts";

it("quotes what needs to be quoted", () => {
  expect(csvLine(["a", 1, null, "b,c", 'say "d"', " e", "f\ng"])).toBe(
    'a,1,,"b,c","say ""d"""," e","f\ng"\n',
  );
});

describe("text that a spreadsheet would run", () => {
  it.each(["=1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "+1+1", "-cmd|' /C calc'!A0", "-", "+34 600"])(
    "is marked: %j",
    (text) => expect(withoutFormula(text)).toBe(`'${text}`),
  );

  it.each(["+34600111222", "-12.50", "-5", "2026-04-17", "a=b", "'quoted", "", -5, null, true])(
    "is not %j",
    (value) => expect(withoutFormula(value)).toBe(value),
  );
});
