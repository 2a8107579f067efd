/** One import: how its file is written, what its lines come to, how far it is, and what became of it. */
import { Alert, List, NativeSelect, SimpleGrid } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isRunning, possibleSteps } from "../../../../../src/domain/imports/jobs.ts";
import { type DataOf, everyPart, outputOf, useAll } from "../../api/index.ts";
import { writes } from "../../api/writes.ts";
import { Figure, OperationButton, PageTitle, RecordTable, Section, useBusiness } from "../../components.ts";
import { Empty, JobProgress, notifyFailure, PlainButton } from "../../feedback/index.ts";
import { download } from "../../files/download.ts";
import { importSentence, importTexts } from "../../texts/en/imports.ts";
import { colon, decimalText, messageText, momentText } from "../../texts/index.ts";
import { choiceText, importProblemText, labelOf } from "../../texts/labels.ts";
import { State, Words } from "../../values/index.ts";
import { lineFields } from "./line-fields.ts";

type Import = DataOf<"/op/imports/get">;
/** What was chosen after the last check: columns by field, and locations by their name in the file. */
type Chosen = Readonly<Record<"columns" | "places", Readonly<Record<string, string>>>>;
const nothing: Chosen = { columns: {}, places: {} };
const checkText = (kind: Import["kind"]) => (kind === null ? t.checkFirst : t.check);

const [t, preview] = [importTexts, "/op/imports/preview"] as const;
const outputs = outputOf("/op/imports/get");
const again = { path: preview, submitLabel: t.check };
const figures = ["lines", "imported", "skipped", "rejected", "left_out"] as const;

export function ImportPage({ record }: { readonly record: Import }) {
  const { state, form, kind, result, options, problem, lines_done } = record;
  const [chosen, setChosen] = useState(nothing);
  const isChanged = chosen !== nothing;
  const { canGoOn, canCheck, canStop, isDeleted } = possibleSteps(record);
  const check = (
    <OperationButton
      {...again}
      label={isChanged || options === null ? checkText(kind) : t.options}
      fixed={requestOf(record, chosen)}
      suggested={options ?? {}}
      show={kind === null ? ["kind"] : (writes[preview].optionsByKind?.[kind] ?? [])}
      onDone={() => setChosen(nothing)}
    />
  );
  // How many lines a check will read is not known before its end.
  const total = state === "importing" && form?.lines;
  const progress = total ? t.importing(lines_done, total) : t.checking(lines_done);
  const subtitle = [kind && t.names[kind], momentText(record.created_at)].filter(Boolean).join(" · ");
  return (
    <>
      <PageTitle title={record.file_name} subtitle={subtitle}>
        <State value={`import_${state}`} />
        {canCheck && !isChanged && check}
        {canCheck && kind && <OperationButton {...again} label={t.otherKind} show={["kind"]} />}
        {((state === "checked" && result?.imported) || canGoOn) && (
          <OperationButton
            path="/op/imports/start"
            label={canGoOn ? t.goOn : t.start(result?.imported ?? 0)}
            button={{ variant: "filled", disabled: isChanged }}
          />
        )}
        {canStop && <OperationButton path="/op/imports/cancel" {...(canCheck && { label: t.deleteFile })} />}
      </PageTitle>
      {isDeleted && <Empty>{t.fileDeleted}</Empty>}
      {state === "uploading" && <Alert color="orange">{t.notUploaded}</Alert>}
      {problem !== null && (
        <Alert color="red" title={t.failed}>
          {importSentence(importProblemText(problem, form === null ? "" : ` ${t.chooseColumns}`))}
        </Alert>
      )}
      {isRunning(state) && <JobProgress text={progress} share={total ? lines_done / total : 1} />}
      <Result record={record} isOld={isChanged} />
      {canCheck && <ColumnTable {...{ record, chosen }} choose={setChosen} beside={isChanged && check} />}
    </>
  );
}

/** What the last check was told, without columns of another header, and what was chosen since then. */
function requestOf({ kind, options, form }: Import, { columns, places }: Chosen) {
  const columnsBefore = options?.columns?.filter(({ field }) => columns[field] === undefined) ?? [];
  const placesBefore = options?.locations?.filter(({ name }) => places[name] === undefined) ?? [];
  const after = Object.entries(columns).map(([field, column]) => ({ field, column }));
  const locations = Object.entries(places).flatMap(([name, id]) =>
    id === unknown ? [] : { name, location_id: id === "" ? null : Number(id) },
  );
  return {
    ...(kind && { kind }),
    columns: [...columnsBefore, ...after].filter(({ column }) => !column || form?.header.includes(column)),
    ...(kind === "sales" && form && { locations: [...placesBefore, ...locations] }),
  };
}

/** How the file is written, and what became of its lines, or would become of them. */
function Result({ record, isOld }: { readonly record: Import; readonly isOld: boolean }) {
  const business = useBusiness();
  const { state, result, kind, form } = record;
  if (form === null || result === null || kind === null) return null;
  const words = ["checking", "checked"].includes(state) || form.lines === null ? t.ofCheck : t.ofImport;
  const known = { ...lineFields(kind), ...writes[preview].input };
  const notes = [t.written(form.encoding, choiceText(form.delimiter)), ...result.notes, ...form.notes];
  const said = (text: string) => importSentence(messageText(text, known));
  const items = notes.map((one) => <List.Item key={one}>{said(one)}</List.Item>);
  const save = () => saveRejected(business.business_id, record).catch(notifyFailure);
  return (
    <div style={{ opacity: isOld ? 0.5 : 1 }}>
      <Section title={words.title}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="md">
          {figures.map((name) => (
            <Figure key={name} label={words[name]} value={decimalText(result[name], 0)} />
          ))}
        </SimpleGrid>
        <List size="sm">{items}</List>
      </Section>
      {result.reasons.length > 0 && (
        <Section
          title={words.reasons}
          beside={<PlainButton {...{ size: "xs", onClick: save, children: t.save }} />}
        >
          <RecordTable
            caption={words.reasons}
            rows={result.reasons.map((one) => ({ ...one, reason: said(one.reason) }))}
            fields={outputs.result?.properties?.reasons?.items?.properties ?? {}}
            rowKey={({ reason }) => reason}
          />
        </Section>
      )}
    </div>
  );
}

/** Saves the rejected lines as they are in the file, so that people can correct and import them. */
async function saveRejected(business_id: number, { import_id, file_name }: Import): Promise<void> {
  const parts: string[] = [];
  for await (const { data } of everyPart("/op/imports/rejected", { business_id, import_id })) {
    parts.push(...data.lines.map(({ line_bytes }) => line_bytes));
    if (data.next_after_line === null && data.header !== null) parts.unshift(data.header);
  }
  const lines = parts.flatMap((part) => [Uint8Array.from(atob(part), (one) => one.charCodeAt(0)), "\n"]);
  download(`${file_name}.rejected.csv`, "text/csv", lines);
}

type Choosing = Readonly<{ record: Import; chosen: Chosen; choose: (to: Chosen) => void; beside: ReactNode }>;

const unknown = "?";

/** The column of each field, with its first values as they are read, and the location that each name in the file means. */
function ColumnTable({ record: { kind, form }, chosen, choose, beside }: Choosing) {
  const own = useAll("/op/locations/list", {}).data?.data;
  // Without its choices, a field would show another one than is chosen.
  if (form === null || kind === null || own === undefined) return null;
  const { columns, places } = chosen;
  const names = [...new Set(form.header)].filter((name) => name !== "" && name !== "-");
  const ofFields = Object.keys(lineFields(kind)).map((field) => ({
    field: labelOf(field, "import_"),
    data: [{ value: "", label: t.noColumn }, ...names],
    value: columns[field] ?? form.columns.find((one) => one.field === field)?.column ?? "",
    take: (column: string) => choose({ places, columns: { ...columns, [field]: column } }),
    sample: form.sample
      .flatMap(({ values }) => values.find((one) => one.field === field)?.sample_value ?? [])
      .slice(0, 3)
      .join(" · "),
  }));
  const ofPlaces = form.locations.map(({ name, lines, location_id, left_out }) => ({
    field: t.place(name),
    data: [
      { value: unknown, label: t.unknownPlace },
      { value: "", label: t.leftOutPlace },
      ...own.map((one) => ({ value: String(one.location_id), label: one.name })),
    ],
    value: places[name] ?? (left_out ? "" : String(location_id ?? unknown)),
    take: (id: string) => choose({ columns, places: { ...places, [name]: id } }),
    sample: t.lines(lines),
  }));
  return (
    <Section title={t.columns} beside={beside}>
      <RecordTable
        caption={t.columns}
        rows={[...ofPlaces, ...ofFields]}
        fields={outputs.form?.properties?.columns?.items?.properties ?? {}}
        columns={["field", "column", "sample"]}
        rowKey={({ field }) => field}
        cells={{
          field: ({ field }) => field,
          column: ({ field, data, value, take }) => (
            <NativeSelect
              {...{ data, value }}
              w={{ base: "52vw", sm: "12rem" }}
              aria-label={labelOf("column") + colon + field}
              onChange={(event) => take(event.currentTarget.value)}
            />
          ),
          sample: ({ sample }) => sample && <Words>{sample}</Words>,
        }}
      />
      {form.unused.length > 0 && <Empty>{t.unused(form.unused.join(", "))}</Empty>}
    </Section>
  );
}
