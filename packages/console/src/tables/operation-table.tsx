/**
 * The table of a list operation: its filters, the declared columns, the buttons of each record, and the other pages. Or of a log:
 * it begins with the newest item, and each page begins where the one before it ended.
 */
import { Flex, Group, Pagination, Text } from "@mantine/core";
import { type ReactNode, useContext } from "react";
import { useLocation } from "wouter";
import type { Asked, DataOf, Fields, ListPath, ReadPath, RequestOf, WritePath } from "../api/index.ts";
import { call, isFinal, outlineOf, outputOf, reads, useRead } from "../api/index.ts";
import { PageRecord, useRequest } from "../business.tsx";
import { Empty, FailureAlert, Loading, Note, PlainButton } from "../feedback/index.ts";
import { type SaveAs, SaveFile } from "../files/save-file.tsx";
import { useFilters } from "../forms/filters.tsx";
import { OperationButton, type OperationButtonProps } from "../forms/operation-button.tsx";
import { useSession } from "../session/session.tsx";
import { Section } from "../shell/page-title.tsx";
import { texts } from "../texts/index.ts";
import type { Row } from "../values/value.tsx";
import { useColumns } from "./columns.tsx";
import { orderParameter, pageParameter, useParameter } from "./order.ts";
import { RecordTable, type RecordTableProps } from "./record-table.tsx";

/** A log is a read: the list in its response has the items. */
type ItemOf<P extends ListPath | ReadPath> = Row &
  (P extends ListPath ? DataOf<P> : Extract<DataOf<P>[keyof DataOf<P>], readonly object[]>[number]);

export interface OperationTableProps<P extends ListPath | ReadPath>
  extends Partial<Omit<RecordTableProps<ItemOf<P>>, "rows" | "fields">> {
  readonly path: P;
  /** The heading of a table that is a part of a page, and what is beside it, or before the filters. */
  readonly title?: string;
  readonly beside?: ReactNode;
  /** What the page sets; it sets the business by itself. */
  readonly request?: Omit<Asked<P>, "page" | "per_page">;
  readonly filters?: readonly (keyof RequestOf<P> & string)[];
  /** The filter in which people look for one record. Enter opens it if it is the only one. */
  readonly search?: keyof RequestOf<P> & string;
  readonly perPage?: number;
  /** What is above the items, by how many there are and by the request. */
  readonly summary?: (total: number, request: Row) => ReactNode;
  /** The label of the button that saves the list as a file. */
  readonly file?: string;
  /** How it is saved, if not for a spreadsheet. */
  readonly saveAs?: SaveAs;
  /** The buttons of an item. Their operations get its number, besides the fixed fields. */
  readonly buttons?: (row: ItemOf<P>) => readonly (RecordButton | WritePath | false)[];
  /** What the table says without an item, and without one that the filters find. */
  readonly empty?: ReactNode;
  readonly noneFound?: string | undefined;
}

export function OperationTable<P extends ListPath | ReadPath>(props: OperationTableProps<P>) {
  const { path, title, beside, filters = [], search, file, saveAs, ...rows } = props;
  const { empty = texts.tables.empty, noneFound = empty } = rows;
  const [, navigate] = useLocation();
  const fixed = useRequest(path, (props.request ?? {}) as Asked<P>);
  const open = async (request: object) => {
    const { data } = await call(path, { ...fixed, ...request, per_page: 2 } as unknown as RequestOf<P>);
    const [address, ...others] = (data as readonly ItemOf<P>[]).map((one) => props.linkTo?.(one));
    if (address && others.length === 0) navigate(address);
  };
  const { number = {} } = useContext(PageRecord);
  const own = filters.filter((name) => !(name in number));
  const { request, isReadable, inputs } = useFilters(path, own, { search: { name: search, open } });
  const asked = { ...fixed, ...request };
  const content = (
    <>
      <Group gap="sm" align="flex-end" mb={inputs || file ? "sm" : 0}>
        {!title && beside}
        {inputs}
        {file && <SaveFile path={path as ListPath} request={asked} label={file} as={saveAs} ml="auto" />}
      </Group>
      <Rows
        // Another list never shows the rows of this one.
        key={JSON.stringify([path, fixed])}
        {...({ ...rows, ...(!isReadable && { summary: undefined }) } as OperationTableProps<P>)}
        path={path}
        request={asked as OperationTableProps<P>["request"] & object}
        empty={Object.keys(request).length > 0 ? noneFound : empty}
      />
    </>
  );
  return title ? <Section {...{ title, beside }}>{content}</Section> : content;
}

/** People can sort a list that has at most so many rows: these are one page. */
const mostSorted = 100;

/** New items of a log appear after so many seconds. */
const refreshSeconds = 5;

function Rows<P extends ListPath | ReadPath>(props: OperationTableProps<P>) {
  const { path, request, perPage = 25, empty, buttons = () => [], summary, ...table } = props;
  const { columns: declared = Object.keys(outputOf(path)), input, log, summary: caption } = reads[path];
  const [isLog, fields] = [log !== undefined, log?.fields ?? outputOf(path)];
  const [id = ""] = Object.keys(fields);
  const buttonsOf = useButtons(buttons, id);
  const { shown, menu } = useColumns(path, fields, { declared, own: table.columns });
  const subject = path.replace(/^\/op\/|\/list$/g, "").replaceAll("/", "-");
  const [at, turn] = useParameter(`${subject}${pageParameter}`);
  const [order] = useParameter(`${subject}${orderParameter}`);
  const page = Math.max(1, Number(at) || 1);
  const per_page = order ? mostSorted : perPage;
  const part = isLog ? { limit: perPage, ...request, ...endOf(at, input) } : { ...request, page, per_page };
  const options = { keepPrevious: true, ...(isLog && !at && { refreshSeconds }) };
  const read = useRead(path, part as unknown as RequestOf<P>, options);
  const failure = read.error && <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  if (read.data === undefined || isFinal(read.error)) return failure ?? <Loading />;
  const { [log?.items ?? ""]: list, next } = read.data.data as unknown as Row;
  const rows = (isLog ? list : read.data.data) as readonly ItemOf<P>[];
  const { pagination } = read.data.meta;
  if (rows.length === 0 && !at && !next) return <Nothing {...props} />;
  return (
    <div style={{ opacity: read.isPlaceholderData ? 0.6 : 1 }} aria-busy={read.isPlaceholderData}>
      {failure}
      {pagination && summary?.(pagination.total, request as Row)}
      {rows.length === 0 && <Empty>{texts.tables.noneHere}</Empty>}
      {rows.length > 0 && (
        <RecordTable
          rowKey={(row, index) => String(row[id] ?? index)}
          {...(rows.some((row) => buttonsOf(row).length > 0) && {
            actions: (row: ItemOf<P>) => (
              <Flex wrap={{ base: "wrap", sm: "nowrap" }} gap="xs" justify={{ sm: "flex-end" }}>
                {buttonsOf(row).map((button) => (
                  <OperationButton key={button.path} {...button} button={{ size: "compact-sm" }} />
                ))}
              </Flex>
            ),
          })}
          {...table}
          {...{ caption, rows, fields, columns: shown }}
          {...{ sortable: pagination && pagination.total <= mostSorted ? subject : undefined }}
        />
      )}
      <Group justify="flex-end" mt="sm">
        {menu}
        {isLog && at && <PlainButton onClick={() => turn()}>{texts.tables.newest}</PlainButton>}
        {Boolean(next) && <PlainButton onClick={() => turn(next)}>{texts.tables.older}</PlainButton>}
        {pagination && <Note mr="auto">{texts.tables.position(pagination)}</Note>}
        {pagination && pagination.last_page > 1 && (
          <Pagination
            {...{ size: "sm", total: pagination.last_page, value: pagination.current_page, onChange: turn }}
            getControlProps={(control) => ({ "aria-label": texts.tables[control] })}
            getItemProps={(item) => ({ "aria-label": texts.tables.page(item) })}
          />
        )}
      </Group>
    </div>
  );
}

/** Before which item a page of a log ends: its number, or a text. */
const endOf = (at: string | null, { before }: Fields) =>
  at === null ? {} : { before: before?.type === "integer" ? Number(at) : at };

/** The buttons of a row that the person may use. */
function useButtons<R extends Row>(
  buttons: (row: R) => readonly (RecordButton | WritePath | false)[],
  id: string,
) {
  const { may } = useSession();
  return (row: R) =>
    buttons(row).flatMap((one) => {
      const button = typeof one === "string" ? { path: one } : one;
      if (!button || !may(button.path)) return [];
      const number = outlineOf(button.path).takes.includes(id) && { [id]: row[id] };
      return { record: row, ...button, fixed: { ...number, ...button.fixed } };
    });
}

type RecordButton = Omit<OperationButtonProps<WritePath>, "fixed"> & { readonly fixed?: object };

/** Says that no record is found. Of a search, the records with similar names follow. */
function Nothing<P extends ListPath | ReadPath>({ request, empty, ...props }: OperationTableProps<P>) {
  const { search, similar } = request as { search?: string; similar?: boolean };
  const asked = { ...request, similar: true } as never;
  const more = search && "similar" in reads[props.path].input;
  const summary = () => <Text fw={600}>{texts.members.similar}</Text>;
  const found = more && <Rows key="similar" {...{ ...props, summary }} request={asked} />;
  return similar ? null : [<Empty key="none">{empty}</Empty>, found];
}
