/** The table of a list operation: its filters, the declared columns, the buttons of each record, and the other pages. */
import { Group, Pagination, Text } from "@mantine/core";
import { useLocation, useSearchParams } from "wouter";
import { call } from "../api/client.ts";
import type { Asked, DataOf, ListPath, RequestOf } from "../api/declarations.ts";
import { declarationOf, outputOf } from "../api/declarations.ts";
import { isFinal, useRead } from "../api/queries.ts";
import { useRequest } from "../business.tsx";
import { Empty, FailureAlert, failureText, Loading, notify } from "../feedback/index.ts";
import { SaveFile } from "../files/save-file.tsx";
import { pageParameter, useFilters } from "../forms/filters.tsx";
import { useSession } from "../session/session.tsx";
import { texts } from "../texts/en.ts";
import type { Row } from "../values/value.tsx";
import { type RecordButton, RecordButtons } from "./record-buttons.tsx";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

type ItemOf<P extends ListPath> = DataOf<P> & Row;

export interface OperationTableProps<P extends ListPath>
  extends Partial<Omit<RecordTableProps<ItemOf<P>>, "rows" | "fields">> {
  readonly path: P;
  /** What the page sets; it sets the business by itself. */
  readonly request?: Omit<Asked<P>, "page" | "per_page">;
  readonly filters?: readonly (keyof RequestOf<P> & string)[];
  /** The filter in which people look for one record. Enter opens it if it is the only one. */
  readonly search?: keyof RequestOf<P> & string;
  readonly perPage?: number;
  /** The label of the button that saves the list as a file. */
  readonly file?: string;
  readonly buttons?: readonly RecordButton<ItemOf<P>>[];
  /** What the table says without an item, and without one that the filters find. */
  readonly empty?: string;
  readonly noneFound?: string | undefined;
}

export function OperationTable<P extends ListPath>(props: OperationTableProps<P>) {
  const { path, filters = [], search, empty = texts.tables.empty, noneFound = empty, file, ...rows } = props;
  const [, navigate] = useLocation();
  const fixed = useRequest(path, (props.request ?? {}) as Asked<P>);
  const open = (request: object) => {
    call(path, { ...fixed, ...request, per_page: 2 }).then(
      ({ data: [first, second] }) => {
        const address = first && second === undefined && props.linkTo?.(first as ItemOf<P>);
        if (address) navigate(address);
      },
      (error: Error) => notify(failureText(error)),
    );
  };
  const { request, inputs } = useFilters(path, filters, { name: search, open });
  return (
    <>
      {inputs}
      {file && <SaveFile path={path} request={{ ...fixed, ...request }} label={file} />}
      <Rows
        // Another list never shows the rows of this one.
        key={JSON.stringify([path, fixed])}
        {...(rows as OperationTableProps<P>)}
        path={path}
        request={{ ...fixed, ...request } as OperationTableProps<P>["request"] & object}
        empty={Object.keys(request).length > 0 ? noneFound : empty}
      />
    </>
  );
}

function Rows<P extends ListPath>(props: OperationTableProps<P>) {
  const { path, request, perPage = 25, empty, buttons = [], ...table } = props;
  const { may } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const [, , subject] = path.split("/");
  // A page can have several lists.
  const place = `${subject}${pageParameter}`;
  const page = Math.max(1, Number(parameters.get(place)) || 1);
  const turn = (next: number) =>
    setParameters([...[...parameters].filter(([name]) => name !== place), [place, String(next)]]);
  const asked = { ...request, page, per_page: perPage } as RequestOf<P>;
  const read = useRead(path, asked, { keepPrevious: true });
  const failure = read.error && <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  if (read.data === undefined || isFinal(read.error)) return failure ?? <Loading />;
  const rows = read.data.data as unknown as readonly ItemOf<P>[];
  const { pagination } = read.data.meta;
  if (rows.length === 0 && page === 1) return <Empty>{empty}</Empty>;
  const fields = outputOf(path);
  const [id = ""] = Object.keys(fields);
  const shown = declarationOf(path).columns ?? Object.keys(fields);
  const allowed = buttons.filter((button) => may(button.path));
  return (
    <div style={{ opacity: read.isPlaceholderData ? 0.6 : 1 }} aria-busy={read.isPlaceholderData}>
      {failure}
      <RecordTable
        caption={declarationOf(path).summary}
        // The number of the record and of the business of the page say nothing to people.
        columns={shown.filter((name) => name !== id && name !== "business_id")}
        rowKey={(row, index) => String(row[id] ?? index)}
        {...(allowed.length > 0 && {
          actions: (row: ItemOf<P>) => <RecordButtons {...{ row, id }} buttons={allowed} />,
        })}
        {...table}
        {...{ rows, fields }}
      />
      {pagination && (
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed">
            {texts.tables.position(pagination.from, pagination.to, pagination.total)}
          </Text>
          {pagination.last_page > 1 && (
            <Pagination
              size="sm"
              total={pagination.last_page}
              value={pagination.current_page}
              onChange={turn}
              getControlProps={(control) => ({ "aria-label": texts.tables[control] })}
              getItemProps={(item) => ({ "aria-label": texts.tables.page(item) })}
            />
          )}
        </Group>
      )}
    </div>
  );
}
