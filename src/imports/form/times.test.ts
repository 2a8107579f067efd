import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayForm, FormOfDays, formsOfDay, readDay, readMoment } from "./times.ts";

describe("times", () => {
  it.each([
    ["2026-04-17", "2026-04-17"],
    ["20260417", "2026-04-17"],
    ["31-Dec-2025 06:45 PM EST", "2025-12-31 18:45"],
    ["2026-01-03 10:00 CET", "2026-01-03 10:00"],
    ["2026-01-03 10:00 XYZ", undefined],
    ["2026-01-03 11h", "2026-01-03 11:00"],
    ["2026-01-03 18:45h", "2026-01-03 18:45"],
    ["2026-01-03 um 9 Uhr", "2026-01-03 09:00"],
    ["2026-01-03 um 18:45 Uhr", "2026-01-03 18:45"],
    ["2026-01-03 - 18:45", "2026-01-03 18:45"],
    ["2026-01-03 18:45:10,123", "2026-01-03 18:45:10.123"],
    ["2026-01-03 30.12.1899 18:45:00", "2026-01-03 18:45:00"],
    ["20251231 184510", "2025-12-31 18:45:10"],
    ["2026-01-03 0905", "2026-01-03 09:05"],
    ["Wednesday, December 31, 2025 6:45 PM", "2025-12-31 18:45"],
    ["Mar 5 Jan 2026", "2026-01-05"],
    ["Mar 5, 2026", "2026-03-05"],
    ["Mai 5, 2026", "2026-05-05"],
    ["vie, 2026-01-02", "2026-01-02"],
    ["sáb 3 ene 2026", "2026-01-03"],
    ["2026年1月3日", "2026-01-03"],
    ["2026년 1월 3일 10:30", "2026-01-03 10:30"],
    ["2026-04-17 09:30", "2026-04-17 09:30"],
    ["2026-04-17T09:30:05Z", "2026-04-17 09:30:05Z"],
    ["2026-04-17 9:30:05 +0200", "2026-04-17 09:30:05+02:00"],
    ["2026-04-17 09:30:05.1234567-05:00", "2026-04-17 09:30:05.123456-05:00"],
    ["2026-04-17 12:05 AM", "2026-04-17 00:05"],
    ["2026-04-17, 1:05:09 p.m.", "2026-04-17 13:05:09"],
    ["2026-04-17 10:00 UTC", "2026-04-17 10:00Z"],
    ["Dec 5, 1973", "1973-12-05"],
    ["January 25, 2025 10:12:33 AM", "2025-01-25 10:12:33"],
    ["17-Apr-2026", "2026-04-17"],
    ["7 April 2026 9:30", "2026-04-07 09:30"],
    ["Abr 5, 2026", "2026-04-05"],
    ["15-DEC-73", "1973-12-15"],
    ["15 abr. 2026 6:30 p. m.", "2026-04-15 18:30"],
    ["15 de diciembre de 2025", "2025-12-15"],
    ["1er août 2026 18h30", "2026-08-01 18:30"],
    ["3. März 2026, 18.30 Uhr", "2026-03-03 18:30"],
    ["5 giu 2026", "2026-06-05"],
    ["5 juil. 2026", "2026-07-05"],
    ["2026-04-17 18.30.05", "2026-04-17 18:30:05"],
    ["2026-04-17 18:30.05", undefined],
    ["Xyz 5, 2026", undefined],
    ["Dec 5", undefined],
    // The service says that this day does not exist.
    ["2026-02-30", "2026-02-30"],
    ["2026-4-17", undefined],
    ["202604171", undefined],
    ["2026-04-17 13:00 AM", undefined],
    ["2026-04-17 00:30 PM", undefined],
    ["Jan 5, 2026 14:30:05 PM", "2026-01-05 14:30:05"],
    ["Jan 5, 2026 00:30:05 AM", "2026-01-05 00:30:05"],
    ["2026-04-17 soon", undefined],
    ["2026-04-17 09:301", undefined],
    ["17/04/2026", undefined],
  ])("read %j as %j", (text, read) => expect(readMoment(text)).toBe(read));

  it.each([
    ["DD/MM/YYYY", "17/04/2026 18:00", "2026-04-17 18:00"],
    ["DD/MM/YYYY", "3/4/2026", "2026-04-03"],
    ["MM/DD/YYYY", "3/4/2026 6:05 PM", "2026-03-04 18:05"],
    ["DD.MM.YYYY", "Mi. 31.12.2025", "2025-12-31"],
    ["DD.MM.YYYY", "31.12.2025 - 18:45", "2025-12-31 18:45"],
    ["YYYY.MM.DD", "2025.12.31.", "2025-12-31"],
    ["YYYY.MM.DD", "2025.12.31. 18:45", "2025-12-31 18:45"],
    ["DD.MM.YYYY", "17.04.2026", "2026-04-17"],
    ["YYYY/MM/DD", "2026/04/17", "2026-04-17"],
    ["DD/MM/YYYY", "2026-04-17", "2026-04-17"],
    ["DD/MM/YYYY", "17.04.2026", undefined],
    ["DDMMYYYY", "17042026", "2026-04-17"],
    ["DDMMYYYY", "20260417", "0417-26-20"],
    ["YYYY-DD-MM", "2026-03-04", "2026-04-03"],
    ["YYYY-DD-MM", "3 Apr 2026", "2026-04-03"],
    ["DD.MM.YYYY", "17x04x2026", undefined],
    ["DD/MM/YYYY", "17/04/26", undefined],
    ["DD/MM/YY", "17/04/26", "2026-04-17"],
    ["DD/MM/YY", "17/04/97", "1997-04-17"],
    ["DD/MM/YY", "17/04/2026", undefined],
    ["MM/DD/YY", "4/7/26, 6:05\u202fPM", "2026-04-07 18:05"],
  ])("in the form %s read %j as %j", (format, text, read) => {
    expect(readMoment(text, dayForm(format))).toBe(read);
  });

  it.each(["DD/MM", "DD/MM/YY/YY", "DD/MM/YYYY/DD", "M/D/YYYY", ""])("have no form %j", (format) => {
    expect(() => dayForm(format)).toThrow(/must have YYYY, MM and DD once each/);
  });

  it("have days that are read as they are written, in every form", () => {
    const forms = fc.constantFrom("DD/MM/YYYY", "MM/DD/YYYY", "YYYY.MM.DD", "DD-MM-YYYY", "MM DD YYYY");
    const days = fc.date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(forms, days, (format, date) => {
        const day = date.toISOString().slice(0, 10);
        const [year = "", month = "", of = ""] = day.split("-");
        const text = format.replace("YYYY", year).replace("MM", month).replace("DD", of);
        expect(readMoment(text, dayForm(format))).toBe(day);
      }),
    );
  });
});

it("days can have a time of zeros, and no other", () => {
  expect(readDay("1990-04-17 00:00:00")).toBe("1990-04-17");
  expect(readDay("17/04/1990 0:00", dayForm("DD/MM/YYYY"))).toBe("1990-04-17");
  expect(readDay("1990-04-17 00:00:01")).toBe(undefined);
  expect(readDay("1990-04-17T00:00:00Z")).toBe(undefined);
});

it.each([
  ["17/04/2026", ["DD/MM/YYYY"]],
  ["04/17/2026", ["MM/DD/YYYY"]],
  ["3/4/2026 18:00", ["DD/MM/YYYY", "MM/DD/YYYY"]],
  ["17.04.26", ["DD.MM.YY", "YY.MM.DD"]],
  ["17.04.86", ["DD.MM.YY"]],
  ["26-04-17", ["DD-MM-YY", "YY-MM-DD"]],
  ["2026/04/17", ["YYYY/MM/DD"]],
  ["31/02/2026", []],
  ["2026-04-17", []],
  ["1.234.50", []],
  ["soon", []],
])("%s can have the forms %j", (text, forms) => expect(formsOfDay(text)).toEqual(forms));

it("the form of a column is found from all its days, whatever their order", () => {
  const of = (...texts: string[]) => {
    const form = new FormOfDays();
    for (const [nth, text] of texts.entries()) form.add(text, nth + 2);
    return [form.form?.format, form.text("sold_at")];
  };
  expect(of("03/04/2026", "17/04/2026")).toEqual([
    "DD/MM/YYYY",
    "Days of sold_at are DD/MM/YYYY (17/04/2026 in line 3).",
  ]);
  expect(of("04/17/2026", "03/04/2026")[0]).toBe("MM/DD/YYYY");
  expect(of("03/04/2026", "2026-04-17")).toEqual([
    undefined,
    "Days of sold_at can be DD/MM/YYYY or MM/DD/YYYY (03/04/2026 in line 2), and none tells which.",
  ]);
  expect(of("17/04/2026", "04/17/2026")[0]).toBeUndefined();
  expect(of("2026-04-17", "")).toEqual([undefined, undefined]);
  const [now, before] = [0, 1].map((years) => String(new Date().getUTCFullYear() - years).slice(2));
  expect(of(`${before}/10/12`, `${before}/10/13`, `${now}/01/02`)).toEqual([
    "YY/MM/DD",
    `Days of sold_at are YY/MM/DD (${before}/10/12 in line 2).`,
  ]);
  expect(of(`13/10/${now}`)[0]).toBe("DD/MM/YY");
  expect(of(`12/31/${now}`, `12/13/${before}`)[0]).toBe("MM/DD/YY");
  expect(of(`${now}/10/${before}`)).toEqual([
    undefined,
    `Days of sold_at can be DD/MM/YY or YY/MM/DD (${now}/10/${before} in line 2), and none tells which.`,
  ]);
  // Years that are long ago: those of which there are fewer.
  expect(of("13/04/09", "14/04/09", "15/04/09")[0]).toBe("DD/MM/YY");
  expect(of("13/04/85")[0]).toBe("DD/MM/YY");
  expect(of(`${before}/12/19`, `${now}/12/19`)[0]).toBe("DD/MM/YY");
  expect(of(`${now}/12/09`)[0]).toBeUndefined();
  const dates = fc.date({ min: new Date("2000-01-13"), max: new Date("2060-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(
      fc.array(dates, { minLength: 1 }),
      fc.constantFrom("DD/MM/YYYY", "MM.DD.YYYY", "DD-MM-YY"),
      (days, format) => {
        const texts = days.map((date) => {
          const [year = "", month = "", of = ""] = date.toISOString().slice(0, 10).split("-");
          return format
            .replace("YYYY", year)
            .replace("YY", year.slice(2))
            .replace("MM", month)
            .replace("DD", of);
        });
        const [found] = of(...texts);
        if (found !== undefined && format !== "DD-MM-YY") expect(found).toBe(format);
      },
    ),
  );
});
