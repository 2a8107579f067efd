import { expect, it } from "vitest";
import { nameKey } from "../../domain/text.ts";
import { fileFields, partsOfName, type Texts } from "./file-fields.ts";

const made = (field: string, text: string, texts: Texts = {}, places = new Map<string, number | null>()) => {
  const found = Object.values(fileFields).find((fields) => field in fields)?.[field];
  return found?.make?.(text, texts, places);
};

it.each([
  ["Ana Ruiz", ["Ana", "Ruiz"]],
  ["Ana María  López", ["Ana María", "López"]],
  ["López , Ana María", ["Ana María", "López"]],
  ["Madonna", ["Madonna", ""]],
  ["Ruiz,", ["Ruiz,", ""]],
  ["Ruiz, Ana, Dr.", ["Ruiz, Ana,", "Dr."]],
])("the name %j has the parts %j", (name, parts) => expect(partsOfName(name)).toEqual(parts));

it("a column completes others only where they are empty", () => {
  expect(made("name", "Ana Ruiz", { last_name: "Vo" })).toEqual({
    texts: { first_name: "Ana", last_name: "Vo" },
  });
  expect(made("other_phone_number", "2", { phone_number: "" })).toEqual({ texts: { phone_number: "2" } });
  expect(made("other_phone_number", "2", { phone_number: "1" })).toEqual({ texts: { phone_number: "1" } });
});

it.each([
  ["2026-03-02", "2026-03-02 9:30 PM"],
  ["3/2/2026 0:00:00", "3/2/2026 9:30 PM"],
  ["2026-03-02T00:00:00.000", "2026-03-02 9:30 PM"],
  ["2026-03-02 08:15", "2026-03-02 08:15"],
  ["", ""],
])("a time completes the day %j", (sold_at, whole) =>
  expect(made("sold_time", "9:30 PM", { sold_at })).toEqual({ texts: { sold_at: whole } }),
);

it("a location is found without regard to case and outer blanks, or its lines are left out", () => {
  const places = new Map([
    [nameKey("Main Street"), 3],
    [nameKey("Web"), null],
  ]);
  expect(made("location", " MAIN street", {}, places)).toEqual({ texts: { location_id: "3" } });
  expect(made("location", "web", {}, places)).toEqual({ leftOut: "of the location web" });
  expect(made("location", "Kiosk", {}, places)).toMatchObject({ problem: "names no location: Kiosk" });
  expect(made("location", "Kiosk", { location_id: "4" }, places)).toEqual({ texts: {} });
});
