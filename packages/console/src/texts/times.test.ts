import { expect, it } from "vitest";
import { typedTime } from "./times.ts";

it.each([
  ["14:30", "14:30"],
  ["14.30", "14:30"],
  ["14h30", "14:30"],
  ["14 h", "14:00"],
  ["14 h 30", "14:30"],
  ["14h", "14:00"],
  ["1430", "14:30"],
  ["930", "09:30"],
  [" 9 ", "09:00"],
  ["0:05", "00:05"],
  ["2:30 pm", "14:30"],
  ["2:30 p.m.", "14:30"],
  ["2:30 p. m.", "14:30"],
  ["14 Uhr", "14:00"],
  ["14:30:00", "14:30"],
  ["14:30 pm", undefined],
  ["12 am", "00:00"],
  ["12:15pm", "12:15"],
  ["9 A.M.", "09:00"],
  ["13 pm", undefined],
  ["0 am", undefined],
  ["24:00", undefined],
  ["14:60", undefined],
  ["9:5", undefined],
  ["noon", undefined],
  ["m", undefined],
  ["", undefined],
])("a person who writes %j means %j", (text, time) => {
  expect(typedTime(text)).toBe(time);
});

it.each(["en-US", "en-GB", "de", "fr", "es", "es-MX"])("reads all times as %s shows them", (locale) => {
  for (let minute = 0; minute < 24 * 60; minute++) {
    const time = new Date(minute * 60_000).toISOString().slice(11, 16);
    const form = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" });
    for (const text of [time, form.format(minute * 60_000)]) expect(typedTime(text), text).toBe(time);
  }
});
