/** A part of a page: a table of rows that an operation returned, as its list or in a record. */
import { type ListPath, outputOf, type ReadPath } from "../api/index.ts";
import { useBusiness } from "../business.tsx";
import { Empty, notifyFailure, PlainButton } from "../feedback/loading.tsx";
import { saveCsv } from "../files/download.ts";
import { columnsOf } from "../files/save-file.tsx";
import { Section } from "../shell/page-title.tsx";
import { texts } from "../texts/index.ts";
import type { Row } from "../values/index.ts";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

type TableProps = Pick<RecordTableProps<Row>, "rows" | "columns" | "cells" | "actions" | "sortable">;

interface PartsProps extends TableProps {
  readonly title: string;
  /** The operation that returned the rows, and the field of the record that has them. */
  readonly path: ReadPath | ListPath;
  readonly name?: string;
  /** What it says without rows. Without that, it is absent. */
  readonly empty?: string;
  /** The name of the file of the rows. Without it, there is no button to save them. */
  readonly file?: string;
}

export function Parts({ title, path, name, empty, file, ...table }: PartsProps) {
  const output = outputOf(path);
  const fields = name === undefined ? output : (output[name]?.items?.properties ?? {});
  const business = useBusiness();
  const save = async () => {
    const { titles, cellsOf } = await columnsOf(fields, business);
    saveCsv(String(file), [titles, ...(await Promise.all(table.rows.map(cellsOf)))]);
  };
  if (table.rows.length === 0 && empty === undefined) return null;
  const button = (
    <PlainButton onClick={() => void save().catch(notifyFailure)}>{texts.tables.csv}</PlainButton>
  );
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
