import { expect, it } from "vitest";
import { importKinds } from "../operations/imports/import-kinds.ts";
import { matchColumns } from "./form/columns.ts";
import { StatusColumns } from "./status-columns.ts";
import type { Writing } from "./writing.ts";

const { members, sales } = importKinds;

/** @param columns of words, by their names */
function found(columns: Readonly<Record<string, string>>, writing: Writing = {}, kind = sales) {
  const header = ["contact_id", "sold_at", "amount", ...Object.keys(columns)];
  const statuses = new StatusColumns(kind, header, matchColumns(kind, header, writing), writing);
  const cells = Object.values(columns).map((text) => text.split(","));
  for (const [row] of (cells[0] ?? []).entries())
    statuses.add({
      fields: ["1", "2026-01-01", "5", ...cells.map((texts) => texts[row] ?? "")],
      line: row + 2,
    });
  const { taken } = statuses;
  return { taken: taken && header[taken.index], texts: statuses.texts() };
}

it.each([
  ["Type", "Sale,Sale,Refund"],
  ["Tipo", "Venta,Venta,,Devolución"],
  ["Receipt type", "Verkauf,Storno,Retoure,Verkauf"],
  ["Typ", "Verkauf,Verkauf,Retoure,Gutschrift"],
  ["Zustand", "paid,partially_refunded"],
])("takes the column %s with %s", (name, words) => {
  expect(found({ [name]: words }).taken).toBe(name);
});

it.each([
  ["words of sales only", { Type: "Sale,Sale,Paid" }],
  ["no words", { Type: ",,", Note: "5,6" }],
  ["parts of cells", { Type: "Refund of 5,Sale" }],
])("says nothing about %s", (_, columns) => {
  expect(found(columns)).toEqual({ taken: undefined, texts: [] });
});

it.each([
  ["Règlement 2", ",,Avoir"],
  ["Note", ",,,saved"],
  ["Lieferung", "delivered,pending"],
  ["Receipt type", "Verkauf,Storno"],
  ["Zustand", "partially_refunded,REFUNDED"],
])("asks about the column %s with %s", (name, words) => {
  expect(found({ [name]: words })).toMatchObject({
    taken: undefined,
    texts: [expect.stringContaining("and is not imported. If it says which lines are sales")],
  });
});

it("says which column it takes, and why", () => {
  expect(found({ Type: "Sale,Refund,Sale" }).texts).toEqual([
    'The column Type is taken as sale_type, because it has "Refund" in line 3. If it does not say which lines are sales, leave sale_type out in columns.',
  ]);
});

it("takes no column with other words, and names it without them", () => {
  expect(found({ Reason: "Sale,Chargeback,Refund" })).toEqual({
    taken: undefined,
    texts: [
      'The column Reason has "Refund" in line 4 and other words, such as that in line 3, and is not imported. If it says which lines are ' +
        "sales, say it as sale_type in columns; if not, leave sale_type out in columns.",
    ],
  });
});

it("takes the column of refunds, and names another one", () => {
  const { taken, texts } = found({ Delivery: "delivered,pending", Type: "Sale,Refund" });
  expect(taken).toBe("Type");
  expect(texts).toEqual([
    expect.stringMatching(
      /^The column Delivery has "pending" in line 3, and is not .* as sale_status in columns/,
    ),
    expect.stringContaining("The column Type is taken as sale_type"),
  ]);
});

it("besides a status, takes only a column of refunds", () => {
  expect(found({ Status: "paid,paid", Type: "Sale,Return" }).taken).toBe("Type");
  const { taken, texts } = found({ Status: "paid,paid", "Payment state": "paid,pending" });
  expect(taken).toBeUndefined();
  expect(texts).toMatchObject([
    expect.stringContaining('The column Payment state has "pending" in line 3, and'),
  ]);
});

it("takes nothing that is left out, mapped, or of a system whose columns are known", () => {
  const nothing = { taken: undefined, texts: [] };
  const column = (field: string, name: string) => ({ column: new Map([[field, name]]) });
  const type = { Type: "Sale,Refund" };
  expect(found(type, column("sale_type", ""))).toEqual(nothing);
  expect(found({ Status: "Done,Refund" }, column("sale_status", ""))).toEqual(nothing);
  expect(found(type, column("sale_status", "")).taken).toBe("Type");
  expect(found(type, column("sale_type", "Type"))).toEqual(nothing);
  expect(found(type, { from: "shopify" })).toEqual(nothing);
  expect(found(type, { from: "woocommerce" }).taken).toBe("Type");
  expect(found(type, {}, members)).toEqual(nothing);
});
