import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { addToMapping, findColumns, type ImportKind, importKinds } from "./columns.ts";
import { readRecords } from "./file.ts";
import { HashTable, lineMaker, uniqueValues } from "./lines.ts";

const [members, sales] = importKinds as [ImportKind, ImportKind];

/** The lines of a file without a header. */
async function linesOf(
  kind: ImportKind,
  names: string[],
  text: string,
  { delimiter = ",", batch = undefined as string | undefined } = {},
) {
  const columns = findColumns(kind, names);
  const toLine = lineMaker(kind, columns, names.length, batch);
  const lines: ReturnType<typeof toLine>[] = [];
  const records = readRecords(Readable.from([Buffer.from(text)]), delimiter, new AbortController().signal);
  for await (const record of records) lines.push(toLine(record));
  return lines;
}

const names = ["external_ref", "sold_at", "amount"];
const digests = async (text: string, kind = sales, columns = names, batch?: string) =>
  (await linesOf(kind, columns, text, { batch })).map(({ line }) => line?.digest);

describe("the digest of a line", () => {
  const text = "A,2025-01-01,5\nA,2025-01-01,5\nB,2025-01-02,7\n";

  it("is the same for the same file, and another for equal lines of it", async () => {
    const found = await digests(text);
    expect(await digests(text)).toEqual(found);
    expect(new Set(found).size).toBe(3);
    for (const digest of found) expect(digest).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is this one, for lines that an earlier release imported", async () => {
    expect(await digests(text)).toMatchInlineSnapshot(`
      [
        "36bd0d72d4fbb9014141bf0c4a5dff52",
        "e4f80bc578faec0983642b07b2ead731",
        "04557aa2d58e2286ed386711fa3b8a05",
      ]
    `);
  });

  it("does not depend on line ends, quotes and empty lines", async () => {
    expect(await digests('"A",2025-01-01,5\r\n\r\nA,2025-01-01,"5"\r\nB,2025-01-02,7')).toEqual(
      await digests(text),
    );
  });

  it("stays when other lines are mended, added, removed or sorted", async () => {
    const found = await digests(text);
    const others = `C,2025-01-03,9\nB,2025-01-02,8\n${text.split("\n").toReversed().join("\n")}`;
    expect((await digests(others)).toSorted()).toEqual(expect.arrayContaining(found));
    expect(await digests("B,2025-01-02,7\nA,2025-01-01,5\n")).toEqual([found[2], found[0]]);
    expect((await digests(text.replace("B,", "A,"))).slice(0, 2)).toEqual(found.slice(0, 2));
  });

  it("is that of a line, whatever a bad line before it holds", async () => {
    const [, good] = await digests("A,2025-01-01,five\nA,2025-01-01,5\n");
    expect(good).toBe((await digests(text))[0]);
  });

  it("depends on what is imported, not on the order of columns and those left out", async () => {
    const columns = ["amount", "note", "sold_at", "external_ref"];
    expect(await digests("5,x,20250101,A\n5,y,2025-01-01,A\n7,z,2025-01-02,B\n", sales, columns)).toEqual(
      await digests(text),
    );
  });

  it("is another under another name of the file, but for lines with a reference", async () => {
    const found = [undefined, "till-1", "till-2"].map((batch) => digests(text, sales, names, batch));
    expect(new Set((await Promise.all(found)).flat()).size).toBe(9);
    const line = "A,2025-01-01,5,R-1\n";
    const columns = [...names, "reference_id"];
    expect(await digests(line, sales, columns, "till-1")).toEqual(await digests(line, sales, columns));
  });

  it("is that of the reference where there is one, wherever the line stands", async () => {
    const columns = [...names, "reference_id"];
    const [first, second] = await digests("A,2025-01-01,5,R-1\nA,2025-01-01,5,R-2\n", sales, columns);
    expect(await digests("x,,1,\nB,2025-02-02,7,R-2\n", sales, columns)).toContain(second);
    expect(first).not.toBe(second);
  });

  it("is another for another kind of import", async () => {
    const columns = ["phone_number", "first_name", "last_name", "sold_at", "amount"];
    const line = "+34600111222,Ana,López,2025-01-01,5\n";
    expect(await digests(line, members, columns)).not.toEqual(await digests(line, sales, columns));
  });
});

describe("a line", () => {
  it("holds what its columns say, and nothing for what is empty", async () => {
    const lines = await linesOf(members, ["phone_number", "first_name", "last_name", "email"], "+1,Ana,,\n");
    expect(lines).toMatchObject([{ line: { line: 1, phone_number: "+1", first_name: "Ana" } }]);
    expect(Object.keys(lines[0]?.line ?? {}).sort()).toEqual([
      "digest",
      "first_name",
      "line",
      "phone_number",
    ]);
  });

  it("is named by the line of the file that it begins at", async () => {
    const columns = ["first_name", "last_name", "phone_number", "note"];
    const text = '\ufeffA,B,+1,"two\nlines"\n\nC,D,+2,\r\n"E ""the"" E",F,+3,x\n';
    const lines = await linesOf(members, columns, text);
    expect(lines.map(({ line }) => line)).toMatchObject([
      { line: 1 },
      { line: 4 },
      { line: 5, first_name: 'E "the" E' },
    ]);
  });

  it("is rejected with every field that is no value", async () => {
    const [found] = await linesOf(sales, [...names, "location_id"], "A,2025-01-01,five,here\n");
    expect(found?.rejections).toEqual([
      { line: 1, field: "amount", message: "amount must be a whole number." },
      { line: 1, field: "location_id", message: "location_id must be a whole number." },
    ]);
    // The service checks the rest of it.
    expect(found?.line).toEqual({
      ...{ line: 1, external_ref: "A", sold_at: "2025-01-01" },
      ...{ digest: "0".repeat(32), unreadable: ["amount", "location_id"] },
    });
  });

  it("is rejected when it has too many columns or too few", async () => {
    expect(await linesOf(sales, names, "A,2025-01-01\nA,2025-01-01,5,6\n")).toMatchObject([
      {
        line: undefined,
        rejections: [{ line: 1, field: "", message: "The line has 2 columns instead of 3." }],
      },
      {
        line: undefined,
        rejections: [{ line: 2, field: "", message: "The line has 4 columns instead of 3." }],
      },
    ]);
  });

  it("is rejected when a quote that is not closed swallows the next", async () => {
    const text = 'A,2025-01-01,5\n"B,2025-01-02,6\nC,2025-01-03,7\n"D",2025-01-04,8\nE,2025-01-05,9\n';
    const lines = await linesOf(sales, names, text);
    expect(lines[0]?.line).toMatchObject({ line: 1, amount: 5 });
    const where = expect.stringMatching(/lines 2 to 4: is a quote/);
    expect(lines[1]?.rejections).toMatchObject([{ line: 2, message: where }]);
    expect(lines.at(-1)?.line).toMatchObject({ line: 5, amount: 9 });
  });

  it("may be separated by any number of blanks", async () => {
    const text = " 0004  19970101   29\r\n\t0021\t19970118 30  \r\n   \r\n";
    const lines = await linesOf(sales, names, text, { delimiter: "whitespace" });
    expect(lines.map(({ line }) => line)).toMatchObject([
      { line: 1, external_ref: "0004", sold_at: "1997-01-01", amount: 29 },
      { line: 2, external_ref: "0021", sold_at: "1997-01-18", amount: 30 },
    ]);
  });
});

describe("values that must be unique", () => {
  const columns = ["phone_number", "first_name", "last_name", "email", "external_ref"];
  const twins = async (text: string) => {
    const twinsOf = uniqueValues(members);
    const lines = await linesOf(members, columns, text);
    return lines.flatMap(({ line }) => (line === undefined ? [] : twinsOf(line)));
  };

  it("are found in any earlier line, e-mail addresses without regard to case", async () => {
    const text = "+1,A,A,a@x.com,1\n+2,B,B,b@x.com,2\n+1,C,C,B@X.COM,3\n+3,D,D,,\n+3,E,E,,\n";
    expect(await twins(text)).toEqual([
      { line: 3, field: "phone_number", message: "phone_number is the same as in line 1." },
      { line: 3, field: "email", message: "email is the same as in line 2." },
      { line: 5, field: "phone_number", message: "phone_number is the same as in line 4." },
    ]);
  });

  it("may be repeated with the same reference", async () => {
    expect(await twins("+1,A,A,,1\n+1,A,A,,1\n")).toEqual([]);
  });
});

describe("a file", () => {
  it("with a quote that is never closed is no CSV", async () => {
    await expect(linesOf(sales, names, 'A,2025-01-01,5\n"B,2025-01-02,6\n')).rejects.toThrow(
      /A quote that begins before line \d is not closed/,
    );
    const endless = `"${"x".repeat(100)},\n`.repeat(2000).replaceAll('\n"', "\n");
    await expect(linesOf(sales, names, endless)).rejects.toThrow(/is not closed/);
  });
});

describe("the columns", () => {
  const map = (...texts: string[]) => {
    let mapping: Parameters<typeof findColumns>[2];
    for (const text of texts) mapping = addToMapping(sales, text, mapping);
    return mapping;
  };
  it("are those that are called like their fields, or those that were named", () => {
    const mapping = map("external_ref=id", "amount=dollars");
    const found = findColumns(sales, ["id", "sold_at", "dollars"], mapping);
    expect(found).toMatchObject([
      { field: "external_ref", index: 0 },
      { field: "sold_at", index: 1 },
      { field: "amount", index: 2 },
    ]);
  });

  it("may be left out", () => {
    const found = findColumns(sales, [...names, "phone_number"], map("phone_number="));
    expect(found.map(({ field }) => field)).toEqual(["external_ref", "sold_at", "amount"]);
  });

  it.each([
    [["sold_at", "amount"], [], "There is no column for contact_id or phone_number or external_ref."],
    [["external_ref", "amount"], [], "There is no column for sold_at."],
    [names, ["amount=price"], 'There is no column "price" for amount.'],
    [[...names, "amount"], [], 'There are two columns "amount".'],
  ])("of %j with %j are refused", (columns, mapping, message) => {
    expect(() => findColumns(sales, columns, map(...mapping))).toThrow(message);
  });

  it("can be named for fields that there are", () => {
    expect(() => map("price=dollars")).toThrow('--column: no field is named "price".');
    expect(() => map("dollars")).toThrow(
      "--column dollars must be a field and a column: amount=dollar_value.",
    );
  });
});

const hashOf = (text: string) => hash("sha256", text, "buffer").readBigUInt64LE();

it("keeps every number when it grows", () => {
  const table = new HashTable();
  const hashes = Array.from({ length: 20_000 }, (_, at) => hashOf(String(at)));
  for (const [at, one] of hashes.entries()) {
    expect(table.get(one)).toBe(0);
    table.set(one, at + 1);
  }
  for (const [at, one] of hashes.entries()) expect(table.get(one)).toBe(at + 1);
});

it("replaces a number", () => {
  const table = new HashTable();
  for (const number of [1, 2, 2 ** 32 - 1]) {
    table.set(7n, number);
    expect(table.get(7n)).toBe(number);
  }
});

it("keeps hashes apart that have the same place", () => {
  const table = new HashTable();
  const hashes = [0n, 1n, 2n].map((high) => (high << 32n) + 7n);
  for (const [at, one] of hashes.entries()) table.set(one, at + 1);
  expect(hashes.map((one) => table.get(one))).toEqual([1, 2, 3]);
});
