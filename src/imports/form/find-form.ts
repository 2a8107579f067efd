/** Finds how a file is written, from all its lines. */
import { listLocationNames } from "../../database/catalog.ts";
import { majorText } from "../../domain/amount-text.ts";
import type { ImportName, System } from "../../domain/imports/jobs.ts";
import { nameKey } from "../../domain/text.ts";
import { isOfReceiptLine, type Places } from "../../operations/imports/file-fields.ts";
import type { ImportForm } from "../../operations/imports/import-jobs.ts";
import type { ImportKind } from "../../operations/imports/import-kinds.ts";
import { memberNames } from "../../operations/imports/imported-sales.ts";
import { type CsvRecord, readRecords, type TextRecord } from "../file/csv.ts";
import { FileProblem } from "../file/file-problem.ts";
import { findDelimiter } from "../file/text.ts";
import { type Job, keepJob, stopIfAsked, unitOf, writingOf } from "../job.ts";
import { valuesOf } from "../lines.ts";
import { StatusColumns } from "../status-columns.ts";
import { Survey } from "../survey.ts";
import type { Column } from "../writing.ts";
import { moneyIn, refundsIn } from "./column-words.ts";
import {
  checkColumns,
  checkDelimiter,
  fieldsOf,
  findColumns,
  headerAmong,
  isLineOfValues,
  matchColumns,
  numberedText,
} from "./columns.ts";
import { presets, systemOf } from "./presets.ts";
import { dayForm } from "./times.ts";

const mostSampled = 5;

/**
 * Reads a whole file, and stores how it is written.
 * @throws FileProblem when it is not CSV, or its columns can't be imported
 */
export async function findForm(job: Job): Promise<ImportForm> {
  const { source, leased } = job;
  const { delimiter: said } = leased.options;
  const delimiter = said === undefined ? findDelimiter(source.head) : said === "tab" ? "\t" : said;
  const first: TextRecord[] = [];
  let begun: Awaited<ReturnType<typeof begin>> | undefined;
  for await (const records of readRecords(source.open(), delimiter)) {
    begun ??= records[0] && (await begin(job, records as [CsvRecord, ...CsvRecord[]], delimiter));
    for (const record of records) {
      if (record.line <= (begun?.form.header_at ?? 0)) continue;
      begun?.survey.add(record);
      begun?.statuses.add(record);
      if (first.length < mostSampled) first.push(record);
    }
    if (job.stopped()) await stopIfAsked(job);
  }
  if (begun === undefined || first.length === 0) throw new FileProblem("The file has no line to import.");
  const { titleTexts, survey, statuses } = begun;
  const form = withColumn(begun.form, statuses.taken);
  const written = {
    ...form,
    decimal: survey.decimalSign ?? null,
    points_decimal: survey.pointsSign ?? null,
    amount_unit: unitOf(leased.options, form.from ?? undefined) ?? survey.unit ?? null,
    date_formats: survey.dateFormats(),
    ...survey.locations(),
  };
  const columns = columnsOf(job, written);
  const sample = first.map((record) => sampleOf(job, columns, record));
  const found = { ...written, notes: [...titleTexts, ...textsOf(job, form, begun)], sample };
  await keepJob(job.sql, job, { form: found });
  if (delimiter === "," && survey.cutProblem !== "") throw new FileProblem(survey.cutProblem);
  if (found.amount_unit === null) throw new FileProblem(survey.unitProblem);
  return found;
}

/** What was found, as sentences. */
function textsOf(
  job: Job,
  form: ImportForm,
  { survey, statuses }: { readonly survey: Survey; readonly statuses: StatusColumns },
): string[] {
  return [
    ...(form.header_line === null && job.leased.options.column_names === undefined ? [numberedText] : []),
    ...presetTexts(job.kind.name, form),
    ...namingTexts(job.kind, form),
    ...(joins(job, form) ? ["Lines of one receipt that follow each other are one sale."] : []),
    ...statuses.texts(),
    ...moneyTexts(job.kind.name, form),
    ...survey.texts(),
  ];
}

/** Names for columns without names: their numbers, with the text in the first line. */
const numbered = (cells: readonly string[]) =>
  cells.map((text, index) => `${index + 1}: ${text.slice(0, 30)}`);

/** @throws FileProblem when the columns of the system that was said are not known */
function findSystem(kind: ImportName, header: readonly string[], said?: System): System | undefined {
  if (said === undefined || presets[said][kind] !== undefined) return said ?? systemOf(kind, header);
  throw new FileProblem(
    `The columns of ${kind} of ${presets[said].title} are not known.`,
    "Leave from away, and name the columns in columns.",
  );
}

/** What is done because of the system that exported the file, as sentences. */
function presetTexts(kind: ImportName, { from }: ImportForm): string[] {
  const preset = from === null ? undefined : presets[from][kind];
  if (from === null || preset === undefined) return [];
  const texts = Object.entries(preset.defaults ?? {}).map(
    ([field, text]) => `Where ${field} is empty, it becomes ${text}.`,
  );
  return [`The file is an export of ${presets[from].title}, whose columns are known.`, ...texts];
}

const headerText = (line: number) => `Line ${line} is the header. What is before it is not imported.`;

/** Which name of customers counts, if the file has several columns with them. */
function namingTexts({ needs }: ImportKind, { columns }: ImportForm): string[] {
  if (!needs.includes(memberNames)) return [];
  const [first, ...others] = memberNames.filter((name) => columns.some(({ field }) => field === name));
  if (others.every((name) => name === "email")) return [];
  return [
    `Lines name their customers by ${first}, and where it is empty by ${others.join(", then by ")}. If other names are the right ones, ` +
      `leave ${first} out in columns.`,
  ];
}

function moneyTexts(kind: ImportName, { columns, unused }: ImportForm): string[] {
  const has = (name: string) => columns.some(({ field }) => field === name);
  const money = has("wallet_balance") ? undefined : moneyIn(kind, unused);
  const refunds = kind !== "sales" || has("refunded_amount") ? undefined : refundsIn(unused);
  return [
    ...(money === undefined
      ? []
      : [
          `The column ${money} is not imported. If it is the money of the members, say it as wallet_balance.`,
        ]),
    ...(refunds === undefined
      ? []
      : [
          `The column ${refunds} is not imported. If it is what was refunded of a sale, say it as refunded_amount. If it says yes for ` +
            "sales that were refunded, say it as sale_voided.",
        ]),
  ];
}

/** Whether lines of one receipt are one sale. */
export const joins = ({ leased, kind }: Job, { from, columns }: ImportForm): boolean =>
  leased.options.join_lines ??
  ((from !== null && presets[from][kind.name]?.joins === true) ||
    columns.some(({ field }) => isOfReceiptLine(field)));

/** Whether the amount of a line is known not to be that of its receipt, because the system writes it so. */
export const hasAmountsOfLines = ({ leased, kind }: Job, { from }: ImportForm): boolean =>
  from !== null &&
  presets[from][kind.name]?.joins === true &&
  leased.options.columns?.some(({ field }) => field === "amount") !== true;

/** The columns of a file whose form was found. */
export function columnsOf(job: Job, form: ImportForm): Column[] {
  const dayForms = new Map(form.date_formats.map(({ field, format }) => [field, dayForm(format)]));
  return findColumns(job.kind, form.header, {
    ...writingOf(job, form),
    decimalSign: form.decimal ?? undefined,
    pointsSign: form.points_decimal ?? undefined,
    dayForms,
    indexes: form.indexes,
    places: new Map(form.places),
  });
}

/** What names of locations mean: what the options say, or else the name of one location. */
async function placesOf({ sql, leased }: Job): Promise<Places> {
  const places = new Map<string, number | null>();
  const own = await listLocationNames(sql, leased.business_id);
  const twice = new Set<string>();
  for (const { name, location_id } of own) {
    const key = nameKey(name);
    if (places.has(key)) twice.add(key);
    places.set(key, location_id);
  }
  for (const key of twice) places.delete(key);
  for (const { name, location_id } of leased.options.locations ?? []) places.set(nameKey(name), location_id);
  return places;
}

/** Finds the columns by the header, and stores them. @throws FileProblem when one is missing, but then, too, they are stored */
async function begin(job: Job, records: readonly [CsvRecord, ...CsvRecord[]], delimiter: string) {
  const { kind, source, leased } = job;
  const [first] = records;
  const { column_names, columns: named = [] } = leased.options;
  const said = named.map(({ column }) => column);
  const headerRecord = headerAmong(kind, records, said);
  // Titles before a header can have days, too.
  const isValues = headerRecord === first && isLineOfValues(kind, first.fields);
  const { no_header = column_names === undefined && isValues } = leased.options;
  const hasHeader = column_names === undefined && !no_header;
  const record = hasHeader ? headerRecord : first;
  checkDelimiter(record.fields, record.line);
  const header = column_names ?? (no_header ? numbered(record.fields) : [...record.fields]);
  const header_at = hasHeader ? record.line : null;
  const header_line = hasHeader ? source.original(record.raw).toString("base64") : null;
  const from = findSystem(kind.name, header, leased.options.from);
  const writing = { ...writingOf(job), from, places: await placesOf(job) };
  const columns = matchColumns(kind, header, writing);
  const found = { from: from ?? null, encoding: source.decoding, delimiter, header_line, header_at };
  const form = { ...emptyForm, ...formOf(header, columns), ...found, country: job.country };
  await keepJob(job.sql, job, { form });
  checkColumns(kind, header, columns);
  // Lines that are empty, or say the delimiter, are no titles.
  const titleTexts = record === first ? [] : [headerText(record.line)];
  const statuses = new StatusColumns(kind, header, columns, writing);
  return { form, titleTexts, survey: new Survey(kind, columns, writing), statuses };
}

/** What is found later. */
const emptyForm = {
  ...{ decimal: null, points_decimal: null, amount_unit: null, lines: null },
  ...{ date_formats: [], locations: [], places: [], notes: [], sample: [] },
};

/** A form with a further column, if one was found. */
function withColumn<Form extends Pick<ImportForm, "header" | "indexes">>(
  form: Form,
  found: Place | undefined,
): Form {
  const places = Object.entries(form.indexes).map(([field, index]) => ({ field, index }));
  return found === undefined ? form : { ...form, ...formOf(form.header, [...places, found]) };
}

type Place = Pick<Column, "field" | "index">;

function formOf(header: string[], columns: readonly Place[]) {
  const used = new Set(columns.map(({ index }) => index));
  return {
    header,
    indexes: Object.fromEntries(columns.map(({ field, index }) => [field, index])),
    columns: columns.flatMap(({ field, index }) =>
      index === -1 ? [] : [{ field, column: header[index] as string }],
    ),
    unused: header.filter((name, index) => !used.has(index) && name !== "" && name !== "-"),
  };
}

/** A line as it is read. A value that can't be read is shown with the reason. */
function sampleOf({ kind, money }: Job, columns: readonly Column[], record: TextRecord) {
  const { values, unread } = valuesOf(kind, columns, [record]);
  const read = Object.entries(values).map(([field, value]) => {
    const isMoney = fieldsOf(kind)[field]?.unit === "minor_units" && typeof value === "number";
    const shown = isMoney ? `${majorText(value, money.decimals)} ${money.currency}` : String(value);
    return { field, sample_value: shown };
  });
  const others = unread.map(({ field, text, problem }) => {
    return { field, sample_value: `${text} ${problem.problem}` };
  });
  return { line: record.line, values: [...read, ...others] };
}
