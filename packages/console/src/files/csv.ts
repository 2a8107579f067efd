/** A list as a CSV file, for a spreadsheet. */
import { call } from "../api/client.ts";
import { type DataOf, type Field, type ListPath, outputOf, type RequestOf } from "../api/declarations.ts";
import type { Business } from "../business.tsx";
import { editedDecimal } from "../texts/decimals.ts";
import { isPointsEntry, type Row } from "../values/value.tsx";
import { download } from "./download.ts";
import { lineOf } from "./lines.ts";

/** Reads all pages, and gives the person a file. */
export async function downloadList<P extends ListPath>(
  path: P,
  request: Omit<RequestOf<P>, "page" | "per_page">,
  business: Business,
): Promise<void> {
  const fields = Object.entries(outputOf(path));
  const lines = [lineOf(fields.map(([name]) => name))];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { data, meta } = await call(path, { ...request, per_page: 100, page } as RequestOf<P>);
    for (const row of data as unknown as readonly (DataOf<P> & Row)[]) {
      lines.push(lineOf(fields.map(([name, field]) => cellOf(field, row[name], row, business))));
    }
    last = meta.pagination?.last_page ?? 1;
  }
  // The mark tells spreadsheets that it is UTF-8.
  download(`${path.split("/")[2]}.csv`, "text/csv", `\uFEFF${lines.join("\r\n")}\r\n`);
}

/** Amounts are in major units, as a spreadsheet needs them. */
function cellOf(field: Field, value: unknown, row: Row, { currency_decimals }: Business): string {
  if (value === null || value === undefined) return "";
  const isMoney = field.unit === "minor_units" || (field.unit === "entry" && !isPointsEntry(row));
  if (typeof value === "number" && isMoney) return editedDecimal(value, currency_decimals);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
