import { expect, it } from "vitest";
import { withSaved } from "./saved-options.ts";

it("keeps saved options that the request does not have, item by item", () => {
  const saved = {
    date_format: "DD/MM/YYYY",
    columns: [
      { field: "amount", column: "Net" },
      { field: "sold_at", column: "When" },
    ],
    locations: [{ name: "Main St", location_id: 3 }],
  };
  expect(withSaved(saved, {})).toEqual(saved);
  expect(withSaved(undefined, { columns: saved.columns })).toEqual({ columns: saved.columns });
  const given = {
    columns: [{ field: "amount", column: "Gross" }],
    defaults: [{ field: "last_name", value: "-" }],
    locations: [
      { name: "MAIN ST", location_id: null },
      { name: "x", location_id: 4 },
    ],
  };
  expect(withSaved(saved, given)).toEqual({
    date_format: "DD/MM/YYYY",
    columns: [given.columns[0], saved.columns[1]],
    defaults: given.defaults,
    locations: given.locations,
  });
});
