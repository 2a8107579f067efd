/** A part of a page: the table of a list in the record that an operation returned. */
import { outputOf, type ReadPath, useDecimals } from "../api/index.ts";
import { Empty, PlainButton } from "../feedback/loading.tsx";
import { saveCsv } from "../files/download.ts";
import { Section } from "../shell/page-title.tsx";
import { filedDecimal, texts } from "../texts/index.ts";
import type { Row } from "../values/index.ts";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

interface PartsProps extends Pick<RecordTableProps<Row>, "rows" | "columns" | "cells" | "actions"> {
  readonly title: string;
  /** The operation that returned the record, and the field of the list. */
  readonly path: ReadPath;
  readonly name: string;
  /** What it says without rows. Without that, it is absent. */
  readonly empty?: string;
  /** The name of the file of the rows. Without it, there is no button to save them. */
  readonly file?: string;
}

export function Parts({ title, path, name, empty, file, ...table }: PartsProps) {
  const fields = outputOf(path)[name]?.items?.properties ?? {};
  const decimals = useDecimals();
  const textOf = (value: unknown, field: string) =>
    fields[field]?.unit === "minor_units" ? filedDecimal(Number(value), decimals) : value;
  const save = () => {
    const lines = table.rows.map((row) => Object.keys(fields).map((field) => textOf(row[field], field)));
    saveCsv(String(file), [Object.keys(fields), ...lines]);
  };
  if (table.rows.length === 0 && empty === undefined) return null;
  const button = <PlainButton onClick={save}>{texts.tables.csv}</PlainButton>;
  return (
    <Section title={title} beside={file && table.rows.length > 0 && button}>
      {table.rows.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <RecordTable {...{ caption: title, fields }} rowKey={(_row, index) => index} {...table} />
      )}
    </Section>
  );
}
