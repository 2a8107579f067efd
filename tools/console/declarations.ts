/**
 * What the console knows about the operator operations: the fields of forms, the columns of tables, warnings and roles. It comes
 * from the declarations when the console is built, so a new field of an operation appears without an edit in the console.
 */
import { type TSchema, Type } from "typebox";
import { errors } from "../../src/contract/errors.ts";
import { auditEventsOf, type Operation } from "../../src/contract/operation.ts";
import { roles, scopes } from "../../src/domain/access/access.ts";
import { fieldsOfFile, hasOption, importKinds } from "../../src/operations/imports/import-kinds.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { timeOfDay } from "../../src/operations/sales/sales.ts";
import type { Declaration, Field, Fields } from "./declaration.ts";
import { fieldsOfForm, filtersOfList } from "./forms.ts";
import { knownFields } from "./known-fields.ts";
import { partnerFacts } from "./partners.ts";

/** What modules of the console export, by their paths. Every page knows the outlines; the rest is loaded where it is needed. */
export function consoleFacts(): Record<string, object> {
  const all = Object.entries(consoleDeclarations());
  const isRead = ([, { kind }]: [string, Declaration]) => kind === "read" || kind === "list";
  const outlines = all.map(([path, { kind, summary, role, takes, names, confirm }]) => [
    path,
    { kind, summary, role, takes, names, ...(typeof confirm === "string" && { warns: true }) },
  ]);
  return {
    "api/outlines.ts": { outlines: Object.fromEntries(outlines) },
    "api/reads.ts": { reads: Object.fromEntries(all.filter(isRead)) },
    "api/writes.ts": { writes: Object.fromEntries(all.filter((one) => !isRead(one))) },
    "pages/audit/known.ts": { known: knownFields(all.map(([, declaration]) => declaration)) },
    "pages/requests/partners.ts": partnerFacts(),
  };
}

/** A schema as declarations write it. */
interface Declared {
  readonly type?: string;
  readonly anyOf?: readonly Declared[];
  readonly items?: Declared;
  readonly properties?: Readonly<Record<string, Declared>>;
  readonly required?: readonly string[];
  readonly [fact: string]: unknown;
}

/** What inputs are checked by. Nobody types what a response has. */
const limits = ["minimum", "maximum", "minLength", "maxLength", "maxItems"] as const;
/** The facts about a field that the console uses. */
const facts = [
  ...["type", "description", "enum", "format", "unit", "zone", "shownOnce", "file", "default"],
  "meanings",
  ...limits,
] as const;

/** The declarations, by path. */
export function consoleDeclarations(): Record<string, Declaration> {
  return Object.fromEntries(
    operatorOperations.map((operation) => [operation.path, declarationOf(operation)]),
  );
}

function declarationOf(operation: Operation): Declaration {
  const { kind, summary, message, atLeastOneOf, exactlyOneOf, onlyOneOf, input, output } = operation;
  const { confirm, role } = operation as { confirm?: unknown; role?: string };
  const columns = operation.kind === "list" ? operation.columns : undefined;
  // Only forms show descriptions of fields, and what was done.
  const isWrite = kind === "write" || kind === "posting" || kind === "session";
  const fields = fieldsOfForm(operation.path, {
    ...(propertiesOf(explained(plain(input, isWrite ? [] : ["description"]))) as unknown as Fields),
    ...linesOf(operation),
    ...choicesOf(operation),
    ...wordsOfCheck(operation),
  });
  const shown = withoutChoice(fieldOf(plain(withTimes(output), ["description", ...limits]))) as Field;
  return {
    kind,
    summary,
    ...(isWrite && { message }),
    role,
    confirm,
    columns,
    optionsByKind: operation.path === "/op/imports/preview" ? importOptions(operation) : undefined,
    atLeastOneOf,
    exactlyOneOf,
    onlyOneOf,
    takes: Object.keys(input.properties),
    names: kind === "list" ? numberOf(operation.path, shown) : undefined,
    input: fields,
    filters: isWrite ? undefined : filtersOfList(fields),
    log: kind === "read" && "before" in fields ? logOf(shown) : undefined,
    output: shown,
  } as unknown as Declaration;
}

/** People read the names of these records, and choose among them. Members have a search of their own. */
function numberOf(path: string, { properties = {} }: Field): string | undefined {
  const [number] = Object.keys(properties);
  const isNamed = Object.keys(properties).some((name) =>
    /^(?:name|title|campaign_name|membership_name)$/.test(name),
  );
  const isMade = operatorOperations.some((one) => one.path === path.replace(/list$/, "create"));
  return path.endsWith("/list") && isNamed && isMade ? number : undefined;
}

function logOf({ properties = {} }: Field) {
  const [items = ""] = Object.keys(properties).filter((name) => properties[name]?.type === "array");
  return { items, fields: properties[items]?.items?.properties ?? {} };
}

/** A response without what only forms ask: whether a field can be left out. */
const withoutChoice = (field: object): object =>
  JSON.parse(
    JSON.stringify(field, (name, fact) =>
      ["optional", "nullable"].includes(name) && fact === true ? undefined : fact,
    ),
  );

/** The lines of an import with their fields in full. The schema of a request has only their types. */
function linesOf(operation: Operation): object {
  const kind = Object.values(importKinds).find((one) => one.operation === operation);
  if (kind === undefined) return {};
  return { lines: { type: "array", items: fieldOf(plain(Type.Object(fieldsOfFile(kind)))) } };
}

/** What the form of a check says of its fields: which system wrote the file, and which fields texts of empty cells can be for. */
function wordsOfCheck({ path, input }: Operation): object {
  if (path !== "/op/imports/preview") return {};
  const { from, defaults } = propertiesOf(plain(input)) as unknown as Fields;
  const { field, ...others } = defaults?.items?.properties ?? {};
  const names = [...new Set(Object.values(importKinds).flatMap((kind) => Object.keys(fieldsOfFile(kind))))];
  const items = { ...defaults?.items, properties: { field: { ...field, names }, ...others } };
  return { from: { ...from, label: "exported_by" }, defaults: { ...defaults, items } };
}

/** The fields of a check that files of each kind have, besides the columns, for which there is more than an input. */
function importOptions({ input }: Operation): Record<string, readonly string[]> {
  const hidden = ["business_id", "import_id", "kind", "columns", "column_names", "locations"];
  const fields = Object.keys(input.properties).filter((field) => !hidden.includes(field));
  return Object.fromEntries(
    Object.values(importKinds).map((kind) => [kind.name, fields.filter((field) => hasOption(kind, field))]),
  );
}

const days = ["DD MM YYYY", "MM DD YYYY", "DD MM YY", "MM DD YY"];

/** The usual values of fields that are texts in the declaration. */
const choices: Readonly<Record<string, Readonly<Record<string, readonly string[]>> | undefined>> = {
  "/op/audit/list": { event: auditEventsOf([...partnerOperations, ...operatorOperations]) },
  "/op/imports/preview": {
    delimiter: [",", ";", "tab", "whitespace", "|"],
    date_format: ["-", ".", "/"].flatMap((sign) => days.map((day) => day.replaceAll(" ", sign))),
  },
  "/op/requests/list": { error_code: Object.keys(errors) },
};

/** Partners and guides name an error by its code. */
const code = { format: "code" };

function choicesOf({ path }: Operation): object {
  const found = Object.entries(choices[path] ?? {}).map(([name, values]) => [
    name,
    { type: "string", enum: values.toSorted(), optional: true, ...(name === "error_code" && code) },
  ]);
  return Object.fromEntries(found);
}

/** The schema, in which choices of scopes and roles have the sentence about each, by the value. */
function explained(schema: Declared): Declared {
  const text = JSON.stringify(schema, (_name, part) => {
    const values = (part as Declared | null)?.enum;
    const table = [scopes, roles].find(
      (one) => Array.isArray(values) && values.every((value) => Object.hasOwn(one, value)),
    );
    return table === undefined ? part : { ...part, meanings: table };
  });
  return JSON.parse(text) as Declared;
}

/** Names the format of times, which their length tells otherwise. */
function withTimes(schema: TSchema): TSchema {
  const text = JSON.stringify(schema, (_, value) =>
    value?.minLength === 19 && value.maxLength === 19
      ? { ...value, format: "date-time", minLength: 0 }
      : value,
  );
  return JSON.parse(text) as TSchema;
}

/** Without the notes that typebox keeps in schemas. @param omitted facts that are left out, too */
function plain(schema: TSchema, omitted: readonly string[] = []): Declared {
  const text = JSON.stringify(schema, (name, value) =>
    omitted.includes(name) && typeof value !== "object" ? undefined : value,
  );
  return JSON.parse(text) as Declared;
}

function propertiesOf({ properties = {}, required = [] }: Declared): Record<string, object> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    { ...fieldOf(schema), ...(!required.includes(name) && { optional: true }) },
  ]);
  return Object.fromEntries(fields);
}

/** A field, or null: `nullable`, with the facts of the field and the description of both. */
function fieldOf(schema: Declared): Record<string, unknown> {
  const { anyOf = [], items, properties } = schema;
  const others = anyOf.filter(({ type }) => type !== "null");
  const [only] = others;
  if (only !== undefined && others.length === 1) {
    return {
      ...fieldOf(only),
      ...(schema.description !== undefined && { description: schema.description }),
      nullable: true,
    };
  }
  const known = facts.filter((fact) => schema[fact] !== undefined).map((fact) => [fact, schema[fact]]);
  return {
    ...Object.fromEntries(known),
    ...(schema.enum !== undefined && { type: "string" }),
    ...(schema.pattern === timeOfDay && { format: "time" }),
    ...(items && { items: fieldOf(items) }),
    ...(properties && { properties: propertiesOf(schema) }),
  };
}
