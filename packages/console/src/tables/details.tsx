/** The fields of one record, as labels and values. */
import { Card, type CardProps, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Fields } from "../api/declarations.ts";
import { Note } from "../feedback/loading.tsx";
import { labelOf } from "../texts/labels.ts";
import { numberOf, type Row, Value } from "../values/index.ts";

/** `show`: which fields, in which order; by default, all. `labels`: those that a field has only here. `notes`: what some values mean. */
type DetailsProps = Readonly<{ record: Row; fields: Fields; show?: readonly string[] }> &
  Readonly<{ cells?: Readonly<Record<string, ReactNode>> }> &
  Readonly<Partial<Record<"labels" | "notes", Readonly<Record<string, string>>>>>;

export function Details(props: DetailsProps) {
  const { record, fields, show = Object.keys(fields), cells = {}, labels = {}, notes = {} } = props;
  const withoutUnits = show.filter((name) => numberOf(name, show) === undefined);
  return (
    <SimpleGrid component="dl" m={0} minColWidth="max(10rem, 22%)" spacing="sm">
      {withoutUnits.map((name) => (
        <div key={name}>
          <Note component="dt" size="xs">
            {labels[name] ?? labelOf(name, "details_")}
          </Note>
          <dd style={{ margin: 0, overflowWrap: "anywhere" }}>
            {cells[name] ??
              (fields[name] && <Value name={name} field={fields[name]} value={record[name]} row={record} />)}
            {notes[name] && <Note size="xs">{notes[name]}</Note>}
          </dd>
        </div>
      ))}
    </SimpleGrid>
  );
}

type FigureProps = Readonly<Record<"label" | "value", ReactNode>> & Pick<CardProps, "flex" | "children">;

/** A number that stands out, with what belongs to it. */
export function Figure({ label, value, flex, children }: FigureProps) {
  const isLong = (most: number) => typeof value === "string" && value.length > most;
  // A long number has space in large type only on a wide screen.
  const fz = { base: isLong(10) ? "lg" : "xl", sm: isLong(14) ? "md" : "xl", lg: isLong(14) ? "lg" : "xl" };
  return (
    <Card withBorder padding="sm" flex={flex}>
      <Note>{label}</Note>
      <Text {...{ fz, fw: 600, className: "wraps", children: value }} />
      {children && <Note component="div">{children}</Note>}
    </Card>
  );
}
