import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine, withoutFormula, withoutMark } from "./csv.ts";

it("quotes what needs to be quoted", () => {
  expect(csvLine(["a", 1, null, undefined, true, "b,c", 'say "d"', " e", "f\ng", "h;i", { j: 1 }])).toBe(
    'a,1,,,true,"b,c","say ""d"""," e","f\ng","h;i","{""j"":1}"',
  );
});

describe("text that a spreadsheet would run", () => {
  it.each([
    ...["=1+1", "@SUM(A1)", "+1+1", "-cmd|' /C calc'!A0", "-", "+34 600"],
    ...["＝1+1", "＋1", "－1+1", "＠SUM(A1)", " =1+1", "\u00a0=1", "\u3000＝1", "\ufeff=1", '"=1+1"', "\tx"],
  ])("is marked: %j", (text) => {
    expect(withoutFormula(text)).toBe(`'${text}`);
    expect(csvLine([text], { exact: true })).not.toContain("'".concat(text));
  });

  it.each([
    ["x;=1+1", "x;'=1+1"],
    ["x; ＝1+1", "x;' ＝1+1"],
    ['x;"=1+1', "x;'\"=1+1"],
    ["x\n=1+1", "x\n'=1+1"],
    ["x\t@SUM(A1)", "x\t'@SUM(A1)"],
    ["=1;-2", "'=1;'-2"],
    ["\t=1+1", "'\t'=1+1"],
    ["\r=1+1", "'\r'=1+1"],
  ])("is marked where a cell begins with another delimiter: %j", (text, safe) => {
    expect(withoutFormula(text)).toBe(safe);
  });

  it.each(["+34600111222", "-12.50", "-5", "2026-04-17", "a=b", "'quoted", "", "Pan, -20%", "a; b", "x - y"])(
    "is not %j",
    (text) => expect(withoutFormula(text)).toBe(text),
  );

  const part = fc.constantFrom(
    ...["=", "+", "-", "@", "＝", "－", '"', "'", ";", ",", "\t", "\r", "\n", " ", "\u00a0", "a", "1", "ñ"],
  );
  const text = fc.string({ unit: part, maxLength: 12 });

  it("begins no cell, whichever delimiter a spreadsheet expects", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        for (const delimiter of [",", ";", "\t", [",", ";", "\t"]]) {
          const options = { delimiter, relax_quotes: true, relax_column_count: true };
          let cells: string[];
          try {
            cells = (parse(csvLine(texts), options) as string[][]).flat();
          } catch {
            // What is no CSV with this delimiter is split at each of them.
            cells = csvLine(texts).split(/[;\t\r\n]/);
          }
          for (const cell of cells) {
            if (/^[+-]\d+$/.test(cell)) continue;
            expect(cell, JSON.stringify({ texts, delimiter })).not.toMatch(/^[\s"]*[=+@\-＝＋＠－]/);
          }
        }
      }),
    );
  });

  it("has its mark removed by an import, and is as it was with the option for that", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (texts) => {
        const options = { relax_quotes: true, record_delimiter: "\u0000" };
        expect(parse(csvLine(texts, { exact: true }), options)).toEqual([texts]);
        expect(parse(csvLine(texts), options)).toEqual([texts.map(withoutFormula)]);
      }),
    );
    for (const name of [
      "-",
      "=x",
      "＝x",
      "+34600",
      "0123",
      "plain",
      "x;=1+1",
      "a\n@b",
      "\tx",
      "\r",
      "a;=b;=c",
    ]) {
      expect(withoutMark(withoutFormula(name))).toBe(name);
    }
    expect(withoutMark("'0123")).toBe("0123");
    expect(withoutMark("'s Gravenhage")).toBe("'s Gravenhage");
  });
});
