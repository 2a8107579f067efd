import { describe, expect, it } from "vitest";
import { dayExample, daysIn, digitsFor, editedDay, pickedDay } from "./days.ts";
import { typedMoment } from "./typed.ts";

const locales = {
  "de-DE": "31.12.2026",
  "en-GB": "31/12/2026",
  "en-US": "12/31/2026",
  "fr-FR": "31/12/2026",
  "es-ES": "31/12/2026",
};

describe.each(Object.entries(locales))("a day in %s", (locale, example) => {
  const { readDay, typedDay, dayExample, dayPattern } = daysIn(locale, 2026);
  const shown = (day: string) =>
    new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }).format(new Date(day));

  it(`is written like ${example}`, () => {
    expect(dayExample()).toBe(example);
    const pattern = example.replace("31", "DD").replace("12", "MM").replace("2026", "YYYY");
    expect([dayPattern(false), dayPattern(true)]).toEqual([pattern, `${pattern} hh:mm`]);
    for (const text of [
      example,
      example.replaceAll(/\D/g, ""),
      ` ${example.replaceAll(/\D/g, "-")} `,
      "2026-12-31",
    ])
      expect(typedDay(text), text).toBe("2026-12-31");
    expect(typedDay(example.replaceAll("2026", "1931"))).toBe("1931-12-31");
  });

  it("is read as it is shown, in every month", () => {
    for (let month = 1; month <= 12; month++) {
      const day = `2026-${String(month).padStart(2, "0")}-07`;
      expect(typedDay(shown(day)), shown(day)).toBe(day);
    }
  });

  it("can have a time", () => {
    expect(typedDay(`${example} 9:30`, true)).toBe("2026-12-31 09:30:00");
    expect(typedDay(`${shown("2026-12-31")}, 14:30`, true)).toBe("2026-12-31 14:30:00");
    expect(typedDay("2026-12-31T14:30", true)).toBe("2026-12-31 14:30:00");
    expect(typedDay("2026-12-31 14:30:00", true)).toBe("2026-12-31 14:30:00");
    expect(typedDay(`${shown("2026-12-31")}, 7:30:45`, true)).toBe("2026-12-31 07:30:45");
    expect(typedDay(example, true)).toBe("2026-12-31 00:00:00");
    for (const text of [`${example} 24:00`, `${example} 9:60`, `${example} 9:30:60`])
      expect(typedDay(text, true)).toBeUndefined();
    expect(typedDay(`${example} 9:30`)).toBeUndefined();
  });

  it("is none if it does not exist, or can mean several", () => {
    const leap = example.replace("31", "29").replace("12", "02");
    expect(typedDay(leap.replace("2026", "2028"))).toBe("2028-02-29");
    const missing = [
      leap,
      example.replace("12", "02"),
      example.replace("31", "14").replace("12", "13"),
      example.replace("31", "00"),
      shown("2026-02-07").replace("7", "30"),
      "2026-02-31",
      "0000-00-00",
      "0085-12-31",
    ];
    for (const text of missing) {
      expect(readDay(text), text).toBeNull();
      expect(typedDay(text), text).toBeUndefined();
    }
    for (const text of ["24:00", "9:60"]) expect(readDay(`${example} ${text}`, true)).toBeNull();
    for (const text of [
      example.replace("2026", "26"),
      "2026",
      "31",
      "x",
      "",
      `${example}1`,
      `${example} noon`,
      "10 May 11 2026",
    ])
      expect(readDay(text), text).toBeUndefined();
  });
});

it.each([
  ["10 May 2026", "2026-05-10", "2026-05-10 00:00:00"],
  ["10 May 2026 9:30", /^Write the date without a time, such as [^ ]+2026\.$/, "2026-05-10 09:30:00"],
  ["31 May 26", /^Write a date with all four digits/, /^Write a date with all four digits/],
  ["31 June 2026", /^There is no such date\. /, /^There is no such date or time\. /],
  ["0085-12-31", /^There is no such date\. /, /^There is no such date or time\. /],
])("%s in a field for a day, and for a day with a time", (text, day, moment) => {
  const read = (format: string) => {
    const typed = typedMoment({ format }, text);
    return typed instanceof Error ? typed.message : typed;
  };
  for (const [format, expected] of [
    ["date", day],
    ["moment", moment],
  ] as const)
    expect(read(format)).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
  expect(dayExample()).toMatch(/2026$/);
});

it("a time is edited with its seconds, if it has some", () => {
  expect(editedDay("2026-12-31 07:30:45", true)).toBe("31 Dec 2026, 07:30:45");
  expect(editedDay("2026-12-31 07:30:00", true)).toBe("31 Dec 2026, 07:30");
  expect(pickedDay("2026-12-31 07:30:45", true)).toBe("2026-12-31T07:30:45");
  expect(pickedDay("2026-12-31 07:30:00", true)).toBe("2026-12-31T07:30");
  expect(pickedDay("2026-12-31", false)).toBe("2026-12-31");
});

it.each([
  ["de-DE", "2026-04-03"],
  ["fr-FR", "2026-04-03"],
  ["en-GB", "2026-04-03"],
  ["th-TH", "2026-04-03"],
  ["en-US", "2026-03-04"],
])("a day in digits has the order of %s, with English months", (ofBrowser, day) => {
  const { typedDay, dayExample } = daysIn("en-GB", 2026, digitsFor(ofBrowser));
  expect(typedDay("03/04/2026")).toBe(day);
  expect(typedDay("3 April 2026")).toBe("2026-04-03");
  expect(typedDay(dayExample())).toBe("2026-12-31");
});
