import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine } from "../../domain/csv.ts";
import { wrongFile } from "../../domain/imports/wrong-file.ts";
import { decodingOf, findDelimiter } from "./text.ts";

describe("the text between columns", () => {
  it.each([
    ["a,b\n1,2\n", ","],
    ["a;b\n1;2\n", ";"],
    ["a\tb\n1\t2\n", "\t"],
    ["a|b\r\n1|2\r\n", "|"],
    ["sep=;\r\na;b\n", ";"],
    ["\ufeffa;b\n1;2\n", ";"],
    // Decimals and names with commas.
    ["nom;montant\nAna;12,50\nBo;3,20\n", ";"],
    ["Nom, prénom;Montant\nRuiz, Ana;12,50\nLi;3\n", ";"],
    ["Nom, prénom;Montant\nRuiz Ana;12,50\nLi Bo;3,20\n", ";"],
    ["name,tags\nAna,x;y;z\nBo,u;v\n", ","],
    ['"a;b",c,d\n"1;2",3,4\n', ","],
    ['a,b\n"x\n;y;",2\n', ","],
    ["a,b,c\n1;5,2\n2;5\n", ","],
    ["Informe de ventas\nDel 1 al 31, 2026\n\nFecha;Total;Nota\n1/1;2,50;x\n2/1;3,50;y\n", ";"],
    ["a,b\n1;2;3;4\n", ","],
    ["a;b", ";"],
    ["a", ","],
    ["", ","],
  ])("of %j is %j", (text, delimiter) => expect(findDelimiter(text)).toBe(delimiter));

  it("is a comma in every file that the service exports", () => {
    const cell = fc.string({ unit: fc.constantFrom(...'ab;\t\n",| 1'), maxLength: 8 });
    const row = fc.tuple(cell, cell, cell).filter((cells) => cells.some((one) => one !== ""));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const text = [["first_name", "amount", "note"], ...rows]
          .map((cells) => `${csvLine(cells)}\n`)
          .join("");
        expect(findDelimiter(text)).toBe(",");
      }),
    );
  });
});

it.each([
  ["\x89PNG\r\n", "a picture"],
  ["\xff\xd8\xff\xe0", "a picture"],
  ["%PDF-1.7", "a PDF document"],
  ["PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", "a spreadsheet"],
  ["\xd0\xcf\x11\xe0\xa1\xb1", "a spreadsheet"],
  ["<html><table>", "a web page or XML"],
  ['[{"id": 1}]', "JSON"],
])("%j is no CSV but %s", (text, what) => {
  expect(wrongFile(Buffer.from(text, "latin1"))).toContain(`The file is ${what}, not a CSV file.`);
});

it.each(["name,phone\n", "\ufeffname;phone\n", "PKW;Preis\n", "", "<5;x\n"])("%j can be CSV", (text) => {
  expect(wrongFile(Buffer.from(text))).toBeUndefined();
});

it("a byte order mark says more than the choice", () => {
  expect(decodingOf(Buffer.from("\ufeffa", "utf16le"), "UTF-8")).toBe("utf-16le");
  expect(decodingOf(Buffer.from("\ufeffa"), "Windows-1252")).toBe("utf-8");
  expect(decodingOf(Buffer.from("a"), "Windows-1252")).toBe("windows-1252");
});
