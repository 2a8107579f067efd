/** What became of the lines of a file, and the rejected ones to save. */
import { Alert, Button, Text } from "@mantine/core";
import { csvLine } from "../../../../../src/domain/csv.ts";
import type { Fields } from "../../api/declarations.ts";
import { download } from "../../files/download.ts";
import { RecordTable } from "../../tables/record-table.tsx";
import { texts } from "../../texts/en.ts";
import { labelOf } from "../../texts/labels.ts";
import type { ImportFile, ImportName, RejectedLine, Totals } from "./reader.ts";

const fields: Fields = { line: { type: "integer" }, message: { type: "string" } };
const mostShown = 100;

type ImportOutcomeProps = Readonly<{ totals: Totals; file: ImportFile; name: ImportName }>;

export function ImportOutcome({ totals, file, name }: ImportOutcomeProps) {
  const { imported, skipped, rejected, rejections, isDryRun } = totals;
  const t = texts.imports;
  const shown = rejections.slice(0, mostShown);
  const hidden = rejections.length - shown.length;
  return (
    <>
      <Alert mt="md" color={rejected > 0 ? "orange" : "teal"} role="status">
        {(isDryRun ? t.checked : t.imported)(imported, skipped, rejected)}
      </Alert>
      {rejections.length > 0 && (
        <>
          <RecordTable
            caption={t.rejections}
            rows={shown.map(({ field, ...row }) => ({
              ...row,
              message: row.message.replace(field, labelOf(field)),
            }))}
            fields={fields}
            rowKey={(_row, index) => index}
          />
          {hidden > 0 && <Text size="sm">{t.more(hidden)}</Text>}
          <Button mt="md" variant="default" onClick={() => saveRejected(name, file, rejections)}>
            {t.save}
          </Button>
        </>
      )}
    </>
  );
}

/** The rejected lines as they were, with the reasons in a column that an import ignores. They can be corrected and imported. */
function saveRejected(name: ImportName, file: ImportFile, rejections: readonly RejectedLine[]): void {
  const reasons = new Map<number, string>();
  for (const { line, message } of rejections)
    reasons.set(line, `${reasons.get(line) ?? ""} ${message}`.trim());
  const lines = [...reasons].map(([line, reason]) => csvLine([...file.cells(line), reason]));
  const content = [csvLine([...file.header, texts.imports.reason]), ...lines].join("\r\n");
  download(`${name}.rejected.csv`, "text/csv", `\uFEFF${content}\r\n`);
}
