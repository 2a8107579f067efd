/** The fields of one record, as labels and values. */
import { SimpleGrid } from "@mantine/core";
import type { ReactNode } from "react";
import type { Fields } from "../api/declarations.ts";
import { Note } from "../feedback/empty.tsx";
import { labelOf } from "../texts/labels.ts";
import { numberOf, type Row, Value } from "../values/index.ts";

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
