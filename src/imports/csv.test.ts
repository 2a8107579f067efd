import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readRecords } from "./csv.ts";

/** Reads a text, in parts of a few bytes. */
async function recordsOf(text: string, size = 7) {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
    bytes.subarray(nth * size, (nth + 1) * size),
  );
  const records: object[] = [];
  for await (const some of readRecords(Readable.from(parts), ",")) {
    records.push(...some.map((record) => ({ ...record, raw: record.raw.toString() })));
  }
  return records;
}

it("knows the lines of records, also behind empty lines and line breaks in quotes", async () => {
  expect(await recordsOf('\n\na,b\r\n\r\n1,"x\ny\nz"\n,\n\n2,c')).toEqual([
    { line: 3, lastLine: 3, fields: ["a", "b"], raw: "a,b" },
    { line: 5, lastLine: 7, fields: ["1", "x\ny\nz"], raw: '1,"x\ny\nz"' },
    { line: 10, lastLine: 10, fields: ["2", "c"], raw: "2,c" },
  ]);
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
