/** A table of records. Where it has no space, each record becomes a block of labels and values. */
import { Table, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Fields } from "../api/declarations.ts";
import { absenceText, isNone, labelOf, texts } from "../texts/index.ts";
import { Absent, isQuantity, PageLink, type Row, Value } from "../values/index.ts";
import { useOrder } from "./order.ts";

/**
 * `caption`: what the table is, for people who can't see it. `columns`: by default, all fields. `linkTo`: the address of the record. The
 * first column leads there. `cells`: what the declaration can't make, by column; null for a value that is absent, undefined for the usual
 * cell. `actions`: buttons of a record. `sortable`: the name that the table has in the address if people can sort it. Only a table of all
 * rows can be sorted.
 */
export type RecordTableProps<R extends Row> = Readonly<{
  caption: string;
  rows: readonly R[];
  fields: Fields;
}> &
  Readonly<{ columns?: readonly string[]; rowKey: (row: R, index: number) => string | number }> &
  Readonly<{ linkTo?: (row: R) => string | undefined; actions?: (row: R) => ReactNode }> &
  Readonly<{ cells?: Readonly<Record<string, (row: R) => ReactNode>>; sortable?: string | undefined }>;

export function RecordTable<R extends Row>(props: RecordTableProps<R>) {
  const { caption, rows, fields, rowKey, linkTo, cells = {}, actions, sortable } = props;
  const order = useOrder(rows, fields, sortable);
  const columns = (props.columns ?? Object.keys(fields)).map((name) => {
    const [field, own] = [fields[name], cells[name]];
    if (field === undefined && own === undefined) throw new Error(`No column has the name ${name}.`);
    return { name, field, own, alignment: field && isQuantity(name, field) ? "quantity" : "" };
  });
  const cell = ({ name, field, own, alignment }: (typeof columns)[number], row: R, isFirst: boolean) => {
    const special = own?.(row);
    const content =
      special === undefined && field ? <Value {...{ name, field, row }} value={row[name]} /> : special;
    const isEmpty = isNone(name, special === undefined ? row[name] : special) && !absenceText(name);
    const shown = content ?? <Absent name={name} />;
    const address = isFirst ? linkTo?.(row) : undefined;
    const className = `${alignment} ${isEmpty ? "is-empty" : ""}`;
    // The first cell names the record. One with a long name does not break the others.
    const look = isFirst && { miw: "min(8rem, 12vw)", fw: isNarrow ? 600 : undefined };
    return (
      <Table.Td key={name} data-label={labelOf(name)} {...{ className, ...look }}>
        <div>{address === undefined ? shown : <PageLink href={address}>{shown}</PageLink>}</div>
      </Table.Td>
    );
  };
  const { ref, isNarrow } = useSpace(columns.length + (actions ? 2 : 0));
  const nameWidth = { "--name-width": isNarrow ? "11rem" : "min(11rem, 15vw)" } as CSSProperties;
  return (
    <div {...{ ref, className: "records", "data-narrow": isNarrow || undefined, style: nameWidth }}>
      <Table highlightOnHover verticalSpacing={isNarrow ? 3 : 7} aria-label={caption}>
        <Table.Thead fz="xs" c="dimmed">
          <Table.Tr>
            {columns.map(({ name, alignment }) => (
              <Heading key={name} {...{ name, alignment, order, isNarrow }} />
            ))}
            {actions && (
              <Table.Th className="actions">
                <VisuallyHidden>{texts.tables.actions}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {order.sorted.map((row, index) => (
            <Table.Tr key={rowKey(row, index)}>
              {columns.map((column, at) => cell(column, row, at === 0))}
              {actions && <Table.Td className="actions">{actions(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type HeadingProps = Readonly<{ name: string; alignment: string; isNarrow: boolean }> &
  Readonly<{ order: ReturnType<typeof useOrder> }>;

/** The heading of a column, which sorts the rows. Above blocks, a sign says so. */
function Heading({ name, alignment, isNarrow, order }: HeadingProps) {
  const { canSort, by, direction, turn } = order;
  return (
    <Table.Th className={alignment} aria-sort={name === by ? direction : undefined}>
      {canSort(name) ? (
        <UnstyledButton {...{ fz: "inherit", fw: "inherit", ta: "inherit", onClick: () => turn(name) }}>
          {labelOf(name)}
          <span className="choices" aria-hidden>
            {name !== by ? isNarrow && " ↕" : direction === "ascending" ? " ↑" : " ↓"}
          </span>
        </UnstyledButton>
      ) : (
        labelOf(name)
      )}
    </Table.Th>
  );
}

/** A column with less space has a word on each line. Buttons need twice as much. */
const leastColumnWidth = 96;

/** Whether a table has less space than it needs. How much that is depends on what is in it, so the browser measures it. */
function useSpace(columns: number) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const [needed, setNeeded] = useState(0);
  useLayoutEffect(() => {
    const { scrollWidth, clientWidth } = box.current ?? { scrollWidth: 0, clientWidth: 0 };
    if (scrollWidth > clientWidth) setNeeded(scrollWidth);
  });
  const least = Math.max(needed, columns * leastColumnWidth);
  return { ref: useMergedRef(ref, box), isNarrow: width > 0 && width < least };
}
