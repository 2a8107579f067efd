import { describe, expect, it } from "vitest";
import { majorText } from "../terminal/quantities.ts";
import { valueReader } from "./columns.ts";

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
    ["12.50", problem("must be a whole number of minor units; --major-units reads amounts such as 12.50")],
  ])("reads %j", (given, value) => expect(read(given)).toEqual(value));
});

describe("amounts in major units", () => {
  const euros = valueReader(money, { decimals: 2 });
  it.each([
    ["29.33", 2933],
    ["63", 6300],
    ["0.1", 10],
    ["1.10", 110],
    ["1.230", 123],
    ["-5.05", -505],
    // In binary fractions this is 6999999999999.9990.
    ["70000000000.00", 7_000_000_000_000],
    ["1.234", problem("has more than 2 decimals")],
    ["1,234.50", problem("must be an amount such as 12.50")],
    [".5", problem("must be an amount such as 12.50")],
    ["99999999999999.99", problem("is too large")],
  ])("reads %j", (given, value) => expect(euros(given)).toEqual(value));

  it("reads amounts with the decimals of the currency", () => {
    expect(valueReader(money, { decimals: 0 })("1500")).toBe(1500);
    expect(valueReader(money, { decimals: 3 })("1.5")).toBe(1500);
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
  it("may be written without dashes, and are otherwise left to the service", () => {
    for (const format of ["date", "moment"]) {
      expect(valueReader({ type: "string", format })("19970118")).toBe("1997-01-18");
    }
    const read = valueReader({ type: "string", format: "moment" });
    expect(read("1997-01-18T09:30:00Z")).toBe("1997-01-18T09:30:00Z");
    expect(read("18.1.1997")).toBe("18.1.1997");
    expect(valueReader(text)("19970118")).toBe("19970118");
  });
});

describe("text", () => {
  it("is as it stands, within the bounds that the request has", () => {
    const read = valueReader(text);
    expect(read(" Ana ")).toBe(" Ana ");
    expect(read("x".repeat(1001))).toEqual(problem("must have at most 1000 characters"));
    expect(read("two\nlines")).toEqual(problem("has several lines"));
  });

  it("is refused when the file was no UTF-8", () => {
    const read = valueReader(text);
    expect(read(Buffer.from("L\xf3pez", "latin1").toString("utf8"))).toEqual(
      problem("is not UTF-8; convert the file, for example with iconv"),
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
