/** One import: how its file is written, what its lines come to, how far it is, and what became of it. */
import { Alert, Button, Group, List, NativeSelect, Progress, SimpleGrid, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { call, type ResponseOf } from "../../api/client.ts";
import { type DataOf, declarationOf, outputOf, type RequestOf } from "../../api/declarations.ts";
import { useAll } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { Empty } from "../../feedback/empty.tsx";
import { failureText } from "../../feedback/failure.tsx";
import { notify } from "../../feedback/notices.tsx";
import { download } from "../../files/download.ts";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Section } from "../../shell/section.tsx";
import { Figure } from "../../tables/figure.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { momentText } from "../../texts/dates.ts";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { choiceText, forPeople, labelOf, messageText } from "../../texts/labels.ts";
import { Words } from "../../values/words.tsx";
import { ImportState, isRunning, lineFields } from "./import-state.tsx";

type Import = DataOf<"/op/imports/get">;
/** The columns of fields. */
type Columns = Readonly<Record<string, string>>;

const t = texts.imports;
const preview = "/op/imports/preview";
const outputs = outputOf("/op/imports/get");
const figures = ["lines", "imported", "skipped", "rejected", "left_out"] as const;

export function ImportPage({ record }: { readonly record: Import }) {
  const { import_id, state, form, kind, result, options, problem } = record;
  // What was chosen after the last check.
  const [chosen, setChosen] = useState<Columns>({});
  const [places, setPlaces] = useState<Columns>({});
  const isChanged = Object.keys({ ...chosen, ...places }).length > 0;
  // A check that was cancelled has not seen all lines.
  const canGoOn = ["cancelled", "failed"].includes(state) && typeof form?.lines === "number";
  const canCheck = !isRunning(state) && state !== "uploading";
  const fixed = { import_id };
  const check = (
    <OperationButton
      path={preview}
      label={isChanged || options === null ? t.check : t.options}
      submitLabel={t.check}
      fixed={{
        import_id,
        ...(kind ? { kind } : { amount_unit: "major" }),
        columns: columnsOf(record, chosen),
        ...placesOf(record, places),
      }}
      suggested={options ?? {}}
      show={kind === null ? ["kind"] : (declarationOf(preview).optionsByKind?.[kind] ?? [])}
      onDone={() => {
        setChosen({});
        setPlaces({});
      }}
    />
  );
  const subtitle = (
    <Group gap="xs" mt={4}>
      <ImportState path="/op/imports/get" state={state} />
      {[kind && t.names[kind], momentText(record.created_at)].filter(Boolean).join(" · ")}
    </Group>
  );
  return (
    <>
      <PageTitle title={record.file_name} subtitle={subtitle}>
        {canCheck && !isChanged && check}
        {((state === "checked" && result?.imported) || canGoOn) && (
          <OperationButton
            path="/op/imports/start"
            label={canGoOn ? t.goOn : t.start(result?.imported ?? 0)}
            {...{ fixed }}
            button={{ variant: "filled", disabled: isChanged }}
          />
        )}
        {!canCheck && <OperationButton path="/op/imports/cancel" label={t.stop} {...{ fixed }} />}
      </PageTitle>
      {state === "uploading" && <Alert color="orange">{t.notUploaded}</Alert>}
      {problem !== null && (
        <Alert color="red" title={t.failed}>
          {forPeople(problem.replace(/ The columns are: .*/s, form === null ? "" : ` ${t.chooseColumns}`))}
        </Alert>
      )}
      {isRunning(state) && <JobProgress record={record} />}
      <Result record={record} isOld={isChanged} />
      {canCheck && form !== null && form.locations.length > 0 && (
        <LocationTable {...{ record, places }} choose={setPlaces} />
      )}
      {canCheck && <ColumnTable {...{ record, chosen }} choose={setChosen} beside={isChanged && check} />}
    </>
  );
}

/** The columns of the last check and those that were chosen since then, without those of another header. */
function columnsOf({ options, form }: Import, chosen: Columns) {
  const before = options?.columns?.map(({ field, column }) => [field, column]) ?? [];
  return Object.entries({ ...(Object.fromEntries(before) as Columns), ...chosen })
    .filter(([, column]) => column === "" || form?.header.includes(column))
    .map(([field, column]) => ({ field, column }));
}

/** What names of locations mean: as the last check had it, and as it was chosen since then. */
function placesOf({ kind, options, form }: Import, chosen: Columns) {
  if (kind !== "sales") return {};
  const before = options?.locations?.filter(({ name }) => chosen[name] === undefined) ?? [];
  const after = Object.entries(chosen).filter(([, id]) => id !== unknown);
  const locations = after.map(([name, id]) => ({ name, location_id: id === "" ? null : Number(id) }));
  return form === null ? {} : { locations: [...before, ...locations] };
}

/** How many lines a check will read is not known before its end. */
function JobProgress({ record: { state, lines_done, form } }: { readonly record: Import }) {
  const total = state === "checking" ? 0 : (form?.lines ?? 0);
  const text = total > 0 ? t.importing(lines_done, total) : t.checking(lines_done);
  return (
    <>
      <Text mb="xs">{text}</Text>
      <Progress animated value={total > 0 ? (100 * lines_done) / total : 100} aria-label={text} />
    </>
  );
}

/** How the file is written, and what became of its lines, or would become of them. */
function Result({ record, isOld }: { readonly record: Import; readonly isOld: boolean }) {
  const business = useBusiness();
  const { state, result, kind, form } = record;
  if (form === null || result === null || kind === null) return null;
  const words = ["checking", "checked"].includes(state) || form.lines === null ? t.ofCheck : t.ofImport;
  const known = { ...lineFields(kind), ...declarationOf(preview).input };
  const notes = [t.written(form.encoding, choiceText(form.delimiter)), ...result.notes, ...form.notes];
  const save = () =>
    saveRejected(business.business_id, record).catch((error: Error) => notify(failureText(error)));
  return (
    <div style={{ opacity: isOld ? 0.5 : 1 }}>
      <Section title={words.title}>
        <SimpleGrid cols={{ base: 2, sm: 4 }} mb="md">
          {figures
            .filter((name) => name !== "left_out" || result.left_out > 0)
            .map((name) => (
              <Figure key={name} label={words[name]} value={decimalText(result[name], 0)} />
            ))}
        </SimpleGrid>
        <List size="sm">
          {notes.map((note) => (
            <List.Item key={note}>{messageText(note, known)}</List.Item>
          ))}
        </List>
      </Section>
      {result.reasons.length > 0 && (
        <Section
          title={words.reasons}
          beside={
            <Button variant="default" size="xs" onClick={save}>
              {t.save}
            </Button>
          }
        >
          <RecordTable
            caption={words.reasons}
            rows={result.reasons.map((one) => ({ ...one, reason: messageText(one.reason, known) }))}
            fields={outputs.result?.properties?.reasons?.items?.properties ?? {}}
            rowKey={({ reason }) => reason}
          />
        </Section>
      )}
    </div>
  );
}

const path = "/op/imports/rejected";

/** Saves the rejected lines as they are in the file, so that people can correct and import them. */
async function saveRejected(business_id: number, { import_id, file_name }: Import): Promise<void> {
  const parts: string[] = [];
  for (let after_line: number | undefined | null; after_line !== null; ) {
    const request = { business_id, import_id, after_line } as RequestOf<typeof path>;
    const { data }: ResponseOf<typeof path> = await call(path, request);
    parts.push(...data.lines.map(({ line_bytes }) => line_bytes));
    after_line = data.next_after_line;
    if (after_line === null && data.header !== null) parts.unshift(data.header);
  }
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const lines = parts.flatMap((part) => [bytesOf(part), "\n"]);
  download(`${file_name}.rejected.csv`, "text/csv", lines);
}

type TableProps = Readonly<{
  record: Import;
  chosen: Columns;
  choose: (columns: Columns) => void;
  beside: ReactNode;
}>;

/** The column of each field, and its first values as they are read. */
function ColumnTable({ record, chosen, choose, beside }: TableProps) {
  const { kind, form } = record;
  if (form === null || kind === null) return null;
  const names = [...new Set(form.header)].filter((name) => name !== "" && name !== "-");
  const rows = Object.keys(lineFields(kind)).map((field) => ({
    field,
    column: chosen[field] ?? form.columns.find((one) => one.field === field)?.column ?? "",
    sample: form.sample
      .flatMap(({ values }) => values.find((one) => one.field === field)?.sample_value ?? [])
      .slice(0, 3)
      .join(" · "),
  }));
  return (
    <Section title={t.columns} beside={beside}>
      <RecordTable
        caption={t.columns}
        rows={rows}
        fields={outputs.form?.properties?.columns?.items?.properties ?? {}}
        columns={["field", "column", "sample"]}
        rowKey={({ field }) => field}
        cells={{
          field: ({ field }) => labelOf(field),
          column: ({ field, column }) => (
            <NativeSelect
              w={{ base: "52vw", sm: "12rem" }}
              aria-label={`${labelOf("column")}: ${labelOf(field)}`}
              data={[{ value: "", label: t.noColumn }, ...names]}
              value={column}
              onChange={(event) => choose({ ...chosen, [field]: event.currentTarget.value })}
            />
          ),
          sample: ({ sample }) => sample && <Words>{sample}</Words>,
        }}
      />
      {form.unused.length > 0 && <Empty>{t.unused(form.unused.join(", "))}</Empty>}
    </Section>
  );
}

const unknown = "?";

type PlaceProps = Readonly<{ record: Import; places: Columns; choose: (places: Columns) => void }>;

/** The location that each name in the file means. */
function LocationTable({ record: { form }, places, choose }: PlaceProps) {
  const own = useAll("/op/locations/list", {}).data?.data ?? [];
  const choices = [
    { value: unknown, label: t.unknownPlace },
    { value: "", label: t.leftOutPlace },
    ...own.map(({ location_id, name }) => ({ value: String(location_id), label: name })),
  ];
  return (
    <Section title={t.locations}>
      <RecordTable
        caption={t.locations}
        rows={form?.locations ?? []}
        fields={outputs.form?.properties?.locations?.items?.properties ?? {}}
        columns={["name", "lines", "location_id"]}
        rowKey={({ name }) => name}
        cells={{
          location_id: ({ name, location_id, left_out }) => (
            <NativeSelect
              aria-label={`${labelOf("location_id")}: ${name}`}
              data={choices}
              value={places[name] ?? (left_out ? "" : String(location_id ?? unknown))}
              onChange={(event) => choose({ ...places, [name]: event.currentTarget.value })}
            />
          ),
        }}
      />
    </Section>
  );
}
