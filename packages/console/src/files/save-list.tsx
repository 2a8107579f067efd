/** Saves all pages of a list as a CSV file, for a spreadsheet. */
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { csvLine } from "../../../../src/domain/csv.ts";
import { everyPage } from "../api/client.ts";
import { type Field, type ListPath, outputOf, type RequestOf } from "../api/declarations.ts";
import { useBusiness } from "../business.tsx";
import { failureText } from "../feedback/failure.tsx";
import { notify } from "../feedback/notices.tsx";
import { editedDecimal } from "../texts/decimals.ts";
import { texts } from "../texts/en.ts";
import { readName } from "../values/member-names.ts";
import { isMoney, type Row } from "../values/value.tsx";
import { download } from "./download.ts";

/** The names of members are beside their numbers. */
const memberField = "contact_id";

type SaveListProps<P extends ListPath> = Readonly<{ path: P; request: RequestOf<P> }>;

export function SaveList<P extends ListPath>({ path, request }: SaveListProps<P>) {
  const { business_id, currency_decimals } = useBusiness();
  const fields = Object.entries(outputOf(path));
  const save = useMutation({
    mutationFn: async () => {
      const columns = fields.flatMap(([name]) => (name === memberField ? [name, "member_name"] : name));
      const lines = [csvLine(columns)];
      for await (const data of everyPage(path, request)) {
        const rows = data as unknown as readonly Row[];
        // They are read together.
        const names = rows.map(
          ({ [memberField]: id }) => typeof id === "number" && readName(business_id, id),
        );
        for (const [nth, name] of (await Promise.all(names)).entries()) {
          const row = rows[nth] as Row;
          const cells = fields.flatMap(([column, field]) => [
            cellOf(field, row[column], row, currency_decimals),
            ...(column === memberField ? [name || ""] : []),
          ]);
          lines.push(csvLine(cells));
        }
      }
      // The mark tells spreadsheets that it is UTF-8.
      download(`${path.split("/")[2]}.csv`, "text/csv", `\uFEFF${lines.join("\r\n")}\r\n`);
    },
    onError: (error) => notify(failureText(error)),
  });
  return (
    <Button variant="default" onClick={() => save.mutate()} loading={save.isPending}>
      {texts.tables.csv}
    </Button>
  );
}

/** Amounts are in major units, as a spreadsheet needs them. */
function cellOf(field: Field, value: unknown, row: Row, decimals: number): string {
  if (typeof value === "number" && isMoney(field, row)) return editedDecimal(value, decimals);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
