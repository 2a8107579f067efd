/** The fields of one record, as labels and values. */
import { Button, Card, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { type Fields, outputOf, type Path, useDecimals } from "../api/index.ts";
import { Empty, Note } from "../feedback/loading.tsx";
import { saveCsv } from "../files/download.ts";
import { Section } from "../shell/page-title.tsx";
import { editedDecimal, labelOf, texts } from "../texts/index.ts";
import { numberOf, type Row, Value } from "../values/index.ts";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

interface DetailsProps {
  readonly record: Row;
  readonly fields: Fields;
  /** Which fields, in which order. By default, all. */
  readonly show?: readonly string[];
  readonly cells?: Readonly<Record<string, ReactNode>>;
  /** What some values mean. */
  readonly notes?: Readonly<Record<string, string>>;
}

export function Details({ record, fields, show = Object.keys(fields), cells = {}, notes }: DetailsProps) {
  const withoutUnits = show.filter((name) => numberOf(name, show) === undefined);
  return (
    <SimpleGrid component="dl" className="details" minColWidth="min(14rem, 100%)" spacing="sm">
      {withoutUnits.map((name) => (
        <div key={name}>
          <dt>{labelOf(name, "details_")}</dt>
          <dd>
            {cells[name] ??
              (fields[name] && <Value name={name} field={fields[name]} value={record[name]} row={record} />)}
            {notes?.[name] && <Note size="xs">{notes[name]}</Note>}
          </dd>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** As many letters have space in large type. */
const mostLarge = 14;

type FigureProps = Readonly<{ label: ReactNode; value: ReactNode; children?: ReactNode }>;

/** A number that stands out, with what belongs to it. */
export function Figure({ label, value, children }: FigureProps) {
  const isLong = typeof value === "string" && value.length > mostLarge;
  return (
    <Card withBorder padding="sm">
      <Note>{label}</Note>
      <Text fz={isLong ? { base: "sm", sm: "md", lg: "lg" } : "xl"} fw={600} className="wraps">
        {value}
      </Text>
      {children && <Note component="div">{children}</Note>}
    </Card>
  );
}

interface PartsProps extends Pick<RecordTableProps<Row>, "rows" | "columns" | "cells" | "actions"> {
  readonly title: string;
  /** The operation that returned the record, and the field of the list. */
  readonly path: Path;
  readonly name: string;
  readonly empty?: string;
  /** The name of the file of the rows. Without it, there is no button to save them. */
  readonly file?: string;
}

export function Parts({ title, path, name, empty, file, ...table }: PartsProps) {
  const fields = outputOf(path)[name]?.items?.properties ?? {};
  const decimals = useDecimals();
  const textOf = (value: unknown, field: string) =>
    fields[field]?.unit === "minor_units" ? editedDecimal(Number(value), decimals) : value;
  const save = () => {
    const lines = table.rows.map((row) => Object.keys(fields).map((field) => textOf(row[field], field)));
    saveCsv(String(file), [Object.keys(fields), ...lines]);
  };
  const button = (
    <Button variant="default" onClick={save}>
      {texts.tables.csv}
    </Button>
  );
  return (
    <Section title={title} beside={file && table.rows.length > 0 && button}>
      {table.rows.length === 0 && empty ? (
        <Empty>{empty}</Empty>
      ) : (
        <RecordTable {...{ caption: title, fields }} rowKey={(_row, index) => index} {...table} />
      )}
    </Section>
  );
}
