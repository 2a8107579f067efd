import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { offsetOf, pageOf, readFor } from "../../../domain/pagination.ts";

export const listConsoles = listOperation({
  path: "/op/consoles/list",
  role: "viewer",
  summary: "List the consoles of all cells",
  message: "Consoles of all cells listed.",
  description:
    "Lists the consoles in LOYALTY_CONSOLES, in its order: this one and those of other cells. A business is in one cell, and only the " +
    "console of that cell shows it. You need an account in each cell.",
  input: {},
  output: Type.Object({
    name: fields.returnedText(100, "The name of the cell.", "north"),
    url: fields.returnedText(
      2000,
      "The address of its console.",
      "https://north.internal.example.com/api/console/",
    ),
  }),
  async list({ services: { consoles }, page }) {
    const first = page.after === undefined ? offsetOf(page) : Number(page.after[0]);
    const numbered = consoles.map((one, index) => [one, index + 1] as const);
    const read = numbered.slice(first, first + readFor(page));
    const listed = pageOf(page, read, consoles.length, ([, number]) => [String(number)]);
    return { ...listed, rows: listed.rows.map(([one]) => one) };
  },
});
