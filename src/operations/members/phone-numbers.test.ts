import { describe, expect, it } from "vitest";
import { readPhoneNumber, readPhoneNumberStart } from "./phone-numbers.ts";

describe("readPhoneNumber", () => {
  it.each([
    ["+33612345678", undefined, "+33612345678"],
    ["+33 6 12 34 56 78", undefined, "+33612345678"],
    ["+33 (0)6 12.34.56.78", undefined, "+33612345678"],
    ["+44 (0)20 7946 0018", undefined, "+442079460018"],
    ["0044 (0)20 7946 0018", undefined, "+442079460018"],
    ["0033/6-12-34-56-78", undefined, "+33612345678"],
    // Non-breaking spaces and hyphens, and wide digits.
    ["+33\u00a06\u202f12\u201134\u201356\u221278", undefined, "+33612345678"],
    ["\uff0b\uff13\uff13 612345678", undefined, "+33612345678"],
    ["06 12 34 56 78", "FR", "+33612345678"],
    ["06.12.34.56.78", "FR", "+33612345678"],
    ["612345678", "FR", "+33612345678"],
    ["33 6 12 34 56 78", "FR", "+33612345678"],
    ["0044 20 7946 0018", "FR", "+442079460018"],
    ["(020) 7946 0018", "GB", "+442079460018"],
    // In Italy, the zero is part of the number.
    ["06 1234 5678", "IT", "+390612345678"],
    ["(202) 555-0155", "US", "+12025550155"],
    ["011 44 20 7946 0018", "US", "+442079460018"],
    ["0044 20 7946 0018", "US", "+442079460018"],
    ["8 912 345-67-89", "RU", "+79123456789"],
    ["600 111 222", "ES", "+34600111222"],
    // The library knows no country with this code.
    ["+999 000 100 001", undefined, "+999000100001"],
  ])("reads %j in %s as %s", (text, country, number) => {
    expect(readPhoneNumber(text, country)).toBe(number);
  });

  it.each([
    ["06 12 34 56 78", undefined],
    ["612345678", undefined],
    ["06 12 34 56", "FR"],
    ["7946 0018", "GB"],
    ["Dupont 06 12 34 56 78", "FR"],
    ["06 12 34 56 78 ext 5", "FR"],
    ["+", "FR"],
    ["()", "FR"],
    ["", "FR"],
    ["+0612345678", "FR"],
    ["1".repeat(1000), "FR"],
  ])("does not read %j in %s", (text, country) => {
    expect(readPhoneNumber(text, country)).toBe(undefined);
  });
});

it.each([
  ["06 12 34 56 78", "FR", "+33612345678"],
  ["0612", "FR", "+33612"],
  ["06 12", "IT", "+390612"],
  ["020 79", "GB", "+442079"],
  ["+44 (0)20", undefined, "+4420"],
  ["06", "FR", undefined],
  ["0612", undefined, undefined],
])("reads the beginning %j in %s as %s", (text, country, beginning) => {
  expect(readPhoneNumberStart(text, country)).toBe(beginning);
});
