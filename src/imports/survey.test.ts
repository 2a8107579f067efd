import { describe, expect, it } from "vitest";
import { mostPlaces } from "../domain/imports/jobs.ts";
import { importKinds } from "../operations/imports/import-kinds.ts";
import { findColumns } from "./form/columns.ts";
import { dayForm } from "./form/times.ts";
import { Survey } from "./survey.ts";
import type { Writing } from "./writing.ts";

const { members, sales } = importKinds;

function surveyOf(kind: typeof sales, names: string[], rows: string[][], writing: Writing = {}) {
  const survey = new Survey(kind, findColumns(kind, names, writing), writing);
  for (const [at, fields] of rows.entries())
    survey.add({ fields, line: at + 2, lastLine: at + 2, isBroken: false });
  return survey;
}

describe("names of locations", () => {
  const names = ["contact_id", "sold_at", "amount", "location"];
  const sold = (location: string) => ["1", "2026-01-01", "5", location];

  it("that are known are found behind any number of others", () => {
    const others = Array.from({ length: mostPlaces + 50 }, (_, at) => sold(`x${at}`));
    const places = new Map([["main st", 3]]);
    const survey = surveyOf(sales, names, [...others, sold("Main St"), sold("Main St")], { places });
    const found = survey.locations();
    expect(found.places).toEqual([["main st", 3]]);
    expect(found.locations).toHaveLength(mostPlaces);
  });

  it("are listed by their lines, and those that are not known in any case", () => {
    const places = new Map<string, number | null>([
      ["a", 3],
      ["b", null],
    ]);
    const rows = ["a", "a", "b", "c", "c", "c"].map(sold);
    expect(surveyOf(sales, names, rows, { places }).locations().locations).toEqual([
      { name: "c", lines: 3, location_id: null, left_out: false },
      { name: "a", lines: 2, location_id: 3, left_out: false },
      { name: "b", lines: 1, location_id: null, left_out: true },
    ]);
    const many = new Map(Array.from({ length: mostPlaces + 50 }, (_, at) => [`x${at}`, at + 1]));
    const survey = surveyOf(sales, names, [...many.keys(), ...many.keys(), "c"].map(sold), { places: many });
    const { locations, places: found } = survey.locations();
    expect(locations).toHaveLength(mostPlaces);
    expect(locations.at(-1)).toMatchObject({ name: "c" });
    expect(found).toHaveLength(mostPlaces + 50);
  });
});

it("says that amounts are cut at their decimal commas", () => {
  const names = ["contact_id", "sold_at", "amount", ""];
  const sold = (amount: string, next: string) => ["1", "2026-01-01", amount, next];
  const problemOf = (...rows: string[][]) => surveyOf(sales, names, rows, { decimals: 2 }).cutProblem;
  expect(problemOf(sold("12", ""), sold("12", "50"))).toBe(
    "Amounts are cut at the commas before their decimals, because these are the delimiter, too: 12 in line 3, before 50. Export the file with another delimiter, or with amounts in quotes.",
  );
  expect(problemOf(sold("12", "50 €"))).not.toBe("");
  expect(problemOf(sold("12", ""), sold("12.50", "3"), sold("12", "paid"))).toBe("");
  // A number of articles.
  expect(problemOf(sold("12", "1"), sold("12", "10"), sold("5", "2"))).toBe("");
  expect(surveyOf(sales, ["contact_id", "sold_at", "amount", "n"], [sold("12", "50")]).cutProblem).toBe("");
});

it("names an encoding if names of locations can't be read", () => {
  const names = ["contact_id", "sold_at", "amount", "location"];
  const textsOf = (name: string) =>
    surveyOf(sales, names, [["1", "2026-01-01", "5", name]])
      .texts()
      .join();
  expect(textsOf("Caf\ufffd")).toContain("encoding Windows-1252 reads files of older spreadsheets.");
  expect(textsOf("Café")).toContain("Say in locations what they mean.");
});

it("says that records have several lines", () => {
  const survey = surveyOf(sales, ["contact_id", "sold_at", "amount"], []);
  expect(survey.texts()).toEqual([]);
  survey.add({ fields: ["1", "2026-01-01", "5"], line: 2, lastLine: 4, isBroken: false });
  survey.add({ fields: ["1", "2026-01-01", "5"], line: 5, lastLine: 6, isBroken: false });
  expect(survey.texts()).toEqual([
    "Records of several lines: 2, such as lines 2 to 4. If a record should have one line, a quote is not closed there.",
  ]);
});

it("says what years of two digits of birthdays are, also in a form that was found", () => {
  const names = ["phone_number", "first_name", "last_name", "date_of_birth"];
  const born = (day: string) => ["+34600111222", "A", "B", day];
  const text = "Years of date_of_birth have two digits. Those in the future are of the century before.";
  const textsOf = (day: string, format?: string) =>
    surveyOf(
      members,
      names,
      [born(day)],
      format === undefined ? {} : { dateFormat: dayForm(format) },
    ).texts();
  expect(textsOf("17/04/65")).toContain(text);
  expect(textsOf("17/04/65", "DD/MM/YY")).toContain(text);
  expect(textsOf("17/04/1965")).not.toContain(text);
});
