/** The fields of one record, as labels and values. */
import type { ReactNode } from "react";
import type { Fields } from "../api/declarations.ts";
import { labelOf } from "../texts/labels.ts";
import { numberOf } from "../values/periods.ts";
import { type Row, Value } from "../values/value.tsx";

interface DetailsProps {
  readonly record: Row;
  readonly fields: Fields;
  /** Which fields, in which order. By default, all. */
  readonly show?: readonly string[];
  readonly cells?: Readonly<Record<string, ReactNode>>;
}

export function Details({ record, fields, show = Object.keys(fields), cells = {} }: DetailsProps) {
  const withoutUnits = show.filter((name) => numberOf(name, show) === undefined);
  return (
    <dl className="details">
      {withoutUnits.map((name) => (
        <div key={name}>
          <dt>{labelOf(name, "details_")}</dt>
          <dd>
            {cells[name] ??
              (fields[name] && <Value name={name} field={fields[name]} value={record[name]} row={record} />)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
