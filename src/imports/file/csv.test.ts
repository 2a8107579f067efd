import { Readable } from "node:stream";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecords } from "./csv.ts";

/** Reads a text, in parts of a few bytes. */
async function recordsOf(text: string, size = 7, delimiter = ",") {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
    bytes.subarray(nth * size, (nth + 1) * size),
  );
  const records: object[] = [];
  for await (const some of readRecords(Readable.from(parts), delimiter)) {
    records.push(...some.map((record) => ({ ...record, raw: record.raw.toString() })));
  }
  return records;
}

it("knows the lines of records, also behind empty lines and line breaks in quotes", async () => {
  expect(await recordsOf('\n\na,b\r\n\r\n1,"x\ny\nz"\n,\n\n2,c')).toEqual([
    { line: 3, lastLine: 3, fields: ["a", "b"], isBroken: false, raw: "a,b" },
    { line: 5, lastLine: 7, fields: ["1", "x\ny\nz"], isBroken: false, raw: '1,"x\ny\nz"' },
    { line: 10, lastLine: 10, fields: ["2", "c"], isBroken: false, raw: "2,c" },
  ]);
});

it("knows records with text behind a quoted field of several lines, which can be another record", async () => {
  const text = 'A,"great,1\nB,"nails",2\nC,"5"x,3\nD,"x\ny" ,4\nE,"a\nb""c" d,5\n';
  expect(await recordsOf(text)).toMatchObject([
    { line: 1, lastLine: 2, isBroken: true },
    { line: 3, isBroken: false },
    { line: 4, lastLine: 5, isBroken: false },
    { line: 6, lastLine: 7, isBroken: true },
  ]);
});

it('reads ="00123" as the text that it keeps', async () => {
  const fields = ["00123", '="x', "8"];
  expect(await recordsOf('="00123",="x,"=""8"""')).toMatchObject([{ fields }]);
});

describe("a file that is larger than memory", () => {
  /** Reads a file that begins with a text and goes on without an end. @returns the error, and how much of the file was read */
  async function failureOf(beginning: string, rest: string) {
    const part = Buffer.from(rest.repeat(Math.ceil(65_536 / rest.length)));
    let bytes = 0;
    function* parts() {
      yield Buffer.from(beginning);
      for (; bytes < 300_000_000; bytes += part.length) yield part;
    }
    const reading = async () => {
      for await (const _ of readRecords(Readable.from(parts(), { objectMode: false }), ","));
    };
    return reading().then(
      () => undefined,
      ({ message }: Error) => ({ message, megabytes: Math.ceil(bytes / 1e6) }),
    );
  }

  it.each([
    [
      "a line without an end",
      "x",
      "Line 3 is longer than 1 MB. Is a quote not closed, or is this no CSV file?",
    ],
    [
      "a line of many columns",
      "x,",
      "Line 3 is longer than 1 MB. Is a quote not closed, or is this no CSV file?",
    ],
    [
      "a line of delimiters",
      ",",
      "Line 3 is longer than 1 MB. Is a quote not closed, or is this no CSV file?",
    ],
    ["a line of blanks", " ", "Line 3 is longer than 1 MB. Is a quote not closed, or is this no CSV file?"],
    [
      "a quote without an end",
      '"x',
      "Line 3 is longer than 1 MB. Is a quote not closed, or is this no CSV file?",
    ],
    ["a quote over lines without an end", "x\n", "A quote that begins in line 3 or later is not closed."],
  ])("fails at %s, and names it", async (what, rest, message) => {
    const beginning = what.includes("over lines") ? 'a,b\n1,2\n"' : "a,b\n1,2\n";
    const failure = await failureOf(beginning, rest);
    expect(failure).toEqual({ message, megabytes: expect.any(Number) });
    expect(failure?.megabytes).toBeLessThan(6);
  });

  it("keeps no empty lines in memory", async () => {
    const empty = Buffer.alloc(65_536, "\n");
    const parts = [...Array.from({ length: 80 }, () => empty), Buffer.from("a,b\n")];
    const found: object[] = [];
    for await (const some of readRecords(Readable.from(parts), ","))
      found.push(...some.map(({ raw, line }) => [raw.toString(), line, raw.buffer.byteLength < 1_000_000]));
    expect(found).toEqual([["a,b", 80 * 65_536 + 1, true]]);
  });
});

it("reads records as the package csv-parse does", async () => {
  const part = fc.constantFrom('"', '"', ",", ",", ";", "\n", "\r\n", "\r", "a", "é", " ", "b1", "\t");
  const delimiters = fc.constantFrom([",", ","], [";", ";"], ["whitespace", " ", "\t"]);
  const texts = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(texts, delimiters, fc.integer({ min: 1, max: 5 }), async (text, given, size) => {
      const [name = "", ...delimiter] = given;
      const cellsOf = (record: string[]) =>
        (name === "whitespace" ? record.filter((cell) => cell !== "") : record).map((cell) => cell.trim());
      const settings = {
        bom: true,
        delimiter,
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
      };
      const parsed = () => parse(text, { ...settings, relax_quotes: true, skip_empty_lines: true });
      const isOpen = recordsOf(text, size, name).then(
        () => false,
        () => true,
      );
      if (await isOpen) {
        expect(parsed).toThrow("Quote Not Closed");
        return;
      }
      const found = (await recordsOf(text, size, name)) as { fields: string[] }[];
      const expected = (parsed() as string[][]).map(cellsOf);
      expect(found.map(({ fields }) => fields)).toEqual(
        expected.filter((cells) => cells.some((cell) => cell)),
      );
    }),
    { numRuns: 2000 },
  );
});
