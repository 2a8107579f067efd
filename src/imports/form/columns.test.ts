import { describe, expect, it } from "vitest";
import { majorText } from "../../domain/amount-text.ts";
import { type ImportKind, importKinds } from "../../operations/imports/import-kinds.ts";
import type { TextRecord } from "../file/csv.ts";
import type { Writing } from "../writing.ts";
import { findColumns, headerAmong, matchColumns, valueReader } from "./columns.ts";
import { dayForm } from "./times.ts";

const integer = { type: "integer" };
const money = { type: "integer", unit: "minor_units" } as const;
const text = { type: "string" };
const problem = (text: string) => ({ problem: text });

describe("amounts in minor units", () => {
  const read = valueReader(money);
  it.each([
    ["1250", 1250],
    ["0", 0],
    ["-5", -5],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["9007199254740992", problem("is too large")],
    ["007", problem("must be a whole number")],
    ["1e3", problem("must be a whole number")],
    [" 5", problem("must be a whole number")],
    [
      "12.50",
      problem("must be a whole number of minor units (amount_unit major reads amounts such as 12.50)"),
    ],
  ])("reads %j", (given, value) => expect(read(given)).toEqual(value));
});

describe("amounts in major units", () => {
  const euros = valueReader(money, { decimals: 2 });
  it.each([
    ["29.33", 2933],
    ["63", 6300],
    ["1.10", 110],
    ["1,10", 110],
    ["1,234.50", 123_450],
    ["-5.05", -505],
    // In binary fractions this is 6999999999999.9990.
    ["70000000000.00", 7_000_000_000_000],
    ["1,234.505", problem("must be an amount such as 12.50")],
    [".50", 50],
    ["+12.50", 1250],
    ["19.99-", -1999],
    ["1,00,000.00", 10_000_000],
    ["12,50 \ufffd", problem("is not UTF-8 (encoding Windows-1252 reads files of older spreadsheets)")],
    ["99999999999999.99", problem("is too large")],
  ])("reads %j", (given, value) => expect(euros(given)).toEqual(value));

  it("are rejected when they are not clear, with what they can be", () => {
    const kind = 'can be read in two ways: say decimal "." or decimal ","';
    const meanings = '12.50 with decimal "." or 12,500.00 with decimal ","';
    expect(euros("12.500")).toEqual({ problem: `is not clear: 12.500 is ${meanings}`, kind });
    expect(euros("12.5")).toMatchObject({ problem: 'is not clear: 12.5 is 12.50 with decimal "."' });
    expect(euros("-1,234")).toMatchObject({
      problem: 'is not clear: -1,234 is -1,234.00 with decimal ","'.replace('","', '"."'),
    });
  });

  it("are read in the form that is said", () => {
    const of = (decimals: number, decimalSign: "." | ",") => valueReader(money, { decimals, decimalSign });
    expect(["12.500", "1,234.5", "0.1"].map(of(2, "."))).toEqual([1250, 123_450, 10]);
    expect(["12.500", "1.234,5"].map(of(2, ","))).toEqual([1_250_000, 123_450]);
    expect(of(2, ",")("12.50")).toEqual(problem("must be an amount such as 12,50"));
    expect(of(0, ",")("15.000")).toBe(15_000);
    expect(of(3, ".")("1.5")).toBe(1500);
  });

  it("have the decimals of the currency", () => {
    expect(valueReader(money, { decimals: 0 })("1500")).toBe(1500);
    expect(valueReader(money, { decimals: 0 })("15.000")).toMatchObject({
      problem: 'is not clear: 15.000 is 15 with decimal "." or 15,000 with decimal ","',
    });
    expect(valueReader(money, { decimals: 3 })("1,250")).toMatchObject({
      problem: 'is not clear: 1,250 is 1,250.000 with decimal "." or 1.250 with decimal ","',
    });
  });

  it("leaves what is no money as it is", () => {
    expect(valueReader({ type: "integer", unit: "points" }, { decimals: 2 })("120")).toBe(120);
    expect(valueReader(integer, { decimals: 2 })("100001")).toBe(100_001);
  });
});

it("writes amounts in major units, exactly", () => {
  expect([0, 5, 1250, 9007199254740991n].map((amount) => majorText(amount, 2))).toEqual([
    ...["0.00", "0.05", "12.50", "90,071,992,547,409.91"],
  ]);
});

describe("days and times", () => {
  const moment = valueReader({ type: "string", format: "moment" });
  it("are sent in the form of requests", () => {
    expect(valueReader({ type: "string", format: "date" })("19970118")).toBe("1997-01-18");
    expect(moment("1997-01-18T09:30:00Z")).toBe("1997-01-18 09:30:00Z");
    expect(valueReader(text)("19970118")).toBe("19970118");
  });

  it("in another form need date_format", () => {
    expect(moment("18.1.1997")).toEqual(
      problem("must be a day such as 2026-04-17 (say date_format DD.MM.YYYY)"),
    );
    const read = valueReader({ type: "string", format: "moment" }, { dateFormat: dayForm("DD.MM.YYYY") });
    expect(read("18.1.1997")).toBe("1997-01-18");
    expect(read("1/18/1997")).toEqual({
      problem: "must be a day such as 17.04.2026 (DD.MM.YYYY): 1/18/1997 is MM/DD/YYYY",
      kind: "must be a day such as 17.04.2026 (DD.MM.YYYY)",
    });
    expect(moment("3/4/2026")).toMatchObject({
      problem: "is not clear: 3/4/2026 (say date_format DD/MM/YYYY or date_format MM/DD/YYYY)",
    });
  });
});

describe("the columns of a file", () => {
  const { members, sales } = importKinds;
  const found = (kind: ImportKind, names: readonly string[], writing?: Writing) =>
    Object.fromEntries(findColumns(kind, names, writing).map(({ field, index }) => [field, names[index]]));

  it("are found without regard to case, blanks and signs", () => {
    const names = ["First Name", "LAST-NAME", "phone number", "E-mail", "Date of birth", "Note"];
    expect(found(members, names)).toEqual({
      first_name: "First Name",
      last_name: "LAST-NAME",
      phone_number: "phone number",
      email: "E-mail",
      date_of_birth: "Date of birth",
    });
    expect(found(members, ["First name", "Last name", "Phone", "Email"])).toEqual({
      first_name: "First name",
      last_name: "Last name",
      phone_number: "Phone",
      email: "Email",
    });
    // The exact name comes first.
    expect(found(sales, ["Amount", "amount", "sold at", "contact_id"])).toMatchObject({ amount: "amount" });
    expect(() => found(sales, ["Amount", "AMOUNT", "sold_at", "contact_id"])).toThrow(
      'There are two columns "amount".',
    );
  });

  it("of a preset are those of the exports of that system", () => {
    const square = [
      ...[
        "Reference ID",
        "First Name",
        "Surname",
        "Email Address",
        "Phone Number",
        "Nickname",
        "Company Name",
      ],
      ...["Birthday", "Memo", "Square Customer ID", "Creation Source", "First Visit", "Last Visit"],
    ];
    expect(found(members, square, { from: "square" })).toEqual({
      first_name: "First Name",
      last_name: "Surname",
      phone_number: "Phone Number",
      email: "Email Address",
      external_ref: "Square Customer ID",
    });
    const shopify = [
      "Customer ID",
      "First Name",
      "Last Name",
      "Email",
      "Default Address Phone",
      "Phone",
      "Tags",
    ];
    expect(found(members, shopify, { from: "shopify" })).toEqual({
      first_name: "First Name",
      last_name: "Last Name",
      phone_number: "Phone",
      other_phone_number: "Default Address Phone",
      email: "Email",
      external_ref: "Customer ID",
    });
    const woocommerce = [
      "Name",
      "Username",
      "Last Active",
      "Sign Up",
      "Email",
      "Orders",
      "Billing Phone",
      "Role",
    ];
    const columns = findColumns(members, woocommerce, { from: "woocommerce" });
    expect(columns.find(({ field }) => field === "last_name")).toMatchObject({ index: -1, fallback: "-" });
    const ecom = ["Internal ID", "Registered", "Firstname", "Lastname", "E-Mail", "Phone", "Mobile"];
    expect(found(members, ecom, { from: "lightspeed-ecom" })).toEqual({
      first_name: "Firstname",
      last_name: "Lastname",
      phone_number: "Mobile",
      email: "E-Mail",
      external_ref: "Internal ID",
      joined_at: "Registered",
    });
    const column = new Map([["phone_number", "Default Address Phone"]]);
    expect(found(members, shopify, { from: "shopify", column })).toMatchObject({
      phone_number: "Default Address Phone",
    });
  });

  it("of a preset are not those that others call so", () => {
    const square = ["First Name", "Last Name", "Phone Number", "Birthday", "Square Customer ID"];
    expect(found(members, square, { from: "square" })).not.toHaveProperty("date_of_birth");
    const shopify = ["Name", "Email", "Billing Phone", "Subtotal", "Total", "Created at", "Currency"];
    const orders = found(sales, shopify, { from: "shopify" });
    expect(orders).not.toHaveProperty("phone_number");
    expect(orders).toMatchObject({ amount: "Subtotal", currency: "Currency" });
  });

  it.each([
    ["members", "Geb.-Datum", "date_of_birth"],
    ["members", "Cumpleaños", "date_of_birth"],
    ["members", "Customer Since", "joined_at"],
    ["members", "Handynummer", "phone_number"],
    ["members", "Numero tessera", "card_code"],
    ["sales", "Beleg-Nr.", "reference_id"],
    ["sales", "Folio", "reference_id"],
    ["sales", "Montant TTC", "amount"],
    ["sales", "Order Total", "amount"],
    ["sales", "Rechnungsdatum", "sold_at"],
    ["sales", "Time of sale", "sold_time"],
    ["sales", "E-mail (billing)", "email"],
    ["sales", "Order Status", "sale_status"],
    ["sales", "Anulado", "sale_voided"],
    ["sales", "Total Refunded", "refunded_amount"],
    ["vouchers", "Devise", "currency"],
  ] as const)("of %s have names that people use: %s", (kind, name, field) => {
    expect(matchColumns(importKinds[kind], ["x", name], {})).toMatchObject([{ field, index: 1 }]);
  });

  it("can be missing where there is a default", () => {
    const defaults = new Map([["last_name", "-"]]);
    expect(findColumns(members, ["first_name", "phone_number"], { default: defaults })).toMatchObject([
      { field: "first_name", fallback: "" },
      { field: "last_name", index: -1, fallback: "-" },
      { field: "phone_number" },
    ]);
    const wrong = new Map([["amount", "five"]]);
    expect(() => findColumns(sales, ["contact_id", "sold_at"], { default: wrong })).toThrow(
      "The default five of amount is wrong: it must be a whole number.",
    );
  });
});

describe("the header", () => {
  const { sales } = importKinds;
  const header = (lines: string[], said: string[] = []) =>
    headerAmong(sales, lines.map((line) => record(line.split(";"))) as [TextRecord, ...TextRecord[]], said)
      .fields[0];
  const record = (fields: string[]): TextRecord => ({ line: 1, lastLine: 1, fields, isBroken: false });

  it("is the first line, or the first one with known names behind titles", () => {
    expect(header(["Report of sales", "Page;1", "Date;Total;Client no", "1/1/2026;5;7"])).toBe("Date");
    expect(header(["Date;x", "Date;Total;Client no"])).toBe("Date");
    expect(header(["x;y", "z;Total", "1;2"])).toBe("x");
    expect(header(["x;y", "Date;Total"], ["y"])).toBe("x");
  });

  it("may be named by the numbers of columns, unless a column is called so", () => {
    const column = new Map([["amount", "2"]]);
    const names = ["contact_id", "x", "sold_at"];
    expect(findColumns(sales, names, { column })[2]).toMatchObject({ field: "amount", index: 1 });
    const other = ["contact_id", "x", "sold_at", "2"];
    expect(findColumns(sales, other, { column })[2]).toMatchObject({ field: "amount", index: 3 });
    expect(() => findColumns(sales, names, { column: new Map([["amount", "4"]]) })).toThrow('no column "4"');
  });

  it("tells no amount if several columns can be it, of which one is called amount", () => {
    expect(() => findColumns(sales, ["contact_id", "sold_at", "Amount", "Tax", "Total"])).toThrow(
      "The amount can be Amount or Total.",
    );
  });

  it("is not read again once its columns are found", () => {
    const names = ["contact_id", "sold_at", "amount", "total"];
    const indexes = { contact_id: 0, sold_at: 1, amount: 3 };
    expect(findColumns(sales, names, { indexes }).map(({ index }) => index)).toEqual([0, 1, 3]);
  });
});

it("reads birthdays of two digits as days in the past", () => {
  const { members } = importKinds;
  const writing = { dateFormat: dayForm("DD/MM/YY") };
  const births = findColumns(
    members,
    ["phone", "first_name", "last_name", "date_of_birth", "joined_at"],
    writing,
  );
  const read = (field: string, text: string) => births.find((one) => one.field === field)?.read(text);
  expect(read("date_of_birth", "03/04/65")).toBe("1965-04-03");
  expect(read("date_of_birth", "03/04/05")).toBe("2005-04-03");
  expect(read("date_of_birth", "2065-04-03")).toBe("2065-04-03");
  expect(read("joined_at", "03/04/65")).toBe("2065-04-03");
});

it.each(["8.90123E+15", "1,23457E+12"])("rejects %s, which a spreadsheet has shortened", (number) => {
  for (const schema of [text, { type: "string", format: "e164" }])
    expect(valueReader(schema, { country: "ES" })(number)).toMatchObject({
      problem: expect.stringMatching(
        `a number that a spreadsheet has shortened: ${number.replace("+", "\\+")}`,
      ),
    });
});

it.each([
  ["EUR", "12,50 Euro", 1250],
  ["CHF", "Fr. 5.-", 500],
  ["CHF", "CHF 15.–", 1500],
  ["INR", "Rs. 500.00", 50_000],
  ["JPY", "1,980円", 1980],
])("reads amounts in %s as people write them: %s", (currency, text, amount) => {
  const decimals = currency === "JPY" ? 0 : 2;
  const decimalSign = currency === "JPY" ? "." : undefined;
  const schema = { type: "integer", unit: "minor_units" };
  expect(valueReader(schema, { currency, decimals, decimalSign })(text)).toBe(amount);
});

it("says that a number is that of a spreadsheet, and no day", () => {
  const moment = valueReader({ type: "string", format: "moment" });
  expect(moment("46022.78")).toMatchObject({
    problem:
      "is a spreadsheet's number of a day. Make the column a date there, and export the file again: 46022.78",
  });
});

it("says that a time can't be read, and not its day", () => {
  const moment = valueReader({ type: "string", format: "moment" });
  expect(moment("2026-04-17 25h")).toMatchObject({
    problem: "has a time that can't be read. Times are such as 18:30 or 6:30 PM: 25h",
  });
  const day = valueReader({ type: "string", format: "date" });
  expect(day("2026-04-17 18:30")).toEqual(problem("must be a day without a time"));
});

it.each([
  ["1 250", 1250],
  ["1'250", 1250],
  ["1.250", 1250],
])("reads points with one meaning: %s", (written, points) => {
  const read = valueReader({ type: "integer", unit: "points" });
  if (written.includes("."))
    expect(read(written)).toMatchObject({ problem: expect.stringContaining("is not clear") });
  else expect(read(written)).toBe(points);
});

describe("text", () => {
  it("is as it stands, within the bounds that the request has", () => {
    const read = valueReader(text);
    expect(read(" Ana ")).toBe(" Ana ");
    expect(read("'7210448301122")).toBe("7210448301122");
    expect(read("'s Gravenhage")).toBe("'s Gravenhage");
    expect(read("x".repeat(1001))).toEqual(problem("must have at most 1000 characters"));
    expect(read("two\nlines")).toEqual(problem("has several lines"));
  });

  it("is rejected when the file was no UTF-8", () => {
    const read = valueReader(text);
    expect(read(Buffer.from("L\xf3pez", "latin1").toString("utf8"))).toEqual(
      problem("is not UTF-8 (encoding Windows-1252 reads files of older spreadsheets)"),
    );
  });
});

it("reads phone numbers in the national form of the business's country", () => {
  const phone = { type: "string", format: "e164" };
  expect(valueReader(phone, { country: "FR" })("06 12 34 56 78")).toBe("+33612345678");
  expect(valueReader(phone, { country: null })("+33 6 12 34 56 78")).toBe("+33612345678");
  // The service says what is wrong with it.
  expect(valueReader(phone, { country: null })("06 12 34 56 78")).toBe("06 12 34 56 78");
});
