/** A table of records. On a narrow screen, each record becomes a block of labels and values. */
import { Anchor, Table, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Fields } from "../api/declarations.ts";
import { texts } from "../texts/en.ts";
import { labelOf } from "../texts/labels.ts";
import { Absent, hasMeaning, isQuantity, type Row, Value } from "../values/value.tsx";

export interface RecordTableProps<R extends Row> {
  /** What the table is, for people who can't see it. */
  readonly caption: string;
  readonly rows: readonly R[];
  readonly fields: Fields;
  /** The columns. By default, all fields. */
  readonly columns?: readonly string[] | undefined;
  readonly rowKey: (row: R, index: number) => string | number;
  /** The address of the record. The first column leads there. */
  readonly linkTo?: ((row: R) => string | undefined) | undefined;
  /** Cells that the declaration can't make, by column; null for a value that is absent. */
  readonly cells?: Readonly<Record<string, (row: R) => ReactNode>> | undefined;
  /** Buttons of a record. */
  readonly actions?: ((row: R) => ReactNode) | undefined;
}

export function RecordTable<R extends Row>(props: RecordTableProps<R>) {
  const { caption, rows, fields, rowKey, linkTo, cells = {}, actions } = props;
  const columns = (props.columns ?? Object.keys(fields)).map((name) => {
    const field = fields[name];
    if (field === undefined && cells[name] === undefined) throw new Error(`No column has the name ${name}.`);
    return { name, field };
  });
  const content = (row: R, name: string, isFirst: boolean) => {
    const own = cells[name];
    const field = fields[name];
    const shown = own
      ? (own(row) ?? <Absent name={name} />)
      : field && <Value {...{ name, field, row }} value={row[name]} />;
    const address = isFirst ? linkTo?.(row) : undefined;
    if (address === undefined) return shown;
    return (
      <Anchor component={Link} href={address} inherit>
        {shown}
      </Anchor>
    );
  };
  const alignment = ({ name, field }: (typeof columns)[number]) =>
    field && isQuantity(name, field) ? "quantity" : "";
  const classesOf = (column: (typeof columns)[number], row: R) => {
    const { name } = column;
    const value = cells[name] ? cells[name](row) : row[name];
    const isEmpty = (value ?? "") === "" && !hasMeaning(name);
    return `${alignment(column)} ${isEmpty ? "is-empty" : ""}`;
  };
  return (
    <Table className="records" striped verticalSpacing="xs" aria-label={caption}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.name} className={alignment(column)}>
              {labelOf(column.name)}
            </Table.Th>
          ))}
          {actions && (
            <Table.Th>
              <VisuallyHidden>{texts.tables.actions}</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr key={rowKey(row, index)}>
            {columns.map((column, at) => (
              <Table.Td
                key={column.name}
                data-label={labelOf(column.name)}
                className={classesOf(column, row)}
              >
                {content(row, column.name, at === 0)}
              </Table.Td>
            ))}
            {actions && <Table.Td className="actions">{actions(row)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
