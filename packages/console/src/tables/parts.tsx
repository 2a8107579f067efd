/** A list inside a record, such as the refunds of a sale, with its heading. */
import { outputOf, type Path } from "../api/declarations.ts";
import { Empty } from "../feedback/empty.tsx";
import { Section } from "../shell/section.tsx";
import type { Row } from "../values/value.tsx";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

interface PartsProps extends Pick<RecordTableProps<Row>, "rows" | "columns" | "cells"> {
  readonly title: string;
  /** The operation that returned the record, and the field of the list. */
  readonly path: Path;
  readonly name: string;
  readonly empty?: string;
}

export function Parts({ title, path, name, empty, ...table }: PartsProps) {
  const fields = outputOf(path)[name]?.items?.properties ?? {};
  return (
    <Section title={title}>
      {table.rows.length === 0 && empty ? (
        <Empty>{empty}</Empty>
      ) : (
        <RecordTable {...{ caption: title, fields }} rowKey={(_row, index) => index} {...table} />
      )}
    </Section>
  );
}
