/** Saves a list, as its filters show it, as a CSV file for a spreadsheet. */
import { Stack } from "@mantine/core";
import type { Fields, ListPath, RequestOf } from "../api/index.ts";
import { call, everyPart, queryClient, reads } from "../api/index.ts";
import { outlines } from "../api/outlines.ts";
import { type Business, useBusiness } from "../business.tsx";
import { notify, PlainButton, useWork, WorkProgress } from "../feedback/index.ts";
import { useSession } from "../session/session.tsx";
import { filedDecimal, inZone, texts } from "../texts/index.ts";
import { isMoney, isReference, nameQuery, type Row, readChoices } from "../values/index.ts";
import { saveCsv } from "./download.ts";

type ExportPath = "/op/exports/transactions" | "/op/exports/vouchers" | "/op/exports/codes";
/** Saves rows as another file than one for a spreadsheet. */
export type SaveAs = (rows: readonly Row[], business: Business) => void;
type SaveFileProps = Readonly<{ path: ListPath | ExportPath; request?: object; label?: string }> &
  Readonly<{ as?: SaveAs | undefined; ml?: "auto" }>;

/** @param props the path is that of an export, or of a list; a whole list comes from its export, which has more rows in each response */
export function SaveFile({ path, request = {}, label = texts.tables.csv, as, ml }: SaveFileProps) {
  const business = useBusiness();
  const { business_id } = business;
  const { may } = useSession();
  const { work, start, onStop, isRunning } = useWork<number>();
  const subject = path.split("/").findLast((part) => part !== "list") ?? "";
  const exportPath = `/op/exports/${subject}` as ExportPath;
  const [list, isExport] = [path as ListPath, path === exportPath];
  const { business_id: _, include_inactive, count_members: __, ...filters } = request as Row;
  const isWhole = Object.keys(filters).length === 0 && exportPath in outlines && may(exportPath);
  if (isExport && !isWhole) return null;
  const asked = { business_id, ...(isWhole ? {} : request) } as RequestOf<ListPath>;
  const source = isWhole ? exportPath : list;
  const { input, output } = reads[source];
  const fields = (isWhole ? output.properties?.[subject]?.items : output)?.properties ?? {};
  const part = isWhole ? { limit: input.limit?.maximum } : { per_page: 100 };
  const save = () =>
    start(0, async (tell, signal) => {
      // Nothing says how many rows an export without a list has.
      const first = isExport ? undefined : await call(list, { ...asked, per_page: 1 }, { signal });
      const total = Math.max(1, first?.meta.pagination?.total ?? first?.data.length ?? 1);
      const { titles, cellsOf } = await columnsOf(fields, business);
      const [lines, all]: [unknown[][], Row[]] = [[], []];
      for await (const { data } of everyPart(source, { ...asked, ...part }, signal)) {
        const rows = (isWhole ? (data as unknown as Row)[subject] : data) as readonly Row[];
        const shown = rows.filter(({ active }) => include_inactive || active !== false);
        all.push(...shown);
        if (!as) lines.push(...(await Promise.all(shown.map(cellsOf))));
        tell(all.length / total);
      }
      // An export begins with the oldest row, and a list with the newest.
      if (isWhole) lines.reverse();
      if (as) return as(all, business);
      saveCsv(subject, [titles, ...lines]);
      notify(texts.tables.saved(lines.length));
    });
  return (
    <Stack align="flex-end" gap={0} {...(ml && { ml })}>
      <PlainButton {...{ onClick: save, disabled: isRunning }}>{label}</PlainButton>
      {work && <WorkProgress {...{ work, onStop, label }} share={work.done} onRetry={save} />}
    </Stack>
  );
}

/** `isName`: whether the number of a record becomes its name. */
type Column = Readonly<{ name: string; title: string; isName: boolean }>;

/** The name of a member is beside its number. Other records have only a name. */
function columnOf(name: string, fields: Fields): readonly Column[] {
  const title = name.replace(/_id$/, "_name");
  const own = { name, title: name, isName: false };
  if (isReference(name)) return title in fields ? [] : [{ name, title, isName: true }];
  if (name !== "contact_id" || "first_name" in fields) return [own];
  return [own, { name, title: "member_name", isName: true }];
}

/** The columns of a file. Amounts are in major units, as a spreadsheet needs them, and times in the zone of the business. */
export async function columnsOf(fields: Fields, { business_id, currency_decimals, time_zone }: Business) {
  const references = Object.keys(fields).filter(isReference);
  const choices = await Promise.all(references.map((name) => readChoices(name, business_id)));
  const names = new Map(references.map((name, index) => [name, choices[index]]));
  const read = ({ name, isName }: Column, row: Row): unknown => {
    const [value, field = { type: "string" as const }] = [row[name], fields[name]];
    if (isName && names.has(name)) return names.get(name)?.get(String(value)) ?? value;
    if (isName && typeof value === "number") return queryClient.fetchQuery(nameQuery(business_id, value));
    if (typeof value === "string" && field.zone === "UTC") return inZone(value, time_zone);
    const isAmount = typeof value === "number" && isMoney(field, row);
    return isAmount ? filedDecimal(value, currency_decimals) : value;
  };
  const columns = Object.keys(fields).flatMap((name) => columnOf(name, fields));
  const cellsOf = (row: Row) => Promise.all(columns.map((one) => read(one, row)));
  return { titles: columns.map(({ title }) => title), cellsOf };
}
