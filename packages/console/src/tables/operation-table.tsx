/** The table of a list operation: it reads a page, shows the declared columns, and leads to the other pages. */
import { Group, Pagination, Text } from "@mantine/core";
import { useState } from "react";
import { type DataOf, declarationOf, type ListPath, outputOf, type RequestOf } from "../api/declarations.ts";
import { useRead } from "../api/queries.ts";
import { Empty } from "../feedback/empty.tsx";
import { FailureAlert } from "../feedback/failure.tsx";
import { Loading } from "../feedback/loading.tsx";
import type { Pagination as Position } from "../generated/operations.ts";
import { texts } from "../texts/en.ts";
import type { Row } from "../values/value.tsx";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

type ItemOf<P extends ListPath> = DataOf<P> & Row;

export interface OperationTableProps<P extends ListPath>
  extends Partial<Omit<RecordTableProps<ItemOf<P>>, "rows" | "fields">> {
  readonly path: P;
  readonly request: Omit<RequestOf<P>, "page" | "per_page">;
  readonly perPage?: number;
  /** What the table says without an item. */
  readonly empty?: string;
}

export function OperationTable<P extends ListPath>(props: OperationTableProps<P>) {
  const { path, request, perPage = 25, empty = texts.tables.empty, ...table } = props;
  const [{ page, of }, setPage] = useState({ page: 1, of: "" });
  // Another list begins with its first page.
  const list = JSON.stringify(request);
  const shownPage = of === list ? page : 1;
  const read = useRead(path, { ...request, page: shownPage, per_page: perPage } as RequestOf<P>, {
    keepPrevious: true,
  });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const rows = read.data.data as unknown as readonly ItemOf<P>[];
  const { pagination } = read.data.meta;
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const { columns } = declarationOf(path);
  return (
    <div className={read.isPlaceholderData ? "is-outdated" : undefined} aria-busy={read.isPlaceholderData}>
      <RecordTable
        caption={declarationOf(path).summary}
        columns={columns}
        rowKey={(row, index) => String(Object.values(row)[0] ?? index)}
        {...table}
        rows={rows}
        fields={outputOf(path)}
      />
      {pagination && (
        <PageLinks position={pagination} onChange={(next) => setPage({ page: next, of: list })} />
      )}
    </div>
  );
}

function PageLinks({
  position,
  onChange,
}: {
  readonly position: Position;
  readonly onChange: (page: number) => void;
}) {
  const { current_page, last_page, from, to, total } = position;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed">
        {texts.tables.position(from, to, total)}
      </Text>
      {last_page > 1 && (
        <Pagination
          size="sm"
          total={last_page}
          value={current_page}
          onChange={onChange}
          getControlProps={(control) => ({ "aria-label": texts.tables[control] })}
          getItemProps={(page) => ({ "aria-label": texts.tables.page(page) })}
        />
      )}
    </Group>
  );
}
