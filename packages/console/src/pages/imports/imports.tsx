/** Imports a file of members, sales or vouchers. It is checked first, and can be imported again without harm. */
import { Alert, Button, Fieldset, FileInput, Group, SegmentedControl, SimpleGrid, Text } from "@mantine/core";
import { type ComponentProps, type Dispatch, type SetStateAction, useMemo, useState } from "react";
import { decimalSigns } from "../../../../../src/domain/amount-text.ts";
import { call } from "../../api/client.ts";
import { type DataOf, declarationOf, type Fields, type RequestOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { useWork, WorkProgress } from "../../feedback/work.tsx";
import { FieldInputs } from "../../forms/field-input.tsx";
import { type FormValues, formValues, readForm } from "../../forms/form-values.ts";
import { PageTitle } from "../../shell/page-title.tsx";
import { Section } from "../../shell/section.tsx";
import { texts } from "../../texts/en.ts";
import { forPeople } from "../../texts/labels.ts";
import { ImportOutcome } from "./import-outcome.tsx";
import { encodings, type ImportName, readFile, systems, type Totals } from "./reader.ts";

const mostMegabytes = 50;

export function ImportsPage() {
  const [name, setName] = useState<ImportName>("members");
  const [source, setSource] = useState<Readonly<{ number: number; bytes: Uint8Array }> | "too large">();
  const t = texts.imports;
  const accepted = Object.keys(lineFields(name)).map((field) => field.replaceAll("_", " "));
  const choose = async (file: File | null) => {
    if (file === null) return setSource(undefined);
    if (file.size > mostMegabytes * 1e6) return setSource("too large");
    const bytes = new Uint8Array(await file.arrayBuffer());
    setSource((before) => ({ number: typeof before === "object" ? before.number + 1 : 0, bytes }));
  };
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      <Group mb="md" align="flex-end">
        <SegmentedControl
          aria-label={t.what}
          data={Object.entries(t.names).map(([value, label]) => ({ value, label }))}
          value={name}
          onChange={(value) => setName(value as ImportName)}
        />
        <FileInput
          flex="1 1 16rem"
          maw="32rem"
          label={t.file}
          placeholder={t.choose}
          accept=".csv,.txt,text/csv,text/plain"
          onChange={(file) => void choose(file)}
        />
      </Group>
      {source === undefined && <Text size="sm">{t.accepted(accepted.join(", "))}</Text>}
      {source === "too large" && <Alert color="orange">{t.tooLarge(mostMegabytes)}</Alert>}
      {typeof source === "object" && (
        <ImportForm key={`${name} ${source.number}`} name={name} bytes={source.bytes} />
      )}
    </>
  );
}

/** What a line of the file can have. */
const lineFields = (name: ImportName) =>
  declarationOf(`/op/imports/${name}`).input.lines?.items?.properties ?? {};

const delimiters: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t" };
const majorUnits = "12.50";

/** How the file is written, as fields of a form. */
const writing: Fields = {
  delimiter: { type: "string", enum: Object.keys(delimiters), optional: true },
  encoding: { type: "string", enum: encodings },
  amounts: { type: "string", enum: [majorUnits, "1250"] },
  decimal_sign: { type: "string", enum: [...decimalSigns], optional: true },
  date_format: {
    type: "string",
    enum: ["/", ".", "-"].flatMap((sign) =>
      ["DD MM YYYY", "MM DD YYYY", "DD MM YY", "MM DD YY"].map((order) => order.replaceAll(" ", sign)),
    ),
    optional: true,
  },
};
const ofMembers: Fields = { exported_by: { type: "string", enum: systems, optional: true } };

/** How a file is written and what its columns are, its check, and its import. */
function ImportForm({ name, bytes }: { readonly name: ImportName; readonly bytes: Uint8Array }) {
  const business = useBusiness();
  const t = texts.imports;
  const path = `/op/imports/${name}` as const;
  const { lines: _lines, business_id: _, dry_run: __, ...options } = declarationOf(path).input;
  const fields = { ...writing, ...(name === "members" && ofMembers), ...options };
  const [values, setValues] = useState<FormValues>(() => formValues(fields, {}, business.currency_decimals));
  const [chosen, setChosen] = useState<FormValues>({});
  const { request, problems } = readForm(options, values, business.currency_decimals);
  const form = JSON.stringify([values, chosen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the file is read again when the form changes
  const file = useMemo(() => {
    const {
      delimiter = "",
      encoding = "",
      amounts,
      decimal_sign,
      date_format,
      exported_by,
    } = values as Record<string, string>;
    return readFile(name, lineFields(name), bytes, {
      columns: chosen as Record<string, string>,
      country: business.country,
      currency: business.currency,
      dateFormat: date_format,
      from: exported_by,
      delimiter: delimiters[delimiter],
      encoding,
      decimalSign: decimalSigns.find((sign) => sign === decimal_sign),
      decimals: amounts === majorUnits ? business.currency_decimals : undefined,
    });
  }, [name, bytes, form]);
  const { work, start, onStop, isRunning } = useWork<Totals | undefined>();
  const [last, setLast] = useState({ isDryRun: true, form: "" });
  const begin = (isDryRun: boolean) => {
    setLast({ isDryRun, form });
    start(undefined, async (tell, signal) => {
      const { business_id } = business;
      const post = (sent: readonly object[]) =>
        sendLines(path, { business_id, ...request, lines: sent as never, dry_run: isDryRun }, signal);
      await file.send(isDryRun, post, tell);
      if (!isDryRun) sessionStorage.removeItem(runKey);
    });
  };
  const names = [...new Set(file.header)].filter((column) => column !== "");
  const columns = Object.entries(lineFields(name)).map(([field, { description = "" }]) => [
    field,
    { type: "string", enum: names, description, optional: true } as const,
  ]);
  const problem = file.problem ?? Object.values(problems)[0];
  const isChecked = last.form === form && last.isDryRun && work?.state === "ended";
  return (
    <>
      <Fieldset disabled={isRunning}>
        <Section title={t.writing}>
          <FieldGrid {...{ fields, values, problems }} change={setValues} />
          {file.notes.map((note) => (
            <Text key={note} size="sm" mt="xs">
              {note}
            </Text>
          ))}
        </Section>
        <Section title={t.columns}>
          <FieldGrid
            fields={Object.fromEntries(columns)}
            values={{ ...file.columns, ...chosen }}
            change={setChosen}
          />
        </Section>
      </Fieldset>
      {problem && (
        <Alert color="orange" mt="md">
          {forPeople(problem)}
        </Alert>
      )}
      <Group mt="md">
        <Button
          variant={isChecked ? "default" : "filled"}
          disabled={isRunning || problem !== undefined}
          onClick={() => begin(true)}
        >
          {t.check(file.lines)}
        </Button>
        <Button disabled={!isChecked} onClick={() => begin(false)}>
          {t.start}
        </Button>
      </Group>
      {work && (
        <WorkProgress
          {...{ work, onStop }}
          label={t.progress}
          share={(work.done?.lines ?? 0) / Math.max(1, file.lines)}
          onRetry={() => begin(last.isDryRun)}
          {...(!last.isDryRun && { afterFailure: t.interrupted })}
        />
      )}
      {work?.done && <ImportOutcome totals={work.done} {...{ file, name }} />}
    </>
  );
}

type Inputs = ComponentProps<typeof FieldInputs>;
type FieldGridProps = Omit<Inputs, "onChange"> & { readonly change: Dispatch<SetStateAction<FormValues>> };

function FieldGrid({ change, ...inputs }: FieldGridProps) {
  const set: Inputs["onChange"] = (field, value) => change((others) => ({ ...others, [field]: value }));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
      <FieldInputs {...inputs} onChange={set} />
    </SimpleGrid>
  );
}

type ImportPath = `/op/imports/${ImportName}`;

/** In the same tab, an import that did not end goes on with the keys that it had. */
const runKey = "loyalty-console-import";

/** Sends a part of a file. The key is made of the request, so the same part of the same run has the same key after a reload. */
async function sendLines(path: ImportPath, request: RequestOf<ImportPath>, signal: AbortSignal) {
  const run = (!request.dry_run && sessionStorage.getItem(runKey)) || crypto.randomUUID();
  if (!request.dry_run) sessionStorage.setItem(runKey, run);
  const text = new TextEncoder().encode(run + JSON.stringify(request));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  const idempotencyKey = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const { data } = await call(path, request, { idempotencyKey, signal });
  return data as DataOf<ImportPath>;
}
