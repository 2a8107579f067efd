import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type ImportKind, importKinds } from "../operations/imports/import-kinds.ts";
import { type CsvRecord, readRecords } from "./file/csv.ts";
import { findColumns } from "./form/columns.ts";
import { dayForm } from "./form/times.ts";
import { HashTable, hashedNumbers } from "./hashes.ts";
import { lineMaker } from "./lines.ts";
import type { Writing } from "./writing.ts";

const { members, sales } = importKinds;

/** The lines of a file without a header. */
async function linesOf(kind: ImportKind, names: string[], text: string, delimiter = ",") {
  const columns = findColumns(kind, names);
  const toLine = lineMaker(kind, columns, names.length, hashedNumbers());
  const lines: ReturnType<typeof toLine>[] = [];
  const records = readRecords(Readable.from([Buffer.from(text)]), delimiter);
  for await (const some of records) lines.push(...some.map((record) => toLine([record])));
  return lines;
}

const names = ["external_ref", "sold_at", "amount"];

describe("equal lines", () => {
  const counted = async (text: string, kind = sales, columns = names) =>
    (await linesOf(kind, columns, text)).map(({ line }) => line?.equal_before ?? 0);
  const text = "A,2025-01-01,5\nA,2025-01-01,5\nB,2025-01-02,7\n";

  it("are counted, whatever stands between them", async () => {
    expect(await counted(text)).toEqual([0, 1, 0]);
    expect(await counted(`C,2025-01-03,9\n${text.split("\n").toReversed().join("\n")}`)).toEqual([
      0, 0, 0, 1,
    ]);
    expect(await counted("A,2025-01-01,five\nA,2025-01-01,5\n")).toEqual([0, 0]);
  });

  it("are equal without regard to quotes, blanks, line ends and columns that are not imported", async () => {
    expect(await counted('"A",2025-01-01,5\r\n\r\nA , 2025-01-01,"5"\r\n')).toEqual([0, 1]);
    const columns = ["amount", "note", "sold_at", "external_ref"];
    expect(await counted("5,x,2025-01-01,A\n5,y,2025-01-01,A\n", sales, columns)).toEqual([0, 1]);
  });

  it("with the same values in another text are one sale", async () => {
    expect(await counted("A,2025-01-01,5\nA,20250101,5\nA,2025-01-01 00:00,5\n")).toEqual([0, 0, 0]);
  });

  it("with a reference are not counted, nor are members", async () => {
    expect(await counted("A,2025-01-01,5,R-1\n".repeat(2), sales, [...names, "reference_id"])).toEqual([
      0, 0,
    ]);
    const columns = ["phone_number", "first_name", "last_name"];
    expect(await counted("+34600111222,Ana,López\n".repeat(2), members, columns)).toEqual([0, 0]);
  });
});

describe("a line", () => {
  it("holds what its columns say, and nothing for what is empty", async () => {
    const lines = await linesOf(members, ["phone_number", "first_name", "last_name", "email"], "+1,Ana,,\n");
    expect(lines).toMatchObject([{ line: { line: 1, phone_number: "+1", first_name: "Ana" } }]);
    expect(Object.keys(lines[0]?.line ?? {}).sort()).toEqual(["first_name", "line", "phone_number"]);
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
    expect(found?.rejections).toMatchObject([
      { line: 1, field: "amount", message: "amount must be a whole number." },
      { line: 1, field: "location_id", message: "location_id must be a whole number." },
    ]);
    // The service checks the rest of it.
    expect(found?.line).toEqual({
      line: 1,
      external_ref: "A",
      sold_at: "2025-01-01",
      unreadable: ["amount", "location_id"],
    });
  });

  it("is rejected when it has too many columns, and filled up when it has too few", async () => {
    const lines = await linesOf(sales, names, "A,2025-01-01\nA,2025-01-01,5,6\nA,2025-01-01,5,, \n");
    expect(lines).toMatchObject([
      { line: { external_ref: "A", sold_at: "2025-01-01" }, rejections: [] },
      {
        line: undefined,
        rejections: [{ line: 2, field: "", message: "The line has 4 columns instead of 3." }],
      },
      { line: { amount: 5 }, rejections: [] },
    ]);
    expect(lines[0]?.line).not.toHaveProperty("amount");
  });

  it("has no blanks around its values, and none at all when it is empty", async () => {
    const lines = await linesOf(
      sales,
      names,
      ' A,"\t2025-01-01 ",\u00a05\n,,\n ; , \n\t, ,\n,,,,\nB,2025-01-02,6',
    );
    expect(lines.map(({ line }) => line)).toMatchObject([
      { line: 1, external_ref: "A", sold_at: "2025-01-01", amount: 5 },
      { line: 3, external_ref: ";" },
      { line: 6, external_ref: "B" },
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

  it("is rejected when text follows a quoted text of several lines", async () => {
    const text = 'A,2026-01-01,"great,10.00\nB,2026-01-02,20" nails,2000\nC,2026-01-03,"x\ny",300\n';
    const lines = await linesOf(sales, ["external_ref", "sold_at", "note", "amount"], text);
    const message = "The line has text behind a quoted text (lines 1 to 2: is a quote not closed?).";
    expect(lines[0]).toMatchObject({ line: undefined, rejections: [{ line: 1, field: "", message }] });
    expect(lines[1]?.rejections).toEqual([]);
  });

  it("names its customer by the first of its names", async () => {
    const columns = ["email", "card_code", "external_ref", "phone_number", "sold_at", "amount"];
    const text =
      "a@x.com,C1,E1,+34600111222,2026-01-01,5\na@x.com,C1,E1,,2026-01-01,5\na@x.com,,,,2026-01-01,5\n";
    const found = (await linesOf(sales, columns, text)).map(({ line }) => line);
    expect(found).toEqual([
      { line: 1, phone_number: "+34600111222", sold_at: "2026-01-01", amount: 5 },
      { line: 2, external_ref: "E1", sold_at: "2026-01-01", amount: 5 },
      { line: 3, email: "a@x.com", sold_at: "2026-01-01", amount: 5 },
    ]);
  });

  it("may be separated by any number of blanks", async () => {
    const text = " 0004  19970101   29\r\n\t0021\t19970118 30  \r\n   \r\n";
    const lines = await linesOf(sales, names, text, "whitespace");
    expect(lines.map(({ line }) => line)).toMatchObject([
      { line: 1, external_ref: "0004", sold_at: "1997-01-01", amount: 29 },
      { line: 2, external_ref: "0021", sold_at: "1997-01-18", amount: 30 },
    ]);
  });
});

describe("a sale of a file", () => {
  const sold = async (header: string, row: string, writing: Writing = {}) => {
    const columns = ["contact_id", "sold_at", "amount", ...header.split(",")];
    const toLine = lineMaker(sales, findColumns(sales, columns, writing), columns.length, hashedNumbers());
    const fields = ["1", "2026-01-01", ...row.split(",")];
    return toLine([{ fields, line: 2, lastLine: 2, isBroken: false }]);
  };

  it("of nothing is left out, unless it was refunded", async () => {
    expect(await sold("note", "0,x")).toMatchObject({ line: undefined, leftOut: "with an amount of 0" });
    expect(await sold("Refund amount", "5,5")).toMatchObject({ leftOut: "that were refunded" });
    expect((await sold("note", "5,0")).leftOut).toBeUndefined();
  });

  it.each(["yes", "X", "1", "Ja", "sí", "oui", "true", "Storniert", "2026-04-18 10:00"])(
    "is left out if it says %s",
    async (text) => {
      expect(await sold("Voided", `5,${text}`)).toMatchObject({ leftOut: "that were voided" });
    },
  );

  it.each(["", "no", "0", "0.00", "Nein", "non", "FALSE", "-"])(
    "counts if it says that it was voided: %j",
    async (text) => {
      expect(await sold("Storniert", `5,${text}`)).toMatchObject({ line: { amount: 5 }, rejections: [] });
    },
  );

  it("is rejected if it is not known whether it was voided", async () => {
    const { rejections } = await sold("Anulado", "5,maybe");
    const message = "sale_voided is not known: maybe (say yes or no, or leave sale_voided out in columns).";
    expect(rejections).toMatchObject([{ field: "sale_voided", message, reason: message }]);
  });

  it("that was refunded in part needs the amount", async () => {
    const { rejections } = await sold("Status", "2000,partially_refunded");
    expect(rejections).toMatchObject([
      {
        reason:
          "sale_status is partially_refunded, and nothing says how much: say the column of refunded amounts as refunded_amount in columns.",
      },
    ]);
    expect(await sold("Status,Amount refunded", "2000,partially_refunded,500")).toMatchObject({
      line: { amount: 1500 },
      rejections: [],
    });
    const empty = await sold("Status,Amount refunded", "2000,partially_refunded,0");
    expect(empty.rejections).toHaveLength(1);
  });

  it.each(["EUR", "eur", "€", "Euro", "euros", ""])("has the currency of the business: %j", async (text) => {
    const found = await sold("Currency", `5,${text}`, { currency: "EUR" });
    expect(found).toMatchObject({ line: { amount: 5 }, rejections: [] });
    expect(found.line).not.toHaveProperty("currency");
  });

  it.each(["USD", "$", "03/04/2026"])("is rejected in another currency: %s", async (text) => {
    const found = await sold("Währung", `5,${text}`, { currency: "EUR" });
    expect(found.rejections).toMatchObject([
      {
        field: "currency",
        message: `currency is ${text}, and the currency of the business is EUR. If the amounts are in EUR, leave currency out in columns.`,
      },
    ]);
    expect(found.line).toMatchObject({ unreadable: ["currency"] });
  });

  it.each([
    ["-10,Refunded", { line: { amount: -10 } }],
    ["-10,Remboursement", { line: { amount: -10 } }],
    ["10,Refunded", { leftOut: "with Refunded" }],
    ["10,Storno", { leftOut: "with Storno" }],
    ["10,-", { line: { amount: 10 } }],
    ["-10,Failed", { leftOut: "with Failed" }],
    [
      "-10,Storno",
      {
        rejections: [
          {
            message:
              "sale_status is Storno, and the amount is negative: say refund if the line takes a sale back, or leave it away.",
          },
        ],
      },
    ],
  ])("that was undone, or undoes one, is %s", async (row, found) => {
    expect(await sold("Status", row)).toMatchObject(found);
  });

  it("is a refund of its kind also where its status is refunded, and not where it was cancelled", async () => {
    expect(await sold("sale_type,Status", "10,Refund,Refunded")).toMatchObject({ line: { amount: -10 } });
    expect(await sold("sale_type,Status", "10,Refund,Voided")).toMatchObject({ leftOut: "with Voided" });
  });

  it("is a refund with a negative amount, whatever a column of refunds says", async () => {
    expect(await sold("Refund amount", "-10,0")).toMatchObject({ line: { amount: -10 } });
    expect(await sold("Refund amount", "-10,10")).toMatchObject({ line: { amount: -10 } });
  });

  it("has its time besides a day of the week", async () => {
    const columns = ["contact_id", "sold_at", "sold_time", "amount"];
    const found = findColumns(sales, columns, { dateFormat: dayForm("DD.MM.YYYY") });
    const toLine = lineMaker(sales, found, columns.length, hashedNumbers());
    const fields = ["1", "Fr 17.04.2026", "18:30", "5"];
    const { line } = toLine([{ fields, line: 2, lastLine: 2, isBroken: false }]);
    expect(line).toMatchObject({ sold_at: "2026-04-17 18:30" });
  });

  it("is not of letters that can't be read", async () => {
    const { rejections } = await sold("Status,location", "5,Annul\ufffd,Caf\ufffd");
    expect(rejections.map(({ message }) => message)).toEqual(
      ["location", "sale_status"].map(
        (field) => `${field} is not UTF-8 (encoding Windows-1252 reads files of older spreadsheets).`,
      ),
    );
  });
});

describe("a receipt of several lines", () => {
  const receipt = async (columns: string[], ...rows: string[]) => {
    const names = ["contact_id", "sold_at", "reference_id", ...columns];
    const records: CsvRecord[] = [];
    const text = rows.map((row) => `1,2026-01-01,R,${row}\n`).join("");
    for await (const some of readRecords(Readable.from([Buffer.from(text)]), ",")) records.push(...some);
    const toLine = lineMaker(sales, findColumns(sales, names), names.length, hashedNumbers());
    return toLine(records as [CsvRecord, ...CsvRecord[]]);
  };

  it("has the sum of its amounts, also if these are the same, which is noted", async () => {
    const of = (...amounts: string[]) => receipt(["amount"], ...amounts);
    expect(await of("5", "5")).toMatchObject({ line: { amount: 10 }, isRepeated: true });
    expect(await of("5", "6")).toMatchObject({ line: { amount: 11 }, isRepeated: false });
    expect(await of("5", "")).toMatchObject({ line: { amount: 5 }, isRepeated: false });
    expect(await of("0", "0")).toMatchObject({ line: undefined, leftOut: "with an amount of 0" });
  });

  it.each(["line_price", "line_amount"])("has one amount, if its lines have theirs: %s", async (field) => {
    const of = (...rows: string[]) => receipt(["amount", field], ...rows);
    expect(await of("8,5", "8,3")).toMatchObject({ line: { amount: 8 }, fit: "exact", isRepeated: false });
    expect(await of("8,5", ",3")).toMatchObject({ line: { amount: 8 }, fit: "exact" });
    const { line, rejections } = await of("5,5", "3,3");
    expect(line).toMatchObject({ unreadable: ["amount"] });
    expect(rejections).toMatchObject([
      { field: "amount", message: expect.stringContaining("differs within") },
    ]);
  });
});

describe("the bytes of a line", () => {
  const rawOf = async (bytes: Buffer, size: number, delimiter = ",") => {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const found: string[] = [];
    const records = readRecords(Readable.from(parts), delimiter);
    for await (const some of records) found.push(...some.map(({ raw }) => raw.toString("latin1")));
    return found;
  };

  it.each([1, 3, 1000])("are those of the file, when it comes in parts of %i bytes", async (size) => {
    const text = '\n\r\nJ\xf6rg,Wei\xdf,\r\n"a ""b""\nc",5" nails\r,,\n\n d , \n\n';
    expect(await rawOf(Buffer.from(text, "latin1"), size)).toEqual([
      "J\xf6rg,Wei\xdf,",
      '"a ""b""\nc",5" nails',
      " d , ",
    ]);
    expect(await rawOf(Buffer.from("\ufeffa§b§c\r\nd§e§f"), size, "§")).toEqual(
      ["\ufeffa§b§c", "d§e§f"].map((line) => Buffer.from(line).toString("latin1")),
    );
  });
});

describe("a file", () => {
  it("with a quote that is never closed is no CSV", async () => {
    const from = (line: number) => `A quote that begins in line ${line} or later is not closed.`;
    const open = 'A,2025-01-01,5\n"B,2025-01-02,6\nC,2025-01-03,7\n';
    await expect(linesOf(sales, names, open)).rejects.toThrow(from(2));
    await expect(linesOf(sales, names, '"A,2025-01-01,5\n')).rejects.toThrow(from(1));
    await expect(linesOf(sales, names, `"A\n\nB",2025-01-01,5\n${open}`)).rejects.toThrow(from(5));
    const endless = `"${"x".repeat(100)},\n`.repeat(2000).replaceAll('\n"', "\n");
    await expect(linesOf(sales, names, `A,2025-01-01,5\n${endless}`)).rejects.toThrow(from(2));
  });

  it.each([
    ["sep=;", ";"],
    ["sep=,", ","],
    ["sep=\t", "\t"],
    ["\ufeffsep=;", ";"],
  ])("may begin with %j, as spreadsheets write it", async (first, delimiter) => {
    const line = ["A", "2025-01-01", "5"].join(delimiter);
    const found = await linesOf(sales, names, `${first}\r\n${line}\r\n`, delimiter);
    expect(found).toMatchObject([{ line: { line: 2, external_ref: "A", amount: 5 } }]);
    const later = await linesOf(sales, names, `${line}\n${first}\n`, delimiter);
    expect(later).toHaveLength(2);
  });
});

describe("the columns", () => {
  const map = (...texts: string[]) => new Map(texts.map((text) => text.split("=") as [string, string]));
  it("are those that are called like their fields, or those that were named", () => {
    const column = map("external_ref=id", "amount=dollars");
    const found = findColumns(sales, ["id", "sold_at", "dollars"], { column });
    expect(found).toMatchObject([
      { field: "external_ref", index: 0 },
      { field: "sold_at", index: 1 },
      { field: "amount", index: 2 },
    ]);
  });

  it("may be left out", () => {
    const found = findColumns(sales, [...names, "phone_number"], { column: map("phone_number=") });
    expect(found.map(({ field }) => field)).toEqual(["external_ref", "sold_at", "amount"]);
  });

  it.each([
    [
      ["sold_at", "amount"],
      [],
      "There is no column for contact_id or phone_number or external_ref or card_code or email.",
    ],
    [
      ["external_ref", "amount"],
      [],
      "There is no column for sold_at. The columns are: external_ref, amount.",
    ],
    [
      ["card", "amount"],
      [],
      "or email; for sold_at. The columns are: card, amount. Name the column in columns.",
    ],
    [["Pr\ufffdnom"], [], "Names of columns have letters that can't be read: encoding Windows-1252"],
    [
      ["1: Ana", "2: 5"],
      [],
      "so columns have numbers. The columns are: 1: Ana, 2: 5. Name the column by its",
    ],
    [names, ["amount=price"], 'There is no column "price" for amount.'],
    [[...names, "amount"], [], 'There are two columns "amount".'],
  ])("of %j with %j are rejected", (columns, mapping, message) => {
    expect(() => findColumns(sales, columns, { column: map(...mapping) })).toThrow(message);
  });
});

it("keeps every number when it grows", () => {
  const numbers = hashedNumbers();
  const texts = Array.from({ length: 20_000 }, (_, at) => `text ${at}`);
  for (const [at, text] of texts.entries()) {
    expect(numbers.get(text)).toBe(0);
    numbers.set(text, at + 1);
  }
  for (const [at, text] of texts.entries()) expect(numbers.get(text)).toBe(at + 1);
});

it("replaces a number", () => {
  const numbers = hashedNumbers();
  for (const number of [1, 2, 2 ** 32 - 1]) {
    numbers.set("text", number);
    expect(numbers.get("text")).toBe(number);
  }
});

it("keeps hashes apart that have the same place", () => {
  const table = new HashTable();
  table.set(7, 0, 1);
  table.set(7, 1, 2);
  table.set(7 + 1024, 0, 3);
  expect([table.get(7, 0), table.get(7, 1), table.get(7 + 1024, 0)]).toEqual([1, 2, 3]);
});
