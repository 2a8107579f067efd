/** Imports a file of members, sales or vouchers. It is checked first, and can be imported again without harm. */
import { Alert, Button, FileInput, Group, SegmentedControl, SimpleGrid, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { type DataOf, declarationOf, type Fields, type RequestOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { useWork, WorkProgress } from "../../feedback/work.tsx";
import { FieldInputs } from "../../forms/field-inputs.tsx";
import { type FormValues, formValues, readForm } from "../../forms/form-values.ts";
import { PageTitle } from "../../shell/page-title.tsx";
import { Section } from "../../shell/section.tsx";
import { texts } from "../../texts/en.ts";
import { forPeople } from "../../texts/labels.ts";
import { ImportOutcome } from "./import-outcome.tsx";
import { type ImportName, readFile, systems, type Totals } from "./reader.ts";

interface Source {
  readonly number: number;
  readonly text: string;
}

const mostMegabytes = 50;

export function ImportsPage() {
  const [name, setName] = useState<ImportName>("members");
  const [source, setSource] = useState<Source | "too large">();
  const t = texts.imports;
  const choose = async (file: File | null) => {
    if (file === null) return setSource(undefined);
    if (file.size > mostMegabytes * 1e6) return setSource("too large");
    const text = await file.text();
    setSource((before) => ({ number: typeof before === "object" ? before.number + 1 : 0, text }));
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
          className="search"
          label={t.file}
          placeholder={t.choose}
          accept=".csv,.txt,text/csv,text/plain"
          onChange={(file) => void choose(file)}
        />
      </Group>
      {source === undefined && <AcceptedColumns name={name} />}
      {source === "too large" && <Alert color="orange">{t.tooLarge(mostMegabytes)}</Alert>}
      {typeof source === "object" && (
        <ImportForm key={`${name} ${source.number}`} name={name} text={source.text} />
      )}
    </>
  );
}

function AcceptedColumns({ name }: { readonly name: ImportName }) {
  const { lines } = declarationOf(`/op/imports/${name}`).input;
  const columns = Object.keys(lines?.items?.properties ?? {});
  return (
    <Text size="sm">
      {texts.imports.accepted(columns.map((name) => name.replaceAll("_", " ")).join(", "))}
    </Text>
  );
}

/** How a file is written and what its columns are, its check, and its import. */

const delimiters: Readonly<Record<string, string>> = { comma: ",", semicolon: ";", tab: "\t" };
const majorUnits = "12.50";

/** How the file is written, as fields of a form. */
const writing: Fields = {
  delimiter: { type: "string", enum: Object.keys(delimiters) },
  amounts: { type: "string", enum: [majorUnits, "1250"] },
  date_format: {
    type: "string",
    enum: ["DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "DD-MM-YYYY"],
    optional: true,
  },
};
const ofMembers: Fields = { exported_by: { type: "string", enum: systems, optional: true } };

interface ImportFormProps {
  readonly name: ImportName;
  readonly text: string;
}

function ImportForm({ name, text }: ImportFormProps) {
  const business = useBusiness();
  const t = texts.imports;
  const path = `/op/imports/${name}` as const;
  const { lines, business_id: _, dry_run: __, ...options } = declarationOf(path).input;
  const fields = { ...writing, ...(name === "members" && ofMembers), ...options };
  const [values, setValues] = useState<FormValues>(() => formValues(fields, {}, business.currency_decimals));
  const [chosen, setChosen] = useState<FormValues>({});
  const { request, problems } = readForm(options, values, business.currency_decimals);
  const form = JSON.stringify([values, chosen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the file is read again when the form changes
  const file = useMemo(() => {
    const {
      delimiter,
      amounts,
      date_format: dateFormat,
      exported_by: from,
    } = values as Record<string, string>;
    return readFile(name, lines?.items?.properties ?? {}, text, {
      ...{ columns: chosen as Record<string, string>, country: business.country, dateFormat, from },
      delimiter: delimiters[delimiter ?? ""] ?? ",",
      decimals: amounts === majorUnits ? business.currency_decimals : undefined,
    });
  }, [name, text, form]);
  const { work, start, stop, isRunning } = useWork<Totals | undefined>();
  const [last, setLast] = useState({ isDryRun: true, form: "" });
  const begin = (isDryRun: boolean) => {
    setLast({ isDryRun, form });
    const post = (signal: AbortSignal) => (sent: readonly object[]) => {
      const { business_id } = business;
      const body = { business_id, ...request, lines: sent as never, dry_run: isDryRun };
      return sendLines(path, body, signal);
    };
    start(undefined, async (tell, signal) => {
      await file.send(isDryRun, post(signal), tell);
      if (!isDryRun) endRun();
    });
  };
  const names = [...new Set(file.header)].filter((column) => column !== "");
  const columns = Object.entries(lines?.items?.properties ?? {}).map(([field, { description = "" }]) => [
    field,
    { type: "string", enum: names, description, optional: true } as const,
  ]);
  const problem = file.problem ?? Object.values(problems)[0];
  const isChecked = last.form === form && last.isDryRun && work?.state === "ended";
  return (
    <>
      <fieldset disabled={isRunning} className="plain">
        <Section title={t.writing}>
          <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
            <FieldInputs
              {...{ fields, values, problems }}
              onChange={(field, value) => setValues((others) => ({ ...others, [field]: value }))}
            />
          </SimpleGrid>
        </Section>
        <Section title={t.columns}>
          <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
            <FieldInputs
              fields={Object.fromEntries(columns)}
              values={{ ...file.columns, ...chosen }}
              onChange={(field, value) => setChosen((others) => ({ ...others, [field]: value }))}
            />
          </SimpleGrid>
        </Section>
      </fieldset>
      {problem && (
        <Alert color="orange" variant="light" mt="md">
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
          {...{ work }}
          label={t.progress}
          share={(work.done?.lines ?? 0) / Math.max(1, file.lines)}
          onStop={stop}
          onRetry={() => begin(last.isDryRun)}
          {...(!last.isDryRun && { afterFailure: t.interrupted })}
        />
      )}
      {work?.done && <ImportOutcome totals={work.done} {...{ file, name }} />}
    </>
  );
}

type ImportPath = `/op/imports/${ImportName}`;

/** In the same tab, an import that did not end goes on with the keys that it had. */
const runKey = "loyalty-console-import";
const endRun = () => sessionStorage.removeItem(runKey);

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
