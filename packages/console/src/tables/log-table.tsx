/** The table of a log. It begins with the newest item, and each page begins where the one before it ended. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { type Asked, type DataOf, declarationOf, outputOf, type ReadPath } from "../api/declarations.ts";
import { Empty, Read } from "../feedback/index.ts";
import { useFilters } from "../forms/filters.tsx";
import { texts } from "../texts/en.ts";
import type { Row } from "../values/value.tsx";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

type ItemOf<List> = List extends readonly (infer Item)[] ? Item & Row : never;

interface LogTableProps<P extends ReadPath, Items extends keyof DataOf<P> & string>
  extends Omit<RecordTableProps<ItemOf<DataOf<P>[Items]>>, "rows" | "fields" | "caption"> {
  readonly path: P;
  readonly request: Asked<P>;
  readonly filters: readonly string[];
  /** The field of the response that has the items. */
  readonly items: Items;
  readonly empty: string;
}

/** New items appear after so many seconds. */
const refreshSeconds = 5;
const perPage = 25;

export function LogTable<P extends ReadPath, Items extends keyof DataOf<P> & string>(
  props: LogTableProps<P, Items>,
) {
  const { path, filters, items, empty, ...table } = props;
  const { request, inputs } = useFilters(path, filters);
  const [{ before, of }, setPage] = useState<{ before?: unknown; of?: string }>({});
  // Another list begins with its first page.
  const list = JSON.stringify(request);
  const isFirst = of !== list || before === undefined;
  const asked = { limit: perPage, ...props.request, ...request, ...(!isFirst && { before }) };
  const link = (label: string, place: unknown) => (
    <Button variant="default" onClick={() => setPage({ before: place, of: list })}>
      {label}
    </Button>
  );
  return (
    <>
      {inputs}
      <Read
        key={JSON.stringify([path, props.request])}
        path={path}
        request={asked as Asked<P>}
        keepPrevious
        {...(isFirst && { refreshSeconds })}
      >
        {(data) => {
          const { [items]: rows, next } = data as unknown as Record<Items, ItemOf<DataOf<P>[Items]>[]> & Row;
          const fields = outputOf(path)[items]?.items?.properties ?? {};
          return (
            <>
              {rows.length === 0 && <Empty>{isFirst && !next ? empty : texts.tables.noneHere}</Empty>}
              {rows.length > 0 && (
                <RecordTable {...table} {...{ rows, fields }} caption={declarationOf(path).summary} />
              )}
              <Group justify="flex-end" mt="sm">
                {!isFirst && link(texts.tables.newest, undefined)}
                {Boolean(next) && link(texts.tables.older, next)}
              </Group>
            </>
          );
        }}
      </Read>
    </>
  );
}
