import { describe, expect, it } from "vitest";
import { importSentence as german } from "./de/imports.ts";
import { importSentence as spanish } from "./es/imports.ts";
import { importSentence as french } from "./fr/imports.ts";

const sentences = [
  "Opening balances of 1,234.50 EUR and 1,200 points in 1,000 lines, the largest in a wallet 20.00.",
  "Opening balances of 1.00 EUR and 0 points in 1 line, the largest in a wallet 1.00.",
  "Sales of 12.50 EUR in 1 line, on 2026-04-17, the smallest 12.50, the largest 12.50.",
  "Sales of 1,234.50 EUR in 1,000 lines, from 2025-12-31 to 2026-04-17, the smallest -1.00, the largest 99.00.",
  "Vouchers of 30.00 EUR in 3 lines with a Value, the largest 10.00.",
  "The sales would earn no points, and the lines of their receipts would not be kept. To let them earn, choose Points.",
  "The sales would earn no points. To let them earn, choose Points.",
  "Amount differs from the sale with the same Reference.",
  "Refunds: 3 lines, 12.00 EUR.",
  "In 3 of 4 receipts of several lines, all lines have the same amount, and it is added up. If it is that of the whole receipt, say which column has the amounts of lines, as “A” or “B”, or choose “C” of “A”, such as 0.",
  "Records of several lines: 3, such as lines 2 to 4. If a record should have one line, a quote is not closed there.",
  "The line has text behind a quoted text.",
  "Amount differs within the receipt: with “A” or “B”, it is that of the whole receipt.",
  "Lines name their customers by “A”, and where it is empty by “B”. If other names are the right ones, leave “A” out in columns.",
  "Line 4 is the header. What is before it is not imported.",
  "Years of “A” have two digits. Those in the future are of the century before.",
  "Card is a number that a spreadsheet has shortened. Export the file again, or make the column text there.",
  "Sold at has a time that can't be read. Times are such as 18:30 or 6:30 PM.",
  "Birthday must be a day without a time.",
  "3 lines repeat earlier lines of the file, and would be skipped: 6 (as 2), 7 (as 3), ….",
  ...["1 line has", "2 lines have"].map(
    (lines) =>
      `${lines} the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart. If they are the same sales, they would be recorded twice: import the file with the columns of the first time.`,
  ),
  "There is no column for “A”; for “B” or amount. The first line is not a header, so columns have numbers.",
  "There is no column for “A”. Each member has a phone number. If another export of the system has the numbers, such as that of addresses, add them to this file.",
  "The file looks like an export of sales: import it as sales.",
  "The file is a spreadsheet, not a CSV file. Open it, save it as CSV in UTF-8, and import that file.",
  "The file has more than 4 GB. Split it, and import the parts one after the other.",
  'With this delimiter, line 3 has only one column: a;b Try the delimiter ";".',
  "It is not clear what amounts such as 12 in line 3 mean: for 12.00 EUR say “A” major, for 0.12 EUR say “A” minor.",
  'Amounts have "," before their decimals (12,50 in line 3).',
  "Days of “A” can be DD/MM/YYYY or MM/DD/YYYY (01/02/2026 in line 2), and none tells which.",
  "Days of “A” are DD/MM/YYYY (31/02/2026 in line 2).",
  'Names that are no location\'s: "Main St" (3 lines). Say in locations what they mean.',
  "Left out: 1 line without a customer.",
  "Lines with the “A” of another sale: 3. If receipt numbers restart each day or at each location, choose “B” day, location or both. If they are lines of one receipt, choose “C”.",
  "3 of the sales that are already imported were imported without points. To give them their points, once, choose “A”.",
  "The file is an export of Square, whose columns are known.",
  "Where “A” is empty, it becomes -.",
  "The service has failed at these lines. Nothing was imported. Check the file again, or ask for help.",
];

describe.each([
  ["German", german],
  ["Spanish", spanish],
  ["French", french],
])("what the service says of an import, in %s", (_, say) => {
  it.each(sentences)("%s", (sentence) => {
    const said = say(sentence);
    expect(said).not.toMatch(
      /\b(?:lines?|imported|largest|smallest|earn|points in|receipts?|quoted|column|customers?|header|digits|spreadsheet|must|Times|file|such as|locations?|minor|Days|Where|service has)\b/,
    );
    // Each amount is there, and nothing is left of a part that is absent.
    for (const amount of sentence.match(/\d[\d,]*\.\d\d/g) ?? []) expect(said).toContain(amount);
    expect(said).not.toMatch(/[$#@]\d|\s,(?!\s»)|undefined/);
  });
});

it("writes numbers and days in the form of the language", () => {
  expect(german(sentences[3] as string)).toBe(
    "Verkäufe: 1,234.50 EUR in 1,000 Zeilen, vom 31 Dec 2025 bis zum 17 Apr 2026, der kleinste -1.00, der größte 99.00.",
  );
});
