/** Shared by the operations on files that are imported: how a file is described, and what a job found and did. */
import { fields, reject, type Static, Type } from "../../contract/declare.ts";
import type { Connection } from "../../database/connection.ts";
import { type JobKey, type JobRow, lockJob } from "../../database/imports/jobs.ts";
import { type DecimalSign, decimalSigns } from "../../domain/amount-text.ts";
import {
  amountUnits,
  encodings,
  fileDays,
  type ImportState,
  importNames,
  importStates,
  mostPlaces,
  systems,
} from "../../domain/imports/jobs.ts";
import { pick } from "../records.ts";
import { locationNames } from "./file-fields.ts";
import { identityFields } from "./imported-sales.ts";

export const importId = fields.identifier("The import.", 12);

export const importState = fields.choice(
  importStates,
  "uploading: parts of the file are missing. uploaded: it can be checked. checking, importing: a job reads it. checked: it can be " +
    "imported. cancelled: if it had begun to import, it can be started again, and goes on where it was; otherwise its file is deleted. ended: all lines are imported, skipped or rejected. " +
    "failed: problem says why.",
  "checked",
);

const most = 1000;
const returned = (description: string, example: string) => fields.returnedText(2000, description, example);
const listOf = <Item extends Parameters<typeof Type.Array>[0]>(
  item: Item,
  description: string,
  example: unknown,
) => Type.Array(item, { maxItems: most, description, examples: [example] });

const fieldName = fields.text(100, "A field of a line.", "amount");

/** How a file is written, as far as the caller says. */
export const writingFields = {
  delimiter: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10,
      pattern: "^(?:.|tab|whitespace)$",
      description:
        'The text between columns: a character, "tab", or "whitespace" for any number of blanks. By default, a comma, a semicolon, ' +
        "a tab or a |, as the first lines tell.",
      examples: [";"],
    }),
  ),
  encoding: Type.Optional(
    fields.choice(encodings, "The encoding of the file, if it has no byte order mark. By default, UTF-8."),
  ),
  column_names: Type.Optional(
    Type.Array(
      fields.returnedText(255, "The name of a column, or - for one that is not imported.", "amount"),
      {
        minItems: 1,
        maxItems: most,
        description: "The names of the columns, if the first line is not a header.",
        examples: [["external_ref", "sold_at", "-", "amount"]],
      },
    ),
  ),
  no_header: fields.option(
    "Whether the first line is not a header. Without column_names, columns are then called by their numbers, such as 2.",
  ),
  columns: Type.Optional(
    Type.Array(
      Type.Object({
        field: fieldName,
        column: fields.returnedText(
          255,
          "The name of its column. If it is empty, the field is not imported.",
          "dollar_value",
        ),
      }),
      { maxItems: 100, description: "The columns of fields whose names differ." },
    ),
  ),
  defaults: Type.Optional(
    Type.Array(Type.Object({ field: fieldName, value: fields.text(1000, "The text.", "-") }), {
      maxItems: 100,
      description: "The texts of fields where their cell is empty, or where the file has no column for them.",
    }),
  ),
  from: Type.Optional(
    fields.choice(systems, "The system that exported the file. By default, the names of the columns tell."),
  ),
  date_format: Type.Optional(
    Type.String({
      minLength: 6,
      maxLength: 20,
      pattern: "^(?=.*DD)(?=.*MM)(?=.*YY)[DMY]{2,4}[^A-Za-z0-9]?[DMY]{2,4}[^A-Za-z0-9]?[DMY]{2,4}$",
      description:
        "How days are written, such as DD/MM/YYYY or MM/DD/YY. By default, all days of a column tell. 2026-04-17 and 20260417 are " +
        "understood, too, where they don't have this form. A time can follow.",
      examples: ["DD/MM/YYYY"],
    }),
  ),
  amount_unit: Type.Optional(
    fields.choice(
      amountUnits,
      "Whether amounts are in major units, so that 12 is 12.00, or in minor units, so that 12 is 0.12. By default, major units if most " +
        "amounts of the file have decimals; if not, the check fails and asks.",
    ),
  ),
  decimal: Type.Optional(
    fields.choice(
      decimalSigns,
      "The sign before the decimals of amounts in major units; the other one groups thousands. By default, all amounts of the " +
        "file tell. If none does, an amount that is not clear, such as 12.500, is rejected.",
    ),
  ),
  locations: Type.Optional(locationNames),
  join_lines: fields.option(
    "For sales: whether lines that follow each other and have the same reference_id are one sale, whose amounts are summed.",
  ),
  country: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 2,
      pattern: "^[A-Z]{2}$",
      description:
        "The country whose national phone numbers are understood. By default, that of the business.",
      examples: ["ES"],
    }),
  ),
};

const writing = Type.Object(writingFields);

/** Options that are used again. */
export const mappingFields = {
  like: Type.Optional(
    fields.text(
      100,
      "The name of saved options. Those that the request has, too, are taken from the request; of columns, defaults and locations, " +
        "those of the same field or name.",
      "Till export",
    ),
  ),
  save_as: Type.Optional(
    fields.text(100, "A name under which the options are saved for other files of the kind.", "Till export"),
  ),
};

/** What becomes of the lines. */
export const requestOptions = {
  points_valid_through: Type.Optional(
    fields.day(
      "For members: the last day on which the opening points can be spent. By default, they don't expire.",
    ),
  ),
  earn: fields.option("For sales: whether they earn points."),
  earn_imported: fields.option(
    "For sales, with earn: whether sales that were imported before without points earn them now. No sale earns twice.",
  ),
  location_id: Type.Optional({
    ...fields.locationId,
    description: "For sales: the location of lines without a location.",
  }),
  ...identityFields,
};

const column = Type.Object({ field: fieldName, column: returned("The name of its column.", "dollar_value") });

const form = Type.Object({
  from: fields.nullable(
    fields.choice(systems, "The system that exported the file."),
    "The system that exported the file, or null if the columns don't tell.",
  ),
  encoding: returned("The encoding.", "utf-8"),
  delimiter: returned("The text between columns.", ";"),
  header: listOf(returned("A name.", "amount"), "The names of the columns.", ["id", "amount"]),
  columns: Type.Array(column, { maxItems: 100, description: "The columns that are imported." }),
  unused: listOf(returned("A name.", "note"), "The columns that are not imported.", ["note"]),
  decimal: fields.nullable(
    fields.choice(decimalSigns, "The sign before the decimals of amounts."),
    "The sign before the decimals of amounts, or null if nothing tells.",
  ),
  amount_unit: fields.nullable(
    fields.choice(amountUnits, "The unit of amounts."),
    "The unit of amounts, or null if it is not clear.",
  ),
  date_formats: Type.Array(
    Type.Object({ field: fieldName, format: returned("The form of its days.", "DD/MM/YYYY") }),
    { maxItems: 100, description: "How days are written, where they have another form than 2026-04-17." },
  ),
  locations: Type.Array(
    Type.Object({
      name: returned("A name in the file.", "Main St"),
      lines: fields.count("How many lines have it.", 812),
      location_id: fields.nullable(
        fields.locationId,
        "The location, or null if the name is not known or its lines are left out.",
        3,
      ),
      left_out: fields.flag("Whether lines with the name are left out.", false),
    }),
    { maxItems: mostPlaces, description: "The names of locations, the most frequent first." },
  ),
  notes: listOf(
    returned("A sentence.", 'Amounts have "," before their decimals (1,50 in line 2).'),
    "What was found, for people.",
    [],
  ),
  lines: fields.nullable(
    fields.count("How many lines it has.", 2000),
    "How many lines it has; null before all are checked.",
  ),
  sample: Type.Array(
    Type.Object({
      line: fields.identifier("The number of the line in the file.", 2),
      values: Type.Array(
        Type.Object({
          field: fieldName,
          sample_value: fields.personal(returned("The value as it is read.", "1250")),
        }),
        { maxItems: 100, description: "The values of the line." },
      ),
    }),
    { maxItems: 10, description: "The first lines, as they are read." },
  ),
});

const result = Type.Object({
  lines: fields.count("The lines that were read so far.", 2000),
  imported: fields.count("How many of them are imported; in a check, how many would be.", 1998),
  skipped: fields.count("How many were imported before.", 1),
  rejected: fields.count("How many are rejected.", 1),
  left_out: fields.count(
    "How many are nothing for the service, such as sales without a customer. A note says which.",
    0,
  ),
  joined: fields.count(
    "How many are further lines of receipts; their amounts are added to the first line.",
    0,
  ),
  without_points: fields.count(
    "How many skipped sales were imported without points, and don't get them now.",
    0,
  ),
  points_added: fields.count("How many skipped sales get their points now.", 0),
  sums: Type.Object(
    {
      lines: fields.count("How many lines with an amount or points are imported, or would be.", 1999),
      amount: fields.inMinorUnits(fields.count("What their amounts come to, in minor units.", 2_499_000)),
      smallest: fields.inMinorUnits(fields.count("The smallest amount, in minor units.", 100)),
      largest: fields.inMinorUnits(fields.count("The largest amount, in minor units.", 12_500)),
      points: fields.inPoints(fields.count("What their opening points come to.", 0)),
      first_day: fields.nullable(
        fields.day("The first day."),
        "The first day of the sales, or null.",
        "2025-01-02",
      ),
      last_day: fields.nullable(
        fields.day("The last day."),
        "The last day of the sales, or null.",
        "2026-04-17",
      ),
    },
    { description: "What the lines that are imported come to." },
  ),
  reasons: Type.Array(
    Type.Object({
      reason: returned("The reason.", "phone_number names no member."),
      lines: fields.count("How many lines have it.", 1),
      first_lines: Type.Array(fields.identifier("The number of a line.", 17), {
        maxItems: 3,
        description: "The first of them.",
      }),
    }),
    { maxItems: most, description: "Why lines are rejected, the most frequent reason first." },
  ),
  notes: listOf(
    returned("A sentence.", "The sales would earn no points. To let them earn, add earn."),
    "What else there is to know, for people.",
    [],
  ),
});

const importFields = {
  import_id: importId,
  file_name: fields.returnedText(255, "The name of the file.", "sales.csv"),
  kind: fields.nullable(
    fields.choice(importNames, "What the lines are."),
    "What the lines are; null before the first check.",
  ),
  state: importState,
  bytes: fields.count("The size of the file as it was uploaded, in bytes.", 48_211),
  lines_done: fields.count("How many lines the job has done.", 2000),
  created_at: fields.timestamp,
  ended_at: fields.nullable(fields.timestamp, "When the last check or import ended, or null."),
  problem: fields.nullable(
    returned("The reason.", "A quote that begins in line 7 or later is not closed."),
    "Why it failed, or null.",
  ),
};

/** An import in a list. */
export const importInList = Type.Object(importFields);

/** An import with what was found. */
export const importJob = Type.Object({
  ...importFields,
  options: fields.nullable(
    Type.Object({ ...writingFields, ...requestOptions }),
    "The options of the last check; null before it.",
  ),
  form: fields.nullable(form, "How the file is written; null before it is known."),
  result: fields.nullable(result, "What became of the lines so far; null before the first ones."),
});

type Job = Static<typeof importJob>;
/** How a file is written, as it is stored. */
export type ImportForm = NonNullable<Job["form"]> &
  Pick<NonNullable<JobRow["form"]>, "header_line"> & {
    /** The sign before fractions of points; null if nothing tells. */
    readonly points_decimal: DecimalSign | null;
    /** The line of the header; null without one. What is before it is not imported. */
    readonly header_at: number | null;
    /** The number of the column of each field, from 0. */
    readonly indexes: Readonly<Record<string, number>>;
    /** The locations by the names in the file. */
    readonly places: readonly (readonly [key: string, location_id: number | null])[];
    /** Whose national phone numbers are understood. */
    readonly country: string | null;
  };
export type ImportResult = NonNullable<Job["result"]>;
/** How a file is to be read. What is not said is found from the file. */
export interface ImportOptions extends Static<typeof writing> {
  /** Fields of the request that imports a chunk of lines. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** What the operations that change an import return. */
export const changedImport = Type.Object({ import_id: importId, state: importState });

export const deletedAfter = `Files are deleted after ${fileDays} days.`;

export function importOf(row: JobRow): Job {
  const { form: found, result: done, options } = row;
  const whole = {
    ...pick(row, importInList),
    options: options && { ...(options as ImportOptions).request, ...options, request: undefined },
    form: found && pick(found, form),
    result: done && pick(done, result),
  };
  return whole as Job;
}

/** Locks an import until the end of the transaction. @returns the reason to reject if it is in no such state */
export async function lockImport(tx: Connection, key: JobKey, states: readonly ImportState[]) {
  const job = await lockJob(tx, key);
  if (job === undefined) return reject("import_not_found");
  return states.includes(job.state) ? job : reject("import_not_ready", { state: job.state });
}
